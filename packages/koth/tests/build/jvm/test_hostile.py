"""Misbehaviour of a bot on the JVM ends only that bot, with its name in the report."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from koth.game import TimeControl
from tests.build.jvm.arena import bots_at, fight, java, written

pytestmark = pytest.mark.needs("javac")

SHORT = TimeControl(start=30, question=0.5, first=2)


MEMORY = {"koth.toml": "memory = 32\n"}
"""So little that it is soon used up."""


def blame(
    tmp_path: Path, turn: str, more: str = "", time_control: TimeControl = SHORT
) -> tuple[dict[str, tuple[str, str]], str]:
    """A bot's faults, by kind: text and how the process ended; and its stderr. Its rival has none."""
    bots = bots_at(written(tmp_path, {"Bad.java": java("Bad", turn, more), **MEMORY}))
    result = fight(bots, time_control=time_control)
    assert result.records["stand_still"].faults == {}
    record = result.records["Bad"]
    return {kind: (t.text, t.end) for kind, t in record.fault_reports.items()}, record.stderr.decode()


def test_an_exception_costs_that_player_its_turn(tmp_path: Path) -> None:
    turn = 'if (context.getId().getNumber() % 2 == 0) throw new IllegalStateException("even");\nreturn Move.STAY;'
    bots = bots_at(written(tmp_path, {"Bad.java": java("Bad", turn)}))
    result = fight(bots)
    record = result.records["Bad"]
    assert list(record.faults) == ["error"]
    assert 0 < record.faults["error"] <= 2 * result.turns, "two of the four players throw"
    fault_report = record.fault_reports["error"]
    told = r"player \d at \d+,\d+: java.lang.IllegalStateException: even \(at player.Bad.doTurn\(Bad.java:6\)"
    assert re.match(told, fault_report.text)
    stderr = record.stderr.decode()
    assert "java.lang.IllegalStateException: even\n\tat player.Bad.doTurn(Bad.java:6)\n" in stderr
    assert "koth.jvm" not in stderr


def test_an_error_that_is_no_end_costs_the_turn_too(tmp_path: Path) -> None:
    faults, _ = blame(tmp_path, 'throw new AssertionError("no");')
    assert list(faults) == ["error"]


@pytest.mark.parametrize("answer", ["null", 'new Action() { public String toString() { return "dance"; } }'])
def test_no_action_is_illegal(tmp_path: Path, answer: str) -> None:
    faults, _ = blame(tmp_path, f"return {answer};")
    assert list(faults) == ["illegal"]
    what = "dance" if "dance" in answer else "null"
    assert re.fullmatch(rf"player \d at \d+,\d+: doTurn returned {what}, not a Move or a Shoot", faults["illegal"][0])


def test_system_exit(tmp_path: Path) -> None:
    faults, stderr = blame(tmp_path, "System.exit(7);\nreturn null;")
    assert faults == {"crash": ("System.exit was called (at player.Bad.doTurn(Bad.java:6))", "exit status 7")}
    assert "System.exit was called" in stderr


def test_halt(tmp_path: Path) -> None:
    faults, _ = blame(tmp_path, "Runtime.getRuntime().halt(9);\nreturn null;")
    assert faults == {"crash": ("the process ended", "exit status 9")}


def test_system_exit_in_another_thread(tmp_path: Path) -> None:
    more = """  volatile boolean asked;
  { new Thread(() -> { while (!asked) Thread.onSpinWait(); System.exit(4); }).start(); }"""
    turn = (
        "asked = true; for (long end = System.nanoTime() + 300_000_000; System.nanoTime() < end;);\nreturn Move.STAY;"
    )
    faults, _ = blame(tmp_path, turn, more)
    assert list(faults) == ["crash"]
    assert faults["crash"][0].startswith("System.exit was called (at player.Bad")


def test_endless_loop(tmp_path: Path) -> None:
    faults, stderr = blame(tmp_path, "while (context.getX() >= 0) Thread.onSpinWait();\nreturn null;")
    assert list(faults) == ["late"]
    assert "ended for this match" in faults["late"][0]
    assert "no answer in time; the bot is at " in stderr
    assert "\tat player.Bad.doTurn(Bad.java:6)\n" in stderr


def test_stack_overflow(tmp_path: Path) -> None:
    faults, stderr = blame(tmp_path, "return dig(context);", "  Action dig(PlayerContext c) { return dig(c); }")
    assert list(faults) == ["crash"]
    assert faults["crash"][0] == "java.lang.StackOverflowError (at player.Bad.dig(Bad.java:5))"
    assert stderr.count("player.Bad.dig") < 100


def test_out_of_memory(tmp_path: Path) -> None:
    more = "  List<byte[]> hoard = new ArrayList<>();"
    faults, _ = blame(
        tmp_path, "while (true) hoard.add(new byte[1 << 20]);", more, TimeControl(start=30, question=20)
    )
    assert list(faults) == ["memory"]
    assert faults["memory"][0].startswith("java.lang.OutOfMemoryError: Java heap space (at player.Bad.doTurn")


def test_many_small_objects_use_up_the_memory(tmp_path: Path) -> None:
    more = "  Map<Integer, Object> hoard = new HashMap<>();"
    turn = "while (true) hoard.put(hoard.size(), new int[3]);"
    faults, _ = blame(tmp_path, turn, more, TimeControl(start=30, question=30))
    assert list(faults) == ["memory"]


def test_an_exception_in_the_constructor(tmp_path: Path) -> None:
    more = '  public Bad() { throw new IllegalArgumentException("not today"); }'
    faults, stderr = blame(tmp_path, "return Move.STAY;", more)
    assert list(faults) == ["crash"]
    text = "could not be started: java.lang.IllegalArgumentException: not today (at player.Bad.<init>(Bad.java:5))"
    assert faults["crash"][0] == text
    assert "\tat player.Bad.<init>(Bad.java:5)" in stderr


def test_what_a_bot_prints_and_reads_does_not_touch_the_wire(tmp_path: Path) -> None:
    turn = """
      System.out.println("to stdout");
      try {
        new java.io.FileOutputStream(java.io.FileDescriptor.out).write("to descriptor 1\\n".getBytes());
        if (System.in.read() != -1) throw new AssertionError("something to read");
        Process echo = new ProcessBuilder("echo", "from a child").inheritIO().start();
        echo.waitFor();
      } catch (java.io.IOException | InterruptedException e) { throw new RuntimeException(e); }
      return Move.STAY;"""
    faults, stderr = blame(tmp_path, turn, "", TimeControl(start=30, question=20))
    assert faults == {}
    for text in ("to stdout", "to descriptor 1", "from a child"):
        assert text in stderr


def test_threads_of_its_own_do_not_outlive_the_match(tmp_path: Path) -> None:
    more = "  { new Thread(() -> { while (true) Thread.onSpinWait(); }).start(); }"
    faults, _ = blame(tmp_path, "return Move.STAY;", more)
    assert faults == {}


def test_an_exception_that_throws_when_it_is_printed(tmp_path: Path) -> None:
    more = """  static class Sly extends RuntimeException {
      public String toString() { throw new RuntimeException("gotcha"); }
      public void printStackTrace(java.io.PrintWriter w) { throw new RuntimeException("gotcha"); }
    }"""
    faults, _ = blame(tmp_path, "throw new Sly();", more)
    assert faults == {"error": ("player 0 at 7,13: player.Bad$Sly", "")}


WIRE = """  static java.io.OutputStream wire() throws Exception {
    var make = java.io.FileDescriptor.class.getDeclaredConstructor(int.class);
    make.setAccessible(true);
    return new java.io.FileOutputStream(make.newInstance(4));
  }"""
"""The wire itself, taken from behind the adapter's back."""


@pytest.mark.parametrize(
    ("act", "kinds"),
    [
        ("write(new byte[] {5, 0, 0, 0, 9, 9, 9, 9, 9, 9, 9, 9})", {"garbage", "unasked", "late", "crash", "flood"}),
        ("write(new byte[1 << 22])", {"flood", "garbage", "unasked", "late"}),
        ("close()", {"crash", "closed", "late"}),
    ],
)
def test_who_takes_the_wire_harms_nobody_else(act: str, kinds: set[str], tmp_path: Path) -> None:
    turn = f"try {{ wire().{act}; }} catch (Exception e) {{ throw new RuntimeException(e); }} return Move.STAY;"
    faults, _ = blame(tmp_path, turn, WIRE)
    assert faults
    assert set(faults) <= kinds
