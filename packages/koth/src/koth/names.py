"""Checks of the names of bots and authors: invisible characters, and names that look alike."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

LONGEST_NAME = 40
"""The largest number of characters in a name of a bot or an author."""
MOST_MARKS = 3
"""The largest number of accents and other marks on a letter; more would cover the lines above and below."""
UNSEEN = re.compile(
    # Unicode's Default_Ignorable_Code_Point, which `unicodedata` does not have ...
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f"
    "\ufeff\uffa0\ufff0-\ufff8\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
    # ... and characters that are drawn as nothing: a Braille pattern without dots, a blank note, fillers.
    "\u2800\ufffc\U0001d159\U00013441\U00013442\U00016fe4]"
)
EAST = frozenset({"CJK", "HIRAGANA", "KATAKANA", "KATAKANA-HIRAGANA", "HANGUL", "BOPOMOFO", "LATIN"})
"""Scripts that are written together, as in the level "highly restrictive" of UTS 39."""
NO_SCRIPT = frozenset({"MODIFIER", "FEMININE", "MASCULINE", "MICRO"})
"""First words of the names of letters that belong to no script."""
LIKE_LATIN = str.maketrans(
    "авеһнкморстухіјѕԁԛԝӏ" + "αβεζηικμνορτυχγ" + "օսհյ" + "ᎪᏴᏟᎠᎬᏀᎻᎥᏆᎫᏦᏞᎷᎾᏢᎡᏒᏚᎢᏙᎳᏃ" + "ıɑɡ",
    "abehhkmopctyxijsdqwl" + "abezhikmvoptyxy" + "ouhj" + "abcdeghiijklmoprrstvwz" + "iag",
)
"""Letters of other alphabets, and rare Latin ones, that look like common Latin letters."""
LIKE_EACH_OTHER = str.maketrans("I1|0", "lllo")
"""Characters that look alike in most typefaces."""


def visible_text(text: str) -> str:
    """Return a text in the form NFKC, without invisible characters such as control and format characters."""
    text = UNSEEN.sub("", unicodedata.normalize("NFKC", text))
    return " ".join("".join(c for c in text if unicodedata.category(c)[0] != "C" or c.isspace()).split())


def leads_elsewhere(name: str) -> bool:
    """Return whether an address that ends with this name leads to another page, because a part is empty or dots."""
    return any(part.strip() in ("", ".", "..") for part in name.split("/"))


def problem_of(name: str) -> str:
    """Return why this is not a valid name, as the end of a sentence; empty if it is valid."""
    if not name or len(name) > LONGEST_NAME or name != visible_text(name):
        return f"a name has 1 to {LONGEST_NAME} visible characters"
    if leads_elsewhere(name):
        return "no part of a name between slashes is empty, . or .."
    marks = "".join("m" if unicodedata.category(c)[0] == "M" else "x" for c in unicodedata.normalize("NFD", name))
    if marks.startswith("m") or "m" * (MOST_MARKS + 1) in marks:
        return f"a letter of a name has at most {MOST_MARKS} marks"
    letters = (c for c in name if unicodedata.category(c)[0] == "L")
    scripts = {unicodedata.name(c, "UNKNOWN").split()[0] for c in letters} - NO_SCRIPT
    if len(scripts) > 1 and not scripts <= EAST:
        mixed = " and ".join(script.title() for script in sorted(scripts))
        return f"the letters of a name are of one script, not of {mixed}"
    return ""


def looks(name: str) -> set[str]:
    """Return the forms of a name for comparison: two names that share a form look alike."""
    return {_skeleton(name), _skeleton(name.translate(LIKE_EACH_OTHER))}


def _skeleton(name: str) -> str:
    """Return a name without case and marks, with similar letters replaced by Latin letters, and one kind of dash."""
    parts = unicodedata.normalize("NFKD", unicodedata.normalize("NFKC", name).casefold())
    bare = "".join("-" if unicodedata.category(c) == "Pd" else c for c in parts if unicodedata.category(c)[0] != "M")
    return bare.translate(LIKE_LATIN)


def alike(name: str, others: Iterable[str]) -> str | None:
    """Return the first of `others` that looks like `name`; None if none does."""
    own = looks(name)
    return next((other for other in others if own & looks(other)), None)
