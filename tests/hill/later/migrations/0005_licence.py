"""A column more."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = (("hill", "0004_standings_at_the_end"),)
    operations = (migrations.AddField("Season", "licence", models.CharField(max_length=9, default="MIT")),)
