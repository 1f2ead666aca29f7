"""The API of the site for programs: JSON, with tokens."""

from __future__ import annotations

from dataclasses import asdict
from datetime import datetime
from typing import Annotated, Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe
from ninja import File, Form, NinjaAPI, Schema
from ninja.errors import HttpError, ValidationError
from ninja.files import UploadedFile
from ninja.security import HttpBearer
from ninja.throttling import AnonRateThrottle, AuthRateThrottle
from pydantic import Field

from koth.contest.results import replay_place
from koth.diagnostics.why import readable_text
from koth.errors import KothError
from koth.files.beneath import read_beneath
from koth.remote.season import PAGE, RecordedSeason
from koth_hill import summary, tokens, uploads
from koth_hill.faults import encode_moment
from koth_hill.host_paths import remove_host_paths
from koth_hill.models import Author, Match, Season, Seat
from koth_hill.registry import current_season
from koth_hill.season_reader import SeasonReader, audience_of
from koth_hill.site.limits import visitor_of
from koth_hill.standings import ranking

MOST_ROWS = 100
"""The most matches in one answer."""
Number = Annotated[int, Field(ge=0, le=2**63 - 1)]
"""The number of a row in the database."""


class ByToken(HttpBearer):
    """Authentication of authors by token."""

    def authenticate(self, request: HttpRequest, token: str) -> Author | None:
        return tokens.find_author(token)


class _ByAddress(AnonRateThrottle):
    def get_cache_key(self, request: HttpRequest) -> Any:
        """Return the visitor as the key of requests without an author's token."""
        author = getattr(request, "auth", None)
        return None if isinstance(author, Author) else f"api-{visitor_of(request)}"


class _ByAuthor(AuthRateThrottle):
    def get_cache_key(self, request: HttpRequest) -> Any:
        """Return the author as the key, whatever the token; do not count requests without a token."""
        author = getattr(request, "auth", None)
        return f"api-{author.pk}" if isinstance(author, Author) else None


by_token = ByToken()


def _find_caller(request: HttpRequest) -> Any:
    """Return the author of the token, None for a wrong token, or the word for the public without a token."""
    return by_token(request) if "Authorization" in request.headers else "public"


api = NinjaAPI(
    title="koth",
    version="1",
    description="A hill: its standings, matches and bots.",
    docs_url=None,
    urls_namespace="api-1",
    throttle=[_ByAddress("120/m"), _ByAuthor("300/m")],
)


@api.exception_handler(KothError)
def _answer_refusal(request: HttpRequest, error: KothError) -> HttpResponse:
    return api.create_response(request, {"detail": remove_host_paths(str(error))}, status=422)


@api.exception_handler(ValidationError)
def _answer_misread(request: HttpRequest, error: ValidationError) -> HttpResponse:
    detail = "; ".join(f"{one['loc'][-1]}: {one['msg']}" for one in error.errors)
    return api.create_response(request, {"detail": detail}, status=422)


class Me(Schema):
    """The token's author, and the number of bots left in these 24 hours."""

    name: str
    uploads_left: int
    largest_upload: int


class VersionState(Schema):
    """The state of a version; its bot and number are null until a runner has read the file."""

    id: int = Field(alias="pk")
    file: str = Field(alias="sent")
    received: datetime = Field(alias="submitted")
    state: str
    reason: str
    bot: str | None = Field(None, alias="bot.name")
    version: int | None = Field(None, alias="number")


class WrongRequest(Schema):
    """The reason of a refusal."""

    detail: str


TOO_MANY_REQUESTS: dict[int, Any] = {429: WrongRequest}
"""The answer to a program that sends too many requests."""
FOR_ALL = {404: WrongRequest, 422: WrongRequest, **TOO_MANY_REQUESTS}
"""Error answers of public requests with a name or number."""
FOR_AUTHORS = {401: WrongRequest, **TOO_MANY_REQUESTS}
"""Error answers of requests with a token."""
GZIP = {
    200: {"description": "OK", "content": {"application/gzip": {"schema": {"type": "string", "format": "binary"}}}}
}


@api.get("/hill", response={200: dict[str, Any], **TOO_MANY_REQUESTS})
def hill(request: HttpRequest) -> dict[str, Any]:
    """Return the game, the season, and the numbers of versions and matches in each state."""
    return summary.status(settings.HILL)


@api.get("/standings", response={200: dict[str, Any], **FOR_ALL})
def standings(request: HttpRequest, season: Number | None = None) -> dict[str, Any]:
    """Return the versions that play now, best first, or those of an ended season at its end."""
    return asdict(ranking(current_season() if season is None else _find_season(season)))


@api.get("/matches/{number}/replay", response=FOR_ALL, openapi_extra={"responses": GZIP})
def replay(request: HttpRequest, number: Number) -> HttpResponse:
    """Return the replay of a match that was played, a gzip file that `koth view` shows."""
    found = Match.objects.filter(pk=number, has_key=True).first()
    try:
        if found is None:
            raise FileNotFoundError
        return HttpResponse(read_beneath(settings.HILL.folder, replay_place(found.pk)), "application/gzip")
    except FileNotFoundError:
        raise HttpError(404, "this match has no replay, or is not over yet") from None


def _season(request: HttpRequest, number: int, final: bool) -> SeasonReader:
    """Return the reader of a season or of its final, with the rights of the token's author."""
    author = request.auth if isinstance(request.auth, Author) else None
    season = _find_season(number)
    if final and not season.finalists:
        raise HttpError(404, "this final has not begun")
    return SeasonReader(settings.HILL, season, audience_of(author), final)


def _find_season(number: int) -> Season:
    if (season := Season.objects.filter(pk=number).first()) is None:
        raise HttpError(404, "there is no such season")
    return season


@api.get("/seasons/{number}", response={200: dict[str, Any], **FOR_ALL}, auth=_find_caller)
def season(request: HttpRequest, number: Number, final: bool = False) -> RecordedSeason:
    """Return the record and number of matches of a season, or of its final; with a token, also your bots' names."""
    reader = _season(request, number, final)
    counts, own = reader.counts(), reader.audience.bots
    return RecordedSeason(
        plan=reader.plan(),
        done=counts.done,
        planned=counts.planned,
        uncounted=sorted(reader.uncounted_matches()),
        is_running=reader.is_running(),
        season_proof=reader.season_proof(),
        knockout={str(match): bots for match, bots in reader.knockout().items()},
        own=sorted(own or ()),
        is_host=own is None,
    )


@api.get("/seasons/{number}/matches", response={200: list[dict[str, Any]], **FOR_ALL}, auth=_find_caller)
def season_matches(
    request: HttpRequest, number: Number, final: bool = False, after: Number = 0
) -> list[dict[str, Any]]:
    """Return the played matches of a season or its final, 500 at most, with greater numbers than `after`."""
    return [{**vars(row), "digests": digests} for row, digests in _season(request, number, final).page(after, PAGE)]


@api.get("/seasons/{number}/faults", response={200: list[dict[str, Any]], **FOR_ALL}, auth=_find_caller)
def season_faults(
    request: HttpRequest,
    number: Number,
    final: bool = False,
    bot: str | None = None,
    match: Number | None = None,
    after: Number = 0,
) -> list[dict[str, Any]]:
    """Return the first fault of each kind in each match, for at most 500 matches with greater numbers than `after`.

    With a token, faults of your own bots have texts and messages.
    """
    found = _season(request, number, final).fault_page(bot, match, after, PAGE)
    return [{**vars(fault), "replay": "", **encode_moment(vars(fault))} for fault in found]


@api.get("/me", response={200: Me, **FOR_AUTHORS}, auth=by_token)
def me(request: HttpRequest) -> dict[str, Any]:
    """Return the token's author."""
    author, allowed = request.auth, uploads.read_policy()
    left = max(0, uploads.count_left(author, allowed))
    return {"name": author.name, "uploads_left": left, "largest_upload": allowed.largest_upload}


@api.post("/versions", response={201: VersionState, 422: WrongRequest, **FOR_AUTHORS}, auth=by_token)
def send(request: HttpRequest, file: File[UploadedFile], name: Form[str] = "") -> HttpResponse:
    """Send a bot: a file, or a zip of its folder. The answer confirms that the file is stored; a runner reads it
    later.
    """
    version = uploads.receive(request.auth, file.name or "", file.read(), name)
    return api.create_response(request, VersionState.from_orm(version).model_dump(), status=201)


@api.get("/versions", response={200: list[VersionState], 422: WrongRequest, **FOR_AUTHORS}, auth=by_token)
def my_versions(request: HttpRequest, last: int = 20) -> Any:
    """Return the latest versions of your bots, newest first."""
    return _own_versions(request).order_by("-pk")[: max(1, min(last, MOST_ROWS))]


@api.get("/versions/{number}", response={200: VersionState, **FOR_ALL, **FOR_AUTHORS}, auth=by_token)
def version(request: HttpRequest, number: Number) -> Any:
    """Return the state of one of your versions."""
    found = _own_versions(request).filter(pk=number).first()
    if found is None:
        raise HttpError(404, "you have no such version")
    return found


def _own_versions(request: HttpRequest) -> Any:
    return request.auth.versions.defer("archive").select_related("bot")


@api.get("/matches/{number}/logs", response={200: list[dict[str, Any]], **FOR_ALL, **FOR_AUTHORS}, auth=by_token)
def own_logs(request: HttpRequest, number: Number) -> list[dict[str, Any]]:
    """Return the logs of your own bots in a match."""
    audience = audience_of(request.auth)
    seats = Seat.objects.filter(match=number).select_related("match__season", "version__bot")
    found = [seat for seat in seats.defer("version__archive") if audience.owns(seat.version.bot.name)]
    if not found:
        raise HttpError(404, "none of your bots played in a match with this number")
    return [_log(SeasonReader(settings.HILL, seat.match.season, audience), seat) for seat in found]


def _log(reader: SeasonReader, seat: Seat) -> dict[str, Any]:
    log = reader.logs(seat.match_id, seat.version.bot.name)
    return {
        "match": seat.match_id,
        "bot": seat.version.bot.name,
        "version": seat.version.number,
        "faults": [{"kind": kind, **fault} for kind, fault in seat.faults.items()],
        "stderr": [{"turn": turn, "text": readable_text(text)} for turn, text in log.stderr],
        "notes": log.notes,
    }


@require_safe
def programs(request: HttpRequest) -> HttpResponse:
    """Show the documentation of the API."""
    paths = api.get_openapi_schema(path_prefix="/api/")["paths"]
    return render(request, "programs.html", {"paths": paths, "url": settings.SITE_URL})
