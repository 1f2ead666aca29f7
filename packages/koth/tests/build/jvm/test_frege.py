"""Entries as Frege compiles them, over a stand-in for its runtime: lazy values, functions, IO, records."""

from __future__ import annotations

from pathlib import Path

import pytest

from koth.games.zombies.state import MOVES
from tests.build.jvm.arena import Conversation, bots_at, written

pytestmark = pytest.mark.needs("javac")

RUNTIME = {
    "frege/runtime/Lazy.java": "package frege.runtime;\npublic interface Lazy { Object forced(); }\n",
    "frege/runtime/Lambda.java": "package frege.runtime;\n"
    "public interface Lambda extends Lazy { Lambda apply(Object argument); Lazy result(); }\n",
    "frege/runtime/Later.java": """package frege.runtime;
        import java.util.function.Supplier;
        class Later implements Lazy {
          private Supplier<Object> work;
          Later(Supplier<Object> work) { this.work = work; }
          public Object forced() { return work.get(); }
        }""",
    "frege/runtime/Made.java": """package frege.runtime;
        import java.util.function.Function;
        import java.util.function.Supplier;
        public class Made {
          public static Lazy lazy(Supplier<Object> work) { return new Later(work); }
          public static Lambda function(Function<Object, Object> body) { return new Fun(body, null); }
          private static class Fun implements Lambda {
            private final Function<Object, Object> body;
            private final Object[] argument;
            Fun(Function<Object, Object> body, Object[] argument) { this.body = body; this.argument = argument; }
            public Lambda apply(Object given) { return new Fun(body, new Object[] {given}); }
            public Lazy result() { return new Later(() -> body.apply(argument[0])); }
            public Object forced() { return this; }
          }
        }""",
}
HEAD = "package player;\nimport frege.runtime.*;\nimport zombie.*;\n"
ENTRIES = {
    "lazy value": "Lazy doTurn(PlayerContext c) { return Made.lazy(() -> Made.lazy(() -> Move.EAST)); }",
    "plain value": "Action doTurn(PlayerContext c) { return Move.EAST; }",
    "of an object": "Object doTurn(Object c) { return Made.lazy(() -> c == null ? null : Move.EAST); }",
    "IO action": "Lambda doTurn(PlayerContext c) { return Made.function(world -> Made.lazy(() -> Move.EAST)); }",
}
RECORD = """public class Frege {
  public static class Turn {
    public final Object mem$result;
    public final Object mem$andThen;
    Turn(Object result, Object andThen) { mem$result = result; mem$andThen = andThen; }
  }
  static Object turn(int n) {
    return Made.lazy(() -> new Turn(Made.lazy(() -> Move.values()[n]), Made.function(context -> turn(n + 1))));
  }
  public static Object doTurn(PlayerContext c) { return turn(0); }
}"""


def talk(tmp_path: Path, entry: str) -> Conversation:
    """A conversation with this entry, called Frege; the runtime's sources are compiled with it."""
    (bot,) = bots_at(written(tmp_path, {**RUNTIME, "player/Frege.java": HEAD + entry, "koth.toml": ""}))
    assert bot.name == "Frege"
    return Conversation(bot)


@pytest.mark.parametrize("entry", ENTRIES.values(), ids=ENTRIES)
def test_a_static_do_turn(tmp_path: Path, entry: str) -> None:
    conversation = talk(tmp_path, f"public class Frege {{ public static {entry} }}")
    answer = conversation.ask({"number": 1}, {"number": 2})
    assert not answer.fault.any(), answer.errors
    assert [MOVES[move] for move in answer.fields["action"]] == ["EAST", "EAST"]
    conversation.close()


def test_a_record_brings_the_function_for_the_next_call(tmp_path: Path) -> None:
    conversation = talk(tmp_path, RECORD)
    moves = [conversation.ask({"number": 1}).fields["action"][0] for _ in range(4)]
    assert moves == [0, 1, 2, 3]
    conversation.close()


def test_an_exception_is_the_bots_own(tmp_path: Path) -> None:
    body = 'public static Lazy doTurn(PlayerContext c) { return Made.lazy(() -> { throw new Error("no"); }); }'
    conversation = talk(tmp_path, f"public class Frege {{ {body} }}")
    answer = conversation.ask({"number": 1})
    assert answer.errors[0][1].startswith("player 1 at 0,0: java.lang.Error: no (at ")
    conversation.close()


def test_what_leads_to_no_action(tmp_path: Path) -> None:
    conversation = talk(tmp_path, "public class Frege { public static Object doTurn(Object c) { return 5; } }")
    answer = conversation.ask({"number": 1})
    assert "doTurn gave a java.lang.Integer, not an Action" in answer.errors[0][1]
    conversation.close()
