"""The ranking of a hill's season, for people, spreadsheets, scripts and pages."""

from __future__ import annotations

from dataclasses import asdict

from koth.cli.screen import console, counted, echo, escape_markup, make_table, print_json, print_table
from koth.contest.record import RunRecord
from koth.errors import visible
from koth.escaping import csv_table, markdown, markdown_table
from koth.standings.ranking import Ranking
from koth.standings.text import rank_texts


def print_ranking(record: RunRecord, ranking: Ranking, form: str | None, explain: bool) -> None:
    """Print the standings of a hill's season as a table, or in `form`: "csv", "json" or "markdown"."""
    if form == "json":
        rules = {"game": record["game"], "ruleset": record["ruleset"]}
        print_json({**rules, **asdict(ranking), "notes": ranking.notes, "explanations": ranking.explanations})
        return
    if form == "csv":
        echo(csv_table([asdict(line) for line in ranking.standings]).removesuffix("\n"))
        return
    by = ranking.rank_by
    matches = counted(ranking.matches, "match", "matches")
    if ranking.rated != ranking.matches:
        matches += f" ({by}s after {ranking.rated:,})"
    game = f"{record['game']} ({visible(record['ruleset'])})"
    title = f"{game}, season {ranking.season}, {matches}, {ranking.aggregate}"
    numbers = ("rating", "interval", "score") if by == "rating" else ("score", "interval")
    rows = []
    for line in ranking.standings:
        cells = [rank_texts(asdict(line), by)[column] for column in numbers]
        is_new = "" if line.placed else "new"
        rows.append([line.place, line.bot, line.author, str(line.version), *cells, f"{line.matches:,}", is_new])
    columns = "rank", "bot", "author", "version", *numbers, "matches", ""
    if form == "markdown":
        notes = [f"* {markdown(text)}" for text in [*ranking.notes, *ranking.explanations]]
        echo("\n".join([f"**{markdown(title)}**", "", *markdown_table(columns, rows), "", *notes]))
        return
    print_table(make_table(columns, rows, ("rank", "version", *numbers, "matches"), title))
    for text in [*ranking.notes, *(ranking.explanations if explain else [])]:
        console.print(escape_markup(text), soft_wrap=not console.is_terminal)
