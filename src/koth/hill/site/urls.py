"""Every address of the site: one list, so that a test can try all of them as everybody."""

from __future__ import annotations

from django.contrib.auth.views import LoginView, LogoutView
from django.urls import path

from koth.hill.site import bots, matches, pages, seasons
from koth.hill.site.files import digest

urlpatterns = [
    # Everybody
    path("", pages.home, name="home"),
    path("live", pages.live, name="live"),
    path("rules", pages.rules, name="rules"),
    path("guide/<str:name>", pages.guide, name="guide"),
    path("machine", pages.what_a_bot_finds, name="machine"),
    path("announcements", pages.announcements, name="announcements"),
    path("matches", matches.matches, name="matches"),
    path("matches/<int:pk>", matches.match, name="match"),
    path("matches/<int:pk>/listing.json", matches.listing, name="listing"),
    path("matches/<int:pk>/told.json", matches.told, name="told"),
    path("matches/<int:pk>/replay", matches.replay, name="replay"),
    path("bots", bots.bots, name="bots"),
    path("bots/<path:name>", bots.bot, name="bot"),
    path("authors/<path:name>", bots.author, name="author"),
    path("seasons", seasons.seasons, name="seasons"),
    path("seasons/<int:pk>", seasons.season, name="season"),
    path("favicon.ico", pages.icon, name="icon"),
    path(f"static/{digest()}/<str:name>", pages.static_file, name="static"),
    # Signing in
    path("sign-in", LoginView.as_view(template_name="sign-in.html"), name="sign-in"),
    path("sign-out", LogoutView.as_view(), name="sign-out"),
]
