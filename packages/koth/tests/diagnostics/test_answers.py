"""koth why, logs, debug and check: what they say of bots that fail in many ways."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from koth.cli import cli
from koth.contest.record import read_record
from koth.contest.run_reader import RunReader
from koth.diagnostics.explain import observation_text, transcript_lines
from koth.diagnostics.rerun import Rerun, find_recorded_bot
from koth.diagnostics.why import group_by_kind
from koth.errors import KothError
from koth.games import default_glyphs, load
from koth.match import Hosting, play
from koth.replay.reader import Replay
from koth.session.local import InlineBot
from tests.session.arena import GAME, SEED, SETTINGS, TALK, good_bot, json_bot

RULES = ("--set", "players=2", "--set", "vision=3", "--set", "shoot_range=2")
BAD = {
    "segfault": "for q in questions():\n    if q['clock'] == 1:\n"
    "        import ctypes\n        ctypes.string_at(8)\n    say(stay(q))",
    "nonsense": "for q in questions():\n    say(stay(q) if q['clock'] != 1 else 'ho\\x07ho')",
    "silent": "for q in questions():\n    say({'ask': q['ask'], 'moves': {}})",
    "thrower": "for q in questions():\n"
    "    print('at', q['clock'], file=sys.stderr)\n    1 / (q['clock'] - 2)\n    say(stay(q))",
}
CLASS = """
from koth.games.zombies.bot import Move

class Forgetful:
    def do_turn(self, context):
        if context.game_clock == 1:
            return {}["no such key"]
        return Move.STAY if context.game_clock != 2 else "north"
"""


def koth(*words: str, code: int = 0, typed: str | None = None) -> Result:
    """One command."""
    result = CliRunner().invoke(cli, words, input=typed)
    assert result.exit_code == code, result.output + repr(result.exception)
    return result


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A contest of bad bots: its folder."""
    home = tmp_path_factory.mktemp("answers")
    bots = home / "bots"
    bots.mkdir()
    for name, source in BAD.items():
        folder = bots / name
        folder.mkdir()
        (folder / "koth.toml").write_text('protocol = "json"\ncommand = ["python", "main.py"]\n')
        (folder / "main.py").write_text(TALK + source)
    (bots / "forgetful").mkdir()
    (bots / "forgetful" / "bot.py").write_text(CLASS)
    koth("run", "zombies", str(bots), "--matches", "2", "--seed", "3", "--out", str(home / "run"), *RULES)
    return home / "run"


def replay_of(run: Path, match: int = 1) -> str:
    return str(run / "replays" / f"match-{match:04d}.koth.gz")


def test_one_line_per_bot_and_kind(run: Path) -> None:
    lines = koth("why", str(run)).stdout.splitlines()
    told = [line.split(" ", 2)[:2] for line in lines if line and not line.startswith(("more:", "    "))]
    assert [(bot.rstrip(":"), kind) for bot, kind in told] == [
        (k.bot, k.kind) for k in group_by_kind(RunReader(run).faults())
    ]
    assert {(k.bot, k.kind) for k in group_by_kind(RunReader(run).faults())} == {
        ("segfault", "crash"),
        ("nonsense", "garbage"),
        ("silent", "missing"),
        ("thrower", "crash"),
        ("forgetful", "error"),
        ("forgetful", "illegal"),
    }
    assert all("first in match 1, turn" in line for line in lines if line.startswith("segfault"))


def test_details_name_signals_and_show_messages(run: Path) -> None:
    text = koth("why", str(run), "segfault", "--details").stdout
    assert "its process: killed by SIGSEGV" in text
    assert '"clock":1' in text
    assert f"debug {run}/replays/match-0001.koth.gz --bot segfault --turn 2" in text
    text = koth("why", str(run), "nonsense", "-d").stdout
    assert "ho\\x07ho" in text  # no control character reaches the screen
    assert "\x07" not in text
    assert "an answer without a fault:" in text
    text = koth("why", str(run), "thrower", "-d").stdout
    assert "turn 3: ZeroDivisionError: division by zero (main.py, line 30)\n" in text
    assert 'File "main.py", line 30, in <module>' in text
    text = koth("why", str(run), "forgetful", "-d").stdout
    assert "KeyError: 'no such key'" in text
    assert re.search(r"what it saw:\n +player \d+ at \d+,\d+: number \d+, bullets 3, x \d+, y \d+, clock 1\n", text)
    assert '"clock"' not in text


SPECIES = """
import json, sys
sys.stdin.readline()
print('{"ready": true}', flush=True)
for line in sys.stdin:
    m = json.loads(line)
    if m.get("question") == "points":
        print(json.dumps({"ask": m["ask"], "points": {str(n): [2, 2, 2, 2, 2] for n in m["instances"]}}), flush=True)
    elif "ask" in m:
        print("later", flush=True)
"""


def test_the_second_question_of_a_turn(tmp_path: Path) -> None:
    """The command that plays a fault again goes on to the question that it was."""
    (tmp_path / "bot").mkdir()
    (tmp_path / "bot" / "main.py").write_text(SPECIES)
    (tmp_path / "bot" / "koth.toml").write_text('protocol = "json"\ncommand = ["python", "main.py"]\n')
    out = str(tmp_path / "run")
    words = ["run", "aliens", str(tmp_path / "bot"), "@rock", "--matches", "1", "--seed", "1", "--max-turns", "2"]
    koth(*words, "--isolation", "none", "--out", out)
    text = koth("why", out, "bot", "-d").stdout
    assert f"debug {out}/replays/match-0001.koth.gz --bot bot --turn 1 --steps 2" in text


def test_why_in_json(run: Path) -> None:
    found = json.loads(koth("why", str(run), "segfault", "--match", "2", "--json").stdout)
    faults = [item for item in found if item["kind"] != "ending"]
    assert [(item["bot"], item["kind"], item["match"], item["turn"], item["count"]) for item in faults] == [
        ("segfault", "crash", 2, 2, 1)
    ]
    assert found[0]["ended"] == "killed by SIGSEGV"
    assert json.loads(found[0]["received"])["clock"] == 1
    assert 0 <= found[0]["charged"] <= found[0]["wall"] + 1, "nothing, if it was over before koth came to look"


def test_why_nobody(tmp_path: Path) -> None:
    koth(
        "run", "zombies", "@runner", "@coward", "--matches", "1", "--seed", "1", "--out", str(tmp_path / "r"), *RULES
    )
    assert koth("why", str(tmp_path / "r")).stdout == "no bot had a fault\n"
    told = koth("why", str(tmp_path / "r"), "runner").stdout
    assert told.startswith("runner had no fault\n\nhow runner ended, in 1 match:")


def wrong(*words: str) -> str:
    with pytest.raises(KothError) as error:
        cli.main(list(words), standalone_mode=False)
    return str(error.value)


def test_mistakes_are_told_in_one_line(run: Path, tmp_path: Path) -> None:
    assert "did you mean silent?" in wrong("why", str(run), "silen")
    assert "did you mean silent?" in wrong("debug", replay_of(run), "--bot", "silen", "--turn", "1")
    assert "not the folder of a run" in wrong("why", str(tmp_path))
    lone = tmp_path / "lone.koth.gz"
    shutil.copy(replay_of(run), lone)
    assert "--source BOT" in wrong("debug", str(lone), "--bot", "silent", "--turn", "1")


# --- transcripts


def transcript(run: Path, bot: str, match: int = 1) -> list[str]:
    """Return the lines of a bot's transcript, as a hill shows them to the bot's author."""
    reader = RunReader(run)
    again = Rerun(load(reader.plan()["game"]), Replay(replay_of(run, match)), bot)
    return list(transcript_lines(again, find_recorded_bot(reader.plan(), bot), reader.logs(match, bot).stderr))


def test_a_transcript_holds_the_whole_conversation(run: Path) -> None:
    lines = transcript(run, "thrower")
    received = [json.loads(line[2:]) for line in lines if line.startswith("< ")]
    assert received[0]["hello"]["names"] == [bot["name"] for bot in read_record(run)["bots"]]
    assert [message["clock"] for message in received[1:]] == [0, 1, 2]
    turns = "\n".join(lines).split("# turn ")[1:]
    assert ["| at 0" in turns[0], "| at 1" in turns[1], "| at 2" in turns[2]] == [True] * 3
    assert "! crash: its process ended" in turns[2]
    assert "| ZeroDivisionError: division by zero" in turns[2]
    assert lines[-1] == "! it was dead from here on"


def test_a_transcript_is_what_the_bot_received_byte_for_byte(tmp_path: Path) -> None:
    source = "for q in questions():\n    print('got', json.dumps(q), file=sys.stderr)\n    say(stay(q))"
    folder = tmp_path / "scribe"
    folder.mkdir()
    (folder / "koth.toml").write_text('protocol = "json"\ncommand = ["python", "main.py"]\n')
    (folder / "main.py").write_text(TALK + source)
    out = tmp_path / "run"
    koth("run", "zombies", str(folder), "@runner", "--matches", "1", "--seed", "5", "--out", str(out), *RULES)
    lines = transcript(out, "scribe")
    received = [json.loads(line[2:]) for line in lines if line.startswith('< {"ask"')]
    assert received == [json.loads(line.removeprefix("| got ")) for line in lines if line.startswith("| ")]
    answers = [json.loads(line[2:]) for line in lines if line.startswith("> ")]
    assert [answer["ask"] for answer in answers] == [question["ask"] for question in received]
    assert {move for answer in answers for move in answer["moves"].values()} == {"STAY"}
    assert lines[-1] == '< {"bye":true}'


def test_a_transcript_of_a_class_ends_with_the_last_question(run: Path) -> None:
    """A class has its players and objects; nothing is played of what came after the bot's end."""
    lines = transcript(run, "forgetful", 2)
    assert sum(bool(re.fullmatch(r"> player \d+ at \d+,\d+: Move.STAY", line)) for line in lines) > 2
    assert sum(bool(re.match(r"< player \d+ at \d+,\d+: 3 bullets; ", line)) for line in lines) > 4
    assert any(re.fullmatch(r"! error: its code raised an exception \(all its 2 units\)", line) for line in lines)
    assert not any("{" in line for line in lines if line[0] in "<>"), "JSON that its author never saw"
    again = Rerun(load("zombies"), Replay(replay_of(run)), "thrower")
    assert [moment.turn for moment in again.exchanges()] == [1, 2, 3]
    assert again.batch.turn == 2 < max(turn.turn for turn in again.replay.turns(frames=False))


def test_a_transcript_shows_nothing_of_what_rivals_see(run: Path) -> None:
    """Every question is one that this bot was asked, about its own units only."""
    for name in ("silent", "forgetful"):
        again, lines = Rerun(load("zombies"), Replay(replay_of(run)), name), transcript(run, name)
        asked = [moment.observations.fields["number"].tolist() for moment in again.exchanges()]
        if name == "forgetful":
            numbers = [int(found[1]) for line in lines if (found := re.match(r"< player (\d+) at", line))]
            assert numbers == [number for question in asked for number in question]
            continue
        questions = [json.loads(line[2:]) for line in lines if line.startswith('< {"ask"')]
        assert [[player["number"] for player in question["players"]] for question in questions] == asked


# --- debug


def test_debug_stops_at_the_moment(run: Path) -> None:
    text = koth("debug", replay_of(run), "--bot", "nonsense", "--turn", "2").stdout
    assert text.startswith("all 1 answers before are the recorded ones\n\nturn 2, question 2:")
    assert "it answers:  ho\\x07ho\nas recorded\nfault: garbage:" in text


def test_debug_shows_a_class_its_own_objects(run: Path) -> None:
    text = koth("debug", replay_of(run), "--bot", "forgetful", "--turn", "1", "--steps", "3").stdout
    assert re.search(
        r"\nit sees:     player \d+ at \d+,\d+: 3 bullets; \S.*\nit returns:  player \d+ at \S+: Move.STAY\n", text
    )
    assert re.search(r"\nfault: player \d+ at \d+,\d+: KeyError: 'no such key' \(bot.py, line 7\)\n", text)
    assert re.search(r"\nfault: player \d+ at \d+,\d+: do_turn returned 'north', not a Move or a Shoot", text)
    assert '{"' not in text


def test_debug_steps_on_and_tells_how_a_bot_ended(run: Path) -> None:
    text = koth("debug", replay_of(run), "--bot", "thrower", "--turn", "2", "--steps", "9").stdout
    assert [line for line in text.splitlines() if line.startswith("turn ")][:2] == [
        "turn 2, question 2: What does each living player do this turn?",
        "turn 3, question 3: What does each living player do this turn?",
    ]
    assert "at turn 3: crash: ZeroDivisionError: division by zero (main.py, line 30)\n" in text
    assert text.count("Traceback") == 1


def test_debug_shows_the_unit_that_is_wanted(run: Path) -> None:
    replay = replay_of(run)
    again = Rerun(load("zombies"), Replay(replay), "silent")
    observations = next(again.exchanges()).observations
    for unit in observations.question.labels(observations):
        assert "turn 1" in koth("debug", replay, "--bot", "silent", "--turn", "1", "--unit", str(unit)).stdout
    assert "no unit 999 was asked at turn 1" in wrong(
        "debug", replay, "--bot", "silent", "--turn", "1", "--unit", "999"
    )


def test_debug_shows_all_fields_where_a_game_has_no_letters(run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Cards in a hand are not on the default board."""
    moment = next((again := Rerun(load("zombies"), Replay(replay_of(run)), "silent")).exchanges())
    assert not any(line.startswith("window:") for line in observation_text(again, moment, 0))
    monkeypatch.setattr("koth.diagnostics.explain.glyphs_of", lambda game: default_glyphs)
    assert any(line.startswith("window:") for line in observation_text(again, moment, 0))


def test_debug_finds_what_a_changed_bot_does_otherwise(run: Path, tmp_path: Path) -> None:
    folder = tmp_path / "nonsense"
    shutil.copytree(run.parent / "bots" / "nonsense", folder)
    (folder / "main.py").write_text(TALK + "for q in questions():\n    say(stay(q))")
    words = ("debug", replay_of(run), "--bot", "nonsense", "--source", str(folder), "--turn")
    text = koth(*words, "3").stdout
    assert "has changed since this match" in text
    assert "not all answers before are the recorded ones: question 2 (turn 2) is the first: player" in text
    assert "Move.STAY now, garbage recorded" in koth(*words, "2").stdout


def test_debug_at_a_turn_without_a_question(run: Path) -> None:
    assert (
        "it was asked nothing at turn 9999"
        in koth("debug", replay_of(run), "--bot", "silent", "--turn", "9999").stdout
    )


def test_options_of_a_protocol_are_kept(tmp_path: Path) -> None:
    """A Pac-Man bot that wants its coordinates the other way round is told so again."""
    folder = tmp_path / "cross"
    folder.mkdir()
    (folder / "koth.toml").write_text('command = ["python", "main.py"]\ncoordinates = "col,row"\n')
    (folder / "main.py").write_text(
        "import sys\nfor line in sys.stdin:\n    print(line, end='', file=sys.stderr)\n"
        "    if line.strip() == 'Q': break\n    if ',' in line: print('N', flush=True)\n"
    )
    out = tmp_path / "run"
    koth("run", "pacman", str(folder), "--matches", "1", "--seed", "5", "--set", "turns=6", "--out", str(out))
    assert find_recorded_bot(read_record(out), "cross").options == {"coordinates": "col,row"}
    lines = transcript(out, "cross")
    received, printed = ([line[2:] for line in lines if line.startswith(mark)] for mark in "<|")
    assert received == printed
    assert {line for line in lines if line.startswith("> ")} == {"> N"}


# --- check


def test_check_of_a_good_bot(tmp_path: Path) -> None:
    text = koth("check", str(good_bot(tmp_path).path), "--game", "zombies", "--max-turns", "5", *RULES).stdout
    assert text.splitlines()[-1].startswith("no fault: it is ready to play (tried: ")
    assert "MB of memory" in text


def test_check_says_what_is_wrong(tmp_path: Path) -> None:
    bot = json_bot(tmp_path, BAD["silent"])
    words = ("check", str(bot.path), "--game", "zombies", "--max-turns", "5", "--against", "@runner", *RULES)
    text = koth(*words, code=1).stdout
    assert "it said:\n      {" in text
    assert '"moves": {}' in text
    assert "an answer without a fault:" in text
    assert "not ready yet" in text
    found = json.loads(koth(*words, "--json", code=1).stdout)
    assert not found["ok"]
    assert [step["step"] for step in found["steps"]] == ["found", "alone", "samples"]
    problem = found["steps"][1]["problems"][0]
    assert (problem["kind"], problem["turn"]) == ("missing", 1)
    assert json.loads(problem["example"])["ask"] == 1


def test_check_ends_where_its_bot_does(tmp_path: Path) -> None:
    bot = json_bot(tmp_path, BAD["thrower"])
    words = (
        "check",
        str(bot.path),
        "--game",
        "zombies",
        "--against",
        "@runner",
        "--against",
        "@coward",
        "--seed",
        "3",
        *RULES,
    )
    text = koth(*words, code=1).stdout
    assert "alone: 3 turns without rivals, score 2 when it was out: not fine\n" in text
    assert re.search(r"\(tried: 3 turns alone, until it was out; 3 turns against others, until it was out\)\n$", text)
    assert "--max-turns" not in text


def test_check_of_what_does_not_come_up(tmp_path: Path) -> None:
    bot = json_bot(tmp_path, "print('no settings file', file=sys.stderr); sys.exit(3)")
    text = koth("check", str(bot.path), "--game", "zombies", *RULES, code=1).stdout
    assert text.splitlines()[0] == "the bot does not start: the process ended (exit status 3)"
    assert "no settings file" in text
    assert "alone" not in text
    assert "samples" not in text  # it ends there


def test_check_of_what_can_not_be_built(tmp_path: Path) -> None:
    bot = json_bot(tmp_path, "")
    with open(bot.path / "koth.toml", "a") as manifest:
        manifest.write("build = \"sh -c 'echo no compiler; exit 2'\"\n")
    text = koth("check", str(bot.path), "--game", "zombies", *RULES, code=1).stdout
    assert "its build failed (exit status 2)" in text
    assert "no compiler" in text


def test_a_bot_that_is_none_ends_with_code_2(tmp_path: Path) -> None:
    assert "no such file or folder" in wrong("check", str(tmp_path / "nothing"), "--game", "zombies")


# --- a match again


def test_every_question_again(tmp_path: Path) -> None:
    """The moments of a replay are the questions that were asked, and the answers that were given."""
    asked: list[Any] = []

    def notes(observations: Any, match_info: Any) -> dict[str, Any]:
        action = (observations.fields["clock"] + observations.fields["number"]) % 9
        asked.append((observations.fields["window"].tolist(), action.tolist()))
        return {"action": action}

    path = tmp_path / "m.koth.gz"
    play(
        GAME,
        SETTINGS,
        [InlineBot("a", lambda observations, match_info: {}), InlineBot("b", notes)],
        SEED,
        Hosting(replay=path),
    )
    again = Rerun(load("zombies"), Replay(path), "b")
    moments = [(m.observations.fields["window"].tolist(), m.fields["action"].tolist()) for m in again.exchanges()]
    assert moments == asked
    assert len(moments) > 10
