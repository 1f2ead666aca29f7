"""The announcement beside the hill's other texts; bots without public sources and licences."""

from __future__ import annotations

from typing import Any

from django.db import migrations
from django.utils.text import Truncator

from koth.hill import fields


def _keep_latest(apps: Any, schema_editor: Any) -> None:
    latest = apps.get_model("hill", "Announcement").objects.order_by("pk").last()
    if latest is not None:
        policy, _ = apps.get_model("hill", "Policy").objects.get_or_create()
        policy.announcement = Truncator(latest.text).chars(400)
        policy.save(update_fields=["announcement"])


class Migration(migrations.Migration):
    """The migration from the tables with a row for each announcement."""

    dependencies = (("hill", "0002_finals_and_files"),)
    operations = (
        migrations.AddField("policy", "announcement", fields.TextField(blank=True, max_length=400)),
        migrations.RunPython(_keep_latest, migrations.RunPython.noop),
        migrations.DeleteModel("Announcement"),
        migrations.RemoveField("bot", "licence"),
        migrations.RemoveField("bot", "shows_source"),
    )
