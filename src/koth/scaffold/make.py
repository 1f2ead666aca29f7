"""Files of a bot that plays at once, made from a game's declaration: its page, and what that rests on."""

from __future__ import annotations

import json
import re
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from koth.build.bot_files import MANIFEST
from koth.game import Game
from koth.protocol.schema import examples_of, facts_of, game_schema, rows_of
from koth.scaffold.languages import LANGUAGES, Language

TEMPLATES = Path(__file__).with_name("templates")
TEMPLATE = ".in"
"""The ending of templates that would be taken for modules of koth's."""
PROTOCOL = "json"
NUMBERS = ("number", "body")
"""Keys under which a unit shows its number."""
PLACEHOLDER = re.compile(r"«(\w+)»")
WIDTH = 92
KINDS = {dict: "object", list: "array", str: "string", bool: "boolean", int: "integer", float: "number"}

Values = Mapping[str, str | Sequence[str]]


def files(game: Game, lang: str) -> dict[str, str]:
    """Return the texts of a bot's files by name: for the game's usual rules, and any number of seats."""
    language = LANGUAGES[lang]
    settings, seats = next(iter(game.rulesets.values())), game.seats[0]
    schema, answers = game_schema(game, settings, seats), _Answers(language)
    of_any_seats = game_schema(game, settings, None)
    questions = [
        {
            "name": name,
            "about": _about(question.doc, list(rows_of(of_any_seats, name))),
            "answer": answers.lines(schema["$defs"][name], schema["$defs"][f"{name}.answer"], example),
        }
        for name, question, example in examples_of(game, settings, seats)
    ]
    values = {"title": game.title, "hello": _lines(facts_of(of_any_seats)), "choices": answers.declarations()}
    made = {}
    for name in language.files:
        text = (TEMPLATES / name).read_text(encoding="utf-8")
        made[Path(name).name.removesuffix(TEMPLATE)] = filled(text, values, questions)
    manifest = language.manifest
    if "protocol" not in manifest and next(iter(game.protocols)) != PROTOCOL:
        manifest += f'protocol = "{PROTOCOL}"\n'
    return made | ({MANIFEST: manifest} if manifest else {})


def filled(template: str, values: Values, questions: Sequence[Values]) -> str:
    """Return a template with its placeholders replaced.

    A line whose placeholder stands for several texts is repeated for each. The lines between `«questions»` and
    `«end»` are repeated for each question.
    """
    before, _, rest = template.partition("«questions»\n")
    block, _, after = rest.partition("«end»\n")
    texts = [(before, {}), *((block, question) for question in questions), (after, {})]
    return "".join(_line(line, {**values, **more}) for text, more in texts for line in text.splitlines())


def _line(line: str, values: Values) -> str:
    several = [values[key] for key in PLACEHOLDER.findall(line) if not isinstance(values[key], str)]

    def filled_with(one: str) -> str:
        filled = PLACEHOLDER.sub(lambda key: value if isinstance(value := values[key[1]], str) else one, line)
        return filled.rstrip() + "\n"

    return "".join(map(filled_with, several[0] if several else [""]))


@dataclass
class _Answers:
    """Legal answers as expressions of a language, and the lists of values that they draw from."""

    language: Language
    choices: dict[str, Sequence[Any]] = field(default_factory=dict)

    def declarations(self) -> list[str]:
        """Return the lines that declare these lists."""
        lines: list[str] = []
        for name, values in self.choices.items():
            declared = (not _are_texts(values) and self.language.values) or self.language.choices
            listed = ", ".join(map(self._listed, values))
            lines += declared.format(name, listed, pascal(name), name.lower()).split("\n")
        return lines

    def _listed(self, value: Any) -> str:
        """Return an item of such a list; in C, the JSON text that is printed."""
        if isinstance(value, str):
            return f'"{value}"'
        return self.value({}, value, "") if self.language.each else json.dumps(json.dumps(value))

    def lines(self, question: Mapping[str, Any], answer: Mapping[str, Any], example: Any) -> list[str]:
        """Return an expression like the example; in C, the statements that print it."""
        parts = json.loads(json.dumps(example))
        if not self.language.each:
            return [line for key, part in parts.items() for line in self._printed(question, answer, key, part)]
        members = []
        for key, part in parts.items():
            node = answer["properties"][key]
            if "patternProperties" in node:
                units, number = self._units(question)
                (inner,), one = node["patternProperties"].values(), next(iter(part.values()))
                value = self.language.each.format(units, number, self.value(inner, one, singular(key)))
            else:
                value = self.value(node, part, key)
            members.append(self.language.pair.format(key, value))
        return [self.language.record.format(", ".join(members))]

    def _printed(self, question: Mapping[str, Any], answer: Mapping[str, Any], key: str, part: Any) -> list[str]:
        """Return statements in C that print a member of an answer."""
        node = answer["properties"][key]
        if "patternProperties" not in node:
            return [_printf(f',"{key}":' + self.value(node, part, key))]
        units, number = self._units(question)
        (inner,), one = node["patternProperties"].values(), next(iter(part.values()))
        text = '%s"%lld":' + self.value(inner, one, singular(key))
        return [
            _printf(f',"{key}":{{'),
            f'for (const json *first = json_get(question, "{units}")->first, *unit = first; unit; unit = unit->next)',
            "    " + _printf(text, 'unit == first ? "" : ","', f"json_int({number})"),
            _printf("}"),
        ]

    def _units(self, question: Mapping[str, Any]) -> tuple[str, str]:
        """Return the key of the question's list of units, and the number of a unit as an expression."""
        for key, node in question["properties"].items():
            item = node.get("items") or {}
            if item.get("type") == "integer":
                return key, "$unit" if self.language.number.startswith("$") else "unit"
            for number in NUMBERS:
                if number in item.get("properties", {}):
                    return key, self.language.number.format(number)
        raise AssertionError("an answer by number has a list of units")

    def value(self, node: Mapping[str, Any], example: Any, name: str) -> str:
        """Return an expression for a value like this one; for one drawn at random where there is a choice."""
        name, language = node.get("title", name), self.language
        if "anyOf" in node:
            return self.value(next(one for one in node["anyOf"] if _fits(one, example)), example, name)
        values = [False, True] if node.get("type") == "boolean" else node.get("enum", ())
        if len(values) > 1:
            called = self._choice(upper(singular(name)) + "S", values)
            pick = (not _are_texts(values) and language.pick_value) or language.pick
            return pick.format(called, pascal(called), called.lower())
        if isinstance(example, dict):
            members = node["properties"]
            pairs = (language.pair.format(key, self.value(members[key], one, key)) for key, one in example.items())
            return language.record.format(", ".join(pairs))
        if isinstance(example, list):
            nodes = node.get("prefixItems") or [node.get("items") or {}] * len(example)
            parts = (self.value(part, one, singular(name)) for part, one in zip(nodes, example, strict=True))
            return language.items.format(", ".join(parts))
        if isinstance(example, str):
            return language.text.format(example)
        written = json.dumps(example)
        return language.words.get(written, language.scalar.format(written))

    def _choice(self, name: str, values: Sequence[Any]) -> str:
        while self.choices.setdefault(name, values) != values:
            name = f"OTHER_{name}"
        return name


def _are_texts(values: Sequence[Any]) -> bool:
    return all(isinstance(value, str) for value in values)


def _printf(text: str, *arguments: str) -> str:
    """Return the call of printf in C that prints this text, with values drawn where it has placeholders."""
    picks = (f"PICK({name})" for name in PLACEHOLDER.findall(text))
    words = ", ".join([json.dumps(PLACEHOLDER.sub("%s", text)), *arguments, *picks])
    return f"printf({words});"


def _fits(node: Mapping[str, Any], example: Any) -> bool:
    return example in node["enum"] if "enum" in node else node.get("type") == KINDS.get(type(example), "null")


def upper(name: str) -> str:
    """Return `SHOOT_RANGE` for `shoot range` or `shootRange`."""
    return "_".join(re.findall(r"[A-Za-z0-9]+", re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", name))).upper()


def pascal(name: str) -> str:
    """Return `ShootRange` for `SHOOT_RANGE`."""
    return name.title().replace("_", "")


def singular(name: str) -> str:
    """Return what one of several is called."""
    return name[:-1] if name.endswith("s") and not name.endswith("ss") else name


def _about(doc: str, rows: Sequence[tuple[str, str, str, str]]) -> list[str]:
    """Return what a question shows and what answers it, in lines of a comment."""
    shown, answer = ([row[1:] for row in rows if row[0] == part] for part in ("shown", "answer"))
    listed = [f"  {line}" for line in _lines(shown)]
    return [
        *textwrap.wrap(doc, WIDTH),
        "It shows:",
        *listed,
        "Its answer:",
        *(f"  {line}" for line in _lines(answer)),
    ]


def _lines(rows: Iterable[Sequence[str]]) -> list[str]:
    """Return keys with their values and meanings, in lines of a readable length."""
    texts = (f"{key}: {values}" + (f" ({meaning})" if meaning else "") for key, values, meaning in rows)
    return [line for text in texts for line in textwrap.wrap(text, WIDTH, subsequent_indent="    ")]
