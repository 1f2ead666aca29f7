"""The display of matches in play, and of a contest's results."""

from __future__ import annotations

from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    Task,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)
from rich.table import Column
from rich.text import Text

from koth.cli.screen import console, counted, errors, escape_markup, program
from koth.cli.standings_table import print_bracket, print_uncounted, show_standings
from koth.contest.contest import Contest
from koth.contest.job import ProgressEvent
from koth.contest.reading import MatchRow
from koth.contest.results import Results
from koth.contest.run import Callbacks, Outcome, current_schedule
from koth.contest.schedule import pair_spread
from koth.contest.seating import extra_matches_text, plan_text, trial_text
from koth.contest.store import Store
from koth.errors import visible
from koth.escaping import shell_word
from koth.games import load
from koth.services.contests import PlayedContest, skipped_text
from koth.services.standings import standings_title
from koth.standings.text import match_text, unrepeatable_text


class MatchesColumn(ProgressColumn):
    """The matches in play, cut where the terminal ends."""

    def render(self, task: Task) -> Text:
        return Text(task.fields["now"], no_wrap=True, overflow="ellipsis")


def progress_columns() -> list[ProgressColumn]:
    """Return the columns of the bar; counts and times are always whole."""
    kinds = MofNCompleteColumn, TimeElapsedColumn, TimeRemainingColumn
    count, *times = (kind(table_column=Column(no_wrap=True)) for kind in kinds)
    return [TextColumn("[bold]{task.description}"), BarColumn(), count, MatchesColumn(), *times]


class LiveMatches:
    """The display of matches in play: a bar in a terminal, a line per match elsewhere (all on stderr)."""

    def __init__(self, text: str, total: int, done: int = 0, most: str = "") -> None:
        self.callbacks = Callbacks(self._match_done, self._show_event)
        self._total, self._done, self._most = total, done, most
        self._now: dict[int, str] = {}
        """The latest progress of each match."""
        self._waited: set[int] = set()
        """The matches whose wait for a core was printed."""
        self._bar = Progress(*progress_columns(), console=errors, transient=True, disable=not errors.is_terminal)
        self._task = self._bar.add_task(f"{text} {most}", total=total, completed=done, now="")

    def __enter__(self) -> LiveMatches:
        self._bar.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._bar.stop()

    def _match_done(self, row: MatchRow) -> None:
        self._done += 1
        self._now.pop(row.number, None)
        self._update_bar()
        if not errors.is_terminal:
            turns = counted(row.turns, "turn", "turns")
            done = f"{self._done} of {self._most}{self._total}: match {row.number}"
            errors.print(f"{done}, {turns}, {escape_markup(match_text(row.scores))}")

    def _show_event(self, event: ProgressEvent) -> None:
        self._now[event.match] = (
            f"{event.waits} waits for a core ({event.seconds:.0f} s)" if event.waits else f"turn {event.turn:,}"
        )
        self._update_bar()
        if not errors.is_terminal and event.waits and event.match not in self._waited:
            self._waited.add(event.match)
            errors.print(
                f"match {event.match}: {escape_markup(event.waits)} waits for a core, which other programs hold"
            )

    def _update_bar(self) -> None:
        first = sorted(dict(self._now).items())[:3]
        now = ", ".join(f"match {match} {words}" for match, words in first)
        self._bar.update(self._task, completed=self._done, now=now)


def announce_contest(contest: Contest, store: Store) -> LiveMatches:
    """Print what will be played; return the display of the contest's matches."""
    schedule = current_schedule(contest, store)
    played, duels = set(store.numbers()), contest.knockout_matches
    total, done = len(schedule), len({match.number for match in schedule} & played)
    until = "" if contest.until is None else str(contest.until)
    seed = "" if contest.seed is None else f", seed {contest.seed}"
    bots, each = len(contest.bots), contest.count_matches(schedule)
    meetings = pair_spread(bots, schedule) if contest.form.size < bots else None
    planned = plan_text(contest.form, each, total - done, until, meetings) + trial_text(contest.max_turns)
    planned += f", then a knockout of the first {min(contest.knockout, bots)}" if contest.knockout else ""
    errors.print(f"{contest.game}: {planned}{seed}")
    if more := extra_matches_text(each):
        errors.print(escape_markup(more), soft_wrap=not errors.is_terminal)
    return LiveMatches(contest.game, total + duels, done + len(store.knockout().keys() & played))


def print_end(played: PlayedContest) -> None:
    """Print the final standings, and the paths of all results."""
    contest, end, results = played.contest, played.outcome, played.outcome.results
    schedule = end.schedule
    done = len(schedule) - end.missing
    if not done:
        console.print("no match was finished")
        _print_unplayed(end)
        return
    aggregate = load(contest.game).contest_defaults.aggregate
    total = len(schedule) if played.stopped is not None else None
    title = standings_title(contest.game, contest.ruleset, done, total, contest.max_turns, aggregate)
    title += "" if contest.seed is None else f", seed {contest.seed}"
    times, faults = results.timings(), results.fault_counts()
    show_standings(end.standings, faults, title, times)
    print_bracket(end.bracket)
    _print_unplayed(end)
    print_uncounted(len(results.uncounted_matches() - results.knockout().keys()))
    _print_machines(results)
    if end.look is not None:
        console.print(escape_markup(end.look.text(str(contest.until))))
    if contest.form.size < len(contest.bots):
        low, high = pair_spread(len(contest.bots), schedule)
        meetings = counted(low, "match", "matches") if low == high else f"{low:,} to {high:,} matches"
        console.print(f"Every two bots meet in {meetings}.")
    _print_voids(results)
    for item in played.bots.skipped:
        console.print(Text(visible(skipped_text(item)), style="yellow"), soft_wrap=not console.is_terminal)
    if played.bots.unrepeatable:
        text = escape_markup(unrepeatable_text(played.bots.unrepeatable))
        console.print(text, style="dim", soft_wrap=not console.is_terminal)
    folder = played.folder
    console.print(escape_markup(f"results and replays: {folder}"))
    console.print(f"what the table means: {program()} standings {shell_word(folder)} --explain")
    if faults:
        console.print(Text(f"why bots had faults: {program()} why {shell_word(folder)}", style="bold"))
    console.print(Text(f"watch the matches: {program()} view {shell_word(folder)}", style="bold"))


def _print_unplayed(end: Outcome) -> None:
    for item in end.unplayed:
        kept = f" (waiting: {escape_markup(item.bot)})" if item.bot else ""
        text = f"match {item.match} could not be played ({item.tries} tries): {item.reason}"
        console.print(f"[red]{escape_markup(text)}[/]{kept}")


def _print_voids(results: Results) -> None:
    if void := results.count_void():
        were = counted(void, "match was", "matches were")
        console.print(f"{were} void and played again: by the arena's fault, not a bot's.")
    for bot, tries in results.void_tries().items():
        console.print(f"{tries} were void because the load of this machine kept {escape_markup(bot)} from answering.")


def _print_machines(results: Results) -> None:
    machines = results.machines()
    if len(machines) > 1:
        played = (
            f"{counted(matches, 'match', 'matches')} on {escape_markup(name)}" for name, matches in machines.items()
        )
        console.print(f"Played: {', '.join(played)}.")
