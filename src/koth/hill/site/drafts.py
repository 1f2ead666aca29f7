"""The page on which an author writes, checks, tries and sends a bot."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from django import forms
from django.conf import settings
from django.contrib import messages
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
from koth.hill import drafts, uploads
from koth.hill.claims import count_before
from koth.hill.drafts import Texts, as_sent, texts_in
from koth.hill.host_paths import remove_host_paths
from koth.hill.logs import PlayedBot
from koth.hill.models import Bot, Draft, Runner, Version
from koth.hill.registry import current_season
from koth.hill.site import viewer_page
from koth.hill.site.card import Card
from koth.hill.site.entries import is_open
from koth.hill.site.logs import answer_transcript
from koth.hill.site.markdown_pages import guide_names, rules_of
from koth.hill.site.matches import LARGEST_NUMBER
from koth.hill.site.replays import replay_at, summary_at
from koth.hill.site.roles import for_authors
from koth.hill.site.snapshot import snapshot
from koth.hill.standings import count_rivals, sort_by_rank
from koth.replay.names import replay_name
from koth.viewer.listing import listing as listed
from koth.viewer.page_data import ContestTitle, WorkState
from koth.viewer.workbench import Now

CHECK, TRY, SEND = "check", "try", "send"


class DraftForm(forms.Form):
    """The form of a draft: the bot's name and rivals; the page sends files as pairs of `file` and `source`."""

    name = forms.CharField(max_length=40, label="Name of the bot")
    against = forms.TypedMultipleChoiceField(
        coerce=int, required=False, label="Try it against", widget=forms.CheckboxSelectMultiple
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["against"].choices = [(version.pk, version.bot.name) for version in _find_ranked()]


@for_authors
@require_http_methods(["GET", "HEAD", "POST"])
def write(request: HttpRequest, name: str = "") -> HttpResponse:
    """Show the page of a draft, or of a new bot; check, try or send the bot."""
    if request.method != "POST":
        try:
            initial, texts = _initial_values(request, name)
        except KothError as error:
            messages.error(request, f"{name}: {remove_host_paths(str(error))}")
            return redirect("mine")
        return _page(request, name, DraftForm(initial=initial), texts)
    form, written = DraftForm(request.POST), zip(*map(request.POST.getlist, ("file", "source")), strict=False)
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
        return reverse("upload", args=[uploads.receive(request.user, *as_sent(name, texts), name).pk])
    rivals = None if do == CHECK else sent["against"]
    draft = drafts.ask(load(settings.HILL.game), request.user, name, texts, rivals, uploads.read_policy())
    return reverse("write-bot", args=[draft.name])


def _count_left(request: HttpRequest) -> int:
    return drafts.count_left(request.user, uploads.read_policy())


# --- what the page begins with


def languages() -> dict[str, Path]:
    """Return the game's first bots in the languages of the newest runner's machine; all if no machine is known."""
    found = find_starts(settings.HILL.game)
    runner = Runner.objects.filter(machine__isnull=False).order_by("-pk").first()
    known = {row["language"] for row in runner.machine["languages"]} if runner else set(found)
    return {language: file for language, file in found.items() if language in known} or found


def _initial_values(request: HttpRequest, name: str) -> tuple[dict[str, Any], Texts]:
    """Return the initial values of the form, and the files.

    The values come from the draft or version of this name, whichever is newer, or from a first bot. Raises KothError
    for files that are not texts, and Http404.
    """
    if name:
        draft, version = drafts.find_latest(request.user, name), _find_newest(request, name)
        if draft is not None and draft.data and (version is None or version.submitted < draft.asked):
            return {"name": name, "against": draft.rivals or _leaders()}, drafts.texts_of(draft)
        if version is None:
            raise Http404
        return {"name": name, "against": _leaders()}, texts_in(bytes(version.archive), version.file)
    taken = {name.casefold() for name in _own_bots(request)}
    free = (f"bot{number}" for number in range(2, len(taken) + 3))
    name = "bot" if "bot" not in taken else next(one for one in free if one not in taken)
    return {"name": name, "against": _leaders()}, _choose_start(request)


def _own_bots(request: HttpRequest) -> list[str]:
    """Return the names of an author's bots and drafts, as the author sends them."""
    bots = Bot.objects.filter(author=request.user).values_list("name", flat=True)
    drafted = uploads.find_drafts(request.user).values_list("name", flat=True)
    return sorted({*(uploads.sent_name(request.user, name) for name in bots), *drafted})


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


def _page(request: HttpRequest, name: str, form: DraftForm, texts: Texts) -> HttpResponse:
    draft = _find_latest(request, name)
    found = languages()
    here = LANGUAGES.get(ENDINGS.get(Path(texts[0][0]).suffix.lower(), "")) if texts else None
    context = {
        "form": form,
        "texts": texts or [("", "")],
        "draft": draft,
        "now": _describe_draft(draft),
        "name": name,
        "own": _own_bots(request),
        "season": current_season(),
        "languages": list(found),
        "language": here.name if here else "",
        "rules": _rules_beside(settings.HILL.game),
        "left": _count_left(request),
        "is_open": is_open(),
        "is_run": Runner.objects.filter(ended__isnull=True).exists(),
        "csrf_token": get_token(request),
        "game": settings.HILL.game,
        "game_page": settings.HILL.game in guide_names(),
        "about": Card(f"{name or 'A new bot'} · write", "Write, check and try a bot."),
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


def _find_latest(request: HttpRequest, name: str) -> Draft | None:
    return drafts.find_latest(request.user, name) if name else None


def _describe_draft(draft: Draft | None) -> WorkState:
    """Return the state of a draft, as the page of `koth dev` shows it; `isOver` means that the state is final."""
    if draft is None:
        return {**_idle_state("nothing tried yet"), "isOver": True}
    if draft.state == Draft.State.WAITING:
        ahead = count_before(drafts.find_waiting(), draft.pk)
        text = "waits for its turn" + f", {ahead} before it" * (ahead > 0)
        return {**_idle_state(text), "state": "waiting", "isOver": False}
    is_over = draft.state == Draft.State.OVER
    has_match = is_over and summary_at(drafts.hill_of_drafts(settings.HILL), draft.pk) is not None
    transcript = reverse("draft-transcript", args=[draft.pk]) if has_match else ""
    now: WorkState = draft.now or _idle_state("building it")
    return {**now, "match": _match_of(draft.pk), "isOver": is_over, "transcript": transcript}


def _match_of(number: int) -> str:
    return f"draft {number}"


def _idle_state(text: str) -> WorkState:
    return {**Now(text=text).as_json(), "state": "idle", "match": ""}


@for_authors
@require_safe
def work(request: HttpRequest, name: str = "") -> HttpResponse:
    """Return the state of the latest draft of a name."""
    return JsonResponse(_describe_draft(_find_latest(request, name)))


@for_authors
@require_safe
def draft_listing(request: HttpRequest, name: str = "") -> HttpResponse:
    """Return the viewer's list: the match of the latest draft of a name, if there is one."""
    draft = _find_latest(request, name)
    number = 0 if draft is None else draft.pk
    found = summary_at(drafts.hill_of_drafts(settings.HILL), number)
    contest = ContestTitle(name=name, started="")
    answer = listed([found] if found else [], contest=contest, has_details=lambda _: True)
    for match in answer["matches"]:
        match["name"] = _match_of(number)
        match["url"] = reverse("draft-replay", args=[number])
    site = {"home": reverse("mine"), "next": None, "before": None, "bots": {}}
    return JsonResponse({**answer, "site": site, "isRun": False, "isDev": True})


def _find_own(request: HttpRequest, pk: int) -> Draft:
    draft: Draft = get_object_or_404(Draft, pk=min(pk, LARGEST_NUMBER), author=request.user)
    return draft


@for_authors
@require_safe
def draft_replay(request: HttpRequest, pk: int) -> HttpResponse:
    """Return the written part of the replay of a draft's match."""
    draft = _find_own(request, pk)
    data = replay_at(drafts.hill_of_drafts(settings.HILL), replay_place(pk), draft.state == Draft.State.RUNNING)
    if data is None:
        raise Http404
    return viewer_page.answer_replay(request, data, replay_name(pk), "private, no-store")


@for_authors
@require_safe
def draft_details(request: HttpRequest, pk: int) -> HttpResponse:
    """Return the faults of a draft in its match, and its stderr, notes and drawings."""
    draft = _find_own(request, pk)
    log = read_log(drafts.hill_of_drafts(settings.HILL).folder, pk, draft.name)
    faults = [{**fault, "bot": draft.name, "meaning": ""} for fault in _describe_draft(draft)["faults"]]
    return viewer_page.answer_details(faults, {draft.name: log})


@for_authors
@require_safe
def draft_transcript(request: HttpRequest, pk: int) -> HttpResponse:
    """Return everything that a draft received and answered in its match, as text."""
    draft = _find_own(request, pk)
    how = RecordedBot(draft.protocol, draft.options)
    return answer_transcript(drafts.hill_of_drafts(settings.HILL), PlayedBot(pk, f"draft {pk}", draft.name, how))
