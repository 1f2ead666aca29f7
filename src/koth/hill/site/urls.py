"""Every address of the site: one list, so that a test can try all of them as everybody."""

from __future__ import annotations

from django.contrib.auth.views import LoginView, LogoutView
from django.urls import path

from koth.hill.site import pages

urlpatterns = [
    path("", pages.home, name="home"),
    path("static/<str:name>", pages.static_file, name="static"),
    path("sign-in", LoginView.as_view(template_name="sign-in.html"), name="sign-in"),
    path("sign-out", LogoutView.as_view(), name="sign-out"),
]
