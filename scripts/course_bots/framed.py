"""A bot that speaks frames, with faults by plan: `python -S framed.py GAME WORD@QUESTION[:VALUE] ...`.

Its answer is the same for each row. A frame is 16 bytes of header (size, number, kind, 0, rows), an array for each
field of the answer, and a fault code for each row.
"""

import os
import struct
import sys
import time

HEADER = struct.Struct("<IIHHI")
ROW = {
    "zombies": {1: [bytes([3]), bytes(4)]},
    "aliens": {1: [struct.pack("<5f", 2, 2, 3, 1, 2)], 2: [bytes([5])], 3: [bytes([0])]},
}
BYE = 0xFFFF


def say(data):
    while data:
        data = data[os.write(1, data) :]


def main():
    game = sys.argv[1]
    plan = {}
    for word in sys.argv[2:]:
        what, _, rest = word.partition("@")
        number, _, value = rest.partition(":")
        plan.setdefault(int(number), []).append((what, float(value or 0)))
    asked = 0
    while len(head := sys.stdin.buffer.read(HEADER.size)) == HEADER.size:
        size, number, kind, _, rows = HEADER.unpack(head)
        sys.stdin.buffer.read(size)
        if kind == BYE:
            break
        if not kind:
            say(HEADER.pack(0, number, kind, 0, rows))
            continue
        asked += 1
        faults = bytearray(rows)
        values = b"".join(field * rows for field in ROW[game][kind])

        def frame(number=number, kind=kind, rows=rows, values=values, faults=faults):
            return HEADER.pack(len(values) + len(faults), number, kind, 0, rows) + values + faults

        pieces, before = 1, b""
        data = None
        for what, value in plan.get(asked, []):
            if what == "late":
                time.sleep(value)
            elif what == "errors":
                faults[::2] = bytes([6]) * len(faults[::2])
            elif what == "no-fault":
                faults[0] = 200
                data = frame()
            elif what == "short":
                data = frame(values=values[:-1])
            elif what == "rows":
                data = frame(rows=rows + 1)
            elif what == "kind":
                data = frame(kind=77)
            elif what == "unasked":
                before = frame(number=number + 1000)
            elif what == "stale":
                before = frame(number=number - 1)
            elif what == "pieces":
                pieces = 5
            elif what == "range":
                data = frame(values=bytes([99]) * len(values))
            elif what == "half":
                say(frame()[:-1])
                os._exit(3)
            elif what == "head":
                say(frame()[:9])
                time.sleep(600)
            elif what == "huge":
                say(HEADER.pack(1 << 30, number, kind, 0, rows) + bytes(1 << 10))
                time.sleep(600)
            elif what == "exit":
                os._exit(7)
            elif what == "close":
                os.close(1)
                time.sleep(600)
            else:
                raise SystemExit(f"no such plan: {what}")
        data = before + (data if data is not None else frame())
        size = -(-len(data) // pieces)
        for start in range(0, len(data), size):
            say(data[start : start + size])
            if pieces > 1:
                time.sleep(0.02)


main()
