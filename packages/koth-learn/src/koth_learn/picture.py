"""Pictures of a match: the viewer's own, or letters."""

from __future__ import annotations

import io
import tempfile
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from koth.errors import KothError, choices
from koth.game import Array
from koth.games.board_text import board_text
from koth.match import replay_header
from koth.replay.arrays import split_frame
from koth.replay.names import SUFFIX
from koth.replay.writer import Recorder, to_json
from koth.session.local import InlineBot
from koth.viewer.export import film_page
from koth.viewer.film import MISSING_EXTRA, browser_page, can_film, show_page
from koth_learn.environment import Environment

MODES = ("rgb_array", "ansi", "human")
"""All render modes; `rgb_array` needs the extra `film` and a Chromium."""
WIDTH, HEIGHT = 960, 540
"""Pixels of a picture."""


def modes() -> tuple[str, ...]:
    """Return the render modes that this machine has."""
    return MODES if can_film() else MODES[1:]


def check_mode(mode: str | None) -> str | None:
    """Return a render mode. Raises KothError for an unknown mode; only `render` fails without a browser."""
    if mode is not None and mode not in MODES:
        raise KothError(f"there is no render mode {mode!r}{choices(mode, MODES)}")
    return mode


def render_match(env: Environment, mode: str | None, match: int = 0) -> Any:
    """Return the picture of a match in this mode; `human` prints the text and returns None, as no mode does."""
    if mode == "rgb_array":
        return draw_match(env, match)
    if mode == "ansi":
        return text_of(env, match)
    if mode == "human":
        print(text_of(env, match))
    return None


def render_agents(env: Environment, mode: str | None) -> list[Any]:
    """Return for each agent of every match the picture of its match."""
    pictures = [render_match(env, mode, match) for match in range(env.matches)]
    return [picture for picture in pictures for _ in range(env.agents)]


def text_of(env: Environment, match: int = 0) -> str:
    """Return the board of a match in letters."""
    frame = env.game.frame(env.settings, env.state, match)
    match_info = env.game.match_info(env.settings, env.state, match, 0)
    return "\n".join(board_text(env.game, frame, match_info))


def draw_match(env: Environment, match: int = 0) -> Array:
    """Return the viewer's picture of the current state of a match: uint8[HEIGHT, WIDTH, 3].

    Needs the extra `film` and a Chromium, which stays open while this process runs. Raises KothError without them.
    """
    bots = [InlineBot(f"seat {seat}", lambda observations, match_info: {}) for seat in range(env.seats)]
    header = replay_header(env.game, env.spec.ruleset or next(iter(env.game.rulesets)), env.settings, bots)
    header["facts"] = env.game.match_info(env.settings, env.state, match, 0)
    header["spec"] = env.game.frame_spec.as_json()
    values, arrays = split_frame(env.game.frame(env.settings, env.state, match))
    frame = {"turn": int(env.arrays["turn"][match]), "values": values, "arrays": arrays}
    return camera().take(header, frame)


class Camera:
    """The browser of this process, in a thread of its own, because a notebook's thread must not block the event loop.

    The browser ends with the process: closing the pipe ends Playwright's driver, and the driver ends the browser.
    """

    def __init__(self) -> None:
        self._thread = ThreadPoolExecutor(1, "camera")
        self._stack = ExitStack()
        self._page: Any = None
        self._shown = b""

    def take(self, header: dict[str, Any], frame: dict[str, Any]) -> Array:
        """Return the picture of a frame of the match with this header, uint8[HEIGHT, WIDTH, 3]."""
        return self._thread.submit(self._take, header, frame).result()

    def _take(self, header: dict[str, Any], frame: dict[str, Any]) -> Array:
        try:
            from PIL import Image
        except ImportError:
            raise KothError(MISSING_EXTRA) from None
        if self._page is None:
            self._page = self._stack.enter_context(browser_page(WIDTH, HEIGHT))
        if self._shown != (text := to_json(header)):
            show_page(self._page, self._page_of(header, frame), dark=True)
            self._shown = text
        self._page.evaluate("(text) => globalThis.showFrame(JSON.parse(text))", to_json(frame).decode())
        data = self._page.screenshot(type="png", animations="disabled")
        return np.array(Image.open(io.BytesIO(data)).convert("RGB"))

    def _page_of(self, header: dict[str, Any], frame: dict[str, Any]) -> str:
        """Return the page that shows a match; it is made from a replay of this one frame."""
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / f"match{SUFFIX}"
            recorder = Recorder(path, header)
            recorder.add_frame(0, {**frame["values"], **frame["arrays"]}, "")
            recorder.finish({"turns": 0, "scores": {}, "faults": {}})
            return film_page(path)


@cache
def camera() -> Camera:
    """Return the process's camera."""
    return Camera()
