"""The kept parts of a bot's stderr, and their turns."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from koth.session.stderr import MOST_OFFSETS, Stderr, format_turn_offsets, split_by_turn


def told(stderr: Stderr) -> list[tuple[int | None, bytes]]:
    return split_by_turn(stderr.text(), format_turn_offsets(stderr.turn_offsets()))


def test_a_text_is_cut_by_turns() -> None:
    stderr = Stderr(100)
    for turn, data in ((-1, b"starting\n"), (0, b"zero\n"), (3, b"thr"), (3, b"ee\n"), (4, b"four")):
        stderr.add(data, turn)
    assert told(stderr) == [(-1, b"starting\n"), (0, b"zero\n"), (3, b"three\n"), (4, b"four")]


def test_what_is_left_out_keeps_the_turns_of_the_rest() -> None:
    stderr = Stderr(10)
    for turn in range(100):
        stderr.add(b"%04d\n" % turn, turn)
    assert told(stderr) == [
        (0, b"0000\n"),
        (1, b"0001\n\n[... 480 bytes left out ...]\n"),
        (98, b"0098\n"),
        (99, b"0099\n"),
    ]


def test_no_output_gives_no_marks() -> None:
    assert told(Stderr(10)) == []


def test_there_are_only_so_many_marks() -> None:
    stderr = Stderr(1 << 20)
    for turn in range(2 * MOST_OFFSETS):
        stderr.add(b".", turn)
    assert len(stderr.turn_offsets()) == MOST_OFFSETS
    assert [stderr.turn_offsets()[k] for k in (0, 1, -1)] == [
        (0, 0),
        (1, 1),
        (2 * MOST_OFFSETS - 1, 2 * MOST_OFFSETS - 1),
    ]
    assert b"".join(text for _, text in told(stderr)) == stderr.text()


def test_marks_that_make_no_sense_are_none() -> None:
    for offsets in ("", "0", "a b\n", "0 5\n1 2\n", "0 -1\n", "0 99\n"):
        assert split_by_turn(b"hello", offsets) == [(None, b"hello")]
    assert split_by_turn(b"hello", "4 2\n") == [(None, b"he"), (4, b"llo")]


@given(st.lists(st.tuples(st.integers(0, 9), st.binary(min_size=1, max_size=12))), st.integers(1, 30))
def test_every_byte_is_of_its_turn(writes: list[tuple[int, bytes]], kept: int) -> None:
    """Bytes that are kept stand in the piece of the turn in which they came."""
    stderr = Stderr(kept)
    writes = sorted(writes, key=lambda write: write[0])
    for turn, data in writes:
        stderr.add(data, turn)
    all_of_it = b"".join(data for _, data in writes)
    turns = [turn for turn, data in writes for _ in data]
    found = [(turn, byte) for turn, text in told(stderr) for byte in text]
    assert bytes(byte for _, byte in found) == stderr.text()
    head = list(zip(turns, all_of_it, strict=True))[:kept]
    tail = list(zip(turns, all_of_it, strict=True))[kept:][-kept:]
    assert found[: len(head)] == head
    assert found[len(found) - len(tail) :] == tail
