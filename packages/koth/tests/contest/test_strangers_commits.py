"""A stranger's repository is data: what its settings name is not run, and what its trees name is not followed."""

from __future__ import annotations

import hashlib
import subprocess
import zlib
from pathlib import Path

import pytest

from koth.errors import BotError
from koth.services.commits import extract_commit, find_tree, is_commit


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
    tree = find_tree(repository)
    assert tree is not None
    assert is_commit(tree, "HEAD")
    assert not is_commit(tree, "1" * 40), "which is missing"
    out = extract_commit("HEAD", repository, tree, repository.parent / "out")
    assert (out / ".gitattributes").read_bytes() == attributes.read_bytes()
    assert not list(repository.parent.rglob("pwned"))


@pytest.mark.parametrize("name", ["..", ".git", "a\\..\\b"])
def test_trees_that_no_git_would_make(name: str, repository: Path) -> None:
    inner = made_by_hand(repository, "tree", b"100644 pwned\0" + bytes.fromhex(made_by_hand(repository, "blob", b"")))
    tree = made_by_hand(repository, "tree", b"40000 " + name.encode() + b"\0" + bytes.fromhex(inner))
    commit = commit_of(repository, tree)
    into = repository.parent / "out" / "deep"
    if name.startswith("."):
        with pytest.raises(BotError, match="is not the name of a file"):
            extract_commit(commit, repository, repository, into)
    else:
        extract_commit(commit, repository, repository, into)
    assert not [path for path in repository.parent.rglob("pwned") if into not in path.parents]


def test_too_much_is_not_taken_out(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Sizes are looked at before contents, and links are none of a bot's."""
    monkeypatch.setattr("koth.sandbox.copies.BYTES", 10)
    with pytest.raises(BotError, match="that is not a bot"):
        extract_commit("HEAD", repository, repository, repository.parent / "out")
    (repository / "link").symlink_to("/etc")
    git(repository, "add", ".")
    git(repository, "commit", "-q", "-m", "a link")
    monkeypatch.setattr("koth.sandbox.copies.BYTES", 1 << 20)
    with pytest.raises(BotError, match="link at HEAD is a link"):
        extract_commit("HEAD", repository, repository, repository.parent / "out")


def made_by_hand(repository: Path, kind: str, data: bytes) -> str:
    """Write an object as git keeps it; its name."""
    data = f"{kind} {len(data)}\0".encode() + data
    name = hashlib.sha1(data).hexdigest()
    file = repository / ".git" / "objects" / name[:2] / name[2:]
    file.parent.mkdir(exist_ok=True)
    file.write_bytes(zlib.compress(data))
    return name


def chain(repository: Path, depth: int) -> str:
    """A tree of so many folders within each other, with a file at the end."""
    name = made_by_hand(repository, "tree", b"100644 f\0" + bytes.fromhex(made_by_hand(repository, "blob", b"x")))
    for _ in range(depth):
        name = made_by_hand(repository, "tree", b"40000 d\0" + bytes.fromhex(name))
    return name


def commit_of(repository: Path, tree: str) -> str:
    people = b"\nauthor a <a> 0 +0000\ncommitter a <a> 0 +0000\n\n"
    return made_by_hand(repository, "commit", b"tree " + tree.encode() + people)


def test_folders_are_counted_before_one_is_made(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Trees can be shared: some files of a repository may stand for millions of folders."""
    inner = bytes.fromhex(chain(repository, 20))
    wide = b"".join(b"40000 n%02d\0" % number + inner for number in range(40))
    monkeypatch.setattr("koth.sandbox.copies.FILES", 500)
    commit = commit_of(repository, made_by_hand(repository, "tree", wide))
    with pytest.raises(BotError, match="more than 500 files"):
        extract_commit(commit, repository, repository, repository.parent / "out")
    assert not (repository.parent / "out").exists()


def test_folders_within_folders(repository: Path) -> None:
    out = repository.parent / "out"
    assert (extract_commit(commit_of(repository, chain(repository, 64)), repository, repository, out) / "d").is_dir()
    for depth in (65, 1200):
        with pytest.raises(BotError, match="more than 64 folders within each other"):
            extract_commit(commit_of(repository, chain(repository, depth)), repository, repository, out / str(depth))


def led(repository: Path, way: str) -> Path:
    """A folder whose .git leads to the repository of somebody else."""
    folder = repository.parent / "led"
    folder.mkdir()
    if way in ("a worktree's link", "a worktree's own"):
        git(repository, "worktree", "add", "-q", "../work", "-b", "other")
    if way == "a file":
        (folder / ".git").write_text(f"gitdir: {repository}/.git\n")
    elif way == "a link":
        (folder / ".git").symlink_to(repository / ".git")
    elif way == "a worktree's link":
        (folder / ".git").symlink_to(repository.parent / "work" / ".git")
    elif way == "a worktree's own":
        (folder / ".git").write_bytes((repository.parent / "work" / ".git").read_bytes())
    else:
        git(folder, "init", "-q", "-b", "main")
    if way == "a common folder":
        (folder / ".git" / "commondir").write_text(f"{repository}/.git\n")
    elif way == "borrowed objects":
        (folder / ".git" / "objects" / "info" / "alternates").write_text(f"{repository}/.git/objects\n")
    elif way == "linked names":
        (folder / ".git" / "refs" / "heads").rmdir()
        (folder / ".git" / "refs" / "heads").symlink_to(repository / ".git" / "refs" / "heads")
    return folder


ELSEWHERE = {
    "a file": "its .git leads to",
    "a link": "its .git leads to",
    "a worktree's link": "its .git leads to",
    "a worktree's own": "its .git leads to",
    "a common folder": "its .git leads to",
    "borrowed objects": "borrows from others",
    "linked names": "heads: a link",
}


@pytest.mark.parametrize("way", ELSEWHERE)
def test_another_repository_of_the_hosts_is_not_read(way: str, repository: Path) -> None:
    with pytest.raises(BotError, match=ELSEWHERE[way]):
        find_tree(led(repository, way))


def test_worktrees_and_submodules_are_read(repository: Path) -> None:
    git(repository, "worktree", "add", "-q", "../work", "-b", "other")
    git(repository, "worktree", "add", "-q", "inner", "-b", "third")
    outer = repository.parent / "outer"
    outer.mkdir()
    git(outer, "init", "-q", "-b", "main")
    git(outer, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(repository), "part")
    for place in (repository, repository.parent / "work", repository / "inner", outer, outer / "part"):
        assert find_tree(place) == place
        assert is_commit(place, "HEAD") == (place != outer), "which has no commit yet"
