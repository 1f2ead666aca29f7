"""The tables of a run's results."""

from __future__ import annotations

import re
import sqlite3

VERSION = 1
"""Of the tables below, in the file's `user_version`."""

SCHEMA = """
CREATE TABLE field (  -- who takes part, by stage: every extension of the contest begins a new one
    stage INTEGER NOT NULL, place INTEGER NOT NULL, name TEXT NOT NULL, digest TEXT NOT NULL,
    PRIMARY KEY (stage, place)
);
CREATE TABLE stages (stage INTEGER PRIMARY KEY, size INTEGER NOT NULL);  -- how many seats a match of it has
CREATE TABLE schedule (  -- the matches that were drawn, played or not; seats: places in the stage's field
    "match" INTEGER PRIMARY KEY, block INTEGER NOT NULL, dice INTEGER NOT NULL, stage INTEGER NOT NULL,
    seats TEXT NOT NULL
);
CREATE TABLE matches (
    "index" INTEGER PRIMARY KEY, block INTEGER NOT NULL, turns INTEGER NOT NULL,
    replay TEXT NOT NULL, digest TEXT NOT NULL,  -- of the replay without its key; empty where there is none
    void INTEGER NOT NULL,  -- tries that failed for the arena's fault
    job TEXT NOT NULL,  -- a digest of all that the result hangs on
    dice INTEGER NOT NULL, stage INTEGER NOT NULL
);
CREATE TABLE told (block INTEGER PRIMARY KEY);  -- dice whose replays have their key
CREATE TABLE aside (  -- matches that failed for the arena's fault, until they are played
    "match" INTEGER PRIMARY KEY, tries INTEGER NOT NULL, reason TEXT NOT NULL, bot TEXT NOT NULL
);
CREATE TABLE alarms (  -- second reports of a match that were not like the first, which counts
    "match" INTEGER NOT NULL, machine TEXT NOT NULL, text TEXT NOT NULL
);
CREATE TABLE scores (
    "match" INTEGER NOT NULL, place INTEGER NOT NULL, seat INTEGER, bot TEXT NOT NULL, score REAL NOT NULL,
    PRIMARY KEY ("match", place)  -- seat is null for who scores without being a bot
);
CREATE TABLE faults (
    "match" INTEGER NOT NULL, bot TEXT NOT NULL, kind TEXT NOT NULL, count INTEGER NOT NULL,
    turn INTEGER NOT NULL, text TEXT NOT NULL, ended TEXT NOT NULL,  -- of the first one
    asked BLOB NOT NULL, said BLOB NOT NULL,  -- the messages around it, their beginnings
    PRIMARY KEY ("match", bot, kind)
);
CREATE TABLE moments (  -- what depends on who was faster, of the first fault of a kind
    "match" INTEGER NOT NULL, bot TEXT NOT NULL, kind TEXT NOT NULL,
    stderr BLOB NOT NULL, wall REAL NOT NULL, charged REAL NOT NULL,  -- the end of it; seconds of the question
    PRIMARY KEY ("match", bot, kind)
);
CREATE TABLE timings (  -- seconds: to start, and of all questions; what is charged counts
    "match" INTEGER NOT NULL, bot TEXT NOT NULL, start REAL NOT NULL, memory INTEGER NOT NULL,
    questions INTEGER NOT NULL, charged REAL NOT NULL, wall REAL NOT NULL, queue REAL NOT NULL,
    median REAL NOT NULL, worst REAL NOT NULL,  -- charged for a question
    PRIMARY KEY ("match", bot)
);
CREATE TABLE questions (  -- with --timings only
    "match" INTEGER NOT NULL, bot TEXT NOT NULL,
    each BLOB NOT NULL,  -- float32 by question: turn, charged, wall, queue; packed by zlib
    PRIMARY KEY ("match", bot)
);
CREATE TABLE machines (  -- where a match was played, and the seconds that a fixed workload took there
    "match" INTEGER PRIMARY KEY, name TEXT NOT NULL, seconds REAL NOT NULL
);
CREATE TABLE voids (
    "match" INTEGER NOT NULL, bot TEXT NOT NULL, count INTEGER NOT NULL,  -- tries that the load on it spoilt
    PRIMARY KEY ("match", bot)
);
"""

TABLES = tuple(re.findall(r"CREATE TABLE (\w+)", SCHEMA))


def create(database: sqlite3.Connection) -> None:
    """Make the tables of a new run."""
    database.executescript(f"BEGIN; {SCHEMA} PRAGMA user_version = {VERSION}; COMMIT;")
