"""A running contest on the screen: a progress bar, the standings so far, and the end."""

from __future__ import annotations

import time

from rich.console import Group, RenderableType
from rich.live import Live as RichLive
from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.progress import Progress as RichProgress
from rich.table import Table
from rich.text import Text

from koth.cli.screen import console, counted, errors, lasting, marked, program, show
from koth.cli.table import short_table, show_standings
from koth.contest.contest import Contest, too_few
from koth.contest.job import ProgressEvent
from koth.contest.reading import MatchRow
from koth.contest.run import Callbacks, Outcome, current_schedule
from koth.contest.schedule import pair_spread
from koth.contest.seating import more_than_others, plan, trial
from koth.contest.store import Store
from koth.contest.timing import LOADED
from koth.contest.timing import load as load_of
from koth.errors import visible
from koth.escaping import shell_word
from koth.games import load
from koth.services.contests import PlayedContest, in_short
from koth.services.standings import title_of
from koth.standings.table import standings
from koth.standings.text import number, unrepeatable_text

FORETELLS = 3
"""After so many matches it is said how long the others will take."""
WORTH = 10.0
"""Seconds that are worth a line beforehand."""
RESTS = 9
"""Standings that took long to reckon stay as they are for so many times as long."""


class Live:
    """Shows a contest while it runs: live in a terminal, a line per match elsewhere (all on stderr)."""

    def __init__(self, contest: Contest, store: Store) -> None:
        self._schedule = schedule = current_schedule(contest, store)
        drawn = {match.index for match in schedule}
        self.contest = contest
        self.store = store
        self.callbacks = Callbacks(self._match_done, self._heard)
        self._playing: dict[int, str] = {}
        """By match, what was heard of it last."""
        self._total = len(drawn)
        self._done = len(drawn & set(store.indexes()))
        self._each = contest.matches_of(schedule)
        self._waited: set[int] = set()
        """The matches of which it was said that they wait."""
        self._new, self._begun = 0, time.monotonic()
        self._is_playing = False
        self._table: RenderableType = Text("")
        self._again = 0.0
        """When the standings may be reckoned anew."""
        self._bar = RichProgress(
            TextColumn("[bold]{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("{task.fields[now]}"),
            TimeElapsedColumn(),
            TimeRemainingColumn(),
            console=errors,
        )
        self._task = self._bar.add_task(contest.game, total=self._total, completed=self._done, now="")
        self._live = RichLive(self._picture(), console=errors, refresh_per_second=8, transient=True)

    def __enter__(self) -> Live:
        contest = self.contest
        until = "" if contest.until is None else str(contest.until)
        seed = "" if contest.seed is None else f", seed {contest.seed}"
        bots = len(contest.bots)
        meetings = pair_spread(bots, self._schedule) if contest.form.size < bots else None
        played = plan(contest.form, self._each, self._total - self._done, until, meetings) + trial(contest.turns)
        errors.print(f"{contest.game}: {played}{seed}")
        for warning in (more_than_others(self._each), too_few(contest)):
            if warning:
                errors.print(marked(warning), soft_wrap=not errors.is_terminal)
        if errors.is_terminal:
            self._live.start()
        return self

    def __exit__(self, *_: object) -> None:
        if errors.is_terminal:
            self._live.stop()

    def _match_done(self, row: MatchRow) -> None:
        self._done += 1
        self._new += 1
        if self._new == FORETELLS:
            self._foretell()
        self._playing.pop(row.index, None)
        if errors.is_terminal:
            self._bar.update(self._task, completed=self._done, now=self._now())
            self._live.update(self._picture())
        else:
            best = max(row.scores.items(), key=lambda item: item[1])
            errors.print(
                f"{self._done} of {self._total}: match {row.index}, {counted(row.turns, 'turn', 'turns')}, "
                f"{marked(best[0])} first with {number(best[1])}"
            )

    def _foretell(self) -> None:
        """Print how long the remaining matches will take at the pace of the first ones."""
        left = (time.monotonic() - self._begun) / self._new * (self._total - self._done)
        if left > WORTH:
            most = "at most " if self.contest.until is not None else ""
            text = f"the rest takes {most}about {lasting(left)}, if it goes on like the first {self._new} matches"
            errors.print(text, soft_wrap=not errors.is_terminal)

    def _heard(self, event: ProgressEvent) -> None:
        if not self._is_playing:
            self._is_playing, self._begun = True, time.monotonic()  # what workers took to start is no match's time
        self._playing[event.match] = (
            f"{event.waits} waits for a core ({event.seconds:.0f} s)" if event.waits else f"turn {event.turn:,}"
        )
        if errors.is_terminal:
            self._bar.update(self._task, now=self._now())
        elif event.waits and event.match not in self._waited:
            self._waited.add(event.match)
            errors.print(f"match {event.match}: {marked(event.waits)} waits for a core, which other programs hold")

    def _now(self) -> str:
        first = sorted(dict(self._playing).items())[:3]
        return ", ".join(f"match {index} {marked(words)}" for index, words in first)

    def _picture(self) -> RenderableType:
        """Return the standings so far, computed anew no more often than takes a tenth of the time."""
        if not self._done:
            return self._bar
        begun = time.monotonic()
        if begun >= self._again:
            so_far = standings(self.store.scores(), load(self.contest.game).contest_defaults, self.contest.games)
            self._table = short_table(so_far, self.store.fault_counts(), "so far", errors.height - 8)
            took = time.monotonic() - begun
            self._again = begun + took + RESTS * took
        return Group(self._table, self._bar)


def print_end(played: PlayedContest) -> None:
    """Print the final standings, and where everything is."""
    contest, end, store = played.contest, played.outcome, played.outcome.store
    schedule = current_schedule(contest, store)
    done = len(schedule) - end.missing
    if not done:
        console.print("no match was finished")
        _print_unplayed(end)
        return
    aggregate = load(contest.game).contest_defaults.aggregate
    total = len(schedule) if played.stopped is not None else None
    title = title_of(contest.game, contest.ruleset, done, total, contest.turns, aggregate)
    title += "" if contest.seed is None else f", seed {contest.seed}"
    times, faults = store.timings(), store.fault_counts()
    show_standings(end.standings, faults, title, times)
    _print_unplayed(end)
    if others := len(store.uncounted()):
        console.print(f"{counted(others, 'match', 'matches')} of earlier fields: kept, and not counted here.")
    _print_machines(store)
    if end.look is not None:
        console.print(marked(end.look.text(str(contest.until))))
    if contest.form.size < len(contest.bots):
        low, high = pair_spread(len(contest.bots), schedule)
        meetings = counted(low, "match", "matches") if low == high else f"{low:,} to {high:,} matches"
        console.print(f"Every two bots meet in {meetings}.")
    _print_voids(store)
    if load_of(times) > LOADED:
        errors.print(  # of the machine, not of the contest
            f"The machine was loaded: bots waited {load_of(times):.0%} of their time for a core (not charged).",
            soft_wrap=not errors.is_terminal,
        )
    for item in played.bots.skipped:
        name = f"{item['bot']}: " if item["bot"] else ""
        reason = visible(name + in_short(item["reason"]))
        console.print(Text(f"left out: {reason}", style="yellow"), soft_wrap=not console.is_terminal)
    if played.bots.unrepeatable:
        text = marked(unrepeatable_text(played.bots.unrepeatable))
        console.print(text, style="dim", soft_wrap=not console.is_terminal)
    folder = played.folder
    console.print(marked(f"results and replays: {folder}"))
    console.print(f"what is this table? {program()} standings {shell_word(folder)} --explain")
    if faults:
        console.print(Text(f"why bots had faults: {program()} why {shell_word(folder)}", style="bold"))
    console.print(Text(f"watch them: {program()} view {shell_word(folder)}", style="bold"))


def _print_unplayed(end: Outcome) -> None:
    """Print the matches that could not be played, and why."""
    for item in end.unplayed:
        kept = f" (waiting: {marked(item.bot)})" if item.bot else ""
        text = f"match {item.match} could not be played ({item.tries} tries): {item.reason}"
        console.print(f"[red]{marked(text)}[/]{kept}")


def _print_voids(store: Store) -> None:
    """Print how many matches were void, and because of which bots."""
    if void := store.void():
        were = counted(void, "match was", "matches were")
        console.print(f"{were} void and played again: the arena's fault, not a bot's.")
    for bot, tries in store.voids().items():
        console.print(f"{tries} of them because the load of this machine kept {marked(bot)} from answering.")


def _print_machines(store: Store) -> None:
    """Print the machines and their speeds, if several played matches."""
    machines = store.machines()
    if len(machines) > 1:
        table = Table(title="Machines", title_justify="left", caption_justify="left", header_style="bold")
        for name in ("machine", "matches", "fixed workload", "times the quickest"):
            table.add_column(name, justify="left" if name == "machine" else "right")
        quickest = min(least for _, _, least, _ in machines)
        for name, matches, least, most in machines:
            took = f"{least * 1000:.1f} to {most * 1000:.1f} ms"
            table.add_row(marked(name), str(matches), took, f"{most / quickest:.2f}")
        show(table)
