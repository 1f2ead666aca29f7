"""`koth hill season`: from its opening to its final, a contest of `koth run`, and to what is published."""

from __future__ import annotations

import json

import click

from koth.cli.resume import ResumeOptions, resume
from koth.cli.run import isolation_of, new_run
from koth.cli.said import HostOptions, interpreters, overrides
from koth.cli.screen import counted, echo, program
from koth.contest.contest import Contest
from koth.engine.secret import Secret
from koth.engine.settings import choose
from koth.errors import visible
from koth.escaping import shell_word
from koth.games import load
from koth.hill import registry, seasons
from koth.hill.archive import unpacked_at
from koth.hill.connection import Hill
from koth.hill.models import Season, Version
from koth.hill.summary import season_summary
from koth.replay.names import RUN_FILE
from koth.standings.until import Goal


class SeasonOptions(HostOptions):
    """Options of `koth hill season`, beside the hill and the step."""

    ruleset: str | None
    sets: tuple[str, ...]
    matches: int | None
    jobs: int
    untrusted: bool
    isolation: str | None
    allow_subprocesses: bool
    as_json: bool


def season(hill: Hill, step: str, options: SeasonOptions) -> None:
    """Take the season one step on."""
    if step != "open" and (options["ruleset"] or options["sets"]):
        raise click.UsageError("--ruleset and --set are for open")
    if step == "final":
        _final(hill, options)
        return
    now = {"open": _open, "freeze": _freeze, "publish": _publish}[step](hill, options)
    if options["as_json"]:
        click.echo(json.dumps(season_summary(now)))


def _open(hill: Hill, options: SeasonOptions) -> Season:
    now = seasons.open_next(load(hill.game), options["ruleset"], overrides(options["sets"]))
    _say(options, f"season {now.pk} ({visible(now.ruleset)}) is open, commitment {now.commitment}")
    return now


def _freeze(hill: Hill, options: SeasonOptions) -> Season:
    now = registry.freeze()
    left = Version.objects.filter(state=Version.State.QUEUED).count()
    _say(options, f"season {now.pk} takes no bots from now on")
    if left:
        _say(options, f"{counted(left, 'version', 'versions')} to be checked: {program()} hill run {_folder(hill)}")
    return now


def _final(hill: Hill, options: SeasonOptions) -> None:
    game = load(hill.game)
    seasons.check_rules(game, registry.current_season())
    now = registry.begin_final()
    words = [_word(bot["name"], bot["version"]) for bot in now.finalists]
    folder, contest_options = seasons.folder_of(hill, now), _contest_options(options)
    if (folder / RUN_FILE).exists():
        resume(folder, (), contest_options, None)
        return
    digests = [bot["digest"] for bot in now.finalists]
    contest = Contest(
        hill.game,
        now.ruleset,
        now.overrides,
        Secret.of(now.secret).mixed(digests),
        options["matches"] or game.contest_defaults.games,
        (),
        game.time_control,
        isolation_of(contest_options),
        replays=hill.replays,
        table=hill.seats,
        seeds="independent",
        until=Goal.of("settled"),
    )
    settings = choose(game, now.ruleset, now.overrides, files=False)[1]
    new_run(game, settings, contest, words, interpreters(options), folder, contest_options, None)


def _word(bot: str, number: int) -> str:
    """Return a version as an argument of `koth run`: its name, and where its sources lie unpacked."""
    version = Version.objects.get(bot__name=bot, number=number)
    place = unpacked_at(bytes(version.archive), version.file)
    return f"{bot}={place}#{version.entry}" if version.entry else f"{bot}={place}"


def _contest_options(options: SeasonOptions) -> ResumeOptions:
    return {
        "matches": options["matches"],
        "cluster": None,
        "same_speed": None,
        "jobs": options["jobs"],
        "as_json": options["as_json"],
        "view": False,
        "no_open": True,
        "skip_broken": False,
        "exclude": (),
        "isolation": options["isolation"],
        "untrusted": options["untrusted"],
        "allow_subprocesses": options["allow_subprocesses"],
        "interpreters": options["interpreters"],
        "paths": options["paths"],
        "tls_ca_file": None,
        "tls_cert": None,
        "tls_key": None,
        "new_standings": False,
    }


def _publish(hill: Hill, options: SeasonOptions) -> Season:
    had_final = registry.current_season().state == Season.State.FINAL
    now = seasons.publish(hill)
    _say(options, f"season {now.pk} is over, its secret was {now.secret}")
    if had_final:
        _say(options, f"its final is proved by: {program()} verify {shell_word(seasons.folder_of(hill, now))}")
    return now


def _folder(hill: Hill) -> str:
    return shell_word(hill.folder)


def _say(options: SeasonOptions, text: str) -> None:
    if not options["as_json"]:
        echo(text)
