"""The viewer's pages as self-contained files, with a policy that forbids requests."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Iterable, Mapping
from typing import Any
from urllib.parse import quote

from koth.errors import KothError
from koth.viewer.bundle import bundle
from koth.viewer.page_data import EmbeddedData
from koth.viewer.server import picture_of, static_files

SCRIPT, STYLE = "viewer.js", "viewer.css"
NOTHING_ALLOWED = "default-src 'none'"
LINK = re.compile(r'<link rel="stylesheet" href="static/([\w.-]+)">\n')
ICON = '<link rel="icon" href="static/icon.svg" type="image/svg+xml">'


def whole_page(
    template: str,
    entry: str,
    games: Iterable[str],
    data: EmbeddedData,
    replay: bytes | None = None,
    connects: str = "'none'",
    beside: str | None = None,
) -> str:
    """Return one HTML file: a page of the viewer with script, style, the pictures of `games`, and `data`.

    `data` and a `replay` are embedded for `embedded.js`. `connects` is the policy's source for fetches. With
    `beside`, the relative address of a folder, the page uses the script and style of `make_shared_files`. Raises
    KothError for a game without a picture.
    """
    files = _read_files()
    tail = f'<script type="application/json" id="embedded-data">{as_json(data)}</script>\n'
    if replay is not None:
        tail += f'<script type="text/plain" id="embedded-replay">{base64.b64encode(replay).decode()}</script>\n'
    if beside is None:
        script, reader, style = _parts(template, entry, games)
        sources = f"script-src '{digest(script)}'; style-src '{digest(style)}'"
        styled = f"<style>{style}</style>"
        tail += f'<script type="text/plain" id="embedded-reader">{reader}</script>\n<script>{script}</script>\n'
    else:
        sources = "script-src 'self' file:; style-src 'self' file:"
        styled = f'<link rel="stylesheet" href="{beside}{STYLE}">'
        tail += f'<script src="{beside}{SCRIPT}"></script>\n'
    policy = f"{NOTHING_ALLOWED}; {sources}; img-src data: blob:; worker-src blob:; connect-src {connects}; "
    policy += "base-uri 'none'; form-action 'none'"
    icon = f"data:image/svg+xml,{quote(files['icon.svg'])}"
    return _fill(
        template,
        LINK.sub("", files[template]),
        {
            ICON: f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
            f'<link rel="icon" href="{icon}" type="image/svg+xml">\n{styled}',
            f'<script type="module" src="static/{entry}"></script>\n': "",
            "</body>": f"{tail}</body>",
        },
    )


def make_shared_files(template: str, entry: str, games: Iterable[str]) -> dict[str, str]:
    """Return the script and style that several pages share, by file name. Raises KothError."""
    script, reader, style = _parts(template, entry, games)
    element = f'{{id: "embedded-reader", type: "text/plain", textContent: {as_json(reader)}}}'
    made = f'document.body.append(Object.assign(document.createElement("script"), {element}));'
    return {SCRIPT: f"{made}\n{script}", STYLE: style}


def _read_files() -> dict[str, str]:
    return {name: file.read_text(encoding="utf-8") for name, file in static_files().items()}


def _parts(template: str, entry: str, games: Iterable[str]) -> tuple[str, str, str]:
    """Return a page's script, worker's script, and style. Raises KothError."""
    files = _read_files()
    modules = {name: text for name, text in files.items() if name.endswith(".js")}
    modules |= {"place.js": files["embedded.js"], **pictures(games)}
    script, reader = bundle(entry, modules), bundle("worker.js", modules)
    for text in (script, reader):
        if "</script" in text.lower() or "<!--" in text:
            raise KothError("a picture's text would end the page's script")
    return script, reader, "".join(files[name] for name in LINK.findall(files[template]))


def _fill(name: str, text: str, parts: Mapping[str, str]) -> str:
    for old, new in parts.items():
        before, found, after = text.partition(old)
        if not found:
            raise AssertionError(f"{name} has no {old}")
        text = before + new + after
    return text


def pictures(games: Iterable[str]) -> dict[str, str]:
    """Return the games' pictures, and a module that lists the pictures. Raises KothError for a missing picture."""
    modules, lines = {}, []
    for number, game in enumerate(games):
        file = picture_of(game)
        if file is None:
            raise KothError(f"there is no picture of {game!r} here")
        modules[f"draw-{number}.js"] = file.read_text(encoding="utf-8")
        lines.append(
            (f'import * as picture{number} from "./draw-{number}.js";', f"{json.dumps(game)}: picture{number}")
        )
    imports = "\n".join(line for line, _ in lines)
    modules["pictures.js"] = f"{imports}\n\nexport const pictures = {{{', '.join(entry for _, entry in lines)}}};\n"
    return modules


def as_json(data: Any) -> str:
    """Return JSON that is safe inside a `<script>`."""
    return json.dumps(data, separators=(",", ":")).replace("<", "\\u003c")


def digest(text: str) -> str:
    """Return the hash with which a policy allows an inline script or style."""
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
