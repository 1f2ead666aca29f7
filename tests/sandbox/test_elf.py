"""Shared libraries found by reading, as the loader would find them."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from koth.sandbox.elf import find_libraries, read_dynamic
from koth.sandbox.mounts import find_hidden_places


@pytest.mark.needs("cc")
def test_a_private_library_and_its_dependencies(tmp_path: Path) -> None:
    """By the path written into the program, which may begin where it lies."""
    (tmp_path / "lib").mkdir()
    for name, text, more in (
        ("lib/libtwo.so", "int two(void) { return 2; }", ["-shared", "-fPIC"]),
        ("lib/libone.so", "int two(void); int one(void) { return two(); }", ["-shared", "-fPIC", "-Llib", "-ltwo"]),
        ("main", "int one(void); int main(void) { return one(); }", ["-Llib", "-lone", "-ltwo"]),
    ):
        (tmp_path / "text.c").write_text(text)
        words = ["cc", "-o", name, "text.c", *more, "-Wl,-rpath,$ORIGIN/lib:$ORIGIN"]
        subprocess.run(words, cwd=tmp_path, check=True)
    program = str(tmp_path / "main")
    assert {"libone.so", "libc.so.6"} <= {*read_dynamic(program).needed}
    assert {Path(path).name for path in find_libraries(program)} == {"libone.so", "libtwo.so"}


def test_what_is_no_program_has_none(tmp_path: Path) -> None:
    for data in (b"", b"\x7fELF", b"\x7fELF\x02\x01" + b"\xff" * 60, b"#!/bin/sh\n"):
        (tmp_path / "file").write_bytes(data)
        assert find_libraries(str(tmp_path / "file")) == []
    assert find_libraries(str(tmp_path / "none")) == []


def test_places_that_a_program_misses(tmp_path: Path) -> None:
    """Only those that are there, and can't be seen."""
    place = Path(shutil.copytree(tmp_path, Path.home() / ".koth-test-place", dirs_exist_ok=True))
    try:
        words = f"can't open {place}/x, {place}, /usr/bin/env, /no/such/place"
        assert find_hidden_places(words, []) == [str(place)]
        assert find_hidden_places(words, [place]) == []
    finally:
        place.rmdir()
