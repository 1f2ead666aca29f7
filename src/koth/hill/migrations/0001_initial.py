"""The tables of the first koth."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.db import migrations, models
from django.db.migrations.operations import AddConstraint, AddField, AddIndex
from django.db.models.deletion import CASCADE, PROTECT

from koth.hill import fields

AUTHOR = settings.AUTH_USER_MODEL


def _table(name: str, /, *, ordering: tuple[str, ...] = ("pk",), **columns: Any) -> migrations.CreateModel:
    number = models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")
    options = {"ordering": ordering} if ordering else {}
    return migrations.CreateModel(name, [("id", number), *columns.items()], options)


def _state(states: str, most: int) -> fields.CharField:
    """Return the column of a state, of these words: the first one to begin with."""
    words = states.split()
    return fields.CharField(choices=[(word, word.title()) for word in words], default=words[0], max_length=most)


def _key(to: str, name: str | None = None, on_delete: Any = PROTECT, **options: Any) -> models.ForeignKey[Any, Any]:
    return models.ForeignKey(to, on_delete, related_name=name, **options)


class Migration(migrations.Migration):
    """All tables."""

    initial = True
    operations = (
        _table(
            "Author",
            ordering=("name",),
            password=models.CharField(max_length=128, verbose_name="password"),
            last_login=models.DateTimeField(blank=True, null=True, verbose_name="last login"),
            name=fields.CharField(max_length=40, unique=True),
            is_host=models.BooleanField(default=False),
            is_active=models.BooleanField(default=True),
            is_deleted=models.BooleanField(default=False),
            joined=models.DateTimeField(auto_now_add=True),
            code=fields.CharField(blank=True, max_length=64),
            code_until=models.DateTimeField(null=True),
        ),
        _table(
            "Announcement",
            ordering=("-pk",),
            at=models.DateTimeField(auto_now_add=True),
            text=fields.TextField(),
        ),
        _table(
            "AuditEntry",
            at=models.DateTimeField(auto_now_add=True),
            who=fields.CharField(max_length=60),
            what=fields.CharField(max_length=40),
            text=fields.TextField(),
        ),
        _table(
            "Policy",
            ordering=(),
            title=fields.CharField(blank=True, max_length=80),
            text=fields.TextField(blank=True),
            open_registration=models.BooleanField(default=False),
            uploads_a_day=models.PositiveIntegerField(default=20),
            largest_upload=models.PositiveIntegerField(default=10485760),
            trials_a_day=models.PositiveIntegerField(default=10),
            drafts_a_day=models.PositiveIntegerField(default=300),
            visitors_play=models.BooleanField(default=True),
            kept_bytes=models.PositiveIntegerField(default=268435456),
        ),
        _table(
            "Runner",
            ordering=(),
            host=fields.CharField(max_length=255),
            pid=models.IntegerField(),
            started=models.DateTimeField(auto_now_add=True),
            seen=models.DateTimeField(auto_now_add=True),
            ended=models.DateTimeField(null=True),
            machine=fields.JSONField(null=True),
        ),
        _table(
            "Season",
            state=_state("open frozen final published", 9),
            ruleset=fields.CharField(max_length=100),
            overrides=fields.JSONField(),
            game_version=models.IntegerField(),
            layout=fields.JSONField(),
            package=fields.JSONField(),
            koth=fields.CharField(max_length=40),
            secret=fields.CharField(max_length=32),
            commitment=fields.CharField(max_length=64),
            opened=models.DateTimeField(auto_now_add=True),
            closes=models.DateTimeField(null=True),
            frozen=models.DateTimeField(null=True),
            published=models.DateTimeField(null=True),
            finalists=fields.JSONField(default=list),
            final_waits=models.BooleanField(default=False),
            final_matches=models.PositiveIntegerField(null=True),
        ),
        _table(
            "Bot",
            ordering=("name",),
            name=fields.CharField(max_length=40, unique=True),
            licence=fields.CharField(blank=True, max_length=100),
            shows_source=models.BooleanField(default=False),
            author=_key(AUTHOR, "bots"),
        ),
        _table(
            "Match",
            block=models.BigIntegerField(null=True),
            is_challenge=models.BooleanField(default=False),
            why=fields.TextField(),
            scheduled=models.DateTimeField(auto_now_add=True),
            state=_state("scheduled playing played unplayed void", 9),
            reason=fields.TextField(blank=True),
            tries=models.PositiveIntegerField(default=0),
            job=fields.CharField(blank=True, max_length=32),
            turns=models.PositiveIntegerField(null=True),
            digest=fields.CharField(blank=True, max_length=64),
            has_key=models.BooleanField(default=False),
            machine=fields.CharField(blank=True, max_length=255),
            seconds=fields.FloatField(default=0.0),
            ended=models.DateTimeField(null=True),
            author=_key(AUTHOR, "asked", null=True),
            runner=_key("hill.runner", null=True),
            season=_key("hill.season", "matches", null=True),
        ),
        _table(
            "Fit",
            at=models.DateTimeField(auto_now_add=True),
            matches=models.PositiveIntegerField(),
            voids=models.PositiveIntegerField(default=0),
            season=_key("hill.season", "fits"),
        ),
        _table(
            "Token",
            name=fields.CharField(max_length=40),
            digest=fields.CharField(max_length=64, unique=True),
            made=models.DateTimeField(auto_now_add=True),
            used=models.DateTimeField(null=True),
            author=_key(AUTHOR, "tokens", on_delete=CASCADE),
        ),
        _table(
            "Version",
            number=models.PositiveIntegerField(),
            digest=fields.CharField(max_length=64),
            entry=fields.CharField(blank=True, max_length=200),
            file=fields.CharField(max_length=255),
            protocol=fields.CharField(max_length=40),
            options=fields.JSONField(default=dict),
            language=fields.CharField(blank=True, max_length=40),
            submitted=models.DateTimeField(auto_now_add=True),
            state=_state("queued checking refused playing superseded withdrawn suspended", 10),
            reason=fields.TextField(blank=True),
            tries=models.PositiveIntegerField(default=0),
            disk=models.BigIntegerField(default=0),
            archive=models.BinaryField(),
            bot=_key("hill.bot", "versions"),
            runner=_key("hill.runner", null=True),
        ),
        _table(
            "Upload",
            name=fields.CharField(blank=True, max_length=40),
            file=fields.CharField(max_length=255),
            size=models.PositiveIntegerField(),
            received=models.DateTimeField(auto_now_add=True),
            state=_state("waiting reading taken refused", 7),
            reason=fields.TextField(blank=True),
            tries=models.PositiveIntegerField(default=0),
            data=models.BinaryField(),
            author=_key(AUTHOR, "uploads"),
            runner=_key("hill.runner", null=True),
            version=_key("hill.version", null=True),
        ),
        _table(
            "Seat",
            ordering=("match", "place"),
            place=models.PositiveIntegerField(),
            score=fields.FloatField(null=True),
            faults=fields.JSONField(default=dict),
            moments=fields.JSONField(default=dict),
            match=_key("hill.match", "seats"),
            version=_key("hill.version", "seats"),
        ),
        _table(
            "Rating",
            rating=fields.FloatField(null=True),
            margin=fields.FloatField(null=True),
            score=fields.FloatField(),
            played=models.PositiveIntegerField(),
            tables=models.PositiveIntegerField(),
            fit=_key("hill.fit", "ratings", on_delete=CASCADE),
            version=_key("hill.version", "ratings"),
        ),
        _table(
            "Draft",
            name=fields.CharField(max_length=40),
            file=fields.CharField(max_length=255),
            is_check=models.BooleanField(default=False),
            rivals=fields.JSONField(default=list),
            asked=models.DateTimeField(auto_now_add=True),
            state=_state("waiting running over", 7),
            now=fields.JSONField(null=True),
            player=fields.CharField(blank=True, max_length=300),
            protocol=fields.CharField(blank=True, max_length=40),
            options=fields.JSONField(default=dict),
            source=models.TextField(blank=True),
            author=_key(AUTHOR, "drafts"),
        ),
        AddField("match", "focus", _key("hill.version", "+")),
        AddIndex("draft", models.Index(fields=["state"], name="draft_state")),
        AddIndex("version", models.Index(fields=["state"], name="version_state")),
        AddConstraint("version", models.UniqueConstraint(fields=("bot", "number"), name="one_version_of_a_number")),
        AddIndex("upload", models.Index(fields=["state"], name="upload_state")),
        AddConstraint("seat", models.UniqueConstraint(fields=("match", "place"), name="one_version_at_a_seat")),
        AddIndex("match", models.Index(fields=["season", "state"], name="match_state")),
        AddIndex("match", models.Index(fields=["ended"], name="match_ended")),
        AddIndex("match", models.Index(fields=["block"], name="match_block")),
    )
