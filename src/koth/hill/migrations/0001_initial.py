import django.db.models.deletion
from django.db import migrations, models


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
                ("name", models.CharField(max_length=40, unique=True)),
                ("joined", models.DateTimeField(auto_now_add=True)),
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
                ("who", models.CharField(max_length=60)),
                ("what", models.CharField(max_length=40)),
                ("text", models.TextField()),
            ],
            options={
                "ordering": ("pk",),
            },
        ),
        migrations.CreateModel(
            name="Runner",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("host", models.CharField(max_length=255)),
                ("pid", models.IntegerField()),
                ("started", models.DateTimeField(auto_now_add=True)),
                ("ended", models.DateTimeField(null=True)),
            ],
        ),
        migrations.CreateModel(
            name="Season",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "state",
                    models.CharField(
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
                ("ruleset", models.CharField(max_length=100)),
                ("overrides", models.JSONField()),
                ("game_version", models.IntegerField()),
                ("package", models.JSONField()),
                ("koth", models.CharField(max_length=40)),
                ("secret", models.CharField(max_length=32)),
                ("commitment", models.CharField(max_length=64)),
                ("opened", models.DateTimeField(auto_now_add=True)),
                ("frozen", models.DateTimeField(null=True)),
                ("published", models.DateTimeField(null=True)),
                ("finalists", models.JSONField(default=list)),
            ],
            options={
                "ordering": ("pk",),
            },
        ),
        migrations.CreateModel(
            name="Bot",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("name", models.CharField(max_length=40, unique=True)),
                (
                    "author",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="bots", to="hill.author"
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
                ("block", models.BigIntegerField(null=True)),
                ("why", models.TextField()),
                ("scheduled", models.DateTimeField(auto_now_add=True)),
                (
                    "state",
                    models.CharField(
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
                ("reason", models.TextField(blank=True)),
                ("tries", models.PositiveIntegerField(default=0)),
                ("job", models.CharField(blank=True, max_length=32)),
                ("turns", models.PositiveIntegerField(null=True)),
                ("digest", models.CharField(blank=True, max_length=64)),
                ("has_key", models.BooleanField(default=False)),
                ("machine", models.CharField(blank=True, max_length=255)),
                ("seconds", models.FloatField(default=0.0)),
                ("ended", models.DateTimeField(null=True)),
                (
                    "runner",
                    models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, to="hill.runner"),
                ),
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
            name="Version",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("number", models.PositiveIntegerField()),
                ("digest", models.CharField(max_length=64)),
                ("entry", models.CharField(blank=True, max_length=200)),
                ("archive", models.BinaryField()),
                ("file", models.CharField(max_length=255)),
                ("submitted", models.DateTimeField(auto_now_add=True)),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("queued", "Queued"),
                            ("checking", "Checking"),
                            ("refused", "Refused"),
                            ("playing", "Playing"),
                            ("superseded", "Superseded"),
                            ("withdrawn", "Withdrawn"),
                            ("suspended", "Suspended"),
                        ],
                        default="queued",
                        max_length=10,
                    ),
                ),
                ("reason", models.TextField(blank=True)),
                (
                    "bot",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="versions", to="hill.bot"
                    ),
                ),
                (
                    "runner",
                    models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, to="hill.runner"),
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
                ("score", models.FloatField(null=True)),
                ("faults", models.JSONField(default=dict)),
                (
                    "match",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="seats", to="hill.match"
                    ),
                ),
                (
                    "version",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="seats", to="hill.version"
                    ),
                ),
            ],
            options={
                "ordering": ("match", "place"),
            },
        ),
        migrations.CreateModel(
            name="Rating",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("matches", models.PositiveIntegerField()),
                ("rating", models.FloatField()),
                ("margin", models.FloatField()),
                ("season", models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, to="hill.season")),
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
        migrations.AddConstraint(
            model_name="seat",
            constraint=models.UniqueConstraint(fields=("match", "place"), name="one_version_at_a_seat"),
        ),
        migrations.AddIndex(
            model_name="rating",
            index=models.Index(fields=["season", "matches"], name="rating_after"),
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
