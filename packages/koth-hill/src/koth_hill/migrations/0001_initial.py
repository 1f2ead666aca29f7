"""The tables of a hill, as makemigrations writes them from the models."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

import koth_hill.fields


class Migration(migrations.Migration):
    initial = True

    dependencies = []

    operations = [
        migrations.CreateModel(
            name="Author",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("password", models.CharField(max_length=128, verbose_name="password")),
                ("last_login", models.DateTimeField(blank=True, null=True, verbose_name="last login")),
                ("name", koth_hill.fields.CharField(max_length=40, unique=True)),
                ("is_host", models.BooleanField(default=False)),
                ("is_active", models.BooleanField(default=True)),
                ("is_deleted", models.BooleanField(default=False)),
                ("joined", models.DateTimeField(auto_now_add=True)),
                ("code", koth_hill.fields.CharField(blank=True, max_length=64)),
                ("code_until", models.DateTimeField(null=True)),
                ("served", models.DateTimeField(null=True)),
            ],
            options={
                "ordering": ("name",),
            },
        ),
        migrations.CreateModel(
            name="AuditEntry",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("at", models.DateTimeField(auto_now_add=True)),
                ("actor", koth_hill.fields.CharField(max_length=60)),
                ("action", koth_hill.fields.CharField(max_length=40)),
                ("text", koth_hill.fields.TextField()),
            ],
            options={
                "ordering": ("pk",),
            },
        ),
        migrations.CreateModel(
            name="Policy",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("title", koth_hill.fields.CharField(blank=True, max_length=80)),
                ("text", koth_hill.fields.TextField(blank=True)),
                ("announcement", koth_hill.fields.TextField(blank=True, max_length=400)),
                ("open_registration", models.BooleanField(default=False)),
                ("uploads_a_day", models.PositiveIntegerField(default=20)),
                ("largest_upload", models.PositiveIntegerField(default=4194304)),
                ("tries_a_day", models.PositiveIntegerField(default=300)),
                ("visitors_play", models.BooleanField(default=True)),
                ("kept_bytes", models.PositiveIntegerField(default=268435456)),
            ],
        ),
        migrations.CreateModel(
            name="Runner",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("host", koth_hill.fields.CharField(max_length=255)),
                ("pid", models.IntegerField()),
                ("started", models.DateTimeField(auto_now_add=True)),
                ("seen", models.DateTimeField(auto_now_add=True)),
                ("ended", models.DateTimeField(null=True)),
                ("machine", koth_hill.fields.JSONField(null=True)),
            ],
        ),
        migrations.CreateModel(
            name="Season",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "state",
                    koth_hill.fields.CharField(
                        choices=[
                            ("open", "Open"),
                            ("frozen", "Frozen"),
                            ("final", "Final"),
                            ("published", "Published"),
                        ],
                        default="open",
                        max_length=9,
                    ),
                ),
                ("ruleset", koth_hill.fields.CharField(max_length=100)),
                ("overrides", koth_hill.fields.JSONField()),
                ("game_version", models.IntegerField()),
                ("layout", koth_hill.fields.JSONField()),
                ("package", koth_hill.fields.JSONField()),
                ("koth", koth_hill.fields.CharField(max_length=40)),
                ("secret", koth_hill.fields.CharField(max_length=32)),
                ("commitment", koth_hill.fields.CharField(max_length=64)),
                ("opened", models.DateTimeField(auto_now_add=True)),
                ("closes", models.DateTimeField(null=True)),
                ("frozen", models.DateTimeField(null=True)),
                ("published", models.DateTimeField(null=True)),
                ("finalists", koth_hill.fields.JSONField(default=list)),
                ("standings", koth_hill.fields.JSONField(null=True)),
                ("final_matches", models.PositiveIntegerField(null=True)),
                ("final_knockout", models.PositiveIntegerField(null=True)),
                ("final_seconds", models.PositiveIntegerField(null=True)),
                ("final_ended", models.DateTimeField(null=True)),
            ],
            options={
                "ordering": ("pk",),
            },
        ),
        migrations.CreateModel(
            name="Bot",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("name", koth_hill.fields.CharField(max_length=40, unique=True)),
                ("is_boss", models.BooleanField(default=False)),
                (
                    "author",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="bots", to=settings.AUTH_USER_MODEL
                    ),
                ),
            ],
            options={
                "ordering": ("name",),
            },
        ),
        migrations.CreateModel(
            name="Match",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("round", models.PositiveSmallIntegerField(null=True)),
                ("block", models.BigIntegerField(null=True)),
                ("scheduled", models.DateTimeField(auto_now_add=True)),
                (
                    "state",
                    koth_hill.fields.CharField(
                        choices=[
                            ("scheduled", "Scheduled"),
                            ("playing", "Playing"),
                            ("played", "Played"),
                            ("unplayed", "Unplayed"),
                            ("void", "Void"),
                        ],
                        default="scheduled",
                        max_length=9,
                    ),
                ),
                ("reason", koth_hill.fields.TextField(blank=True)),
                ("tries", models.PositiveIntegerField(default=0)),
                ("job", koth_hill.fields.CharField(blank=True, max_length=32)),
                ("turns", models.PositiveIntegerField(null=True)),
                ("digest", koth_hill.fields.CharField(blank=True, max_length=64)),
                ("has_key", models.BooleanField(default=False)),
                ("ended", models.DateTimeField(null=True)),
                (
                    "season",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="matches", to="hill.season"
                    ),
                ),
            ],
            options={
                "ordering": ("pk",),
            },
        ),
        migrations.CreateModel(
            name="Fit",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("is_final", models.BooleanField(default=False)),
                ("at", models.DateTimeField(auto_now_add=True)),
                ("matches", models.PositiveIntegerField()),
                ("voids", models.PositiveIntegerField(default=0)),
                (
                    "season",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="fits", to="hill.season"
                    ),
                ),
            ],
            options={
                "ordering": ("pk",),
            },
        ),
        migrations.CreateModel(
            name="Seat",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("place", models.PositiveIntegerField()),
                ("score", koth_hill.fields.FloatField(null=True)),
                ("faults", koth_hill.fields.JSONField(default=dict)),
                ("moments", koth_hill.fields.JSONField(default=dict)),
                (
                    "match",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="seats", to="hill.match"
                    ),
                ),
            ],
            options={
                "ordering": ("match", "place"),
            },
        ),
        migrations.CreateModel(
            name="Token",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("name", koth_hill.fields.CharField(max_length=40)),
                ("digest", koth_hill.fields.CharField(max_length=64, unique=True)),
                ("made", models.DateTimeField(auto_now_add=True)),
                ("used", models.DateTimeField(null=True)),
                (
                    "author",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="tokens",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "ordering": ("pk",),
            },
        ),
        migrations.CreateModel(
            name="Version",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("number", models.PositiveIntegerField(null=True)),
                ("name", koth_hill.fields.CharField(blank=True, max_length=40)),
                ("sent", koth_hill.fields.CharField(blank=True, max_length=255)),
                ("digest", koth_hill.fields.CharField(blank=True, max_length=64)),
                ("entry", koth_hill.fields.CharField(blank=True, max_length=200)),
                ("file", koth_hill.fields.CharField(blank=True, max_length=255)),
                ("protocol", koth_hill.fields.CharField(blank=True, max_length=40)),
                ("options", koth_hill.fields.JSONField(default=dict)),
                ("language", koth_hill.fields.CharField(blank=True, max_length=40)),
                ("submitted", models.DateTimeField(auto_now_add=True)),
                (
                    "state",
                    koth_hill.fields.CharField(
                        choices=[
                            ("received", "Received"),
                            ("checking", "Checking"),
                            ("refused", "Refused"),
                            ("playing", "Playing"),
                            ("superseded", "Superseded"),
                            ("withdrawn", "Withdrawn"),
                            ("suspended", "Suspended"),
                        ],
                        default="received",
                        max_length=10,
                    ),
                ),
                ("reason", koth_hill.fields.TextField(blank=True)),
                ("tries", models.PositiveIntegerField(default=0)),
                ("disk", models.BigIntegerField(default=0)),
                ("is_shared", models.BooleanField(default=False)),
                ("archive", models.BinaryField()),
                (
                    "author",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="versions",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "bot",
                    models.ForeignKey(
                        null=True, on_delete=django.db.models.deletion.PROTECT, related_name="versions", to="hill.bot"
                    ),
                ),
            ],
            options={
                "ordering": ("pk",),
            },
        ),
        migrations.CreateModel(
            name="Try",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("name", koth_hill.fields.CharField(max_length=40)),
                ("file", koth_hill.fields.CharField(blank=True, max_length=255)),
                (
                    "kind",
                    koth_hill.fields.CharField(
                        choices=[("try", "Match"), ("compare", "Compare")], default="try", max_length=7
                    ),
                ),
                ("rivals", koth_hill.fields.JSONField(default=list)),
                ("asked", models.DateTimeField(auto_now_add=True)),
                (
                    "state",
                    koth_hill.fields.CharField(
                        choices=[("waiting", "Waiting"), ("running", "Running"), ("over", "Over")],
                        default="waiting",
                        max_length=7,
                    ),
                ),
                ("now", koth_hill.fields.JSONField(null=True)),
                ("protocol", koth_hill.fields.CharField(blank=True, max_length=40)),
                ("options", koth_hill.fields.JSONField(default=dict)),
                ("data", models.BinaryField()),
                (
                    "again",
                    models.ForeignKey(
                        null=True, on_delete=django.db.models.deletion.SET_NULL, related_name="+", to="hill.seat"
                    ),
                ),
                (
                    "author",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="tries", to=settings.AUTH_USER_MODEL
                    ),
                ),
                (
                    "version",
                    models.ForeignKey(
                        null=True, on_delete=django.db.models.deletion.PROTECT, related_name="+", to="hill.version"
                    ),
                ),
            ],
            options={
                "ordering": ("pk",),
            },
        ),
        migrations.AddField(
            model_name="seat",
            name="version",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT, related_name="seats", to="hill.version"
            ),
        ),
        migrations.CreateModel(
            name="Rating",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("rating", koth_hill.fields.FloatField(null=True)),
                ("margin", koth_hill.fields.FloatField(null=True)),
                ("score", koth_hill.fields.FloatField()),
                ("played", models.PositiveIntegerField()),
                ("groups", models.PositiveIntegerField()),
                (
                    "fit",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="ratings", to="hill.fit"
                    ),
                ),
                (
                    "version",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="ratings", to="hill.version"
                    ),
                ),
            ],
            options={
                "ordering": ("pk",),
            },
        ),
        migrations.AddField(
            model_name="match",
            name="focus",
            field=models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name="+", to="hill.version"),
        ),
        migrations.AddIndex(
            model_name="version",
            index=models.Index(fields=["state"], name="version_state"),
        ),
        migrations.AddConstraint(
            model_name="version",
            constraint=models.UniqueConstraint(fields=("bot", "number"), name="one_version_of_a_number"),
        ),
        migrations.AddIndex(
            model_name="try",
            index=models.Index(fields=["state"], name="try_state"),
        ),
        migrations.AddConstraint(
            model_name="seat",
            constraint=models.UniqueConstraint(fields=("match", "place"), name="one_version_at_a_seat"),
        ),
        migrations.AddIndex(
            model_name="match",
            index=models.Index(fields=["season", "state"], name="match_state"),
        ),
        migrations.AddIndex(
            model_name="match",
            index=models.Index(fields=["ended"], name="match_ended"),
        ),
        migrations.AddIndex(
            model_name="match",
            index=models.Index(fields=["block"], name="match_block"),
        ),
    ]
