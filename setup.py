"""The description of the package on an index, where the README's own pictures and relative links lead nowhere."""

import re
from pathlib import Path

from setuptools import setup


def description() -> str:
    """Return the README without its pictures, its links to documents as commands that show them."""
    text = Path(__file__).with_name("README.md").read_text(encoding="utf-8")
    text = re.sub(r"!\[[^\]]*\]\((?!http)[^)]*\)\n*", "", text)
    text = re.sub(r"\[([^\]]*)\]\(docs/([\w-]+)\.md[^)]*\)", r"\1 (`koth docs \2`)", text)
    return re.sub(r"\[([^\]]*)\]\((?!http)[^)]*\)", r"\1", text)


setup(long_description=description(), long_description_content_type="text/markdown")
