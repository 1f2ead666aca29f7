"""Folders of runs that strangers have made: no path, name or link in them leads out, to be read or to be written."""

from __future__ import annotations

import contextlib
import copy
import gzip
import json
import os
import shutil
import sqlite3
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from click.testing import CliRunner
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from koth.cli.commands import cli
from koth.contest import schema
from koth.contest.job import ClusterLost
from koth.contest.reading import PUBLIC
from koth.contest.record import SHAPE
from koth.contest.results import Results
from koth.contest.run_reader import RunReader
from koth.contest.store import Store
from koth.contest.workers import InlineExecutor, MatchExecutor
from koth.engine.secret import key_of
from koth.errors import KothError
from koth.files.atomic_write import replace_file
from koth.files.beneath import (
    change_beneath,
    make_beneath,
    open_beneath,
    read_beneath,
    remove_beneath,
    write_beneath,
)
from koth.replay.reader import ReplayError
from koth.replay.writer import add_key
from koth.viewer.contest import Dashboard
from koth.viewer.listing import listing
from koth.viewer.publish import publish
from koth.viewer.summary import find_matches
from tests.cli.program import SMALL, bot_file

CANARY = "CANARY"
"""Stands in every file of the host's; whoever shows it has read one."""


# --- files below a folder


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a file in it, and links out of it, to a file beside it."""
    (tmp_path / "outside" / "inner").mkdir(parents=True)
    (tmp_path / "outside" / "inner" / "file").write_text(CANARY)
    top = tmp_path / "top"
    (top / "inner").mkdir(parents=True)
    (top / "inner" / "file").write_text("own")
    (top / "link").symlink_to("../outside/inner")
    (top / "inner" / "link").symlink_to("../../outside/inner/file")
    (top / "inner" / "dangling").symlink_to("../../outside/new")
    os.link(tmp_path / "outside" / "inner" / "file", top / "inner" / "hard")
    return top


def outside(folder: Path) -> dict[str, bytes]:
    place = folder.parent / "outside"
    return {str(path.relative_to(place)): path.read_bytes() for path in place.rglob("*") if path.is_file()}


LEADING_OUT = ["link/file", "inner/link", "inner/dangling"]


@pytest.mark.parametrize("place", LEADING_OUT)
def test_no_link_is_followed(place: str, folder: Path) -> None:
    before = outside(folder)
    with pytest.raises(OSError, match="a link; koth makes none"):
        open_beneath(folder, place)
    with pytest.raises(OSError, match="a link; koth makes none"):
        change_beneath(folder, place)
    with contextlib.suppress(OSError), write_beneath(folder, place) as file:
        file.write(b"mine")
    with contextlib.suppress(OSError):
        remove_beneath(folder, place)
    with contextlib.suppress(OSError):
        make_beneath(folder, place)
    assert outside(folder) == before


@pytest.mark.parametrize(
    "place", ["../outside/inner/file", "inner/../../outside/inner/file", "/etc/passwd", "a\0b", ""]
)
def test_no_name_leads_out(place: str, folder: Path) -> None:
    before = outside(folder)
    for use in (open_beneath, change_beneath, remove_beneath):
        with pytest.raises(OSError):  # noqa: PT011  (whatever the system says to it)
            use(folder, place)
    with pytest.raises(OSError), write_beneath(folder, place):  # noqa: PT011
        pass
    assert outside(folder) == before


def test_a_file_with_a_second_name_is_read_and_replaced_but_never_changed(folder: Path) -> None:
    before = outside(folder)
    assert read_beneath(folder, "inner/hard") == CANARY.encode()
    with pytest.raises(OSError, match="another name elsewhere"):
        change_beneath(folder, "inner/hard")
    with write_beneath(folder, "inner/hard") as file:
        file.write(b"mine")
    assert (folder / "inner" / "hard").read_text() == "mine"
    assert outside(folder) == before


def test_what_lies_where_a_part_is_written_is_not_written_into(folder: Path) -> None:
    before = outside(folder)
    for place in ("inner/file.part", "inner/other.part"):
        (folder / place).symlink_to("../../outside/inner/file")
    with write_beneath(folder, "inner/file") as file:
        file.write(b"new")
    with replace_file(folder / "inner" / "other") as part:
        part.write_text("new")
    assert (folder / "inner" / "file").read_text() == (folder / "inner" / "other").read_text() == "new"
    assert not (folder / "inner" / "file").is_symlink()
    assert outside(folder) == before


def test_an_unfinished_write_keeps_the_old_file(folder: Path) -> None:
    with contextlib.suppress(KeyError), write_beneath(folder, "inner/file") as file:
        file.write(b"half")
        raise KeyError
    assert (folder / "inner" / "file").read_text() == "own"
    assert not (folder / "inner" / "file.part").exists()


@pytest.mark.parametrize("text", [b"", b"precious words", b"\x1f\x8b", b"x" * 100])
def test_no_key_is_put_into_a_file_that_is_no_replay(text: bytes, tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(text)
    with pytest.raises(ReplayError, match="not a replay of koth"):
        add_key(tmp_path, "file", key_of(3))
    assert (tmp_path / "file").read_bytes() == text


# --- a run


CLUMSY = """
import sys
from koth.games.zombies.bot import Move

class Clumsy:
    def do_turn(self, context):
        print("what I print", file=sys.stderr)
        if context.game_clock == 2:
            raise ValueError("what I fail of")
        return Move.values()[(context.game_clock + context.id.number) % 9]
"""


@pytest.fixture(scope="module")
def begun(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of two matches that is over."""
    home = tmp_path_factory.mktemp("begun")
    bots = [str(bot_file(home, "good")), str(bot_file(home, "clumsy", CLUMSY))]
    done = CliRunner().invoke(
        cli, ["run", "zombies", *bots, *SMALL, "--matches", "2", "--out", str(home / "run"), "--isolation", "none"]
    )
    assert done.exit_code == 0, done.output
    for match in ("match-0001", "match-0002"):
        (home / "run" / "notes" / match).mkdir(parents=True)
        (home / "run" / "notes" / match / "clumsy.jsonl").write_text('{"turn":1,"note":"what I noted"}\n')
    return home / "run"


@pytest.fixture(autouse=True)
def nobody_plays(monkeypatch: pytest.MonkeyPatch) -> None:
    """Contests that are gone on with end where something would have to be played."""

    def play(*_: object) -> Any:
        raise ClusterLost("nobody plays here")

    @contextlib.contextmanager
    def make_executor(jobs: int, *_: object) -> Iterator[MatchExecutor]:
        yield MatchExecutor(InlineExecutor(), play, lambda: 1)

    monkeypatch.setattr("koth.services.machines.on_this_machine", make_executor)


def host_of(run: Path, home: Path) -> Path:
    """Make files of the host beside a run: of every kind that a run holds, each with the canary in it."""
    host = home / "host"
    shutil.copytree(run, host, symlinks=True)
    record = json.loads((host / "run.json").read_text())
    (host / "run.json").write_text(json.dumps({**record, "started": CANARY, "ruleset": record["ruleset"]}))
    with closing(sqlite3.connect(host / "results.sqlite")) as database, database:
        database.execute("UPDATE faults SET text = ?", (CANARY,))
    for file in [*host.rglob("*.txt"), *host.rglob("*.jsonl"), *host.rglob("*.turns")]:
        file.write_text(f'{{"turn":1,"note":"{CANARY}"}}\n' if file.suffix == ".jsonl" else f"{CANARY}\n")
    (host / "victim.txt").write_text(f"precious {CANARY}")
    (host / "secret").write_text("0" * 32)
    return host


def contents(folder: Path) -> dict[str, tuple[bytes, int]]:
    """All that lies in a folder: what is in it, and how often it is named."""
    return {
        str(path.relative_to(folder)): (path.read_bytes(), path.stat().st_mode)
        for path in folder.rglob("*")
        if path.is_file() and not path.is_symlink()
    }


def koth(*words: object) -> str:
    """Run a command and return its output; every error must be a KothError."""
    done = CliRunner().invoke(cli, [str(word) for word in words])
    error = done.exception
    if error is not None and not isinstance(error, KothError | SystemExit):
        raise error
    return done.output if error is None else f"{done.output}REFUSED: {error}"


def site_of(run: Path, out: Path) -> str:
    publish(RunReader(run, PUBLIC), out)
    return "".join(file.read_text() for file in out.rglob("*") if file.is_file())


def watched(run: Path) -> str:
    """Request everything that the page of `koth view` requests; return it, or the refusal."""
    try:
        about = Dashboard(RunReader(run))
        told = [about.look(), about.versus(), about.title, [match.header for match in find_matches(run)]]
        for match in ("match-0001", "match-0002"):
            told += [about.details(match), *(about.talk(match, bot, 1) for bot in ("good", "clumsy"))]
    except KothError as error:
        return str(error)
    return json.dumps(told)


DOORS: Mapping[str, Callable[[Path, Path], str]] = {
    "standings": lambda run, out: koth("standings", run),
    "standings --csv": lambda run, out: koth("standings", run, "--format", "csv"),
    "standings --markdown": lambda run, out: koth("standings", run, "--format", "markdown"),
    "verify": lambda run, out: koth("verify", run),
    "verify a replay": lambda run, out: koth("verify", run / "replays" / "match-0001.koth.gz"),
    "why": lambda run, out: koth("why", run),
    "why --details": lambda run, out: koth("why", run, "--details"),
    "why --json": lambda run, out: koth("why", run, "--json"),
    "export": lambda run, out: koth(
        "export", run / "replays" / "match-0001.koth.gz", out / "match.html"
    ) + "".join(file.read_text() for file in out.glob("match.html")),
    "view": lambda run, out: watched(run),
    "publish": lambda run, out: site_of(run, out / "site"),
    "resume": lambda run, out: koth("resume", run, "--isolation", "none"),
    "resume with more": lambda run, out: koth("resume", run, "--isolation", "none", "--matches", "3"),
}  # fmt: skip
"""What is done with the folder of a run, and what it shows."""


QUICK = ("standings", "verify", "why --details", "view", "resume", "resume with more")
"""Some that read, and write, all that there is."""


def all_doors(run: Path, out: Path, names: Iterable[str] = DOORS) -> str:
    shown = []
    out.mkdir(exist_ok=True)
    for name in names:
        with contextlib.suppress(KothError):
            shown.append(DOORS[name](run, out))
    return "\n".join(shown)


@pytest.mark.slow
def test_a_run_of_ones_own_passes_all_doors(begun: Path, tmp_path: Path) -> None:
    run = Path(shutil.copytree(begun, tmp_path / "run"))
    for name, door in DOORS.items():
        shown = door(run, tmp_path)
        assert "nobody plays here" in shown or "REFUSED" not in shown, name
    assert all(text in watched(run) for text in ("what I print", "what I noted"))
    host = host_of(begun, tmp_path)
    assert CANARY in all_doors(host, tmp_path / "out"), "the canary is seen where files are read"


PARTS = [
    "run.json", "run.json.part", "results.sqlite", "results.sqlite-wal", "results.sqlite-shm",
    "results.sqlite-journal", ".lock", "replays", "replays/match-0001.koth.gz", "replays/match-0002.koth.gz",
    "replays/match-0003.koth.gz", "replays/match-0003.koth.gz.part", "stderr", "stderr/match-0001",
    "stderr/match-0001/clumsy.txt", "stderr/match-0001/clumsy.turns", "notes", "notes/match-0001",
    "notes/match-0001/clumsy.jsonl", "secret", "secret-1", "bots",
]  # fmt: skip


@pytest.mark.slow_but
@pytest.mark.parametrize("kind", ["link", "hard link"])
@pytest.mark.parametrize("part", PARTS)
def test_links_to_the_host(part: str, kind: str, begun: Path, tmp_path: Path) -> None:
    """Links from a run to the host's files are neither read nor written."""
    host, run = host_of(begun, tmp_path), Path(shutil.copytree(begun, tmp_path / "run"))
    there, here = host / part, run / part
    if not there.exists():
        there = host / "victim.txt"
    if kind == "hard link" and there.is_dir():
        return
    shutil.rmtree(here) if here.is_dir() else here.unlink(missing_ok=True)
    here.parent.mkdir(exist_ok=True)
    if kind == "hard link":
        os.link(there, here)
    else:
        here.symlink_to(there)
    before = contents(host)
    shown = all_doors(run, tmp_path / "out", (*QUICK, "export"))
    assert contents(host) == before
    assert kind == "hard link" or CANARY not in shown


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["folder", "pipe", "device", "large"])
@pytest.mark.parametrize("part", PARTS)
def test_something_else_in_its_place(part: str, kind: str, begun: Path, tmp_path: Path) -> None:
    """No pipe is waited for, no device or large file read to its end, and nothing ends in a traceback."""
    run = Path(shutil.copytree(begun, tmp_path / "run"))
    here = run / part
    shutil.rmtree(here) if here.is_dir() else here.unlink(missing_ok=True)
    here.parent.mkdir(exist_ok=True)
    if kind == "large":
        with open(here, "wb") as file:
            file.truncate(2 << 30)
    else:
        make = {"folder": Path.mkdir, "pipe": os.mkfifo, "device": lambda here: here.symlink_to("/dev/zero")}
        make[kind](here)  # type: ignore[operator]
    all_doors(run, tmp_path / "out", ("standings", "verify", "view", "resume with more"))


def test_a_replay_with_a_name_that_is_not_utf_8(begun: Path, tmp_path: Path) -> None:
    run = Path(shutil.copytree(begun, tmp_path / "run"))
    replay = run / "replays" / "match-0001.koth.gz"
    shutil.copy(replay, os.fsdecode(os.fsencode(run / "replays") + b"/a\xff.koth.gz"))
    assert [match.name for match in find_matches(run)] == ["match-0001", "match-0002"]


def test_names_of_replays_are_no_addresses_of_their_own(begun: Path, tmp_path: Path) -> None:
    run = Path(shutil.copytree(begun, tmp_path / "run"))
    shutil.copy(run / "replays" / "match-0001.koth.gz", run / "replays" / "javascript:window.x=7;#?%a.koth.gz")
    (first, *_) = find_matches(run)
    assert listing([first])["matches"][0]["url"] == "replays/javascript%3Awindow.x%3D7%3B%23%3F%25a"
    publish(RunReader(run, PUBLIC), tmp_path / "site")
    pages = sorted(file.name for file in (tmp_path / "site" / "matches").iterdir())
    assert pages == ["match-0001.html", "match-0002.html"], "what is on record"


# --- every text of a database, every field of a record


def columns() -> list[tuple[str, str]]:
    """Every column of every table of a run's results, whatever it is declared to hold."""
    with closing(sqlite3.connect("")) as database:
        schema.create(database)
        return [
            (table, name)
            for table in schema.TABLES
            for _, name, *_ in database.execute(f"PRAGMA table_info({table})").fetchall()
        ]


def fields(shape: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Every place of a record that its definition names, of lists the first."""
    if path:
        yield path
    if isinstance(shape, Mapping):
        for name, inner in shape.items():
            yield from fields(inner, (*path, name))
    elif isinstance(shape, list):
        yield from fields(shape[0], (*path, 0))


def hostile(host: Path, run: Path) -> list[Any]:
    """Values for any column or field."""
    victims = [host / "victim.txt", host / "replays" / "match-0001.koth.gz", host / "results.sqlite", host]
    texts = [
        *map(str, victims),
        *(os.path.relpath(victim, start) for victim in victims[:2] for start in (run, run / "replays")),
        "replays/../../host/replays/match-0001.koth.gz", "replays/match-0001.koth.gz/", "../host", "..", ".", "/",
        "", "\0", "a\0b", "\x1b[2J\u202e\n", "=1+1", "-x", "[/]", "x" * 70_000, "{}", "%s", "good", "/dev/zero",
    ]  # fmt: skip
    return [*texts, None, 0, -1, 1, 2, 2**31, 2**62, 2**63 - 1, 1.5, -1e300, float("inf"), b"", b"\xff" * 40]


def with_column(run: Path, table: str, column: str, value: Any) -> None:
    refusals = contextlib.suppress(sqlite3.Error, OverflowError)  # what the constraints refuse nobody can hand on
    with refusals, closing(sqlite3.connect(run / "results.sqlite")) as file, file:
        if not file.execute(f"SELECT count(*) FROM {table}").fetchone()[0]:
            names = [name for _, name, *_ in file.execute(f"PRAGMA table_info({table})").fetchall()]
            marks = ", ".join("?" * len(names))
            file.execute(f"INSERT INTO {table} VALUES ({marks})", [0] * len(names))
        file.execute(f'UPDATE OR REPLACE {table} SET "{column}" = ?', (value,))
        if table != "revealed":
            file.execute("DELETE FROM revealed")


def _with_one(inside: Any) -> Any:
    if isinstance(inside, list) and not inside:
        inside.append({"matches": 2, "commitment": "", "secret": None, "started": "", "bot": "", "reason": ""})
    return inside


def with_field(run: Path, path: tuple[Any, ...], value: Any) -> None:
    record = json.loads((run / "run.json").read_text())
    *above, last = path
    inside = record
    for key in above:
        inside = _with_one(inside)[key]
    _with_one(inside)[last] = value.decode("latin-1") if isinstance(value, bytes) else copy.deepcopy(value)
    (run / "run.json").write_text(json.dumps(record))


opened: list[str] = []
"""Names of files that were opened while somebody looks."""
looking = False


def _hear(event: str, args: tuple[Any, ...]) -> None:
    if looking and event in ("open", "sqlite3.connect") and isinstance(args[0], str | bytes):
        opened.append(os.fsdecode(args[0]))


sys.addaudithook(_hear)


def no_way_out(begun: Path, change: Callable[[Path, list[Any]], None], may_read: bool = False) -> None:
    """Change a run, and do with it all that can be done."""
    global looking
    with TemporaryDirectory() as home:
        place = Path(home)
        host, run = host_of(begun, place), Path(shutil.copytree(begun, place / "run"))
        change(run, hostile(host, run))
        before = contents(host)
        opened.clear()
        looking = True
        try:
            shown = all_doors(run, place / "out", QUICK)
        finally:
            looking = False
        assert contents(host) == before
        assert sorted(path.name for path in place.iterdir()) == ["host", "out", "run"]
        if not may_read:
            assert CANARY not in shown
            leads_out = [name for name in opened if name.startswith(str(host)) or "victim" in name]
            assert [name for name in leads_out if "%2F" not in name] == []  # what is quoted is a name in the run


@pytest.mark.slow
@settings(max_examples=int(os.environ.get("KOTH_EXAMPLES", "20")), phases=[Phase.explicit, Phase.generate])
@given(data=st.data())
def test_no_value_of_a_database_leads_out(begun: Path, data: st.DataObject) -> None:
    table, column = data.draw(st.sampled_from(columns()))
    number = data.draw(st.integers(0, 1000))
    no_way_out(begun, lambda run, values: with_column(run, table, column, values[number % len(values)]))


@pytest.mark.slow
@settings(max_examples=int(os.environ.get("KOTH_EXAMPLES", "20")), phases=[Phase.explicit, Phase.generate])
@given(data=st.data())
def test_no_field_of_a_record_leads_out(begun: Path, data: st.DataObject) -> None:
    """But for the places of bots: who goes on with a run looks there whether the bot is what it was."""
    path = data.draw(st.sampled_from(list(fields(SHAPE))))
    number = data.draw(st.integers(0, 1000))
    names_places = path in (("bots", 0, "path"), ("interpreters",))
    no_way_out(begun, lambda run, values: with_field(run, path, values[number % len(values)]), names_places)


DEEP = b"[" * 1000 + b"]" * 1000
NESTED = {
    "run.json": lambda data: data.replace(b'"machine": {', b'"machine": {"x": %s, ' % DEEP),
    "notes/match-0001/clumsy.jsonl": lambda _: b'{"turn":1,"note":%s}\n' % DEEP,
    "replays/match-0001.koth.gz": lambda _: gzip.compress(b'{"koth":%s}\n' % DEEP),
}


@pytest.mark.parametrize("place", NESTED)
def test_lists_within_each_other_are_refused_in_words(place: str, begun: Path, tmp_path: Path) -> None:
    """Deeper than Python shows or writes them, and not too deep to be read."""
    run = Path(shutil.copytree(begun, tmp_path / "run"))
    (run / place).write_bytes(NESTED[place]((begun / place).read_bytes()))
    shown = all_doors(run, tmp_path / "out", ("verify", "why --details", "view", "resume with more"))
    assert ("not a replay" if place.startswith("replays") else "within each other") in shown


@pytest.mark.parametrize("value", ["{host}/victim.txt", "../host/victim.txt", "{host}/replays/match-0001.koth.gz"])
def test_a_replay_elsewhere_is_refused_in_words(value: str, begun: Path, tmp_path: Path) -> None:
    host, run = host_of(begun, tmp_path), Path(shutil.copytree(begun, tmp_path / "run"))
    before = contents(host)
    with_column(run, "matches", "replay", value.format(host=host))
    for door in ("standings", "verify", "why --details", "resume"):
        shown = DOORS[door](run, tmp_path)
        assert door == "standings" or "has its replay at" in shown, door
    assert contents(host) == before


def test_a_run_without_replays_leads_nowhere(begun: Path, tmp_path: Path) -> None:
    """Beside the folder's own parents there is another run: it is not taken for this one."""
    home = tmp_path / "deep"
    home.mkdir()
    host = host_of(begun, tmp_path)
    for name in ("run.json", "results.sqlite"):
        shutil.copy(host / name, tmp_path / name)
    run = Path(shutil.copytree(begun, home / "run"))
    with closing(sqlite3.connect(run / "results.sqlite")) as database, database:
        database.execute("UPDATE matches SET replay = '', digest = ''")
    shown = koth("why", run, "--details")
    assert "what I fail of" in shown
    assert "play it again" not in shown
    assert CANARY not in shown
    assert {part["debug"] for part in json.loads(koth("why", run, "--json")) if "debug" in part} == {None}


def test_the_database_is_written_where_it_has_one_name(begun: Path, tmp_path: Path) -> None:
    """A copy of hard links may be read; who would write it would write the other, too."""
    run = Path(shutil.copytree(begun, tmp_path / "run", copy_function=os.link))
    assert len(Results(run)) == 2
    with pytest.raises(KothError, match="another name elsewhere"):
        Store(run)
