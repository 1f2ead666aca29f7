"""Bots come, are mended and withdrawn; what is wrong is one line; the tables are those of the models."""

from __future__ import annotations

import io
import re
import subprocess
import sys
from pathlib import Path

import pytest
from django.core.management import call_command

from koth.discovery.packing import pack, unpack
from koth.errors import KothError
from koth.extras import install_command
from koth_hill import registry
from koth_hill.models import AuditEntry, Version
from tests.cli.program import GOOD, Koth, bot_file
from tests.hill.conftest import Place


def test_the_migration_makes_the_tables_of_the_models(hill: Place) -> None:
    call_command("makemigrations", "hill", check=True, dry_run=True, stdout=io.StringIO())


def test_a_new_hill_says_what_it_is_committed_to(koth: Koth, tmp_path: Path) -> None:
    done = koth("hill", "init", "zombies", tmp_path / "hill")
    assert done.code == 0
    assert Place(koth, tmp_path / "hill").status()["season"]["commitment"] in done.out
    assert (tmp_path / "hill" / "hill.json").stat().st_mode & 0o77 == 0
    assert koth.refused("hill", "init", "zombies", tmp_path / "hill").endswith("already holds a hill")


def test_no_hill_is_left_where_one_can_not_be(koth: Koth, tmp_path: Path) -> None:
    assert "has no ruleset" in koth.refused("hill", "init", "zombies", tmp_path / "hill", "--ruleset", "none")
    assert koth.refused("hill", "init", "zombies", tmp_path / "hill", "--seats", 5000).startswith("--seats 5000")
    assert not (tmp_path / "hill").exists()


ONE_HILL = """
import sys, koth
first, last = koth.open_run(sys.argv[1]), koth.open_run(sys.argv[1] + "/seasons/1")
try:
    koth.open_run(sys.argv[2])
except koth.KothError as error:
    print(error)
del last
from koth_hill.models import Bot
print(*Bot.objects.all().values_list("name"), first.reader.where)
"""


def test_a_process_opens_one_hill(hill: Place, new_hill: Path) -> None:
    hill.submit("fox")
    command = [sys.executable, "-c", ONE_HILL, hill.folder, new_hill]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=300)
    refusal = f"{new_hill}: open this hill in another process: this one has opened the hill {hill.folder.resolve()}"
    assert done.stdout.splitlines() == [refusal, f"('fox',) {hill.folder}/seasons/1"]


def test_what_is_no_hill_is_told(hill: Place, koth: Koth, tmp_path: Path) -> None:
    assert "is not the folder of a hill" in koth.refused("hill", "season", tmp_path, "freeze")
    (hill.folder / "hill.sqlite").rename(tmp_path / "elsewhere")
    assert "without this file there is no hill" in hill.refused("season", "freeze")
    (hill.folder / "hill.sqlite").write_bytes(b"no database, by no means" * 100)
    (hill.folder / "hill.sqlite").chmod(0o600)
    assert hill.refused("season", "freeze").endswith("file is not a database")


def test_a_record_that_koth_does_not_write_is_refused(hill: Place) -> None:
    file = hill.folder / "hill.json"
    file.write_text(f'{file.read_text().rstrip().removesuffix("}")}, "seats": true}}')
    assert hill.refused("submit", "@runner").startswith(f"{file}: ")


def test_a_bot_is_sent_and_mended(hill: Place) -> None:
    first = hill.submit("fox", "anna")
    assert first == {**first, "bot": "fox", "author": "anna", "version": 1, "state": "received"}
    assert "send changed files: these are version 1 of fox" in hill.refused("submit", "fox.py", "--author", "anna")
    second = hill.submit("fox", "anna", GOOD + "\n")
    assert (second["version"], second["digest"] != first["digest"]) == (2, True)
    versions = hill.versions("fox")
    assert [(version["number"], version["state"]) for version in versions] == [(2, "received"), (1, "superseded")]
    assert versions[1]["reason"] == "version 2 came before the check"
    told = hill.status()
    assert (told["authors"], told["bots"], told["versions"]["received"]) == (1, 1, 1)


def test_a_name_belongs_to_its_author(hill: Place) -> None:
    hill.submit("fox", "anna")
    bot_file(hill.folder.parent, "fox", GOOD + "\n")
    assert "fox is a bot of anna's; give yours another name" in hill.refused("submit", "fox.py", "--author", "ben")
    assert hill("submit", "vixen=fox.py", "--author", "ben")["bot"] == "vixen"
    assert hill("submit", "hound=fox.py")["author"] == "host"
    assert "a name has 1 to 40 visible characters" in hill.refused("submit", "fox.py", "--author", " ")


def test_a_bot_is_withdrawn_and_comes_again(hill: Place) -> None:
    hill.submit("fox", "anna")
    registry.withdraw("fox")
    for name, refusal in (("fox", "no version of fox plays"), ("foxx", "there is no bot 'foxx'; did you mean fox?")):
        with pytest.raises(KothError, match=re.escape(refusal)):
            registry.withdraw(name)
    assert hill.submit("fox", "anna")["version"] == 2


@pytest.mark.slow
def test_every_act_is_on_record(hill: Place, tmp_path: Path) -> None:
    hill.submit("fox", "anna")
    registry.withdraw("fox")
    hill("run", "--matches", 1, "--isolation", "none")
    assert [entry.action for entry in AuditEntry.objects.all()] == ["season", "submit", "withdraw", "run"]
    hill("backup", tmp_path / "saved")
    assert AuditEntry.objects.latest("pk").action == "backup"
    with Place(hill.koth, tmp_path / "saved").opened():
        assert [entry.action for entry in AuditEntry.objects.all()] == ["season", "submit", "withdraw", "run"]
        assert AuditEntry.objects.values("actor").distinct().count() == 1


@pytest.mark.parametrize("name", ["fox.py", "den"])
def test_an_archive_holds_the_version(hill: Place, tmp_path: Path, name: str) -> None:
    place = tmp_path / name
    if name == "den":
        place.mkdir()
        (place / "inner").mkdir()
        (place / "inner" / "data.txt").write_text("x")
    file = place / "bot.py" if name == "den" else place
    file.write_text(GOOD)
    file.chmod(0o755)
    assert pack(place) == pack(place)
    hill("submit", place)
    version = Version.objects.get()
    found = unpack(bytes(version.archive), version.file)
    copy = found / "bot.py" if name == "den" else found
    assert (found.name, copy.read_text(), copy.stat().st_mode & 0o111) == (name, GOOD, 0o111)


def test_the_core_imports_no_django() -> None:
    code = "import sys, koth.cli, koth.cli.run, koth_hill, koth_hill.scheduler; sys.exit('django' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_without_django_the_hill_says_so(koth: Koth, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "django", None)
    line = koth.refused("hill", "init", "zombies", tmp_path / "hill")
    assert line == f"the hill needs Django: {install_command('hill')}"
