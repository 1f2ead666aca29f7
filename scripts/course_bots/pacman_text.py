"""A program for Pac-Man's own lines, with side queries and faults by plan: `pacman_text.py WORD@QUESTION ...`."""

import os
import sys
import time

plan = {int(word.partition("@")[2]): word.partition("@")[0] for word in sys.argv[1:]}
walls = sys.stdin.readline().strip()
side = int(len(walls) ** 0.5)
asked = 0
while (line := sys.stdin.readline()) and not line.startswith("Q"):
    asked += 1
    what = plan.get(asked)
    row, col = map(int, line.split()[0][:-1].split(","))
    os.write(1, f"{row},{(col + 1) % side}\n".encode())
    east = sys.stdin.readline().strip()
    sys.stderr.write(f"{asked} {east} {len(line)}\n")
    if what == "hang":
        time.sleep(600)
    elif what == "outside":
        os.write(1, b"999,999\n")
        sys.stderr.write(sys.stdin.readline())
    elif what == "garbage":
        os.write(1, b"north\n")
        continue
    elif what == "exit":
        os._exit(4)
    elif what == "close":
        os.close(1)
        time.sleep(600)
    elif what == "queries":
        os.write(1, f"{row},{col}\n".encode() * 10_001)
    elif what == "half":
        os.write(1, b"N")
        time.sleep(0.1)
        os.write(1, b"\n")
        continue
    os.write(1, b"NESW"[(len(line) + asked + int(east, 16)) % 4 :][:1] + b"\n")
