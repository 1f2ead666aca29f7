"""The page on which an author writes, checks, tries and sends a bot."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from django import forms
from django.conf import settings
from django.contrib import messages
from django.db.models import Max
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.middleware.csrf import get_token
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe
from django.views.decorators.http import require_http_methods, require_safe

from koth.contest.private import read_log
from koth.contest.results import replay_place
from koth.diagnostics.rerun import RecordedBot
from koth.discovery.languages import ENDINGS, LANGUAGES
from koth.discovery.starts import find_starts
from koth.errors import KothError
from koth.games import load
from koth.replay.names import replay_name
from koth.viewer.contest import make_details
from koth.viewer.page_data import ContestTitle, MatchFault, SitePlace, WorkState
from koth.viewer.workbench import Now
from koth_hill import tries, uploads
from koth_hill.claims import count_before
from koth_hill.host_paths import remove_host_paths
from koth_hill.logs import PlayedBot
from koth_hill.models import Runner, Seat, Try, Version
from koth_hill.registry import LIVING_STATES, current_season, is_run
from koth_hill.site import viewer_page
from koth_hill.site.card import PageMeta
from koth_hill.site.entries import is_open
from koth_hill.site.logs import answer_transcript
from koth_hill.site.markdown_pages import rules_of
from koth_hill.site.matches import LARGEST_NUMBER
from koth_hill.site.replays import replay_at, summary_at
from koth_hill.site.roles import for_authors
from koth_hill.site.snapshot import snapshot
from koth_hill.standings import count_rivals, sort_by_rank
from koth_hill.tries import Texts, as_sent, texts_in

SEND = "send"


class RivalsField(forms.TypedMultipleChoiceField):
    """The field of rivals: in the place of a version that no longer plays stands the one that does."""

    def to_python(self, value: Any) -> list[str]:
        """Return the versions, as they are sent or newer."""
        sent: list[str] = super().to_python(value)
        gone = [_number(one) for one in sent if not self.valid_value(one)]
        playing = Version.objects.filter(pk__in=gone, bot__versions__state=Version.State.PLAYING)
        newer = {str(old): str(new) for old, new in playing.values_list("pk", "bot__versions")}
        return list(dict.fromkeys(newer.get(one, one) for one in sent))


class TryForm(forms.Form):
    """The form of a try: the name, rivals, and pairs of `file` and `source`, or else a version."""

    name = forms.CharField(max_length=40, label="Name of the bot")
    against = RivalsField(
        coerce=int,
        required=False,
        label="Try it against",
        widget=forms.CheckboxSelectMultiple,
        error_messages={"invalid_choice": "choose other rivals: one of these no longer plays"},
    )

    version = forms.IntegerField(required=False, widget=forms.HiddenInput)
    again = forms.IntegerField(required=False, widget=forms.HiddenInput)

    def __init__(self, author: Any, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        ranked = _find_ranked()
        own = tries.find_rivals(author).filter(tries.find_own(author)).exclude(pk__in=[one.pk for one in ranked])
        older = own.select_related("bot").defer("archive").order_by("bot__name", "-number")
        self.fields["against"].choices = [
            *((version.pk, version.bot.name) for version in ranked),
            *((version.pk, f"{version.bot.name}, version {version.number}") for version in older),
        ]


@for_authors
@require_http_methods(["GET", "HEAD", "POST"])
def write(request: HttpRequest, name: str = "") -> HttpResponse:
    """Show the page on which a bot is written, or an own version tried; check, try or send the bot."""
    if request.method != "POST":
        own = [] if name or request.GET.keys() & {"new", "language"} else _own_bots(request)
        if own:
            return redirect(f"{reverse('write-bot', args=own[:1])}?{request.GET.urlencode()}".rstrip("?"))
        try:
            initial, texts = _initial_values(request, name)
        except KothError as error:
            messages.error(request, f"{name}: {remove_host_paths(str(error))}")
            return redirect("mine")
        return _page(request, name, TryForm(request.user, initial=initial), texts)
    form, written = (
        TryForm(request.user, request.POST),
        zip(*map(request.POST.getlist, ("file", "source")), strict=False),
    )
    texts = [(file.strip(), source.replace("\r\n", "\n")) for file, source in written]
    wants_json = request.headers.get("Accept") == "application/json"
    if form.is_valid():
        try:
            address = _perform(request, form.cleaned_data, texts)
            done = {"address": address, "left": _count_left(request)}
            return JsonResponse(done) if wants_json else redirect(address)
        except KothError as error:
            form.add_error(None, remove_host_paths(str(error)))
    if wants_json:
        return JsonResponse(
            {"problem": "; ".join(text for texts in form.errors.values() for text in texts)}, status=422
        )
    return _page(request, name, form, texts)


def _perform(request: HttpRequest, sent: dict[str, Any], texts: Texts) -> str:
    """Perform the requested action with a bot, and return the outcome page's address. Raises KothError."""
    name, do = sent["name"], request.POST.get("do")
    if do == SEND:
        newest = _find_newest(request, name)
        if newest is not None and newest.state in LIVING_STATES and _is_same(texts, newest):
            raise KothError(f"change the bot first: this is version {newest.number}, which is {newest.state}")
        return reverse("version", args=[uploads.receive(request.user, *as_sent(name, texts), name).pk])
    kind = Try.Kind(do if do in Try.Kind.values else Try.Kind.MATCH)
    version = _find_own_version(request, sent["version"]) if sent["version"] else None
    game, allowed = load(settings.HILL.game), uploads.read_policy()
    attempt = tries.ask(game, request.user, name, version or texts, kind, sent["against"], allowed, sent["again"])
    query = {"version": version and version.pk, "again": sent["again"]}
    asked = urlencode({key: value for key, value in query.items() if value is not None})
    return reverse("write-bot", args=[attempt.name]) + f"?{asked}" * bool(asked)


def _is_same(texts: Texts, version: Version) -> bool:
    """Return whether these texts are a version's."""
    try:
        return sorted(texts) == sorted(texts_in(bytes(version.archive), version.file))
    except KothError:  # its files are not texts
        return False


def _find_own_version(request: HttpRequest, pk: int) -> Version:
    """Return a version of this author that may be tried. Raises Http404 for other versions."""
    own = tries.find_rivals(request.user).filter(tries.find_own(request.user)).select_related("bot")
    version: Version = get_object_or_404(own, pk=min(pk, LARGEST_NUMBER))
    return version


def _count_left(request: HttpRequest) -> int:
    return tries.count_left(request.user, uploads.read_policy())


# --- what the page begins with


def _number(text: str) -> int | None:
    """Return the number in a text, at most LARGEST_NUMBER; None for other texts."""
    return min(int(text[:20]), LARGEST_NUMBER) if text.isdecimal() else None


def languages() -> dict[str, Path]:
    """Return the game's first bots in the languages of the newest runner's machine; all if no machine is known."""
    found = find_starts(settings.HILL.game)
    runner = Runner.objects.filter(machine__isnull=False).order_by("-pk").first()
    known = {row["language"] for row in runner.machine["languages"]} if runner else set(found)
    return {language: file for language, file in found.items() if language in known} or found


def _initial_values(request: HttpRequest, name: str) -> tuple[dict[str, Any], Texts]:
    """Return the initial values of the form, and the files.

    The values come from the try or version of this name, whichever is newer, or from a first bot. Raises KothError
    for files that are not texts, and Http404.
    """
    wanted = [one for one in map(_number, request.GET.getlist("against")) if one is not None] or _leaders()
    number, again = (_number(request.GET.get(key, "")) for key in ("version", "again"))
    given: dict[str, Any] = {"name": name, "against": wanted}
    if again is not None:
        given["again"] = tries.find_again(request.user, again)[0].pk
    if number is not None:
        return {**given, "version": _find_own_version(request, number).pk}, []
    if name:
        attempt, version = uploads.find_tries(request.user).filter(name=name).last(), _find_newest(request, name)
        if attempt is not None and (version is None or version.submitted < attempt.asked):
            rivals = wanted if "against" in request.GET or attempt.again else attempt.rivals or wanted
            return {**given, "against": rivals}, tries.texts_of(attempt)
        if version is None:
            raise Http404
        if version.state == Version.State.REFUSED:
            given["refused"] = version.reason
        return given, texts_in(bytes(version.archive), version.file)
    taken = {name.casefold() for name in _own_bots(request)}
    free = (f"bot{number}" for number in range(2, len(taken) + 3))
    name = "bot" if "bot" not in taken else next(one for one in free if one not in taken)
    return {"name": name, "against": wanted}, _choose_start(request)


def _own_bots(request: HttpRequest) -> list[str]:
    """Return the names of an author's bots, sent or tried, as the author sends them, those of the last work first."""
    sent = Version.objects.filter(bot__author=request.user).order_by()
    last = {request.user.own_name(name): at for name, at in sent.values_list("bot__name").annotate(Max("submitted"))}
    for name, at in uploads.find_tries(request.user).values_list("name", "asked"):
        last[name] = max(at, last.get(name, at))
    return sorted(last, key=lambda name: last[name], reverse=True)


def _choose_start(request: HttpRequest) -> Texts:
    found = languages()
    language = request.GET.get("language", "")
    language = language if language in found else "python" if "python" in found else next(iter(found))
    return [(found[language].name, found[language].read_text(encoding="utf-8"))]


def _find_newest(request: HttpRequest, name: str) -> Version | None:
    """Return the newest version of an author's bot whose files are still stored."""
    called = uploads.name_of(request.user, name)
    versions = Version.objects.filter(bot__author=request.user, bot__name=called).exclude(archive=b"")
    return versions.order_by("-number").first()


def _leaders() -> list[int]:
    """Return the default rivals of a bot: as many leaders as a match of the season seats."""
    versions = _find_ranked()
    wanted = count_rivals(settings.HILL, current_season(), len(versions))
    return [version.pk for version in versions[:wanted]]


def _find_ranked() -> list[Version]:
    """Return the versions that play, best first."""
    return sort_by_rank([row.line for row in snapshot().rows])


def _page(request: HttpRequest, name: str, form: TryForm, texts: Texts) -> HttpResponse:
    attempt = _find_latest(request, name)
    tried, seat = (_number(str(form[key].value() or "")) for key in ("version", "again"))
    version = None if tried is None else _find_own_version(request, tried)
    own = Seat.objects.filter(version__author=request.user)
    again = None if seat is None else own.filter(pk=seat).first()
    found = languages()
    here = LANGUAGES.get(ENDINGS.get(Path(texts[0][0]).suffix.lower(), "")) if texts else None
    context = {
        "form": form,
        "texts": texts or ([] if version else [("", "")]),
        "attempt": attempt,
        "now": _describe_try(attempt),
        "name": name,
        "own": _own_bots(request),
        "season": current_season(),
        "languages": list(found),
        "language": here.name if here else "",
        "rules": _rules_beside(settings.HILL.game),
        "left": _count_left(request),
        "version": version,
        "again": again,
        "is_playing": bool(name) and tries.find_playing(request.user, name).exists(),
        "is_open": is_open(),
        "is_run": is_run(),
        "csrf_token": get_token(request),
        "game": settings.HILL.game,
        "about": PageMeta(f"{name or 'A new bot'} · write", "Write, check and try a bot."),
    }
    answer = viewer_page.answer_page(
        request, "write.html", context, head="write-head.html", without="write-without.html"
    )
    answer.status_code = 422 if form.errors else 200
    return answer


def _rules_beside(game: str) -> SafeString:
    """Return the rules as HTML without anchors, which would collide with ids of the viewer."""
    rules = rules_of(game)
    if rules is None:
        return mark_safe("<p>The game has no written rules.</p>")
    html = re.sub(r'(<h\d) id="[^"]*"', r"\1", rules.html)
    return format_html("<h2>{}</h2>{}", rules.title, mark_safe(html.replace('href="#', f'href="{reverse("rules")}#')))


# --- what the viewer beside it asks for


def _find_latest(request: HttpRequest, name: str) -> Try | None:
    return tries.find_latest(request.user, name) if name else None


def _describe_try(attempt: Try | None) -> WorkState:
    """Return the state of a try, as the page of `koth dev` shows it; `isOver` means that the state is final."""
    if attempt is None:
        return {**_idle_state("nothing tried yet"), "isOver": True}
    if attempt.state == Try.State.WAITING:
        ahead = count_before(attempt)
        text = "waits for its turn" + f", {ahead} before it" * (ahead > 0)
        return {**_idle_state(text), "state": "waiting", "isOver": False}
    is_over = attempt.state == Try.State.OVER
    has_match = is_over and summary_at(tries.hill_of_tries(settings.HILL), attempt.pk) is not None
    transcript = reverse("try-transcript", args=[attempt.pk]) if has_match else ""
    text = "building it"
    if is_over and attempt.now is None:
        newer = attempt.author.tries.filter(state=Try.State.OVER, pk__gt=attempt.pk).exclude(now=None)
        text = "no longer kept" if newer.count() >= tries.KEPT_TRIES else "replaced by a newer try"
    now: WorkState = attempt.now or _idle_state(text)
    return {**now, "match": _match_of(attempt.pk), "isOver": is_over, "transcript": transcript}


def _match_of(number: int) -> str:
    return f"try {number}"


def _idle_state(text: str) -> WorkState:
    return {**Now(text=text).as_json(), "state": "idle", "match": ""}


@for_authors
@require_safe
def work(request: HttpRequest, name: str = "") -> HttpResponse:
    """Return the state of the latest attempt of a name."""
    return JsonResponse(_describe_try(_find_latest(request, name)))


@for_authors
@require_safe
def try_listing(request: HttpRequest, name: str = "") -> HttpResponse:
    """Return the viewer's list: the match of the latest attempt of a name, if there is one."""
    attempt = _find_latest(request, name)
    number = 0 if attempt is None else attempt.pk
    found = summary_at(tries.hill_of_tries(settings.HILL), number)
    contest = ContestTitle(name=name, started="")
    site = SitePlace(home=reverse("mine"), next=None, before=None, bots={})
    url = reverse("try-replay", args=[number])
    return viewer_page.answer_listing(found, _match_of(number), url, contest, site, is_dev=True)


def _find_own(request: HttpRequest, pk: int) -> Try:
    attempt: Try = get_object_or_404(Try, pk=min(pk, LARGEST_NUMBER), author=request.user)
    return attempt


@for_authors
@require_safe
def try_replay(request: HttpRequest, pk: int) -> HttpResponse:
    """Return the written part of the replay of a try's match."""
    attempt = _find_own(request, pk)
    data = replay_at(tries.hill_of_tries(settings.HILL), replay_place(pk), attempt.state == Try.State.RUNNING)
    if data is None:
        raise Http404
    return viewer_page.answer_replay(request, data, replay_name(pk), "private, no-store")


@for_authors
@require_safe
def try_details(request: HttpRequest, pk: int) -> HttpResponse:
    """Return the faults of a try in its match, and its stderr, notes and drawings."""
    attempt = _find_own(request, pk)
    log = read_log(tries.hill_of_tries(settings.HILL).folder, pk, attempt.name)
    faults = [
        MatchFault(
            bot=attempt.name,
            kind=fault["kind"],
            count=fault["count"],
            turn=fault["turn"],
            text=fault["text"],
            stderr="",
        )
        for fault in _describe_try(attempt)["faults"]
    ]
    return viewer_page.private_json(make_details(faults, {attempt.name: log}))


@for_authors
@require_safe
def try_transcript(request: HttpRequest, pk: int) -> HttpResponse:
    """Return everything that a try received and answered in its match, as text."""
    attempt = _find_own(request, pk)
    how = RecordedBot(attempt.protocol, attempt.options)
    return answer_transcript(tries.hill_of_tries(settings.HILL), PlayedBot(pk, f"try {pk}", attempt.name, how))
