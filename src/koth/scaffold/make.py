"""The files of a start: a page that its author writes, and what it rests on, made from a game's declaration."""

from __future__ import annotations

import html
import itertools
import json
import textwrap
from collections.abc import Iterable, Sequence
from pathlib import Path

from koth.build.bot_files import MANIFEST
from koth.errors import KothError
from koth.game import Game
from koth.games import home
from koth.scaffold import java
from koth.scaffold.languages import LANGUAGES, Language
from koth.scaffold.shapes import Enum, Named, camel, in_json, pascal, snake, upper
from koth.scaffold.talk import PROTOCOL, Asked, Talk, talk_of

TEMPLATES = Path(__file__).with_name("templates")
MISSING = "starts in other languages need the extra starts: pip install 'koth[starts]'"
TEMPLATE = ".in"
"""Ends the names of those that would be taken for modules of koth's."""
PAGES = "pages"
"""Where a game has pages of its own, by their names: bots that do something sensible there."""
WIDTH = 92


def files(game: Game, lang: str) -> dict[str, str]:
    """The texts of a start's files by name. Raises KothError for a game whose messages no type can hold,
    and without the extra `starts`.
    """
    language, talk = LANGUAGES[lang], talk_of(game)
    page = home(game.name).folder / PAGES / language.page
    templates = sorted((TEMPLATES / language.folder).iterdir())
    made = {path.name.removesuffix(TEMPLATE): _filled(language, path, talk) for path in templates}
    if page.is_file():
        made[language.page] = page.read_text(encoding="utf-8")
    manifest = language.manifest + f'wire = "{PROTOCOL}"\n' * talk.needs_protocol
    return made | ({MANIFEST: manifest} if manifest else {})


def _filled(language: Language, template: Path, talk: Talk) -> str:
    try:
        import jinja2
    except ImportError:
        raise KothError(MISSING) from None
    environment = jinja2.Environment(
        block_start_string="<%",
        block_end_string="%>",
        variable_start_string="«",
        variable_end_string="»",
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
        keep_trailing_newline=True,
        autoescape=False,
    )
    environment.filters["columns"] = columns
    source = environment.from_string(template.read_text(encoding="utf-8"))
    return source.render(
        title=talk.game.title,
        hello=talk.hello,
        asked=talk.asked,
        named=talk.named,
        answers={each.answer.name for each in talk.asked},
        told=talk.told,
        said=talk.said,
        kind=lambda shape: type(shape).__name__,
        method=lambda each: language.method(each.name),
        type=language.spelling.type,
        field=language.spelling.field,
        value=language.spelling.value,
        picked=[shape for shape in talk.named if isinstance(shape, Enum) and shape.name in talk.said],
        match_info=_lines(talk.match_info),
        tables=_tables,
        json=json.dumps,
        xml=html.escape,
        first_byte=FIRST_BYTE,
        java=java,
        key=_key,
        talk=talk,
        doc=_doc,
        sentence=_sentence,
        unit=lambda each: language.spelling.free(_body(each)),
        in_json=in_json,
        snake=snake,
        camel=camel,
        pascal=pascal,
        upper=upper,
    )


def columns(text: str) -> str:
    """Lines whose cells (parted by ¦) stand below each other, from one line without cells to the next."""
    out: list[str] = []
    for celled, lines in itertools.groupby(text.splitlines(), lambda line: "¦" in line):
        rows = [line.split("¦") for line in lines]
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)] if celled else [0]
        out += (" ".join(map(str.ljust, row, widths)).rstrip() for row in rows)
    return "".join(f"{line}\n" for line in out)


FIRST_BYTE = {
    "number": "data[0] == '-' || '0' <= data[0] && data[0] <= '9'",
    "object": "data[0] == '{'",
    "array": "data[0] == '['",
    "string": "data[0] == '\"'",
    "boolean": "data[0] == 't' || data[0] == 'f'",
}
"""How Go sees by its first byte what a value is in JSON."""


def _doc(shape: Named) -> list[str]:
    """What a shape means, in lines; none where nothing is declared."""
    return textwrap.wrap(_sentence(shape.doc), WIDTH) if shape.doc else []


def _tables(each: Asked) -> list[tuple[str, list[str]]]:
    """What a question shows and what answers it, key by key, for a comment."""
    titles = {"shown": "It shows", "answer": "It is answered with"}
    return [(title, _lines(row[1:] for row in each.table if row[0] == part)) for part, title in titles.items()]


def _lines(rows: Iterable[Sequence[str]]) -> list[str]:
    """Keys with their values and meanings, in lines that can be read."""
    told = (f"{key}: {values}" + (f" ({meaning})" if meaning else "") for key, values, meaning in rows)
    return [line for one in told for line in textwrap.wrap(one, WIDTH, subsequent_indent="    ")]


def _key(key: str) -> str:
    """A key as JavaScript has it in an object."""
    return key if key.isidentifier() else json.dumps(key)


def _sentence(text: str) -> str:
    """With a capital in front and a full stop behind."""
    return text[:1].upper() + text[1:] + ("" if text[-1:] in ".?!" else ".")


def _body(each: Asked) -> str:
    """What one of the bodies of a question is called."""
    return each.units.key.removesuffix("s") if each.units else ""
