"""Hints on a faulty message: the mistake, and the remedy."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import orjson

from koth.engine.batch import Batch
from koth.errors import KothError
from koth.game import Game
from koth.protocol.bot_protocol import Answer, BotProtocol
from koth.protocol.by_name import FRAMES, PYTHON_CLASS
from koth.protocol.json_mistakes import find_mistake, find_mistake_in_bytes

LONGEST_QUOTE = 60
"""The largest number of quoted characters of a bot's message."""
STDERR_STATEMENTS: Mapping[str, str] = {
    "python": "print(..., file=sys.stderr)",
    "javascript": "console.error(...)",
    "typescript": "console.error(...)",
    "c": "fprintf(stderr, ...)",
    "c++": "std::cerr << ...",
    "java": "System.err.println(...)",
    "rust": "eprintln!(...)",
    "go": "fmt.Fprintln(os.Stderr, ...)",
    "c#": "Console.Error.WriteLine(...)",
    "ruby": "warn ...",
    "php": "fwrite(STDERR, ...)",
    "lua": "io.stderr:write(...)",
    "haskell": "hPutStrLn stderr ...",
}
"""The statement that prints to stderr, by language."""
JSON_WRITERS: Mapping[str, str] = {
    "python": "json.dumps(...)",
    "javascript": "JSON.stringify(...)",
    "typescript": "JSON.stringify(...)",
    "go": "json.Marshal(...)",
    "ruby": "JSON.generate(...)",
    "php": "json_encode(...)",
    "perl": "JSON::PP's encode_json(...)",
}
"""The library function that writes JSON, by language."""
JSON_CURES: Mapping[str, str] = {
    "trailing comma": "leave out the comma before the closing bracket",
    "comment": "leave out the comment",
    "single quotes": "put keys and texts in double quotes, not in single ones",
    "curly quotes": "put keys and texts in the plain double quotes of the keyboard",
    "key": "put its keys in double quotes",
    "text": "put its texts in double quotes",
    "literal": "write true, false and null in small letters",
    "colon": "put a colon between a key and its value",
    "backslash": r"write a backslash in a text as \\",
    "number": "write numbers as 7, -7 or 0.5",
    "control": r"write a line end in a text as \n, a tab as \t",
}
"""The remedies for mistakes that a library for JSON avoids."""
OTHER_CURES: Mapping[str, str] = {
    "line break": r'write each message as one line, and a line end ("\n") only behind it',
    "two messages": r'write a line end ("\n") behind each message',
    "escaped": "write the object itself: it was made a text twice",
    "constant": "a division by 0 or a missing value makes NaN and Infinity: send a number, or null",
    "half": "cut texts between whole characters only",
    "huge": "send a smaller number",
    "deep": "send a flat message",
    "NUL": "write a text without the 0 that ends it in C: as many bytes as strlen says",
    "colours": 'switch the colours off: env = { NO_COLOR = "1" } in its koth.toml does it for many libraries',
}
"""The remedies for other mistakes."""
UTF8_STATEMENTS: Mapping[str, str] = {
    "python": 'sys.stdout.reconfigure(encoding="utf-8")',
    "c#": "Console.OutputEncoding = new UTF8Encoding(false)",
    "java": 'new PrintStream(System.out, true, "UTF-8")',
}
"""The statement that makes stdout UTF-8, for languages whose default may differ."""
ONE_LINE_CALLS: Mapping[str, str] = {
    "python": "json.dumps without indent",
    "javascript": "JSON.stringify without a third argument",
    "typescript": "JSON.stringify without a third argument",
    "go": "json.Marshal, not json.MarshalIndent",
    "ruby": "JSON.generate, not JSON.pretty_generate",
    "php": "json_encode without JSON_PRETTY_PRINT",
}
"""The call that writes JSON on one line, by language."""
MESSAGE_FAULTS = frozenset({"garbage", "illegal", "missing", "unasked"})
"""Kinds of faults whose cause the bot's message may show."""


def drop_consequences(kinds: Mapping[str, int]) -> list[str]:
    """Return the kinds of faults (with the turns of the first) except "unasked" if it follows from another fault.

    If a bot sends an unreadable line and then the answer, the answer comes after the question is over.
    """
    causes = [kinds[kind] for kind in ("garbage", "illegal") if kind in kinds]
    return [kind for kind, turn in kinds.items() if kind != "unasked" or not causes or turn < min(causes)]


def find_hint(game: Game, settings: Any, protocol: str, kind: str, said: bytes, language: str = "") -> str:
    """Return the mistake in a faulty message, with a remedy; "" if no mistake is found."""
    text = said.decode("utf-8", "replace").strip().partition("\n")[0].strip()
    if kind not in MESSAGE_FAULTS or protocol in (FRAMES, PYTHON_CLASS) or not text:
        return ""
    if (mistake := find_mistake_in_bytes(said.strip())) is not None:
        return _cure_text(game, mistake.kind, language)
    message = _object(text)
    if message is not None:
        if protocol == "json":
            return ""
        return f'it speaks JSON, but its protocol is {protocol!r}: say protocol = "json" in its koth.toml'
    if protocol == "json" and text.startswith("{"):
        mistake = find_mistake(text.encode())
        return _cure_text(game, mistake.kind if mistake else "", language)
    if kind == "unasked" and _is_answer(game, settings, protocol, text.encode()):
        return ""  # it would have been an answer: what it said before was taken for one
    for other in game.protocols:
        if other != protocol and _is_answer(game, settings, other, text.encode()):
            return (
                f"it says {_quote(text)}, as in the protocol {other!r}, but its protocol is {protocol!r}: "
                f'say protocol = "{other}" in its koth.toml, or answer as in {protocol!r}'
            )
    if protocol == "json" and text.upper() in _answer_words(game, settings)[1]:
        return (
            f"it says the bare word {_quote(text)}; here an answer is a line of JSON (koth docs {game.name}/messages)"
        )
    inside = _find_answer(game, settings, protocol, text)
    if inside and not re.search(r"\w", text.replace(r"\"", '"').replace(inside, "")):
        return f"it says {_quote(text)}, which is not an answer; write {_quote(inside)} alone, with nothing around it"
    but = f", but {_quote(inside)} alone would be one" if inside else ""
    return f"it says {_quote(text)}, which is not an answer{but}; {_stderr_text(language)}"


def _cure_text(game: Game, kind: str, language: str) -> str:
    if kind in ("UTF-16", "Latin-1"):
        made = (
            UTF8_STATEMENTS.get(language) or f"{UTF8_STATEMENTS['python']} in Python, {UTF8_STATEMENTS['c#']} in C#"
        )
        return f"write UTF-8: {made}"
    if kind == "behind":
        return f"end a message where its last bracket closes; {_stderr_text(language)}"
    if kind in OTHER_CURES:
        how = ONE_LINE_CALLS.get(language, "") if kind == "line break" else ""
        return OTHER_CURES[kind] + (f": {how}" if how else "")
    return "; ".join([*([JSON_CURES[kind]] if kind in JSON_CURES else []), _writer_text(language)])


def _find_answer(game: Game, settings: Any, protocol: str, text: str) -> str:
    """Return the first valid answer in a longer line, or ""."""
    keys, names = _answer_words(game, settings)
    if protocol == "json":
        inner = text[text.find("{") : text.rfind("}") + 1].replace(r"\"", '"')
        return inner if keys & (_object(inner) or {}).keys() else ""
    words = dict.fromkeys(word for word in re.findall(r"\w+", text) if word in names)
    return next((word for word in words if _is_answer(game, settings, protocol, word.encode())), "")


def _writer_text(language: str) -> str:
    """Return the function that writes correct JSON in a bot's language."""
    if language in JSON_WRITERS:
        return f"{JSON_WRITERS[language]} writes it so"
    return f"a library writes it so: {JSON_WRITERS['python']} in Python, {JSON_WRITERS['javascript']} in JavaScript"


def _stderr_text(language: str) -> str:
    """Return the statement that prints to stderr in a bot's language."""
    words = (
        [STDERR_STATEMENTS[language]]
        if language in STDERR_STATEMENTS
        else [f"{STDERR_STATEMENTS['python']} in Python", f"{STDERR_STATEMENTS['c']} in C"]
    )
    return f"write your own notes to stderr: {', '.join(words)}"


def _object(text: str) -> dict[str, Any] | None:
    try:
        value = orjson.loads(text)
    except ValueError:
        return None
    return value if isinstance(value, dict) else None


def _answer_words(game: Game, settings: Any) -> tuple[set[str], dict[str, None]]:
    """Return the keys of a game's answers in JSON, and the names of values in answers."""
    seats = game.seats.start
    protocol = game.protocols["json"](settings, seats)
    questions = list(game.questions(settings, seats).values())
    keys = {key for question in questions for key in protocol.codec.schema(question)[1]}
    fields = [spec for question in questions for spec in question.answer.values()]
    return keys, {name: None for spec in fields for name in spec.names}


def _is_answer(game: Game, settings: Any, protocol: str, line: bytes) -> bool:
    """Return whether a line, in a protocol, answers a match's first question without a fault."""
    batch = Batch(game, settings, game.seats.start, [0])
    if batch.observations is None:
        return False
    speaker: BotProtocol = game.protocols[protocol](settings, game.seats.start)
    speaker.hello(game.match_info(settings, batch.state, 0, 0))
    speaker.ask(batch.observations.rows(0, 1))
    try:
        meaning = speaker.decode(line)
    except KothError:
        return False
    return isinstance(meaning, Answer) and not meaning.fault.any()


def _quote(text: str) -> str:
    return repr(text if len(text) <= LONGEST_QUOTE else f"{text[:LONGEST_QUOTE]}...")
