"""Django's settings of every hill, its site included. What differs from site to site is set when one is served."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

SITE = Path(__file__).parent / "site"
CHECKS: Mapping[str, Mapping[str, Any]] = {
    "MinimumLengthValidator": {"min_length": 10},
    "CommonPasswordValidator": {},
    "UserAttributeSimilarityValidator": {"user_attributes": ["name"]},
}
SELF = ["'self'"]
NONE = ["'none'"]

SETTINGS: Mapping[str, Any] = {
    "INSTALLED_APPS": [
        "django.contrib.contenttypes",  # django.contrib.auth needs it
        "django.contrib.auth",
        "django.contrib.sessions",
        "django.contrib.messages",
        "axes",
        "koth.hill",
    ],
    "AUTH_USER_MODEL": "hill.Author",
    "DEFAULT_AUTO_FIELD": "django.db.models.BigAutoField",
    "USE_TZ": True,
    "TIME_ZONE": "UTC",
    "ROOT_URLCONF": "koth.hill.site.urls",
    "MIDDLEWARE": [
        "django.middleware.security.SecurityMiddleware",
        "csp.middleware.CSPMiddleware",
        "django.contrib.sessions.middleware.SessionMiddleware",
        "django.middleware.common.CommonMiddleware",
        "django.middleware.csrf.CsrfViewMiddleware",
        "django.contrib.auth.middleware.AuthenticationMiddleware",
        "django.contrib.messages.middleware.MessageMiddleware",
        "django.middleware.clickjacking.XFrameOptionsMiddleware",
        "axes.middleware.AxesMiddleware",
    ],
    "TEMPLATES": [
        {
            "BACKEND": "django.template.backends.django.DjangoTemplates",
            "DIRS": [SITE / "templates"],
            "OPTIONS": {
                "builtins": ["koth.hill.site.tags"],
                "context_processors": [
                    "django.template.context_processors.request",
                    "django.contrib.auth.context_processors.auth",
                    "django.contrib.messages.context_processors.messages",
                    "koth.hill.site.context.context",
                ],
            },
        }
    ],
    "AUTHENTICATION_BACKENDS": ["axes.backends.AxesStandaloneBackend", "django.contrib.auth.backends.ModelBackend"],
    "PASSWORD_HASHERS": ["koth.hill.hasher.Argon2"],
    "AUTH_PASSWORD_VALIDATORS": [
        {"NAME": f"django.contrib.auth.password_validation.{name}", "OPTIONS": options}
        for name, options in CHECKS.items()
    ],
    "PASSWORD_RESET_TIMEOUT": 14 * 24 * 3600,  # seconds, of invitations, too
    "LOGIN_URL": "sign-in",
    "LOGIN_REDIRECT_URL": "home",
    "LOGOUT_REDIRECT_URL": "home",
    "AXES_FAILURE_LIMIT": 10,
    "AXES_COOLOFF_TIME": 0.25,  # hours
    "AXES_LOCKOUT_PARAMETERS": [["username", "ip_address"]],
    "AXES_CLIENT_IP_CALLABLE": "koth.hill.site.throttle.visitor_of",
    "AXES_USERNAME_FORM_FIELD": "username",
    "AXES_DISABLE_ACCESS_LOG": True,
    "AXES_VERBOSE": False,
    "CONTENT_SECURITY_POLICY": {
        "DIRECTIVES": {
            "default-src": NONE,
            "script-src": SELF,
            "style-src": SELF,
            "img-src": SELF,
            "connect-src": SELF,
            "worker-src": SELF,
            "base-uri": NONE,
            "form-action": SELF,
            "frame-ancestors": NONE,
        }
    },
    "X_FRAME_OPTIONS": "DENY",
    "SECURE_REFERRER_POLICY": "same-origin",
    # HSTS for subdomains and in browsers' lists: a hill does not decide that for the other sites of its domain.
    "SILENCED_SYSTEM_CHECKS": ["security.W005", "security.W021"],
    "SESSION_COOKIE_HTTPONLY": True,
    "SESSION_COOKIE_SAMESITE": "Lax",
    "CSRF_COOKIE_HTTPONLY": True,
    "DATA_UPLOAD_MAX_NUMBER_FIELDS": 100,
    "CACHES": {
        "default": {
            "BACKEND": "django.core.cache.backends.locmem.LocMemCache",
            "OPTIONS": {"MAX_ENTRIES": 100_000},  # visitors that are counted
        }
    },
    "NINJA_NUM_PROXIES": 0,  # uvicorn passes on the visitor's address
    "MESSAGE_STORAGE": "django.contrib.messages.storage.session.SessionStorage",
}
