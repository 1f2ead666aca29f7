"""The comparison of two bots: both play the same matches until there is a verdict."""

from __future__ import annotations

import html
import tempfile
from collections.abc import Sequence
from contextlib import ExitStack, closing
from dataclasses import asdict, dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any

from koth.contest.compare import Comparison, Side
from koth.contest.contest import Contest
from koth.contest.record import new_record, write_record
from koth.contest.results import Unplayed
from koth.contest.run import MakeExecutor
from koth.contest.seating import seating
from koth.contest.secret_files import keep_secret, reveal_secrets
from koth.contest.store import Store
from koth.discovery.entrants import find_entrants, find_only
from koth.discovery.folder import FoundEntrants, parse_spec
from koth.discovery.plays import find_game
from koth.discovery.samples import sample_names
from koth.engine.secret import Secret
from koth.engine.settings import choose, choose_variants
from koth.errors import KothError, visible
from koth.game import Game
from koth.games import load
from koth.sandbox.isolation import Isolation
from koth.services.commits import extract_commit, find_tree, is_commit
from koth.services.curves import Curves
from koth.services.entrants import FoundBots, ReadyBots, prepare_bots
from koth.services.machines import choose_executor
from koth.services.observer import SILENT, Observer
from koth.services.options import CompareOptions
from koth.session.bot import Bot
from koth.standings.difference import Difference
from koth.standings.scores import Blocks, estimates
from koth.standings.text import bounds, counted, number, unrepeatable_text

MOST_BOARDS = 96
"""The default maximum of blocks."""
SIDE_FOLDERS = ("old", "new")
"""The folders of both contests, in `out`."""
JSON_FIELDS = (
    *("game", "ruleset", "seed", "rivals", "aggregate", "matches", "blocks"),
    *("margin", "verdict", "more_matches", "interrupted", "text"),
)
"""Fields of `BotComparison` that `koth compare --json` prints unchanged."""


@dataclass(frozen=True)
class ComparedBot:
    """A compared bot, with the score over the matches that both bots played, and faults by kind."""

    name: str
    score: float | None = None
    faults: dict[str, int] | None = None


@dataclass(frozen=True, repr=False)
class BotComparison:
    """The result of a comparison; the old bot is the first of `bots`."""

    game: str
    bots: tuple[ComparedBot, ComparedBot]
    verdict: str
    """"better" or "worse" (the new bot), "alike", "within" (the margin), "open", or "same" (the same files)."""
    text: str
    """The verdict in a sentence."""
    matches: int = 0
    """Each bot's number of matches that count."""
    ruleset: str = ""
    seed: int | None = None
    max_turns: int | None = None
    rivals: tuple[str, ...] = ()
    aggregate: str = "mean"
    blocks: int = 0
    difference: Difference | None = None
    """The difference, new minus old, in points per match."""
    margin: float | None = None
    more_matches: int | None = None
    """The estimated number of further matches of each bot until a verdict; None if unknown or at a verdict."""
    interrupted: bool = False
    unplayed: tuple[Unplayed, ...] = ()
    folder: Path | None = None
    """The folder with both contests, in `old` and `new`; None if they were not kept."""
    curves: Curves | None = None
    """The scores of both bots over the matches that count."""

    @property
    def rows(self) -> list[dict[str, Any]]:
        """A dict for each bot, for `pandas.DataFrame(found.rows)`."""
        return [{"bot": bot.name, "matches": self.matches, "score": bot.score} for bot in self.bots]

    def _repr_html_(self) -> str:
        return f"<p>{html.escape(self.text)}</p>" + ("" if self.curves is None else self.curves._repr_html_())

    def __str__(self) -> str:
        return self.text

    __repr__ = __str__

    def as_json(self) -> dict[str, Any]:
        """Return the object that `koth compare --json` prints."""
        if self.verdict == "same":
            bots = [{"name": bot.name} for bot in self.bots]
            return {"game": self.game, "bots": bots, "verdict": "same", "matches": 0}
        return {
            **{name: getattr(self, name) for name in JSON_FIELDS},
            "bots": [asdict(bot) for bot in self.bots],
            "difference": None if self.difference is None else self.difference.as_json(),
            "unplayed": [{"match": item.match, "reason": visible(item.reason)} for item in self.unplayed],
        }


def compare_bots(old: str, new: str, options: CompareOptions, observer: Observer = SILENT) -> BotComparison:
    """Play both bots until there is a verdict. Raises KothError.

    `old` and `new` are paths, `@SAMPLE`s, or commits of a git repository. After Ctrl-C the result is marked as
    interrupted.
    """
    out = None if options.out is None else Path(options.out)
    if out is not None and out.exists():
        raise KothError(f"{out} is there already; choose another --out")
    with ExitStack() as stack:
        place = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="koth-compare-")))
        paths = _locate_bots((old, new), place / "commits")
        game = load(options.game or _find_game(paths))
        isolation = options.own_isolation
        with observer.doing("looking for bots", brief=True):
            pair = [find_only(game, path, options.grants, isolation) for path in paths]
            if pair[0].digest == pair[1].digest:
                text = f"{old} and {new} are the same bot, byte for byte: there is nothing to compare"
                return BotComparison(game.name, (ComparedBot(old), ComparedBot(new)), "same", text)
            found = _find_all(game, paths, pair, options, isolation)
        for note in found.notes:
            observer.note(note)
        contest = _contest(game, found, options, isolation)
        settings = choose(game, contest.ruleset, contest.overrides, files=False)[1]
        everybody = FoundBots(found, (), [bot.name for bot in found.bots])
        bots = prepare_bots(game, settings, everybody, place, contest, observer, None)
        if bots.unrepeatable:
            observer.note(unrepeatable_text(bots.unrepeatable))
        sides = _sides(contest, bots, out or place, options, stack)
        comparison = Comparison(sides, options.margin)
        interrupted = _is_interrupted(comparison, choose_executor(options.jobs, None, observer), observer)
        return _result(comparison, out, interrupted)


# --- which bots


def _locate_bots(words: tuple[str, str], into: Path) -> list[str]:
    """Return both words; replace a commit by a path to the bot's files of that commit.

    In the commit, the bot is at the other bot's path, or at the current folder's path. Raises BotError.
    """
    targets = [Path(target) for _, target, _ in map(parse_spec, words) if not target.startswith("@")]
    inside = [(find_tree(Path()) or Path()) / str(path).partition(":")[2] for path in targets if ":" in str(path)]
    place = next((path for path in [*targets, *inside] if path.exists()), Path())
    return [_locate_bot(word, place, into / name) for word, name in zip(words, SIDE_FOLDERS, strict=True)]


def _locate_bot(word: str, place: Path, into: Path) -> str:
    given, target, entry = parse_spec(word)
    if target.startswith("@") or Path(target).exists():
        return word
    commit, colon, path = target.partition(":")
    tree = find_tree(place)
    if tree is None:
        return word  # finding the bot raises the error
    if not is_commit(tree, commit):
        raise KothError(f"{word}: no such file or folder, and no commit of {tree}")
    place = tree / path if colon else place
    name = f"{place.stem if place.is_file() else place.resolve().name}@{commit}"
    path_at_commit = extract_commit(commit, place, tree, into)
    return f"{given or name}={path_at_commit}" + (f"#{entry}" if entry else "")


def _find_game(words: Sequence[str]) -> str:
    """Return the game of both bots; one bot must name the game. Raises KothError."""
    try:
        return find_game(words[0])
    except KothError:
        return find_game(words[1])


def _find_all(
    game: Game, words: Sequence[str], pair: Sequence[Bot], options: CompareOptions, isolation: Isolation
) -> FoundEntrants:
    """Return both bots, then the rivals, all with unique names. Raises BotError."""
    if options.against and game.seats.stop == 2:
        raise KothError(f"--against: a match of {game.name} has one seat: there is nobody to play against")
    rivals = options.against or [f"@{name}" for name in _rivals(game, pair, options, isolation)]
    found = find_entrants(game, [*words, *rivals], options.grants, isolation)
    if found.problems:
        raise found.problems[0]
    if len(found.bots) <= game.seats.start:
        raise KothError(f"{game.name} needs {game.seats.start} bots a match: name rivals with --against BOT")
    return found


def _rivals(game: Game, pair: Sequence[Bot], options: CompareOptions, isolation: Isolation) -> list[str]:
    """Return the game's default entrants without the pair, plus other samples until a match is full.

    Return an empty list if a match has one seat.
    """
    if game.seats.stop == 2:
        return []
    mine = {bot.digest for bot in pair}

    def fits(name: str) -> bool:
        found = find_entrants(game, [f"@{name}"], options.grants, isolation)
        return bool(found.bots) and found.bots[0].digest not in mine

    rivals = [name for name in game.default_entrants if fits(name)]
    wanted = (game.contest_defaults.seats or game.seats.start) - 1
    others = (name for name in sample_names(game.name) if name not in game.default_entrants and fits(name))
    return [*rivals, *islice(others, max(0, wanted - len(rivals)))]


# --- what is played


def _contest(game: Game, found: FoundEntrants, options: CompareOptions, isolation: Isolation) -> Contest:
    """Return a contest of both bots and the rivals, from which `_sides` makes a contest for each bot.

    Raises KothError if the contest can't be played.
    """
    ruleset, overrides, _ = choose_variants(game, options.ruleset, options.settings)
    seed, form = options.seed, seating(game, len(found.bots) - 1)
    return Contest(
        game=game.name,
        ruleset=ruleset,
        overrides=overrides,
        secret=Secret.from_option(seed),
        matches=options.matches or MOST_BOARDS * form.rotations,
        bots=found.bots,
        time_control=options.time_control(game),
        isolation=isolation,
        seed=seed if isinstance(seed, int) else None,
        replays="none" if options.out is None else "all",
        seats=form.size,
        max_turns=options.max_turns,
        revealed=seed is not None,
    )


def _sides(
    contest: Contest, bots: ReadyBots, folder: Path, options: CompareOptions, stack: ExitStack
) -> tuple[Side, Side]:
    """Return both contests, each with own results and record; `stack` closes the results."""

    def side(own: int) -> Side:
        one = replace(contest, bots=[bots.ready[own], *bots.ready[2:]])
        unrepeatable = [bot.name for bot in one.bots if bot.name in bots.unrepeatable]
        store = stack.enter_context(closing(Store(folder / SIDE_FOLDERS[own])))
        keep_secret(store.folder, one.secret)
        write_record(store.folder, new_record(one, [], unrepeatable, options.grants.record()))
        return Side(one, store)

    return side(0), side(1)


def _is_interrupted(comparison: Comparison, make_executor: MakeExecutor, observer: Observer) -> bool:
    """Play until there is a verdict; return whether Ctrl-C interrupted the comparison."""
    with observer.comparing(comparison) as callbacks:
        try:
            comparison.play(make_executor, callbacks, observer.compared)
        except KeyboardInterrupt:
            for side in comparison.sides:
                side.store.remove_parts()
            comparison.look_now()
            return True
    for side in comparison.sides:
        reveal_secrets(side.store)
        side.store.merge_log()
    return False


# --- the result


def _result(comparison: Comparison, out: Path | None, interrupted: bool) -> BotComparison:
    scores, seen, contest = comparison.paired_scores(), comparison.seen, comparison.sides[0].contest
    aggregate = comparison.defaults.aggregate
    total = estimates(Blocks.of(scores, aggregate), aggregate).tolist() if len(scores) else [None, None]
    old, new = (
        ComparedBot(side.name, score, side.store.fault_counts().get(side.name, {}))
        for side, score in zip(comparison.sides, total, strict=True)
    )
    rows = [dict(zip((old.name, new.name), row, strict=True)) for row in scores.score.tolist()]
    needed = None if seen.difference is None or seen.over else seen.difference.blocks_until_verdict(comparison.margin)
    return BotComparison(
        contest.game,
        (old, new),
        verdict_of(comparison),
        verdict_text(comparison),
        len(scores),
        contest.ruleset,
        contest.seed,
        contest.max_turns,
        tuple(bot.name for bot in contest.bots[1:]),
        aggregate,
        seen.blocks,
        seen.difference,
        comparison.margin,
        None if needed is None else max(1, needed - seen.blocks) * seen.rotations,
        interrupted,
        tuple(seen.unplayed),
        out,
        Curves.of(rows, (old.name, new.name), aggregate),
    )


def verdict_of(comparison: Comparison) -> str:
    """Return the verdict so far, as in `BotComparison.verdict`."""
    known = comparison.seen.difference
    if not comparison.seen.over or known is None:
        return "open"
    if known.sign:
        return "better" if known.sign > 0 else "worse"
    return "alike" if known.is_alike else "within"


def verdict_text(comparison: Comparison) -> str:
    """Return the result so far: the better bot and the difference, or the number of matches until a verdict."""
    seen, (old, new) = comparison.seen, [side.name for side in comparison.sides]
    known, verdict = seen.difference, verdict_of(comparison)
    if known is None:
        return "no result: no board was finished by both bots"
    after = f"after {counted(seen.blocks * seen.rotations, 'match', 'matches')} of each"
    if verdict in ("better", "worse"):
        return f"{new if verdict == 'better' else old} is better{_advantage_text(known)} (95 %), {after}"
    if verdict == "alike":
        return f"{old} and {new} play alike on all {seen.blocks} boards: no difference was seen"
    if verdict == "within":
        return f"no difference larger than {number(comparison.margin or 0.0)} (95 %), {after}"
    return f"no verdict {after}: {_interval_text(known, old, new)}; {_more_matches_text(comparison, known)}"


def _advantage_text(known: Difference) -> str:
    if known.low is None or known.high is None:
        return ""
    low, high = sorted((abs(known.low), abs(known.high)))
    return f" by {' to '.join(bounds(low, high))}" if low != high else f" by {number(low)}"


def _interval_text(known: Difference, old: str, new: str) -> str:
    if known.same == known.blocks:
        return "both scored the same on all boards so far"
    if known.low is None or known.high is None:
        return f"fewer than {known.least} boards" if known.blocks < known.least else "the boards give no interval"
    worse, better = bounds(max(0.0, -known.low), max(0.0, known.high))
    return f"{new} may be {worse} worse or {better} better than {old} (95 %)"


def _more_matches_text(comparison: Comparison, known: Difference) -> str:
    """Return the estimated number of further matches until a verdict, as text."""
    needed = known.blocks_until_verdict(comparison.margin)
    if needed is None:
        return "how many more matches a verdict takes can't be estimated"
    more = max(1, needed - comparison.seen.blocks) * comparison.seen.rotations
    return f"about {counted(more, 'more match', 'more matches')} of each for a verdict, if both continue like this"
