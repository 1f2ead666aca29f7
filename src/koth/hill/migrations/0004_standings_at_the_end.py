"""The standings of a season, kept when it ends."""

from __future__ import annotations

from django.db import migrations

from koth.hill import fields


class Migration(migrations.Migration):
    """The migration from the tables without standings of ended seasons."""

    dependencies = (("hill", "0003_one_announcement"),)
    operations = (migrations.AddField("season", "standings", fields.JSONField(null=True)),)
