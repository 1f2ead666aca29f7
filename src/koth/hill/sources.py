"""Texts of a bot's files, as an author writes them on the site, and the one file in which they are sent."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Sequence

from koth.discovery.packing import add_file
from koth.errors import KothError, visible
from koth.hill.uploads import check_name

MOST_CHARACTERS = 256 << 10
"""Characters of all texts of a bot."""
MOST_FILES = 30
"""Files of a bot that is written on the site."""

Texts = Sequence[tuple[str, str]]
"""Files of a bot: each one's path in the bot's folder, and its text."""


def as_sent(name: str, texts: Texts) -> tuple[str, bytes]:
    """Return the name and the content of the file in which a bot is sent: its only file, or a zip of its folder.

    Raises KothError for texts that can't be sent.
    """
    if len(texts) > MOST_FILES:
        raise KothError(f"the bot has {len(texts)} files; the most are {MOST_FILES} here: send it as a zip")
    size = sum(len(text) for _, text in texts)
    if size > MOST_CHARACTERS:
        raise KothError(f"the source has {size:,} characters; the most are {MOST_CHARACTERS:,}")
    if len(texts) == 1:
        ((file, text),) = texts
        return file, text.encode()
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as archive:
        for file, text in texts:
            for part in file.split("/"):
                check_name(part)
            if f"{name}/{file}" in archive.namelist():
                raise KothError(f"two files are called {visible(file)}; rename one of them")
            add_file(archive, f"{name}/{file}", text.encode())
    return f"{name}.zip", data.getvalue()


def texts_in(archive: bytes, folder: str) -> Texts:
    """Return the texts of the files in the zip of a bot's one file, or of its folder of this name.

    Raises KothError where they are not texts, or too much for the editor.
    """
    elsewhere = "change it on your machine, and send its folder as a zip"
    with zipfile.ZipFile(io.BytesIO(archive)) as files:
        infos = files.infolist()
        size = sum(info.file_size for info in infos)
        if len(infos) > MOST_FILES or size > MOST_CHARACTERS:
            raise KothError(
                f"the bot has {len(infos)} files with {size:,} bytes, and the editor takes {MOST_FILES} with "
                f"{MOST_CHARACTERS:,}: {elsewhere}"
            )
        return [(info.filename.removeprefix(f"{folder}/"), _text(files, info, elsewhere)) for info in infos]


def _text(files: zipfile.ZipFile, info: zipfile.ZipInfo, elsewhere: str) -> str:
    with files.open(info) as file:
        data = file.read(MOST_CHARACTERS)
    try:
        text = data.decode()
    except UnicodeDecodeError:
        text = "\0"
    if "\0" in text:
        raise KothError(f"{visible(info.filename)} is not a text, so the editor can't open the bot: {elsewhere}")
    return text
