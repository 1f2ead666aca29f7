"""A replay as one HTML file: the page, the game's picture and the match, which needs no network and no server."""

from __future__ import annotations

import base64
import hashlib
import html
import json
from pathlib import Path
from urllib.parse import quote

from koth.replay import ReplayError
from koth.viewer.bundle import bundle
from koth.viewer.listing import listing
from koth.viewer.palette import field_of
from koth.viewer.restored import with_frames
from koth.viewer.server import picture_of, static_files
from koth.viewer.summary import Match, find_matches

FRAME_HEIGHT = 640
"""CSS pixels that a replay takes in a notebook."""


def export(path: Path) -> str:
    """The whole text of an HTML file that plays the replay at `path`.

    It may be opened from a disk or stand in a frame. Its policy allows nothing but what is in it: no request to
    anywhere. Raises ReplayError when the file is no replay.
    """
    return _page("index.html", "main.js", _the_one(path))


def film_page(path: Path) -> str:
    """The same for a page that shows the turns it is told to: what films are taken of."""
    return _page("film.html", "film.js", _the_one(path))


class Html(str):
    """Text that a notebook shows as what it is."""

    def _repr_html_(self) -> str:
        return self


def framed(path: Path | str) -> Html:
    """The exported file inside an `<iframe>`, for another page, or as the last line of a notebook's cell."""
    text = html.escape(export(Path(path)), quote=True)
    return Html(
        f'<iframe srcdoc="{text}" title="A replay" width="100%" height="{FRAME_HEIGHT}" '
        'style="border: 0" allow="fullscreen"></iframe>'
    )


def _the_one(path: Path) -> Match:
    if path.is_dir():
        raise ReplayError(f"{path}: one replay is exported at a time, and this is a folder")
    return find_matches(path)[0]


def _page(template: str, entry: str, match: Match) -> str:
    files = {name: file.read_text(encoding="utf-8") for name, file in static_files().items()}
    picture = picture_of(match.header["game"])
    if picture is None:
        raise ReplayError(f"{match.path}: there is no picture of {match.header['game']!r} here")
    modules = {name: text for name, text in files.items() if name.endswith(".js")}
    modules |= {"place.js": files["embedded.js"], "draw.js": picture.read_text(encoding="utf-8")}
    script, style = bundle(entry, modules), files["style.css"]
    if "</script" in script.lower() or "<!--" in script:
        raise ReplayError(f"{picture}: text that would end the page's script")
    found = json.dumps(listing([match], field_of(match.path))).replace("<", "\\u003c")
    replay = base64.b64encode(with_frames(match.file).read_bytes()).decode()
    policy = f"default-src 'none'; script-src '{_digest(script)}'; style-src '{_digest(style)}'; img-src data:; "
    policy += "worker-src blob:; base-uri 'none'; form-action 'none'"
    icon = f"data:image/svg+xml,{quote(files['icon.svg'])}"
    parts = {
        '<link rel="icon" href="/static/icon.svg" type="image/svg+xml">': (
            f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
            f'<link rel="icon" href="{icon}" type="image/svg+xml">'
        ),
        '<link rel="stylesheet" href="/static/style.css">': f"<style>{style}</style>",
        f'<script type="module" src="/static/{entry}"></script>\n': "",
        "</body>": (
            f'<script type="application/json" id="embedded-listing">{found}</script>\n'
            f'<script type="text/plain" id="embedded-reader">{bundle("worker.js", modules)}</script>\n'
            f'<script type="text/plain" id="embedded-replay">{replay}</script>\n'
            f"<script>{script}</script>\n</body>"
        ),
    }
    text = files[template]
    for old, new in parts.items():
        before, found, after = text.partition(old)
        if not found:
            raise AssertionError(f"{template} has no {old}")
        text = before + new + after
    return text


def _digest(text: str) -> str:
    """A policy's name for an inline script or style."""
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
