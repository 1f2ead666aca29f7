"""A stranger's repository is data: what its settings name is not run, and what its trees name is not followed."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from koth.bots.folders.commits import as_of, is_commit, tree_of
from koth.bots.folders.manifest import BotError


def git(folder: Path, *words: str) -> None:
    who = ["-c", "user.name=author", "-c", "user.email=author@example.com"]
    subprocess.run(["git", *who, *words], cwd=folder, check=True, capture_output=True)


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    folder = tmp_path / "theirs"
    folder.mkdir()
    git(folder, "init", "-q", "-b", "main")
    (folder / "bot.py").write_text("a bot, of more than ten bytes\n")
    git(folder, "add", ".")
    git(folder, "commit", "-q", "-m", "a version")
    return folder


HOOK = "touch pwned; cat"


def test_it_runs_nothing(repository: Path) -> None:
    """Its settings name filters, programs that watch files, and where to get what is missing."""
    attributes = repository / ".gitattributes"
    attributes.write_text("* filter=evil diff=evil text eol=crlf\n")
    git(repository, "add", ".")
    git(repository, "commit", "-q", "-m", "with attributes")
    for key, value in (
        ("filter.evil.smudge", HOOK),
        ("filter.evil.process", HOOK),
        ("diff.evil.textconv", HOOK),
        ("core.fsmonitor", "touch pwned"),
        ("core.sshCommand", "touch pwned"),
        ("extensions.partialClone", "origin"),
        ("remote.origin.promisor", "true"),
        ("remote.origin.url", "ext::sh -c touch% pwned"),
        ("protocol.ext.allow", "always"),
    ):
        git(repository, "config", key, value)
    tree = tree_of(repository)
    assert tree is not None
    assert is_commit(tree, "HEAD")
    assert not is_commit(tree, "1" * 40), "which is missing"
    out = as_of("HEAD", repository, tree, repository.parent / "out")
    assert (out / ".gitattributes").read_bytes() == attributes.read_bytes()
    assert not list(repository.parent.rglob("pwned"))


@pytest.mark.parametrize("name", ["..", ".git", "a\\..\\b"])
def test_trees_that_no_git_would_make(name: str, repository: Path) -> None:
    def made(kind: str, data: bytes) -> str:
        words = ["git", "hash-object", "-w", "--literally", "-t", kind, "--stdin"]
        return (
            subprocess.run(words, input=data, cwd=repository, check=True, capture_output=True).stdout.decode().strip()
        )

    blob = made("blob", b"out")
    inner = made("tree", b"100644 pwned\0" + bytes.fromhex(blob))
    tree = made("tree", b"40000 " + name.encode() + b"\0" + bytes.fromhex(inner))
    commit = made("commit", b"tree " + tree.encode() + b"\nauthor a <a> 0 +0000\ncommitter a <a> 0 +0000\n\n")
    into = repository.parent / "out" / "deep"
    if name.startswith("."):
        with pytest.raises(BotError, match="is no name of a file"):
            as_of(commit, repository, repository, into)
    else:
        as_of(commit, repository, repository, into)
    assert not [path for path in repository.parent.rglob("pwned") if into not in path.parents]


def test_too_much_is_not_taken_out(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Sizes are looked at before contents, and links are none of a bot's."""
    monkeypatch.setattr("koth.bots.folders.commits.BYTES", 10)
    with pytest.raises(BotError, match="that is no bot"):
        as_of("HEAD", repository, repository, repository.parent / "out")
    (repository / "link").symlink_to("/etc")
    git(repository, "add", ".")
    git(repository, "commit", "-q", "-m", "a link")
    monkeypatch.setattr("koth.bots.folders.commits.BYTES", 1 << 20)
    with pytest.raises(BotError, match="link at HEAD is a link"):
        as_of("HEAD", repository, repository, repository.parent / "out")
