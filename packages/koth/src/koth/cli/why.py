"""`koth why`: the reasons why bots failed in a contest, for their authors."""

from __future__ import annotations

from typing import Any

from koth.cli.compiling import open_game
from koth.cli.screen import echo, print_json, program, waiting
from koth.contest.reading import MatchReader
from koth.diagnostics.endings import group_endings
from koth.diagnostics.why import fault_json
from koth.escaping import positional, shell_word
from koth.services.opening import open_matches
from koth.services.why import WhyReport, explain_faults, is_class

REMARK, ENDING, LEFT_OUT = "remark", "ending", "left out"
"""The kinds, in JSON, of entries that are not faults in a match."""


def why(run: str, bot: str | None, match: int | None, details: bool, as_json: bool) -> None:
    """Print why all bots, or only `bot`, failed in the contest that `run` names."""
    with open_matches(run) as reader:
        open_game(reader.plan()["game"])
        with waiting("looking at what bots did", plain=False):
            report = explain_faults(reader, bot, match)
        if as_json:
            print_json(_report_json(reader, report))
            return
        for line in report.lines(reader if details else None, program()):
            echo(line)
        if report.faults and not details:
            echo(f"\nmore: {program()} why {_details_words(report)}")


def _details_words(report: WhyReport) -> str:
    """Return the words to type after `koth why` to see the faults in full."""
    name, where = positional(report.bot) if report.bot else "[BOT]", shell_word(report.where)
    return f"--details {where} {name}" if name.startswith("-- ") else f"{where} {name} --details"


def _report_json(reader: MatchReader, report: WhyReport) -> list[dict[str, Any]]:
    """Return a report as JSON; without messages for class bots, whose authors do not see the protocol."""
    parts = [
        fault_json(fault) | ({"received": "", "said": ""} if is_class(reader, fault.bot) else {})
        for fault in report.faults
    ]
    remarks = (report.remarks or {}).items()
    parts += [{"bot": name, "kind": REMARK, "text": text} for name, texts in remarks for text in texts]
    parts += [{"bot": report.bot, "kind": ENDING, **group.as_json()} for group in group_endings(report.endings)]
    parts += [{"bot": item["bot"], "kind": LEFT_OUT, "text": item["reason"]} for item in report.left_out]
    return parts
