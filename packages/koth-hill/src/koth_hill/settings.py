"""Django's settings that all hills share.

The hill that a process opens adds its database (`koth_hill.connection`), a site its own settings
(`koth_hill.site_settings`).
"""

from __future__ import annotations

from pathlib import Path

_SITE = Path(__file__).parent / "site"
_SELF = ["'self'"]
_NONE = ["'none'"]
_VALIDATION = "django.contrib.auth.password_validation"

HILL = None
"""The hill of the site."""
SITE_URL = ""
"""The site's address, without a slash at its end."""

DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
USE_TZ = True
TIME_ZONE = "UTC"

INSTALLED_APPS = [
    "django.contrib.contenttypes",  # django.contrib.auth needs it
    "django.contrib.auth",
    "django.contrib.sessions",
    "django.contrib.messages",
    "axes",
    "koth_hill",
]
MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "koth_hill.site.compression.TextCompression",
    "csp.middleware.CSPMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "koth_hill.site.limits.RequestLimits",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "axes.middleware.AxesMiddleware",
]
ROOT_URLCONF = "koth_hill.site.urls"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [_SITE / "templates"],
        "OPTIONS": {
            "builtins": ["koth_hill.site.tags"],
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "koth_hill.site.context.context",
            ],
        },
    }
]
MESSAGE_STORAGE = "django.contrib.messages.storage.session.SessionStorage"
CACHES = {
    "default": {
        "BACKEND": "django.core.cache.backends.locmem.LocMemCache",
        "OPTIONS": {"MAX_ENTRIES": 100_000},  # visitors that are counted
    }
}

# Accounts
AUTH_USER_MODEL = "hill.Author"
AUTHENTICATION_BACKENDS = ["axes.backends.AxesStandaloneBackend", "django.contrib.auth.backends.ModelBackend"]
PASSWORD_HASHERS = ["django.contrib.auth.hashers.Argon2PasswordHasher"]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"{_VALIDATION}.MinimumLengthValidator", "OPTIONS": {"min_length": 10}},
    {"NAME": f"{_VALIDATION}.CommonPasswordValidator"},
    {"NAME": f"{_VALIDATION}.UserAttributeSimilarityValidator", "OPTIONS": {"user_attributes": ["name"]}},
]
PASSWORD_RESET_TIMEOUT = 14 * 24 * 3600  # seconds, of invitations, too
LOGIN_URL = "sign-in"
LOGIN_REDIRECT_URL = "home"
LOGOUT_REDIRECT_URL = "home"
AXES_FAILURE_LIMIT = 10
AXES_COOLOFF_TIME = 0.25  # hours
AXES_LOCKOUT_PARAMETERS = [["username", "ip_address"]]
AXES_CLIENT_IP_CALLABLE = "koth_hill.site.limits.visitor_of"
AXES_USERNAME_FORM_FIELD = "username"
AXES_DISABLE_ACCESS_LOG = True
AXES_VERBOSE = False
AXES_RESET_COOL_OFF_ON_FAILURE_DURING_LOCKOUT = False
AXES_LOCKOUT_TEMPLATE = "locked.html"
LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "loggers": {"axes": {"level": "ERROR"}, "waitress.queue": {"level": "ERROR"}},
}
"""Failed sign-ins are no news for stderr: the host's page of people shows them once they lock anybody. Nor are
requests that wait for a thread."""

# Security
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": _NONE,
        "script-src": _SELF,
        "style-src": _SELF,
        "img-src": _SELF,
        "connect-src": _SELF,
        "worker-src": _SELF,
        "base-uri": _NONE,
        "form-action": _SELF,
        "frame-src": _SELF,  # the board of a final
        "frame-ancestors": _SELF,
    }
}
X_FRAME_OPTIONS = "SAMEORIGIN"
SECURE_REFERRER_POLICY = "same-origin"
# HSTS for subdomains and in browsers' lists: a hill does not decide that for the other sites of its domain. Its own
# pages frame the board of a final.
SILENCED_SYSTEM_CHECKS = ["security.W005", "security.W019", "security.W021"]
SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = "Lax"
CSRF_COOKIE_HTTPONLY = True
DATA_UPLOAD_MAX_NUMBER_FIELDS = 100
NINJA_NUM_PROXIES = 0  # waitress passes on the visitor's address
