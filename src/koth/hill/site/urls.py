"""Every address of the site: one list, so that a test can try all of them as everybody."""

from __future__ import annotations

from django.contrib.auth.views import LoginView, LogoutView
from django.urls import path

from koth.hill.site import host, pages

urlpatterns = [
    path("", pages.home, name="home"),
    path("static/<str:name>", pages.static_file, name="static"),
    path("sign-in", LoginView.as_view(template_name="sign-in.html"), name="sign-in"),
    path("sign-out", LogoutView.as_view(), name="sign-out"),
    path("new-host/<str:token>", host.new_host, name="new-host"),
    path("host/", host.overview, name="host"),
    path("host/people", host.list_people, name="host-people"),
    path("host/people/invite", host.invite_people, name="host-invite"),
    path("host/people/<int:pk>", host.show_person, name="host-person"),
    path("host/people/<int:pk>/link", host.link_person, name="host-person-link"),
    path("host/people/<int:pk>/suspend", host.suspend_person, name="host-person-suspend"),
    path("host/people/<int:pk>/reinstate", host.reinstate_person, name="host-person-reinstate"),
    path("host/people/<int:pk>/make-host", host.make_host, name="host-person-host"),
    path("host/people/<int:pk>/make-author", host.make_author, name="host-person-author"),
    path("host/limits", host.limits, name="host-limits"),
    path("host/bots", host.bots, name="host-bots"),
    path("host/bots/suspend", host.suspend_bot, name="host-suspend-bot"),
    path("host/matches/void", host.void_match, name="host-void-match"),
    path("host/season", host.season, name="host-season"),
    path("host/season/freeze", host.freeze_season, name="host-season-freeze"),
    path("host/season/publish", host.publish_season, name="host-season-publish"),
    path("host/season/open", host.open_season, name="host-season-open"),
    path("host/announcements", host.announcements, name="host-announcements"),
    path("host/announcements/<int:pk>/take-back", host.take_back, name="host-take-back"),
    path("host/disk", host.storage, name="host-storage"),
    path("host/disk/backup", host.write_backup, name="host-backup"),
    path("host/audit", host.audit, name="host-audit"),
]
