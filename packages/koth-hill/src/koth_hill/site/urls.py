"""All addresses of the site in one list, so that a test can try each of them as a visitor."""

from __future__ import annotations

from django.contrib.auth.views import LogoutView
from django.urls import path, re_path

from koth_hill.site import (
    accounts,
    api,
    bots,
    entries,
    finals,
    logs,
    matches,
    pages,
    seasons,
    sources,
    visits,
    write,
)
from koth_hill.site.host import moderation, new_host, overview
from koth_hill.site.host import people as host_people
from koth_hill.site.host import season as host_season

urlpatterns = [
    # Everybody
    path("", pages.home, name="home"),
    path("live", pages.live, name="live"),
    path("play", visits.play, name="play"),
    re_path(  # a secret word, and a path without `..`, which would lead to other visits
        r"^play/(?P<path>[A-Za-z0-9_-]{22}(?:/(?!\.{1,2}(?:/|$))[A-Za-z0-9_.-]*)+)$", visits.visit, name="visit"
    ),
    path("projector", pages.projector, name="projector"),
    path("rules", pages.rules, name="rules"),
    path("guide", pages.guide, name="guide"),
    path("machine", pages.what_a_bot_finds, name="machine"),
    path("matches", matches.matches, name="matches"),
    path("matches/<int:pk>", matches.match, name="match"),
    path("matches/<int:pk>/listing.json", matches.listing, name="listing"),
    path("matches/<int:pk>/details.json", matches.details, name="details"),
    path("matches/<int:pk>/replay", matches.replay, name="replay"),
    path("bots", bots.bots, name="bots"),
    path("sources/<int:pk>", sources.source, name="source"),
    path("bots/<path:name>", bots.bot, name="bot"),
    path("authors/<path:name>", bots.author, name="author"),
    path("seasons", seasons.seasons, name="seasons"),
    path("seasons/<int:pk>", seasons.season, name="season"),
    path("seasons/<int:pk>/final", finals.final, name="final"),
    path(f"static/{pages.digest()}/<str:name>", pages.static_file, name="static"),
    # Signing in
    path("sign-in", accounts.sign_in, name="sign-in"),
    path("sign-out", LogoutView.as_view(), name="sign-out"),
    path("code", accounts.code, name="code"),
    # Authors
    path("join", accounts.join, name="join"),
    path("password/<str:uidb64>/<str:token>", accounts.set_password, name="set-password"),
    path("account", accounts.account, name="account"),
    path("account/tokens/<int:pk>/revoke", accounts.revoke, name="revoke"),
    path("submit", entries.submit, name="submit"),
    path("write", write.write, name="write"),
    path("write/@/work.json", write.work, name="work"),  # no bot is called @
    path("write/@/listing.json", write.try_listing, name="try-listing"),
    path("write/<path:name>/work.json", write.work, name="work-bot"),
    path("write/<path:name>/listing.json", write.try_listing, name="try-listing-bot"),
    path("write/<path:name>", write.write, name="write-bot"),
    path("tries/<int:pk>/replay", write.try_replay, name="try-replay"),
    path("tries/<int:pk>/details.json", write.try_details, name="try-details"),
    path("tries/<int:pk>/transcript", write.try_transcript, name="try-transcript"),
    path("versions/<int:pk>", entries.version, name="version"),
    path("my/bots", entries.my_bots, name="mine"),
    path("my/bots/<int:pk>", entries.own_bot, name="own-bot"),
    path("my/bots/<int:pk>/versions/<int:number>", sources.own_source, name="own-source"),
    path("my/bots/<int:pk>/versions/<int:number>/download", sources.download, name="download"),
    path("my/bots/<int:pk>/versions/<int:number>/share", sources.share, name="share"),
    path("my/bots/<int:pk>/withdraw", entries.withdraw, name="withdraw"),
    path("my/bots/<int:pk>/back/<int:number>", entries.go_back, name="go-back"),
    path("matches/<int:pk>/log/<int:place>", logs.match_log, name="match-log"),
    path("matches/<int:pk>/log/<int:place>/text", logs.match_transcript, name="match-transcript"),
    # Programs
    path("api", api.programs, name="programs"),
    path("api/", api.api.urls),
    # The host
    path("new-host/<str:token>", new_host.new_host, name="new-host"),
    path("host/", overview.overview, name="host"),
    path("host/people", host_people.list_people, name="host-people"),
    path("host/people/invite", host_people.invite_people, name="host-invite"),
    path("host/people/codes", host_people.new_codes, name="host-codes"),
    path("host/people/unlock", host_people.unlock, name="host-unlock"),
    path("host/people/<int:pk>", host_people.show_person, name="host-person"),
    path("host/people/<int:pk>/link", host_people.link_person, name="host-person-link"),
    path("host/people/<int:pk>/suspend", host_people.suspend_person, name="host-person-suspend"),
    path("host/people/<int:pk>/reinstate", host_people.reinstate_person, name="host-person-reinstate"),
    path("host/people/<int:pk>/delete", host_people.delete_person, name="host-person-delete"),
    path("host/people/<int:pk>/make-host", host_people.make_host, {"is_host": True}, "host-person-host"),
    path("host/people/<int:pk>/make-author", host_people.make_host, {"is_host": False}, "host-person-author"),
    path("host/limits", moderation.limits, name="host-limits"),
    path("host/bots", moderation.bots, name="host-bots"),
    path("host/bots/bosses", moderation.add_bosses, name="host-bosses"),
    path("host/bots/suspend", moderation.suspend_bot, name="host-suspend-bot"),
    path("host/bots/check", moderation.check_bot, name="host-check-bot"),
    path("host/matches/void", moderation.void_match, name="host-void-match"),
    path("host/season", host_season.season, name="host-season"),
    path("host/season/closing", host_season.set_closing, name="host-season-closing"),
    path("host/season/freeze", host_season.freeze_season, name="host-season-freeze"),
    path("host/season/unfreeze", host_season.unfreeze_season, name="host-season-unfreeze"),
    path("host/season/final", host_season.play_final, name="host-season-final"),
    path("host/season/end", host_season.end_final, name="host-season-end"),
    path("host/season/publish", host_season.publish_season, name="host-season-publish"),
    path("host/season/open", host_season.open_season, name="host-season-open"),
    path("host/audit", overview.audit, name="host-audit"),
]
