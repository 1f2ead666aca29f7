"""A column more."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = (("hill", "0001_initial"),)
    operations = (migrations.AddField("Season", "licence", models.CharField(max_length=9, default="MIT")),)
