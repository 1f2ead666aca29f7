"""Writer of replays, which records a match while it is played; docs/how-it-works.md describes the format."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import orjson

from koth.engine.batch import Batch
from koth.engine.contract import find_frame_problem
from koth.engine.plain_data import shorten
from koth.engine.plain_returns import SCORE_WORDS, is_score
from koth.engine.secret import Key
from koth.errors import KothError, choices
from koth.events import own_copy
from koth.files.beneath import change_beneath
from koth.game import (
    FAULT_KINDS,
    FAULTS,
    MOST_SCORES,
    Answers,
    Array,
    Event,
    Game,
    Observations,
    Question,
    state_hash,
)
from koth.replay.arrays import MOST_ENTRIES, difference, pack, split_frame
from koth.replay.gzip_members import LARGEST_MEMBER, LONGEST_LINE, Member, members, read_first_line, write_member
from koth.replay.reader import FORMAT, KEY_EVERY, ReplayError, check_header, digest_of, read_header
from koth.sandbox.failures import check_shortage

FLUSH_EVERY = 8
"""The number of turns after which written data is flushed to the file."""
FAULT_UNITS = {kind: about.of for kind, about in FAULT_KINDS.items()}
"""What koth counts for each kind of fault (`FaultKind.of`), in the order of the fault codes, which begin at 1."""
MOST_STEPS = 64
"""The largest number of recorded steps of a turn; the turn's own frame is always recorded."""


def to_json(value: Any) -> bytes:
    """Return one line of compact JSON with its newline; keys keep their order."""
    return orjson.dumps(value, option=orjson.OPT_SERIALIZE_NUMPY | orjson.OPT_APPEND_NEWLINE)


class Recorder:
    """The writer of one match to `path` while it runs; without `frames` only questions, answers and hashes.

    Until the file is complete, its name ends in `.part`.
    """

    def __init__(self, path: Path, header: Mapping[str, Any], *, frames: bool = True) -> None:
        self.path = path
        self.frames = frames
        self.faults: list[dict[str, int]] = [{} for _ in header["bots"]]
        """For each seat, the number of its units' answers with a fault, by kind."""
        self._part = path.with_name(path.name + ".part")
        self._part.unlink(missing_ok=True)
        self._game = header.get("game", "")
        first = self._encode({"koth": FORMAT, **({} if frames else {"frames": False}), **header})
        self._file: BinaryIO = open(self._part, "x+b")  # noqa: SIM115  (closed by `close`)
        write_member(self._file, first)
        self._member: Member | None = None
        self._values: dict[str, Any] = {}
        self._arrays: dict[str, Array] = {}
        self._asked: dict[str, Array] = {}  # the rows that were asked last, by question
        self._questions: list[dict[str, Any]] = []
        self._steps: list[dict[str, Any]] = []
        self._entries = 0  # of arrays that the next line changes, its steps included

    def _encode(self, line: Mapping[str, Any]) -> bytes:
        """Return a line's text. Raises KothError if readers refuse lines of this length."""
        text = to_json(line)
        if len(text) > LONGEST_LINE:
            words = f"a line of its replay would have {len(text):,} bytes, at most {LONGEST_LINE:,} are read"
            raise KothError(f"{self._game}: {words}: make frames and answers smaller")
        return text

    def add_question(self, observations: Observations, answers: Answers) -> None:
        """Record a question of the current turn, and its answers."""
        record: dict[str, Any] = {"q": (name := observations.question.name)}
        rows = np.column_stack([observations.seat, observations.unit])
        if not np.array_equal(self._asked.get(name, ()), rows):
            record["who"], self._asked[name] = rows.ravel(), rows
        fields = {
            name: pack(answers[name], spec, None if spec.ragged is None else answers[spec.ragged])
            for name, spec in observations.question.answer.items()
        }
        record["a"] = {name: packed for name, packed in fields.items() if packed is not None}
        faults = np.flatnonzero(answers.fault)
        if faults.size:
            record["f"] = np.column_stack([faults, answers.fault[faults]]).ravel().tolist()
            self._count_faults(observations.seat[faults], answers.fault[faults])
        if answers.gone.any():
            record["gone"] = np.flatnonzero(answers.gone[0]).tolist()
        self._questions.append(record)

    def _count_faults(self, seats: Array, codes: Array) -> None:
        for seat, code in zip(seats.tolist(), codes.tolist(), strict=True):
            kind = FAULTS[code]
            self.faults[seat][kind] = self.faults[seat].get(kind, 0) + 1

    @property
    def takes_steps(self) -> bool:
        """True if another step of this turn can be recorded."""
        entries = self._entries + 2 * sum(map(len, self._arrays.values()))  # of this step and of the turn's end
        return self.frames and len(self._steps) < MOST_STEPS and entries <= MOST_ENTRIES

    def add_step(self, frame: Mapping[str, Any]) -> None:
        """Record the frame within a turn, before the next question, unless nothing has changed."""
        change = self._change(frame)
        if change != {"arrays": {}}:
            self._steps.append({"after": len(self._questions), **change})

    def add_frame(self, turn: int, frame: Mapping[str, Any], hash_: str, events: Sequence[Event] = ()) -> None:
        """Record the frame after `turn` turns, with the questions and events since the frame before."""
        if self._member is None:
            self._begin_member(turn, frame)
            return
        line: dict[str, Any] = {"turn": turn, "asks": self._questions}
        if self.frames:
            line.update({"steps": self._steps} if self._steps else {}, **self._change(frame))
            line.update({"events": [event.as_json() for event in events]} if events else {})
        line["hash"] = hash_
        self._write(line)
        if turn % FLUSH_EVERY == 0:
            self._member.flush()
        self._questions, self._steps, self._entries = [], [], 0
        if turn and turn % KEY_EVERY == 0:
            self._begin_member(turn, frame)

    def _change(self, frame: Mapping[str, Any]) -> dict[str, Any]:
        """Return the change from the last frame to `frame`, which becomes the last frame."""
        values, arrays = split_frame(frame)
        changed = {k: v for k, v in values.items() if k not in self._values or _differ(v, self._values[k])}
        changes = {name: difference(array, self._arrays.get(name)) for name, array in arrays.items()}
        dropped = sorted((self._values.keys() - values.keys()) | (self._arrays.keys() - arrays.keys()))
        self._values, self._arrays = values, arrays
        written = {name: change for name, change in changes.items() if change is not None}
        self._count_entries(sum(change["n"] for change in written.values()))
        return {
            **({"dropped": dropped} if dropped else {}),
            **({"values": changed} if changed else {}),
            "arrays": written,
        }

    def _count_entries(self, changed: int) -> None:
        """Count entries of changed arrays. Raises KothError if readers refuse as many."""
        self._entries += changed
        if max(self._entries, sum(map(len, self._arrays.values()))) > MOST_ENTRIES:
            words = f"a turn's frame has arrays of more than {MOST_ENTRIES:,} entries, which no replay holds"
            raise KothError(f"{self._game}: {words}")

    def _write(self, line: Mapping[str, Any]) -> None:
        assert self._member is not None
        if self._member.write(self._encode(line)) > LARGEST_MEMBER:
            words = f"{KEY_EVERY} turns of its replay would have more than {LARGEST_MEMBER:,} bytes"
            raise KothError(f"{self._game}: {words}, which no reader takes: make frames and answers smaller")

    def _begin_member(self, turn: int, frame: Mapping[str, Any]) -> None:
        if self._member is not None:
            self._member.close()
        self._member = Member(self._file)
        self._asked = {}
        line: dict[str, Any] = {"turn": turn}
        if self.frames:
            self._values, self._arrays = split_frame(frame)
            self._count_entries(0)
            line.update(values=self._values, arrays=self._arrays)
        self._write(line)
        self._member.flush()

    def finish(self, result: Mapping[str, Any], key: Key | None = None) -> str:
        """Write the result of a finished match, and the key if given, and give the file its final name.

        Returns the digest of the replay's text without the key.
        """
        if self._member is not None:
            self._member.close()
        write_member(self._file, to_json({"result": result}))
        self._file.seek(0)
        digest = digest_of(self._file.read())
        if key is not None:
            write_member(self._file, _key_line(key))
        os.fsync(self._file.fileno())
        self._file.close()
        self._part.replace(self.path)
        return digest

    def abandon(self) -> None:
        """Remove the file of an unfinished match; keep the file of a finished match."""
        with contextlib.suppress(OSError):  # closing retries writes that failed on a full disk
            self._file.close()
        self._part.unlink(missing_ok=True)


def _differ(new: Any, old: Any) -> bool:
    """Return whether two JSON values differ; 1, 1.0 and True do."""
    return bool(new != old) or repr(new) != repr(old)


def _key_line(key: Key) -> bytes:
    return to_json({"key": str(key)})


def add_key(folder: Path, place: str, key: Key) -> None:
    """Add the key to a replay without one at `place` in a folder, after the matches with the same dice.

    Raises ReplayError if the file can't be written, or is not a replay; then it is not changed.
    """
    path = folder / place
    try:
        with change_beneath(folder, place) as file:
            whole = list(members(file))
            check_header(read_header(file, whole), path)
            if read_first_line(file, *whole[-1]) == _key_line(key).rstrip():
                return
            file.truncate(sum(whole[-1]))  # drop a half-written key
            write_member(file, _key_line(key))
            os.fsync(file.fileno())
    except OSError as error:
        check_shortage(error)
        raise ReplayError(f"{path}: {error.strerror}") from None


def _describe_answers(question: Question) -> dict[str, Any]:
    """Return the part of a declaration that readers of answers need: each sent field's default and names."""
    defaults = {name: question.answer_rows(question.defaults, name)[0].tolist() for name in question.sent_fields}
    return {
        name: {"default": defaults[name], **({"names": list(spec.names)} if spec.names else {})}
        for name, spec in question.sent_fields.items()
    }


class Recording:
    """The recording of a batch of one match: every question, step and turn.

    Created with the batch at its start; the owner calls `record_question` before each answer, and `record_turn` after
    each turn.
    """

    def __init__(self, path: Path, header: Mapping[str, Any], batch: Batch, *, frames: bool = True) -> None:
        infos = [batch.game.match_info(batch.settings, batch.state, 0, seat) for seat in range(batch.seats)]
        seen_by_all = {key for key in infos[0] if len({to_json(info.get(key)) for info in infos}) == 1}
        self._batch = batch
        answers = {name: _describe_answers(question) for name, question in batch.buffers.questions.items()}
        told = {
            "facts": {key: value for key, value in infos[0].items() if key in seen_by_all},
            "answers": answers,
            "spec": batch.game.frame_spec.as_json(),
            "faults": FAULT_UNITS,
        }
        self._recorder = Recorder(path, {**header, **told}, frames=frames)
        self._names: list[str] = [bot["name"] for bot in header["bots"]]
        self.hashes: dict[int, str] = {}
        """Hashes of the states after turns, until a caller removes them."""
        self._shown: Mapping[str, Any] = {}  # at the end of the last turn
        try:
            self._record(0, state_hash(batch.game, batch.state, 0))
        except BaseException:
            self.abandon()
            raise

    def record_turn(self) -> None:
        """Record the frame and the events of a turn that is over."""
        batch = self._batch
        self.hashes[batch.turn] = hash_ = state_hash(batch.game, batch.state, 0)
        self._record(batch.turn, hash_)

    def _frame(self) -> Mapping[str, Any]:
        """Return the frame of the state. Raises KothError for a frame that a replay can't hold."""
        batch = self._batch
        frame = batch.game.frame(batch.settings, batch.state, 0) if self._recorder.frames else {}
        if trouble := find_frame_problem(frame):
            raise KothError(f"{batch.game.name}: {trouble}")
        return frame

    def _record(self, turn: int, hash_: str) -> None:
        """Record the frame after a turn, and the turn's events."""
        batch = self._batch
        before, self._shown = self._shown, own_copy(self._frame())
        events: Sequence[Event] = ()
        if turn and self._recorder.frames:  # without frames nothing is recorded that follows from them
            events = batch.game.events(batch.settings, batch.state, 0, before, self._shown)
            check_kinds(batch.game, events)
        self._recorder.add_frame(turn, self._shown, hash_, events)

    def record_question(self, observations: Observations, answers: Answers) -> None:
        """Record the open question and its answers, before the rules get them."""
        if observations.question.step and self._recorder.takes_steps:
            self._recorder.add_step(self._frame())
        self._recorder.add_question(observations, answers)

    def finish(self, key: Key | None = None) -> str:
        """Record the result of the match. Returns the digest of the replay without its key."""
        faults = zip(self._names, self._recorder.faults, strict=True)
        result = {
            "turns": self._batch.turn,
            "scores": final_scores(self._batch, self._names),
            "faults": {name: dict(sorted(kinds.items())) for name, kinds in faults if kinds},
        }
        return self._recorder.finish(result, key)

    def abandon(self) -> None:
        """Remove the file of an unfinished match; keep the file of a finished match."""
        self._recorder.abandon()


def check_kinds(game: Game, events: Sequence[Event]) -> None:
    """Raise KothError for an event of a kind that the game does not declare: pages would not know it."""
    for event in events:
        if event.kind not in game.event_kinds:
            raise KothError(
                f"{game.name}: an event of kind {event.kind!r}{choices(event.kind, game.event_kinds)}; "
                "`event_kinds` declares them"
            )


def final_scores(batch: Batch, names: Sequence[str]) -> dict[str, float]:
    """Return all scores in a batch of one match: the bots in seat order, then the game's own players."""
    own = batch.game.scores(batch.settings, batch.state)[0].tolist()
    scores = dict(zip(names, own, strict=False)) | batch.game.extra_scores(batch.settings, batch.state, 0)
    if len(own) != len(names) or not all(map(is_score, scores.values())):
        words = f"scores of {len(names)} seats must be {SCORE_WORDS}, not {shorten([*own, *scores.values()])}"
        raise KothError(f"{batch.game.name}: {words}")
    if len(scores) > MOST_SCORES:
        raise KothError(f"{batch.game.name}: a match has {len(scores):,} scores, at most {MOST_SCORES:,} can be kept")
    return scores
