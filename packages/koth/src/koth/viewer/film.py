"""A replay as a GIF or MP4, drawn by the viewer's page in a headless Chromium.

Needs the extra `film` (Playwright, Pillow, imageio-ffmpeg) and a Chromium: the system's, or Playwright's own.
"""

from __future__ import annotations

import io
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from koth.errors import KothError
from koth.extras import install_command
from koth.files.atomic_write import replace_file
from koth.files.cache import home_folder
from koth.viewer.export import film_page

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
FLAGS = ("--disable-gpu", "--no-first-run", "--disable-background-networking", "--disable-sync")
FRAME_RATES = {"gif": 12.5, "mp4": 30.0}
"""The number of frames per second, by kind of film."""
LONGEST_FILM = 20.0
"""The longest film in seconds if no speed is given."""
SLOWEST_SPEED = 4.0
"""The least number of turns per second if no speed is given."""
GIF_COLOURS = 128
MISSING_EXTRA = f"films need the extra film: {install_command('film')}"

OnPicture = Callable[[int, int], None]
"""A callback with the number of finished pictures, and of all pictures."""


class FilmError(KothError):
    """Raised when a film can't be made."""


@dataclass(frozen=True)
class Shot:
    """The part of a match to film, with speed and size.

    Turns `first` to `last` (None: the match's last), at `speed` turns per second (None: fast enough for a film of at
    most `LONGEST_FILM` seconds), `width` x `height` pixels.
    """

    first: int = 0
    last: int | None = None
    speed: float | None = None
    width: int = 960
    height: int = 540
    dark: bool = True


def film(replay: Path, out: Path, kind: str, shot: Shot, on_picture: OnPicture) -> None:
    """Write a film of a replay; `kind` is "gif" or "mp4".

    Raises ReplayError without a replay, FilmError if a required package is missing, or if the match lacks these
    turns.
    """
    try:
        import imageio_ffmpeg  # type: ignore[import-untyped]
        from PIL import Image
    except ImportError:
        raise FilmError(MISSING_EXTRA) from None
    text = film_page(replay)
    with browser_page(shot.width, shot.height) as page:
        times = _times(shot, show_page(page, text, shot.dark), FRAME_RATES[kind])
        pictures = _pictures(page, times, on_picture)
        try:
            with replace_file(out) as part:
                if kind == "gif":
                    first, *rest = (
                        Image.open(io.BytesIO(data)).quantize(GIF_COLOURS, dither=Image.Dither.NONE)
                        for data in pictures
                    )
                    lasting = round(1000 / FRAME_RATES[kind])
                    first.save(part, "GIF", save_all=True, append_images=rest, duration=lasting, loop=0)
                else:
                    size = (shot.width, shot.height)
                    writer = imageio_ffmpeg.write_frames(
                        str(part), size, fps=FRAME_RATES[kind], codec="libx264", quality=7, macro_block_size=2,
                        output_params=["-f", "mp4", "-movflags", "+faststart"],
                    )  # fmt: skip
                    writer.send(None)
                    for data in pictures:
                        writer.send(Image.open(io.BytesIO(data)).convert("RGB").tobytes())
                    writer.close()
        except OSError as error:
            raise FilmError(f"{out}: {error.strerror or error}") from None


def _times(shot: Shot, turns: int, rate: float) -> list[float]:
    """Return the moment of each picture in turns; whole turns if turns are faster than pictures."""
    last = turns if shot.last is None else min(shot.last, turns)
    if shot.first > last:
        raise FilmError(f"there are no turns from {shot.first} to {last}: the match has {turns}")
    speed = shot.speed or max((last - shot.first) / LONGEST_FILM, SLOWEST_SPEED)
    count = int((last - shot.first) / speed * rate) + 1
    times = [shot.first + k * speed / rate for k in range(count)]
    if speed >= rate:
        times = [float(round(time)) for time in times]
    return times if times[-1] == last else [*times, float(last)]


def _pictures(page: Any, times: list[float], on_picture: OnPicture) -> Iterator[bytes]:
    for number, time in enumerate(times, 1):
        page.evaluate("(time) => globalThis.show(time)", time)
        yield page.screenshot(type="png", animations="disabled")
        on_picture(number, len(times))


def show_page(page: Any, text: str, dark: bool) -> int:
    """Show the film page `text`; return the number of the match's last turn."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "film.html"
        file.write_text(text, encoding="utf-8")
        page.goto(file.as_uri())
    return int(page.evaluate("(theme) => globalThis.start(theme)", "dark" if dark else "light"))


def can_film() -> bool:
    """Return whether the extra `film` and a Chromium are installed, without starting Chromium."""
    if any(find_spec(name) is None for name in ("playwright", "PIL")):
        return False
    kept = os.environ.get("PLAYWRIGHT_BROWSERS_PATH") or f"{home_folder() or ''}/.cache/ms-playwright"
    return any(map(shutil.which, BROWSERS)) or any(Path(kept).glob("chromium*"))


@contextmanager
def browser_page(width: int, height: int) -> Iterator[Any]:
    """Open an empty page of this size in a headless Chromium. Raises FilmError."""
    try:
        from playwright.sync_api import Error, sync_playwright
    except ImportError:
        raise FilmError(MISSING_EXTRA) from None
    found = next((path for name in BROWSERS if (path := shutil.which(name))), None)
    with sync_playwright() as playwright:
        # Without the sandbox for root (in containers), where Chromium refuses to start with it: the page is our own.
        flags = [*FLAGS, "--no-sandbox"] if os.geteuid() == 0 else list(FLAGS)
        try:
            browser = playwright.chromium.launch(executable_path=found, args=flags)
        except Error as error:
            reason = str(error).strip().partition("\n")[0]
            raise FilmError(
                f"films need a Chromium ({reason}): install it, or: playwright install chromium"
            ) from None
        try:
            yield browser.new_page(viewport={"width": width, "height": height}, reduced_motion="reduce", offline=True)
        except Error as error:
            raise FilmError(f"the browser failed: {str(error).strip().partition(chr(10))[0]}") from None
        finally:
            browser.close()
