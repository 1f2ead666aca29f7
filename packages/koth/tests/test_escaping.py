"""Text of strangers in a spreadsheet, in Markdown, in an address, on a command line: it is text and no more."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urljoin, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from koth.errors import visible
from koth.escaping import address, csv_cell, csv_text, markdown, positional, shell_word

NAMES = ["plain", "a b", "-x", "--out", "=1+1", "+1", "@SUM(A1)", "\t=1", "\r=1", "\n=1", "＝1", "it's", "$(id)",
         "`id`", "a;b", "a\x1b[31m", "\u202eevil", "a\nb", "\\", "ü", "~", "!x", "{a,b}", "*",
         "\udcff", ""]  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
def test_a_cell_is_no_formula(name: str) -> None:
    cell = csv_cell(name)
    assert cell[:1] not in ("=", "+", "-", "@", "\t", "\r", "\n", "＝")
    assert cell.removeprefix("'") == visible(name)


def test_rows_are_csv_for_spreadsheets() -> None:
    assert csv_text([["=1+1", 2, "-x", "plain"], ["a,b", None]]) == "'=1+1,2,'-x,plain\n\"a,b\",\n"


@pytest.mark.parametrize("value", [-1, 2.5, None, True])
def test_a_number_stays_a_number(value: Any) -> None:
    assert csv_cell(value) is value


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("plain 1.5", "plain 1.5"),
        ("<img src=x onerror=alert(1)>", r"\<img src=x onerror=alert(1)\>"),
        ("[a](javascript:b)", r"\[a\](javascript:b)"),
        ("**b** _c_ `d` ~~e~~ &amp; a|b \\", r"\*\*b\*\* \_c\_ \`d\` \~\~e\~\~ \&amp; a\|b \\"),
        ("a\n# b", r"a\\n# b"),
    ],
)
def test_nothing_is_a_mark(text: str, told: str) -> None:
    assert markdown(text) == told


@given(st.text(alphabet="ab\\`*_[]<>|&~\n\x1b!()#", max_size=12))
def test_markdown_shows_the_original_text(text: str) -> None:
    """By the parser that koth itself shows pages with."""
    from markdown_it import MarkdownIt

    (paragraph, inline, _) = MarkdownIt("commonmark").enable(["strikethrough", "table"]).parse(f"x{markdown(text)}x")
    assert paragraph.type == "paragraph_open"
    assert {token.type for token in inline.children or ()} == {"text"}
    assert "".join(token.content for token in inline.children or ()) == f"x{visible(text)}x"


@pytest.mark.parametrize(
    "name", ["javascript:alert(1)", "//evil.com/x", "http://evil.com", "a?b#c", "a%2fb", "<>", *NAMES]
)
def test_an_address_stays_here(name: str) -> None:
    whole = urlsplit(urljoin("file:///site/matches/a.html", address(f"{name}.html")))
    assert (whole.scheme, whole.netloc, whole.query, whole.fragment) == ("file", "", "", "")
    assert whole.path.startswith("/site/matches/")
    assert os.fsencode(unquote(address(name, "/replays/"), errors="surrogateescape")) == os.fsencode(
        f"/replays/{name}"
    )


@pytest.mark.parametrize("name", NAMES)
def test_a_word_comes_back_from_a_shell(name: str) -> None:
    assert visible(shell_word(name)) == shell_word(name), "it can be printed"
    line = f"printf -- %s {shell_word(name)}"
    said = subprocess.run(["bash", "-c", line], capture_output=True, check=True).stdout
    assert said == os.fsencode(name)


def test_what_begins_like_an_option() -> None:
    assert shell_word(Path("-x")) == "./-x"
    assert shell_word(Path("a b")) == "'a b'"
    assert positional("-x") == "-- -x"
    assert positional("x") == "x"
