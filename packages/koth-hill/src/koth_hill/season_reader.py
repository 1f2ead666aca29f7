"""The reader of a season's matches, from the hill's database and folder."""

from __future__ import annotations

import json
import os
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from itertools import groupby
from operator import itemgetter
from pathlib import Path

import numpy as np
from django.contrib.auth.models import AnonymousUser
from django.db.models import Max, QuerySet

from koth.contest.private import read_log
from koth.contest.reading import PUBLIC, Audience, BotLog, MatchCounts, MatchReader, MatchRow, RecordedFault
from koth.contest.record import RecordedEntrant, RecordedIsolation, RunRecord, SkippedBot
from koth.contest.results import replay_place
from koth.contest.seating import hill_variant
from koth.engine.secret import Key, Secret
from koth.errors import KothError
from koth.escaping import path_word
from koth.games import load
from koth.replay.names import find_unfinished
from koth.standings.ranking import Ranking
from koth.standings.scores import CELL, Scores
from koth_hill.connection import Hill
from koth_hill.faults import decode_moment
from koth_hill.models import Author, Bot, Match, Season, Seat, Version
from koth_hill.registry import is_run
from koth_hill.standings import ranking


def audience_of(author: Author | AnonymousUser | None) -> Audience:
    """Return the right of an author, or of the public (None), to read a hill's matches."""
    if not isinstance(author, Author):
        return PUBLIC
    if author.is_host:
        return Audience(None)
    return Audience(frozenset(Bot.objects.filter(author=author).values_list("name", flat=True)))


class SeasonReader(MatchReader):
    """The played matches of a season, or of its final, for an audience (see `koth.contest.reading.MatchReader`).

    The bots of the contest are the newest versions that have played in the season; matches of older versions are on
    record, but do not count. Django must use the hill's database.
    """

    def __init__(self, hill: Hill, season: Season, audience: Audience = PUBLIC, is_final: bool = False) -> None:
        self.hill, self.season, self._audience, self.is_final = hill, season, audience, is_final
        self._all = Match.objects.filter(season=season, round__isnull=not is_final)
        self._over = self._all.filter(state__in=(Match.State.PLAYED, Match.State.VOID)).order_by("pk")
        self._matches = self._over.filter(state=Match.State.PLAYED)

    @classmethod
    def of(
        cls, hill: Hill, number: int | None = None, audience: Audience = PUBLIC, is_final: bool = False
    ) -> SeasonReader:
        """Return the reader of season `number`, or of the newest season. Raises KothError."""
        seasons = Season.objects.all() if number is None else Season.objects.filter(pk=number)
        season = seasons.order_by("-pk").first()
        if season is None:
            raise KothError(f"{hill.folder} has no season {number}")
        if is_final and not season.finalists:
            raise KothError(f"the final of season {season.pk} has not begun")
        return cls(hill, season, audience, is_final)

    @property
    def where(self) -> str:
        place = self.hill.folder / "seasons" / str(self.season.pk)
        return path_word(place / "final" if self.is_final else place)

    @property
    def title(self) -> str:
        return f"the final of season {self.season.pk}" if self.is_final else f"season {self.season.pk}"

    def variant(self, block: int) -> int:
        return hill_variant(block)

    @property
    def audience(self) -> Audience:
        return self._audience

    # --- the contest

    def plan(self) -> RunRecord:
        """Return the season's record, without the machine, which may change."""
        season, game, dice = self.season, load(self.hill.game), self._dice
        return RunRecord(
            game=self.hill.game,
            package=season.package,
            version=season.game_version,
            ruleset=season.ruleset,
            settings=season.overrides,
            seed=None,
            revealed=False,
            commitment=dice.commitment if self.is_final else season.commitment,
            secret=str(dice) if season.state == Season.State.PUBLISHED else None,
            matches=self._matches.count(),
            seats=self.hill.seats,
            max_turns=None,
            seeds="independent",
            until=None,
            knockout=season.final_knockout if self.is_final else None,
            replays=self.hill.replays,
            keep_days=self.hill.keep_days,
            extensions=[],
            time_control=asdict(game.time_control),
            bots=[
                RecordedEntrant(
                    name=version.bot.name,
                    path=None,
                    digest=version.digest,
                    protocol=version.protocol,
                    options=version.options,
                    language=version.language,
                )
                for version in self._entrants().values()
            ],
            skipped=self._list_refused(),
            unrepeatable=[],
            koth=season.koth,
            interpreters={},
            isolation=RecordedIsolation(level="", missing=[], versions={}),
            clock="",
            machine={},
            started=season.opened.isoformat(timespec="seconds"),
        )

    @property
    def _dice(self) -> Secret:
        return self.season.dice(self.is_final)

    def season_proof(self) -> str | None:
        """Return the season's secret and the finalists' digests, which prove the final; None before publication."""
        if not self.is_final or self.season.state != Season.State.PUBLISHED:
            return None
        bots = [{"name": bot.bot.name, "digest": bot.digest} for bot in self.season.find_finalists()]
        return json.dumps({"commitment": self.season.commitment, "secret": self.season.secret, "bots": bots})

    def knockout(self) -> dict[int, list[str]]:
        """Return the bots of each match of the final's knockout."""
        drawn: defaultdict[int, list[str]] = defaultdict(list)
        for match, bot in self._seats().filter(match__round__gt=0).values_list(*_OF_SEAT):
            drawn[match].append(bot)
        return drawn

    def _entrants(self) -> dict[int, Version]:
        """Return the newest version of each bot that has played, by the version's key, in the order of names."""
        if self.is_final:
            return {version.pk: version for version in self.season.find_finalists()}
        played = Seat.objects.filter(match__in=self._matches).order_by().values("version__bot_id")
        newest = played.annotate(newest=Max("version_id")).values("newest")
        found = Version.objects.filter(pk__in=newest).select_related("bot").defer("archive").order_by("bot__name")
        return {version.pk: version for version in found}

    def _list_refused(self) -> list[SkippedBot]:
        """Return the audience's refused bots that never played, with the reasons."""
        played = Seat.objects.filter(match__in=self._matches).values("version__bot_id")
        refused = Version.objects.filter(state=Version.State.REFUSED).exclude(bot_id__in=played)
        rows = refused.order_by("bot__name", "-number").values_list("bot__name", "reason")
        reasons = {name: next(its)[1] for name, its in groupby(rows, itemgetter(0))}
        return [SkippedBot(bot=name, reason=reason) for name, reason in reasons.items() if self.audience.owns(name)]

    def secrets(self) -> Sequence[Secret | None]:
        """Return the secret from which the dice follow; before publication, only for the host."""
        is_shown = self.audience.is_host or self.season.state == Season.State.PUBLISHED
        return [self._dice if is_shown else None]

    def counts(self) -> MatchCounts:
        """Return the numbers of matches; waiting matches and matches in play count as planned."""
        uncounted = len(self.uncounted_matches())
        done = self._matches.count() - uncounted
        left = self._all.filter(state__in=(Match.State.SCHEDULED, Match.State.PLAYING))
        return MatchCounts(done, uncounted, done + left.count())

    def uncounted_matches(self) -> set[int]:
        """Return the numbers of matches in which older versions played."""
        older = self._seats().exclude(version__in=[*self._entrants()])
        return set(older.values_list("match_id", flat=True))

    # --- matches

    def _seats(self) -> QuerySet[Seat]:
        return Seat.objects.filter(match__in=self._matches).order_by("match_id", "place")

    def matches(self) -> list[MatchRow]:
        return list(self._rows(self._matches))

    def match(self, number: int) -> MatchRow | None:
        return next(self._rows(self._matches.filter(pk=number)), None)

    def _rows(self, matches: QuerySet[Match]) -> Iterator[MatchRow]:
        folder = self.hill.folder / os.path.dirname(replay_place(0))
        kept = set(os.listdir(folder)) if folder.is_dir() else set()
        seats = Seat.objects.filter(match__in=matches).order_by("match_id", "place")
        scores: defaultdict[int, dict[str, float]] = defaultdict(dict)
        faults: defaultdict[int, dict[str, dict[str, int]]] = defaultdict(dict)
        for match, bot, score in seats.values_list(*_OF_SEAT, "score"):
            scores[match][bot] = score
        for match, bot, found in seats.exclude(faults={}).values_list(*_OF_SEAT, "faults"):
            faults[match][bot] = {kind: fault["count"] for kind, fault in sorted(found.items())}
        for number, block, turns, digest, job in matches.values_list("pk", "block", "turns", "digest", "job"):
            replay = replay_place(number)
            yield MatchRow(
                number, block or number, turns, replay if os.path.basename(replay) in kept else "", digest, 0, job,
                number, 0, scores[number], faults[number],
            )  # fmt: skip

    def page(self, after: int, most: int) -> list[tuple[MatchRow, Mapping[str, str]]]:
        """Return at most `most` matches with greater numbers than `after`, and the digests of bots' files by name."""
        numbers = list(self._matches.filter(pk__gt=after).values_list("pk", flat=True)[:most])
        part = Match.objects.filter(pk__in=numbers)
        digests: defaultdict[int, dict[str, str]] = defaultdict(dict)
        for match, bot, digest in Seat.objects.filter(match__in=part).values_list(*_OF_SEAT, "version__digest"):
            digests[match][bot] = digest
        return [(row, digests[row.number]) for row in self._rows(part.order_by("pk"))]

    def digests(self, match: MatchRow) -> Mapping[str, str]:
        seats = Seat.objects.filter(match_id=match.number)
        return dict(seats.values_list("version__bot__name", "version__digest"))

    def scores(self) -> Scores:
        names = {version.pk: version.bot.name for version in self._entrants().values()}
        return scores_of(self._seats().exclude(match__round__gt=0), names)

    def ranking(self) -> Ranking | None:
        """Return the season's own ranking; None for a final, which ranks as a run does."""
        return None if self.is_final else ranking(self.season)

    # --- faults and logs

    def faults(self, bot: str | None = None, match: int | None = None) -> list[RecordedFault]:
        """Return each kind's first fault in a match, of the newest versions or of one match, by match, bot, turn."""
        return self._faults_at(self._find_faulty(bot, match))

    def fault_page(self, bot: str | None, match: int | None, after: int, most: int) -> list[RecordedFault]:
        """Return the faults of the first `most` matches with faults and greater numbers than `after`."""
        seats = self._find_faulty(bot, match).filter(match_id__gt=after)
        part = seats.order_by("match_id").values_list("match_id", flat=True).distinct()[:most]
        return self._faults_at(seats.filter(match_id__in=list(part)))

    def _find_faulty(self, bot: str | None, match: int | None) -> QuerySet[Seat]:
        seats = self._seats().exclude(faults={})
        seats = seats.filter(version__in=[*self._entrants()]) if match is None else seats.filter(match_id=match)
        return seats if bot is None else seats.filter(version__bot__name=bot)

    def _faults_at(self, seats: QuerySet[Seat]) -> list[RecordedFault]:
        found = []
        for match, bot, faults, moments in seats.values_list(*_OF_SEAT, "faults", "moments").iterator():
            named, is_own = self.replay_word(match), self.audience.owns(bot)
            for kind, fault in faults.items():
                moment = decode_moment(moments.get(kind, {})) if is_own else {}
                text, turn = fault["text"] if is_own else "", fault["turn"] or 0
                found.append(RecordedFault(match, named, bot, kind, fault["count"], turn, text, "", **moment))
        return sorted(found, key=lambda fault: (fault.match, fault.bot, fault.turn, fault.kind))

    def logs(self, number: int, bot: str) -> BotLog:
        is_shown = self.audience.owns(bot) and self._over.filter(pk=number).exists()
        return read_log(self.hill.folder, number, bot) if is_shown else BotLog()

    # --- replays

    def replay(self, number: int) -> Path | None:
        """Return the file of a match's replay; None if the replay is missing or has no key yet."""
        file = self.hill.folder / replay_place(number)
        is_over = self._over.filter(pk=number, has_key=True).exists()
        return file if is_over and os.path.lexists(file) else None

    def key(self, number: int) -> Key | None:
        """Return the key of a match's dice; None before the match's replay contains the key."""
        is_shown = self._over.filter(pk=number, has_key=True).exists()
        return self._dice.key(number) if is_shown else None

    def replay_word(self, number: int) -> str:
        """Return the path that names the match for `koth view`, DIR/matches/N; empty without a replay."""
        has_replay = os.path.lexists(self.hill.folder / replay_place(number))
        return path_word(self.hill.folder / "matches" / str(number)) if has_replay else ""

    def is_running(self) -> bool:
        return is_run()

    def playing(self) -> Mapping[int, Path]:
        """Return the unfinished replays of the matches in play; empty unless the audience is the host."""
        if not self.audience.is_host:
            return {}
        playing = self._all.filter(state=Match.State.PLAYING)
        now = set(playing.values_list("pk", flat=True))
        return {number: part for number, part in find_unfinished(self.hill.folder).items() if number in now}


_OF_SEAT = ("match_id", "version__bot__name")


def scores_of(seats: QuerySet[Seat], names: Mapping[int, str] | None = None) -> Scores:
    """Return the scores at these seats, as arrays, for matches in which `names` contains all versions.

    Without `names`, use all matches, and name versions by their numbers.
    """
    rows = list(seats.values_list("match_id", "match__block", "place", "version_id", "score"))
    if names is not None:
        left_out = {match for match, _, _, version, _ in rows if version not in names}
        rows = [row for row in rows if row[0] not in left_out]
    index = {version: place for place, version in enumerate(dict.fromkeys(row[3] for row in rows))}
    cells = np.array([(match, place, index[version], score) for match, _, place, version, score in rows], CELL)
    blocks = np.array(sorted({(match, block or match) for match, block, *_ in rows}), np.int64).reshape(-1, 2)
    return Scores.of_cells(blocks, [str(pk) if names is None else names[pk] for pk in index], cells)
