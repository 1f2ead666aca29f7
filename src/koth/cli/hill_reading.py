"""Commands that show the state of a hill, from its folder or from its site."""

from __future__ import annotations

from typing import Any, Protocol

from koth.cli.screen import counted, echo, make_table, print_json, print_table
from koth.errors import visible
from koth.standings.text import number, rank_text, rank_texts


class HillAnswers(Protocol):
    """A source of answers about a hill: the site's API (`koth.hill.client.Site`), or the hill's folder."""

    @property
    def token(self) -> str:
        """The token of an author; empty if the caller has none."""

    def get(self, path: str, **query: object) -> Any:
        """Return the answer to a request. Raises KothError."""


def status(hill: HillAnswers, as_json: bool) -> None:
    """Show the state of a hill; with a token, show the author's own bots, too."""
    found = hill.get("hill")
    if hill.token:
        own = {"bots": hill.get("me/bots"), "uploads": hill.get("uploads")}
        found["you"] = {**hill.get("me"), **own}
    if as_json:
        print_json(found)
        return
    season = found["season"]
    echo(f"{visible(found['game'])} ({visible(season['ruleset'])}), season {season['number']}, {season['state']}")
    echo(f"commitment: {season['commitment']}")
    authors, bots = (counted(found[f"{word}s"], word, f"{word}s") for word in ("author", "bot"))
    echo(f"{authors}, {bots}")
    for what in ("versions", "matches"):
        states = ", ".join(f"{count:,} {state}" for state, count in found[what].items() if count)
        echo(f"{what}: {states or 'none'}")
    budget = "" if found["matches_a_day"] is None else f" of {found['matches_a_day']:,}"
    echo(f"matches in the last 24 hours: {found['today']:,}{budget}")
    budget = "" if found["hours_a_day"] is None else f" of {found['hours_a_day']:g}"
    echo(f"processor hours of these matches' bots: {found['hours']:.2f}{budget}")
    kept = "" if found["keep_days"] is None else f", kept for {counted(found['keep_days'], 'day', 'days')}"
    echo(f"replays: {found['replay_bytes'] / 1e6:,.1f} MB{kept}")
    if found["last"] is not None:
        echo(f"last match: {found['last']}")
    if "you" in found:
        _own(found["you"])


def _own(you: dict[str, Any]) -> None:
    """List the author's own bots, and the uploads that did not become a version."""
    more = counted(you["uploads_left"], "more bot", "more bots")
    echo(f"you are {visible(you['name'])}, and may send {more} in these 24 hours")
    for bot in you["bots"]:
        newest = bot["versions"][0]
        state = {"version": newest["number"], "version_state": newest["state"], "reason": newest["reason"]}
        echo(f"  {entry({'bot': bot['bot'], **state})}")
    for upload in you["uploads"]:
        if upload["version"] is None:
            echo(f"  {entry(upload)}")


def entry(upload: dict[str, Any]) -> str:
    """Return the state of an upload, or of the version made from it, with the reason."""
    name = upload["file"] if upload["bot"] is None else f"{upload['bot']}, version {upload['version']}"
    reason = f": {upload['reason']}" if upload["reason"] else ""
    return visible(f"{name}: {upload['version_state'] or upload['state']}{reason}", "\n")


def standings(hill: HillAnswers, as_json: bool) -> None:
    """Show the versions that play now, best first."""
    found = hill.get("standings")
    if as_json:
        print_json(found)
        return
    now = hill.get("hill")
    matches = counted(found["matches"], "match", "matches")
    by = found["rank_by"]
    if found["rated"] != found["matches"]:
        matches += f" ({by}s after {found['rated']:,})"
    title = f"{now['game']} ({now['season']['ruleset']}), season {found['season']}, {matches}, {found['aggregate']}"
    numbers = ("rating", "interval", "score") if by == "rating" else ("score", "interval")
    rows = []
    for line in found["lines"]:
        texts = rank_texts(line, by)
        bot = str(line["rank"]), line["bot"], line["author"], str(line["version"])
        rest = *(texts[column] for column in numbers), f"{line['matches']:,}", "" if line["placed"] else "new"
        rows.append([*bot, *rest])
    columns = "rank", "bot", "author", "version", *numbers, "matches", ""
    print_table(make_table(columns, rows, ("rank", "version", *numbers, "matches"), title))
    if found["is_stale"]:
        echo(f"A match was made void later: the runner computes {by}s again.")
    for names in found["same"]:
        echo(f"Byte for byte the same bot: {', '.join(map(visible, names))}.")


def matches(hill: HillAnswers, bot: str | None, last: int, as_json: bool) -> None:
    """List the latest matches, newest first; given `bot`, only matches of this bot."""
    found = hill.get("matches", bot=bot, last=last)
    if as_json:
        print_json(found)
        return
    rows = [
        (str(match["match"]), match["state"], ", ".join(map(_seat, match["seats"])), match["reason"] or match["why"])
        for match in found
    ]
    print_table(make_table(("match", "state", "bots and scores", "why"), rows, ("match",)))


def _seat(seat: dict[str, Any]) -> str:
    score = "" if seat["score"] is None else f" {number(seat['score'])}"
    return f"{seat['bot']} v{seat['version']}{score}"


def bot(hill: HillAnswers, bot: str, as_json: bool) -> None:
    """Show a bot's versions, newest first; show reasons if the bot is the author's own."""
    own = hill.get("me/bots") if hill.token else []
    found = next((one for one in own if one["bot"] == bot), None) or hill.get(f"bots/{bot}")
    found = {**found, "versions": [{"reason": "", **version} for version in found["versions"]]}
    if as_json:
        print_json(found)
        return
    rows, by = [], found["rank_by"]
    for version in found["versions"]:
        cells = str(version["number"]), version["state"], version["submitted"], f"{version['matches']:,}"
        ranked = rank_text(version[by], by)
        rows.append([*cells, ranked, version["digest"], version["reason"].partition("\n")[0]])
    columns = "version", "state", "submitted", "matches", by, "digest", "reason"
    print_table(make_table(columns, rows, ("version", "matches", by), f"{found['bot']} of {found['author']}"))
    for version in found["versions"][:1]:
        for line in version["reason"].splitlines()[1:]:
            echo(f"  {visible(line)}")
