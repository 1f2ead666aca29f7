"""The tables of a run's database; the command `.schema` in SQLite's shell shows their comments."""

from __future__ import annotations

import functools
import re
import sqlite3
from contextlib import closing

from koth.contest.sqlite_limits import Layout, layout

VERSION = 6
"""The version of the tables below, stored as the database's `user_version`."""

SCHEMA = """
CREATE TABLE entrants (  -- by stage: every extension of the contest begins a new stage
    stage INTEGER NOT NULL, place INTEGER NOT NULL, name TEXT NOT NULL, digest TEXT NOT NULL,
    PRIMARY KEY (stage, place)
);
CREATE TABLE stages (stage INTEGER PRIMARY KEY, size INTEGER NOT NULL  -- seats of a match
);
CREATE TABLE schedule (  -- the matches that were drawn, played or not; seats: places among the stage's entrants
    "match" INTEGER PRIMARY KEY, block INTEGER NOT NULL,
    seed_group INTEGER NOT NULL,  -- matches of one have the same dice
    stage INTEGER NOT NULL, seats TEXT NOT NULL, round INTEGER NOT NULL  -- of the knockout; 0: it counts in the table
);
CREATE TABLE matches (
    "match" INTEGER PRIMARY KEY, block INTEGER NOT NULL, turns INTEGER NOT NULL,
    replay TEXT NOT NULL, digest TEXT NOT NULL,  -- of the text of the replay without its key; empty if there is none
    void INTEGER NOT NULL,  -- tries that failed by the arena's fault
    job TEXT NOT NULL,  -- a digest of everything that the result depends on
    seed_group INTEGER NOT NULL, stage INTEGER NOT NULL
);
CREATE TABLE revealed (seed_group INTEGER PRIMARY KEY  -- one whose replays have their key
);
CREATE TABLE unplayed (  -- matches that failed by the arena's fault, until they are played
    "match" INTEGER PRIMARY KEY, tries INTEGER NOT NULL, reason TEXT NOT NULL, bot TEXT NOT NULL
);
CREATE TABLE alarms (  -- second reports of a match that differed from the first, which counts
    "match" INTEGER NOT NULL, machine TEXT NOT NULL, text TEXT NOT NULL
);
CREATE TABLE scores (  -- of bots, and of the game's own players
    "match" INTEGER NOT NULL, place INTEGER NOT NULL, seat INTEGER, bot TEXT NOT NULL, score REAL NOT NULL,
    PRIMARY KEY ("match", place)  -- seat is null for scores of the game's own players
);
CREATE TABLE faults (
    "match" INTEGER NOT NULL, bot TEXT NOT NULL, kind TEXT NOT NULL, count INTEGER NOT NULL,
    turn INTEGER NOT NULL, text TEXT NOT NULL, ended TEXT NOT NULL,  -- of the first one
    asked BLOB NOT NULL, said BLOB NOT NULL,  -- the messages around it, their beginnings
    PRIMARY KEY ("match", bot, kind)
);
CREATE TABLE moments (  -- details of the first fault of a kind that differ from run to run
    "match" INTEGER NOT NULL, bot TEXT NOT NULL, kind TEXT NOT NULL,
    stderr BLOB NOT NULL, wall REAL NOT NULL, charged REAL NOT NULL,  -- the end of it; seconds of the question
    PRIMARY KEY ("match", bot, kind)
);
CREATE TABLE timings (  -- seconds: to start, and of all questions; memory in bytes
    "match" INTEGER NOT NULL, bot TEXT NOT NULL, start REAL NOT NULL, memory INTEGER NOT NULL,
    questions INTEGER NOT NULL, charged REAL NOT NULL, wall REAL NOT NULL,
    median REAL NOT NULL, worst REAL NOT NULL,  -- charged for a question
    PRIMARY KEY ("match", bot)
);
CREATE TABLE machines ("match" INTEGER PRIMARY KEY, name TEXT NOT NULL);  -- the machine that played a match
CREATE TABLE voids (
    "match" INTEGER NOT NULL, bot TEXT NOT NULL, count INTEGER NOT NULL,  -- tries void because the bot was delayed
    PRIMARY KEY ("match", bot)
);
"""


TABLES = tuple(re.findall(r"CREATE TABLE (\w+)", SCHEMA))


def create(database: sqlite3.Connection) -> None:
    """Create the tables in a new run's database."""
    database.executescript(f"BEGIN; {SCHEMA} PRAGMA user_version = {VERSION}; COMMIT;")


@functools.cache
def tables() -> Layout:
    """Return the tables of a run's database."""
    with closing(sqlite3.connect(":memory:")) as database:
        create(database)
        return layout(database)
