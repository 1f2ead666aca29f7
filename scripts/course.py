"""The same course: two checkouts of koth play the same matches, and all that happens in them is compared.

    python -m scripts.course OLD NEW [--only WORD ...] [--isolation LEVEL ...] [--seeds N ...] [--no-jvm] [--keep DIR]

OLD and NEW are checkouts with an environment in `.venv`. Both play all games with the same seeds, by their command
lines, with the bots of `course_bots/`. Most of these misbehave by plan: garbage, late answers, every kind of end,
floods, answers in pieces, stale or unasked answers, exceptions in some rows. Compared are, question by question, the
rows asked, the answers, the faults and the bots that are gone; then turns, scores and faults of the whole match, the
first fault of each kind with its turn and messages, notes, and stderr, where bots that speak JSON lines write a
digest of each message they received. Headers, frames and hashes of replays and the wording of faults may differ:
such differences are only mentioned.

Prints the first differences of each match in words. Exit code 0: everything is the same; 1: something differs; 2: a
match could not be played, or was drawn with other seats. The same checkout given twice shows which differences are
chance.
"""

from __future__ import annotations

import argparse
import gzip
import json
import re
import shutil
import subprocess
import sys
import tempfile
import time
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path
from typing import Any

BOTS = Path(__file__).parent / "course_bots"
FLAGS = {
    "matches": ("--matches", "--games"),
    "seats": ("--seats", "--table"),
    "seconds": ("--move-time", "--budget"),
    "turns": ("--max-turns", "--turns"),
}
"""The names that a flag of `koth run` has or had, the newest first."""
SECONDS = 2
"""The budget of a question. With a bank of 2 s, an answer after 5 s is late and comes in the middle of the time of
the next question; an answer after 7 s in the middle of that of the one after it."""

LINES = {
    "digests": "note@3 pieces@5 note@900",
    "garbage": "garbage@2 not-utf8@4 no-number@6 garbage@7 garbage@8",
    "rows": "missing@2 illegal@3 missing@9 illegal@11",
    "unasked": "unasked@2 stale@4 twice@6 twice@7 unasked@8",
    "late": "late@4:5",
    "latetwice": "late@3:7",
    "bank": "bank@3:3 bank@5:4",
    "hangs": "late@5:600",
    "raises": "raise@6",
    "exits": "exit@7",
    "killed": "kill@8",
    "half": "half@5",
    "closes": "close@6",
    "floods": "flood@4",
    "messages": "messages@5",
    "stderr": "stderr@6",
}
"""Plans of `lines.py` (see there)."""
FRAMES = {
    "framed": "pieces@4 pieces@9",
    "fwrong": "no-fault@3 short@5 rows@7 kind@9 range@11",
    "ferrors": "errors@3 errors@4",
    "funasked": "unasked@3 stale@5",
    "flate": "late@4:5",
    "fhangs": "late@5:600",
    "fhalf": "half@4",
    "fhead": "head@5",
    "fhuge": "huge@6",
    "fexits": "exit@7",
    "fcloses": "close@8",
}
"""Plans of `framed.py` (see there)."""
TEXT = {
    "text": "outside@5 half@7",
    "tgarbage": "garbage@6",
    "thangs": "hang@4",
    "texits": "exit@9",
    "tcloses": "close@8",
    "tqueries": "queries@5",
}
"""Plans of `pacman_text.py` (see there)."""


@dataclass(frozen=True)
class Match:
    """One match of the course: its bots by name, a plan or a file of `course_bots/`, or `@NAME` for a sample."""

    name: str
    game: str
    bots: tuple[str, ...]
    turns: int
    ruleset: str = "published"
    jvm: bool = False


def split(names: Sequence[str], size: int) -> Iterator[tuple[str, ...]]:
    """Yield the names in groups of at most this size."""
    for start in range(0, len(names), size):
        yield tuple(names[start : start + size])


def course() -> Iterator[Match]:
    """Yield every match."""
    for game, classes, samples, turns in (
        ("zombies", ("zombies_class.py", "zombies_exit.py", "zombies_hang.py"), ("@herd", "@gunner"), 120),
        ("aliens", ("aliens_class.py",), ("@coward", "@hive"), 40),
    ):
        for ruleset in ("published", "original"):
            yield Match("lines", game, ("digests", *LINES, samples[0])[1:], turns, ruleset)
            yield Match("frames", game, ("digests", *FRAMES, samples[1]), turns, ruleset)
            yield Match("classes", game, ("digests", *classes, *samples), turns, ruleset)
            yield Match("plain", game, ("framed", *samples), turns, ruleset)
    yield Match("jvm", "zombies", ("digests", "ZombiesThrows.java", "ZombiesEnds.java", "@herd"), 120, jvm=True)
    yield Match("jvm", "aliens", ("digests", "AliensThrows.java", "AliensExits.java", "@hive"), 60, jvm=True)
    yield Match("jvm", "aliens", ("digests", "AliensThrows.java", "AliensExits.java"), 60, "original", jvm=True)
    for number, names in enumerate(split(list(LINES), 2)):
        yield Match(f"lines{number}", "metalman", names, 40)
    yield Match("four", "metalman", ("raises", "rows", "metalman_class.py", "late"), 40)
    yield Match("classes", "metalman", ("digests", "metalman_class.py"), 60, "original")
    for number, names in enumerate(split(list(LINES), 8)):
        yield Match(f"lines{number}", "pacman", (*names, "@greedy", "@json_greedy"), 60)
    yield Match("text", "pacman", ("digests", *TEXT, "@cautious"), 60)


def make_bot(name: str, game: str, folder: Path, protocol_key: str) -> str:
    """Write a bot into the folder and return the word for it on a command line."""
    if name.startswith("@"):
        return name
    if "." in name:
        file = BOTS / name
        home = folder / file.stem
        home.mkdir()
        shutil.copy(file, home / (name if file.suffix == ".java" else "bot.py"))
        return f"{file.stem.replace('_', '-')}={home}"
    source, words = (
        ("lines.py", LINES[name])
        if name in LINES
        else ("pacman_text.py", TEXT[name])
        if name in TEXT
        else ("framed.py", f"{game} {FRAMES[name]}")
    )
    home = folder / name
    home.mkdir()
    shutil.copy(BOTS / source, home / "main.py")
    command = ["python", "-S", "main.py", *words.split()]
    protocol = {"lines.py": "json", "framed.py": "frames"}.get(source)
    said = f'{protocol_key} = "{protocol}"\n' if protocol else ""
    (home / "koth.toml").write_text(f"command = {json.dumps(command)}\n{said}")
    return f"{name}={home}"


class Checkout:
    """A checkout of koth, reached by its command line."""

    def __init__(self, path: Path, label: str) -> None:
        self.path = path.resolve()
        self.label = label
        self.python = self.path / ".venv/bin/python"
        told = self.koth("run", "--help")
        if told.returncode:
            raise SystemExit(f"{path}: koth does not run: {told.stderr.strip()[-500:]}")
        words = set(re.findall(r"--[a-z-]+", told.stdout))
        self.flags = {name: next((flag for flag in flags if flag in words), "") for name, flags in FLAGS.items()}
        if missing := [name for name, flag in self.flags.items() if not flag]:
            raise SystemExit(f"{path}: koth run has no flag for {', '.join(missing)}; see FLAGS in {__file__}")
        pages = (page.read_text(encoding="utf-8") for page in (self.path / "docs").glob("*.md"))
        self.protocol_key = "wire" if any("wire = " in page for page in pages) else "protocol"
        """What koth.toml calls the protocol of a bot."""

    def command(self, *words: str) -> list[str]:
        return [str(self.python), "-m", "koth", *words]

    def koth(self, *words: str) -> subprocess.CompletedProcess[str]:
        """Run a command of koth to its end."""
        return subprocess.run(self.command(*words), capture_output=True, text=True, cwd=tempfile.gettempdir())

    def start(self, match: Match, bots: Sequence[str], seed: int, isolation: str, out: Path) -> subprocess.Popen[str]:
        """Begin to play a match into the folder `out`."""
        flags = {"matches": 1, "seats": len(bots), "seconds": SECONDS, "turns": match.turns}
        words = [word for name, value in flags.items() for word in (self.flags[name], str(value))]
        words += ["--seed", str(seed), "--ruleset", match.ruleset, "--isolation", isolation, "--jobs", "1"]
        argv = self.command("run", match.game, *bots, *words, "--replays", "answers", "--out", str(out))
        return subprocess.Popen(argv, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=out.parent)

    def fault_reports(self, run: Path) -> list[dict[str, Any]]:
        """Return the first fault of each kind, from `koth why`."""
        told = self.koth("why", str(run), "--json")
        return list(json.loads(told.stdout or "[]"))


# --- reading a replay, whose format docs/how-it-works.md describes


def text_of(data: bytes) -> bytes:
    """Return the text of a file of gzip members, as far as it can be inflated."""
    try:
        return gzip.decompress(data)
    except (EOFError, zlib.error):
        return zlib.decompressobj(31).decompress(data)


class Replay:
    """A replay: who played, the questions with their answers, and the end."""

    def __init__(self, path: Path) -> None:
        lines = [json.loads(line) for line in text_of(path.read_bytes()).splitlines()]
        self.names: list[str] = [bot["name"] for bot in lines[0]["bots"]]
        self.result: dict[str, Any] = next((line["result"] for line in lines if "result" in line), {})
        self.hashes = [line["hash"] for line in lines if "hash" in line]
        self.questions = list(self._questions(lines))

    @staticmethod
    def _questions(lines: Sequence[Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
        last: dict[str, list[tuple[int, int]]] = {}
        for line in lines:
            if "turn" in line and "asks" not in line:
                last = {}
            for record in line.get("asks", ()):
                name = record["q"]
                if "who" in record:
                    last[name] = list(zip(record["who"][::2], record["who"][1::2], strict=True))
                yield {
                    "turn": line["turn"] - 1,
                    "question": name,
                    "who": last[name],
                    "answers": record["a"],
                    "faults": dict(zip(record.get("f", [])[::2], record.get("f", [])[1::2], strict=True)),
                    "gone": record.get("gone", []),
                }


class Course:
    """The course of a run, read from its folder: a match, or all rotations of one, in the order of their seats."""

    def __init__(self, run: Path, fault_reports: list[dict[str, Any]]) -> None:
        paths = sorted((run / "replays").glob("*.koth.gz"))
        replays = [Replay(path) for path in paths]
        order = sorted(range(len(replays)), key=lambda match: replays[match].names)
        self.replays = [replays[match] for match in order]
        places = {int(re.findall(r"\d+", paths[match].name)[0]): place for place, match in enumerate(order, 1)}
        names = {f"match-{match:04}": f"match-{place:04}" for match, place in places.items()}
        self.fault_reports = [each | {"match": places[each["match"]]} for each in fault_reports if "turn" in each]
        """First faults; `koth why` has remarks, too, which have no turn."""
        self.files = {
            "/".join(names.get(part, part) for part in file.relative_to(run).parts): file.read_text(errors="replace")
            for folder in ("stderr", "notes")
            for file in sorted((run / folder).rglob("*"))
            if file.is_file() and file.suffix != ".turns"
        }


# --- comparing

MESSAGES = ("ended", "received", "said")
"""Keys of a fault that are compared beside its turn and count."""


def difference(old: Course, new: Course) -> Iterator[str]:
    """Yield the first difference of each sort, in words."""
    for match, (before, after) in enumerate(zip(old.replays, new.replays, strict=True), 1):
        yield from (f"match {match}: {words}" for words in difference_of_replays(before, after))
    for one, other in pairs(by_fault(old), by_fault(new)):
        if one is None or other is None:
            there = one or other
            assert there is not None
            yield f"faults: only the {'new' if one is None else 'old'} one has {fault_in_words(there)}"
            break
        if any(one.get(key) != other.get(key) for key in ("turn", "count")):
            yield f"faults: {fault_in_words(one)}, then {fault_in_words(other)}"
            break
        if key := next((key for key in MESSAGES if untimed(one.get(key)) != untimed(other.get(key))), ""):
            yield f"faults: {fault_in_words(one)}: {key} {one.get(key)!r:.200}, then {other.get(key)!r:.200}"
            break
    for name in sorted({*old.files, *new.files}):
        texts = [
            [plain(line) for line in course.files.get(name, "").splitlines() if not inside(line)]
            for course in (old, new)
        ]
        for number, (line, another) in enumerate(zip_longest(*texts), 1):
            if line != another:
                yield f"{name}, line {number}: {line!r}, then {another!r}"
                break
        else:
            continue
        break


def difference_of_replays(old: Replay, new: Replay) -> Iterator[str]:
    """Yield the first difference of each sort between two replays, in words."""
    for number, (one, other) in enumerate(zip_longest(old.questions, new.questions), 1):
        if one != other:
            yield f"question {number}: {of_question(one, other, old.names)}"
            break
    if old.result != new.result:
        yield f"the end: {of_mapping(old.result, new.result)}"


def remarks(old: Course, new: Course) -> Iterator[str]:
    """Yield the differences that are allowed."""
    words = [
        f"{one['bot']}, {one['kind']}: {plain(one['text'])!r}, then {plain(other['text'])!r}"
        for one, other in pairs(by_fault(old), by_fault(new))
        if one and other and plain(one["text"]) != plain(other["text"])
    ]
    if words:
        yield f"{len(words)} faults are worded differently, first {words[0]}"
    if [replay.hashes for replay in old.replays] != [replay.hashes for replay in new.replays]:
        yield "the states' hashes differ"


def of_question(one: Mapping[str, Any] | None, other: Mapping[str, Any] | None, names: Sequence[str]) -> str:
    """Return the difference between two questions in words."""
    if one is None or other is None:
        there = one or other
        assert there is not None
        return f"{there['question']} in turn {there['turn']} is only in the {'new' if one is None else 'old'} one"
    at = f"turn {one['turn']}, {one['question']}"
    if (one["turn"], one["question"]) != (other["turn"], other["question"]):
        return f"{at}, then turn {other['turn']}, {other['question']}"
    if one["who"] != other["who"]:
        asked, others = set(one["who"]), set(other["who"])
        only = sorted(asked ^ others)
        seat, unit = only[0] if only else (0, 0)
        told = (
            "the order"
            if not only
            else f"{names[seat]}'s {unit} only in the {'old' if only[0] in asked else 'new'} one"
        )
        return f"{at}: who is asked: {told}"
    for field in sorted({*one["answers"], *other["answers"]}):
        values = [each["answers"].get(field) or [None] * len(one["who"]) for each in (one, other)]
        for (seat, unit), before, after in zip(one["who"], *values, strict=False):
            if before != after:
                return f"{at}: {field} of {names[seat]}'s {unit}: {before}, then {after} (None: the default)"
    for row in sorted({*one["faults"], *other["faults"]}):
        before, after = one["faults"].get(row, 0), other["faults"].get(row, 0)
        if before != after:
            seat, unit = one["who"][row]
            return f"{at}: fault of {names[seat]}'s {unit}: code {before}, then {after}"
    return f"{at}: gone are {[names[s] for s in one['gone']]}, then {[names[s] for s in other['gone']]}"


def of_mapping(one: Mapping[str, Any], other: Mapping[str, Any], path: str = "") -> str:
    """Return the first difference between two mappings in words."""
    for key in sorted({*one, *other}):
        before, after = one.get(key), other.get(key)
        if before != after:
            if isinstance(before, dict) and isinstance(after, dict):
                return of_mapping(before, after, f"{path}{key}.")
            return f"{path}{key}: {before}, then {after}"
    return "equal"


def by_fault(course: Course) -> dict[tuple[str, str], dict[str, Any]]:
    """Return the first faults by bot and kind, in order (beside them there are remarks, which have no turn)."""
    faults = sorted(
        (each for each in course.fault_reports if "turn" in each), key=lambda each: (each["turn"], each["bot"])
    )
    return {(fault["bot"], fault["kind"]): fault for fault in faults}


def pairs(old: Mapping[Any, Any], new: Mapping[Any, Any]) -> Iterator[tuple[Any, Any]]:
    """Yield the values of two mappings at each key of either."""
    for key in dict.fromkeys([*old, *new]):
        yield old.get(key), new.get(key)


def fault_in_words(fault: Mapping[str, Any]) -> str:
    """Return the match, bot, kind, count and first turn of a fault in words."""
    often = f"{fault.get('count', '?')} times, first in turn {fault['turn']}"
    return f"match {fault['match']}, {fault['bot']}: {fault['kind']} {often}"


def untimed(message: Any) -> str:
    """Return a message without the time that the bot has left."""
    return re.sub(r',"left":\{[^}]*\}', "", str(message))


def plain(text: str) -> str:
    """Return a text without paths, addresses and measured times."""
    text = re.sub(r"/[\w./+-]+/", ".../", text)
    return re.sub(r"\b\d+\.\d+ s\b|\b0x[0-9a-f]+\b", "...", text)


def inside(line: str) -> bool:
    """Whether a line of stderr shows koth's own part of a stack, or a measured number of bytes left out."""
    return bool(re.match(r'\s+(at (?!player|alien)|File ".*/koth/|\.\.\. \d+ more|[~^]+$)|\[\.\.\. \d+ bytes', line))


def play(match: Match, checkouts: Sequence[Checkout], seed: int, isolation: str, folder: Path) -> list[Course] | str:
    """Play a match with both checkouts at once; return its two courses, or why it could not be played."""
    runs = [folder / checkout.label for checkout in checkouts]
    processes = []
    for checkout, run in zip(checkouts, runs, strict=True):
        homes = folder / "bots" / checkout.label
        homes.mkdir(parents=True)
        bots = [make_bot(name, match.game, homes, checkout.protocol_key) for name in match.bots]
        processes.append(checkout.start(match, bots, seed, isolation, run))
    ends = [process.communicate() for process in processes]
    for checkout, process, (_, errors) in zip(checkouts, processes, ends, strict=True):
        if process.returncode:
            return f"{checkout.label}: koth run ended with {process.returncode}: {errors.strip()[-600:]}"
    return [Course(run, checkout.fault_reports(run)) for checkout, run in zip(checkouts, runs, strict=True)]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("old", type=Path)
    parser.add_argument("new", type=Path)
    parser.add_argument("--only", nargs="+", default=[""], help="matches whose name has one of these words in it")
    parser.add_argument("--isolation", nargs="+", default=["none"])
    parser.add_argument("--seeds", nargs="+", type=int, default=[1])
    parser.add_argument("--no-jvm", action="store_true", help="leave out bots in Java")
    parser.add_argument("--keep", type=Path, help="keep bots and runs in this folder, which is made")
    words = parser.parse_args()
    checkouts = [Checkout(words.old, "old"), Checkout(words.new, "new")]
    folder = (words.keep or Path(tempfile.mkdtemp(prefix="course-"))).resolve()
    folder.mkdir(exist_ok=True)
    java = bool(shutil.which("javac")) and not words.no_jvm
    same = differ = broken = 0
    try:
        for isolation in words.isolation:
            for match in course():
                name = f"{match.game}-{match.ruleset}-{match.name}"
                if not any(word in name for word in words.only) or (match.jvm and not java):
                    continue
                for seed in words.seeds:
                    label = f"{name}, seed {seed}, isolation {isolation}"
                    begun = time.monotonic()
                    told = play(match, checkouts, seed, isolation, folder / f"{isolation}-{name}-{seed}")
                    if isinstance(told, str):
                        broken += 1
                        print(f"NOT PLAYED {label}: {told}", flush=True)
                        continue
                    seats = [[replay.names for replay in each.replays] for each in told]
                    if seats[0] != seats[1]:
                        broken += 1
                        print(f"OTHER SEATS {label}: {seats[0]}, then {seats[1]}", flush=True)
                        continue
                    found = list(difference(*told))
                    questions = sum(len(replay.questions) for replay in told[0].replays)
                    same, differ = same + (not found), differ + bool(found)
                    faults = len(by_fault(told[0]))
                    print(f"{'DIFFERENT ' if found else 'the same  '} {label}: {questions} questions, "
                          f"{faults} first faults, {time.monotonic() - begun:.0f} s")  # fmt: skip
                    for line in found:
                        print(f"    {line}")
                    for line in remarks(*told):
                        print(f"    (allowed: {line})")
                    sys.stdout.flush()
    finally:
        if words.keep is None:
            shutil.rmtree(folder)
    print(f"{same} the same, {differ} different, {broken} not played")
    return 2 if broken else int(bool(differ))


if __name__ == "__main__":
    sys.exit(main())
