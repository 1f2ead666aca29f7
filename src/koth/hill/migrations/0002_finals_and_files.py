"""Knockouts and early ends of finals, and drafts of several files."""

from __future__ import annotations

from typing import Any

from django.db import migrations, models


def _encode_sources(apps: Any, schema_editor: Any) -> None:
    for draft in apps.get_model("hill", "Draft").objects.exclude(source=""):
        draft.data = draft.source.encode()
        draft.save(update_fields=["data"])


class Migration(migrations.Migration):
    """The migration from the tables before finals with knockouts."""

    dependencies = (("hill", "0001_initial"),)
    operations = (
        migrations.AddField("season", "final_knockout", models.PositiveIntegerField(null=True)),
        migrations.AddField("season", "final_ends", models.BooleanField(default=False)),
        migrations.AddField("draft", "data", models.BinaryField(default=b""), preserve_default=False),
        migrations.RunPython(_encode_sources, migrations.RunPython.noop),
        migrations.RemoveField("draft", "source"),
    )
