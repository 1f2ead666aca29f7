"""The tables of a hill: authors, bots and their versions, seasons, matches, ratings, an audit trail."""

from __future__ import annotations

import unicodedata
from datetime import datetime
from typing import ClassVar

from django.contrib.auth.base_user import AbstractBaseUser, BaseUserManager
from django.db import models
from django.utils import timezone

from koth.engine.secret import Key, Secret
from koth.engine.settings import describe_value
from koth.errors import KothError
from koth.game import RANK_BY
from koth.standings.scores import aggregate_of_match
from koth_hill.fields import CharField, FloatField, JSONField, TextField


def _normalize(password: str | None) -> str | None:
    return password and unicodedata.normalize("NFKC", password)


class Author(AbstractBaseUser):
    """A person or program that sends bots, or the host; authors made in the terminal have no password."""

    name = CharField(max_length=40, unique=True)
    is_host = models.BooleanField(default=False)
    """True if the author may use the site's pages for hosts."""
    is_active = models.BooleanField(default=True)
    """True if the author may sign in and send bots; false while suspended."""
    is_deleted = models.BooleanField(default=False)
    """True if the account is deleted: then koth keeps nothing that bots leave for their authors."""
    joined = models.DateTimeField(auto_now_add=True)
    code = CharField(max_length=64, blank=True)
    """The digest of the code on the author's invitation, until the author has set a password with the code."""
    code_until = models.DateTimeField(null=True)
    """The time after which the code is not accepted."""
    served = models.DateTimeField(null=True)
    """The last time at which a runner took a try or a version of the author's out of its queue."""

    objects: ClassVar[BaseUserManager] = BaseUserManager()

    USERNAME_FIELD = "name"
    REQUIRED_FIELDS: ClassVar[list[str]] = []

    class Meta:
        ordering = ("name",)

    def set_password(self, raw_password: str | None) -> None:
        """Store a password in one form of Unicode, whatever keyboard or system typed it."""
        super().set_password(_normalize(raw_password))

    def check_password(self, raw_password: str) -> bool:
        """Return whether a password is the author's."""
        return super().check_password(_normalize(raw_password))

    def own_name(self, bot: str) -> str:
        """Return the author's name for the author's bot that the hill calls `bot`."""
        return bot.removeprefix(f"{self.name}/")

    def lock_row(self) -> bool:
        """Lock the author's row until the transaction ends; return whether the author may act.

        Code that changes several rows of an author locks the author first, so that no two transactions deadlock.
        """
        return any(author.is_active for author in Author.objects.select_for_update().filter(pk=self.pk))

    def lock(self) -> None:
        """Lock the author's row until the transaction ends, so that limits hold for simultaneous requests.

        Raises KothError if the author was suspended, or deleted the account, after the request was admitted.
        """
        if not self.lock_row():
            raise KothError("this account is suspended or deleted")


class Season(models.Model):
    """A period of matches under the same rules, with a secret of its own. The newest season is the current one."""

    class State(models.TextChoices):
        OPEN = "open"
        FROZEN = "frozen"
        FINAL = "final"
        PUBLISHED = "published"

    state = CharField(max_length=9, choices=State.choices, default=State.OPEN)
    ruleset = CharField(max_length=100)
    overrides = JSONField()
    game_version = models.IntegerField()
    layout = JSONField()
    """The form of matches, without loading the game: the game's `seats` (fewest, most), `group` (bots
    in a match by default), `aggregate` and `seats_alike`, and `rank_by` of the game or the host.
    """
    package = JSONField()
    """The name and version of the installed package that contains the game."""
    koth = CharField(max_length=40)
    secret = CharField(max_length=32)
    """Hex digits from which all dice of the season follow; revealed when the season is published."""
    commitment = CharField(max_length=64)
    opened = models.DateTimeField(auto_now_add=True)
    closes = models.DateTimeField(null=True)
    """The time after which no bot is accepted, if the host has set one."""
    frozen = models.DateTimeField(null=True)
    published = models.DateTimeField(null=True)
    finalists = JSONField(default=list)
    """The versions that play the final, fixed when its matches are drawn."""
    standings = JSONField(null=True)
    """The standings when the season ended, by versions: names are those of now, as authors may delete accounts."""
    final_matches = models.PositiveIntegerField(null=True)
    """The number of matches of each bot in the season's final."""
    final_knockout = models.PositiveIntegerField(null=True)
    """The number of bots in a knockout that ends the final, if there is one."""
    final_seconds = models.PositiveIntegerField(null=True)
    """The seconds for which the last match of each bot, in each round of the final, is shown before its result; None:
    no match is.
    """
    final_ended = models.DateTimeField(null=True)
    """The time at which the final was over."""

    class Meta:
        ordering = ("pk",)

    @property
    def setting_texts(self) -> list[tuple[str, str]]:
        """The settings that differ from the ruleset's, with their values as text."""
        return [(key, describe_value(value)) for key, value in self.overrides.items()]

    @property
    def closing(self) -> str:
        """The closing time and its effect, in words."""
        if self.closes is None:
            return "has no closing time"
        return f"accepts no bots after {self.closes:%Y-%m-%d %H:%M} UTC"

    def refusal(self, sent: datetime | None = None) -> str:
        """Return why a bot sent at this time (default: now) is not accepted; empty if it is accepted.

        A bot that was sent before the season was frozen is still accepted.
        """
        was_sent_before = sent is not None and self.frozen is not None and sent < self.frozen
        may_play = self.state in (Season.State.FROZEN, Season.State.FINAL) and not self.finalists
        if self.state != Season.State.OPEN and not (may_play and was_sent_before):
            state = "in its final" if self.state == Season.State.FINAL else self.state
            return f"season {self.pk} is {state}: no more bots are accepted"
        if self.closes is not None and (sent or timezone.now()) >= self.closes:
            return f"season {self.pk} closed on {self.closes:%Y-%m-%d at %H:%M} UTC: no more bots are accepted"
        return ""

    @property
    def is_in_final(self) -> bool:
        """Return whether the season's final has begun and the season is not published yet."""
        return self.state == Season.State.FINAL

    @property
    def rank_by(self) -> str:
        """The value that ranks the season's bots: "rating" or "score". Raises KothError for any other value in the
        row.
        """
        if self.layout["rank_by"] not in RANK_BY:
            raise KothError(f"season {self.pk} ranks by neither {' nor '.join(RANK_BY)}")
        return str(self.layout["rank_by"])

    def dice(self, is_final: bool = False) -> Secret:
        """Return the secret from which the dice of the season's matches follow, or of its final's.

        For the final it is mixed with the digests of the bots, so that nobody can know the dice before. Raises
        ValueError.
        """
        secret = Secret.from_hex(self.secret)
        return secret.mix(finalist.digest for finalist in self.find_finalists()) if is_final else secret

    def find_finalists(self) -> list[Version]:
        """Return the versions that play the final, without their archives, by the names of bots."""
        found = Version.objects.filter(pk__in=self.finalists).select_related("bot__author").defer("archive")
        return list(found.order_by("bot__name"))

    @property
    def aggregate(self) -> str:
        """The aggregation of scores, always per match: a hill's bots play different numbers of matches."""
        return aggregate_of_match(str(self.layout["aggregate"]))


class Bot(models.Model):
    """An author's bot, in versions; matches and standings show the bot's name."""

    name = CharField(max_length=40, unique=True)
    author = models.ForeignKey(Author, models.PROTECT, related_name="bots")
    is_boss = models.BooleanField(default=False)
    """True for a sample that the host has set against all: it plays, and has no rank and no final."""

    @property
    def sent_as(self) -> str:
        """The author's name for the bot."""
        return self.author.own_name(self.name)

    class Meta:
        ordering = ("name",)


class Runner(models.Model):
    """A process that serves authors and plays matches, now or earlier: a hill has one at a time."""

    host = CharField(max_length=255)
    pid = models.IntegerField()
    started = models.DateTimeField(auto_now_add=True)
    seen = models.DateTimeField(auto_now_add=True)
    """The last time at which the runner said that it was alive."""
    ended = models.DateTimeField(null=True)
    """The time at which the runner ended; null before."""
    machine = JSONField(null=True)
    """The environment of bots on the runner's machine (`koth_hill.machine`), for the hill's site."""


class Version(models.Model):
    """A bot as it was sent once: received, checked, then played until another version takes its place."""

    class State(models.TextChoices):
        RECEIVED = "received"
        CHECKING = "checking"
        REFUSED = "refused"
        PLAYING = "playing"
        SUPERSEDED = "superseded"
        WITHDRAWN = "withdrawn"
        SUSPENDED = "suspended"

    author = models.ForeignKey(Author, models.PROTECT, related_name="versions")
    bot: models.ForeignKey[Bot | None, Bot] = models.ForeignKey(Bot, models.PROTECT, "versions", null=True)
    """The bot; None, as is the number, until a runner has read the file that was sent to the site."""
    number = models.PositiveIntegerField(null=True)
    """The number of the version, counted from 1 for each bot."""
    name = CharField(max_length=40, blank=True)
    """The name that the author wants for a bot sent to the site; empty: the name in the files."""
    sent = CharField(max_length=255, blank=True)
    """The name of the file that was sent to the site; empty for the terminal's versions."""
    digest = CharField(max_length=64, blank=True)
    entry = CharField(max_length=200, blank=True)
    """The name of the bot among several bots in the same files; empty if the files contain only one bot."""
    file = CharField(max_length=255, blank=True)
    """The name of the bot's folder, or of its only file, in the zip."""
    protocol = CharField(max_length=40, blank=True)
    options = JSONField(default=dict)
    """Options of the bot's protocol, from its manifest."""
    language = CharField(max_length=40, blank=True)
    submitted = models.DateTimeField(auto_now_add=True)
    state = CharField(max_length=10, choices=State.choices, default=State.RECEIVED)
    reason = TextField(blank=True)
    """The reason for the version's state, in words for the author."""
    tries = models.PositiveIntegerField(default=0)
    """The number of runners that ended while they checked the version."""
    disk = models.BigIntegerField(default=0)
    """The bytes of a playing version on a runner's disk: its files, or after the build its copy and classes."""
    is_shared = models.BooleanField(default=False)
    """True if the author shows the sources to everybody; only versions of ended seasons can be shared."""
    archive = models.BinaryField()
    """The sources, as a zip; until a runner has read them, the file that was sent."""

    class Meta:
        ordering = ("pk",)
        constraints = (models.UniqueConstraint(fields=("bot", "number"), name="one_version_of_a_number"),)
        indexes = (models.Index(fields=("state",), name="version_state"),)

    def __str__(self) -> str:
        return self.sent if self.bot_id is None else f"{self.bot.name} {self.number}"


class Match(models.Model):
    """A match of a season. Matches of a `block` have the same bots at changing seats; each has its own dice."""

    class State(models.TextChoices):
        SCHEDULED = "scheduled"
        PLAYING = "playing"
        PLAYED = "played"
        UNPLAYED = "unplayed"
        VOID = "void"

    season = models.ForeignKey(Season, models.PROTECT, related_name="matches")
    round = models.PositiveSmallIntegerField(null=True)
    """0 for a match of the season's final, from 1 the round of the final's knockout; None for all other matches."""
    block = models.BigIntegerField(null=True)
    """The number of the block's first match."""
    focus = models.ForeignKey(Version, models.PROTECT, related_name="+")
    """The version for which the match was scheduled; the scheduler counts the match for this version's author."""
    scheduled = models.DateTimeField(auto_now_add=True)
    state = CharField(max_length=9, choices=State.choices, default=State.SCHEDULED)
    reason = TextField(blank=True)
    """The reason why the match is void or could not be played."""
    tries = models.PositiveIntegerField(default=0)
    """The number of attempts that failed by the arena's fault."""
    job = CharField(max_length=32, blank=True)
    turns = models.PositiveIntegerField(null=True)
    digest = CharField(max_length=64, blank=True)
    """The digest of the text of the replay without the key."""
    has_key = models.BooleanField(default=False)
    """True if the replay contains the key of the match's dice, which a runner writes when the match is over."""
    ended = models.DateTimeField(null=True)

    @property
    def key(self) -> Key:
        """The key of the match's dice: every match has its own."""
        return self.season.dice(self.round is not None).key(self.pk)

    class Meta:
        ordering = ("pk",)
        indexes = (
            models.Index(fields=("season", "state"), name="match_state"),
            models.Index(fields=("ended",), name="match_ended"),
            models.Index(fields=("block",), name="match_block"),
        )


class Seat(models.Model):
    """A version in a match: its score, its numbers of faults by kind, and the first fault of each kind in words."""

    match = models.ForeignKey(Match, models.PROTECT, related_name="seats")
    place = models.PositiveIntegerField()
    version = models.ForeignKey(Version, models.PROTECT, related_name="seats")
    score = FloatField(null=True)
    faults = JSONField(default=dict)
    """By kind: `count`, and `turn` and `text` of the first fault."""
    moments = JSONField(default=dict)
    """For the author, by kind: the messages around the first fault and the end of stderr in base64, and the seconds.
    """

    class Meta:
        ordering = ("match", "place")
        constraints = (models.UniqueConstraint(fields=("match", "place"), name="one_version_at_a_seat"),)

    @property
    def name(self) -> str:
        """The bot's name in the match."""
        return self.version.bot.name


class Fit(models.Model):
    """A fit of ratings or scores to the matches of a season, or of its final, for all versions that had played."""

    season = models.ForeignKey(Season, models.PROTECT, related_name="fits")
    is_final = models.BooleanField(default=False)
    """True for the matches of the season's final, without the knockout."""
    at = models.DateTimeField(auto_now_add=True)
    matches = models.PositiveIntegerField()
    """The number of matches that the fit used."""
    voids = models.PositiveIntegerField(default=0)
    """The number of played matches that were void at that time."""

    class Meta:
        ordering = ("pk",)


class Rating(models.Model):
    """The score of a version in one fit, and its rating if the season ranks by rating."""

    fit = models.ForeignKey(Fit, models.CASCADE, related_name="ratings")
    version = models.ForeignKey(Version, models.PROTECT, related_name="ratings")
    rating = FloatField(null=True)
    margin = FloatField(null=True)
    """Half the width of the 95 % interval of the ranking value; None with too few matches for an interval."""
    score = FloatField()
    """The contest's own score."""
    played = models.PositiveIntegerField()
    """The number of matches that the version had played."""
    groups = models.PositiveIntegerField()
    """The number of groups of bots in which the version played these matches."""

    class Meta:
        ordering = ("pk",)


class Try(models.Model):
    """A match or a comparison that an author asks for; it counts for nothing."""

    class Kind(models.TextChoices):
        MATCH = "try"
        COMPARE = "compare"

    class State(models.TextChoices):
        WAITING = "waiting"
        RUNNING = "running"
        OVER = "over"

    author = models.ForeignKey(Author, models.PROTECT, related_name="tries")
    name = CharField(max_length=40)
    """The name that the bot will have."""
    file = CharField(max_length=255, blank=True)
    """The name of the file that would be sent; empty for a version that was sent."""
    version = models.ForeignKey(Version, models.PROTECT, null=True, related_name="+")
    """The author's version that is tried; None for a bot that is written on the site."""
    kind = CharField(max_length=7, choices=Kind.choices, default=Kind.MATCH)
    """One match, or a comparison with the version that plays."""
    rivals = JSONField(default=list)
    """The versions against which the try is tried; if empty, samples."""
    again = models.ForeignKey(Seat, models.SET_NULL, null=True, related_name="+")
    """The author's seat in a match that is played again with the try in it: the same dice, seats and rivals."""
    asked = models.DateTimeField(auto_now_add=True)
    state = CharField(max_length=7, choices=State.choices, default=State.WAITING)
    now = JSONField(null=True)
    """The try's state, as the page of `koth dev` shows it (`koth.viewer.workbench.Now`)."""
    protocol = CharField(max_length=40, blank=True)
    options = JSONField(default=dict)
    """The options of the bot's protocol, for the messages of the match."""
    data = models.BinaryField()
    """The content of the file; empty except in the latest attempt of a name. The last column."""

    class Meta:
        ordering = ("pk",)
        indexes = (models.Index(fields=("state",), name="try_state"),)


class Token(models.Model):
    """A key that lets programs act for an author; only its digest is kept."""

    author = models.ForeignKey(Author, models.CASCADE, related_name="tokens")
    name = CharField(max_length=40)
    digest = CharField(max_length=64, unique=True)
    made = models.DateTimeField(auto_now_add=True)
    used = models.DateTimeField(null=True)

    class Meta:
        ordering = ("pk",)


class Policy(models.Model):
    """The hill's name and texts, and the limits that the host sets on the site; the table has only one row."""

    title = CharField(max_length=80, blank=True)
    """The name of the hill; empty: the game's title."""
    text = TextField(blank=True)
    """The host's text for the home page; addresses in it become links."""
    announcement = TextField(max_length=400, blank=True)
    """The host's text above every page; addresses in it become links."""
    open_registration = models.BooleanField(default=False)
    uploads_a_day = models.PositiveIntegerField(default=20)
    """The most uploads of an author in 24 hours."""
    largest_upload = models.PositiveIntegerField(default=4 << 20)
    """The largest size of an upload in bytes."""
    tries_a_day = models.PositiveIntegerField(default=300)
    """The most checks and tries of bots that an author may ask for in 24 hours."""
    visitors_play = models.BooleanField(default=True)
    """True if visitors without an account may play against the leaders."""
    kept_bytes = models.PositiveIntegerField(default=256 << 20)
    """The most bytes of an author's sources and playing copies; above, the oldest unused sources are removed."""


class AuditEntry(models.Model):
    """An action on the hill: the time, the person, the kind, and a text."""

    at = models.DateTimeField(auto_now_add=True)
    actor = CharField(max_length=60)
    action = CharField(max_length=40)
    text = TextField()

    class Meta:
        ordering = ("pk",)
