"""Explores: always goes where it has not been for longest, unless a ghost is there."""

import sys

Square = tuple[int, int]
STEPS = {"N": (-1, 0), "E": (0, 1), "S": (1, 0), "W": (0, -1)}
walls = sys.stdin.readline().strip()
side = int(len(walls) ** 0.5)
last_visit: dict[Square, int] = {}


def read(word: str) -> tuple[Square, str]:
    """Return the square and its content of a word like `3,7o`."""
    row, col = word[:-1].split(",")
    return (int(row), int(col)), word[-1]


for turn, line in enumerate(sys.stdin):
    if line.startswith("Q"):
        break
    seen = dict(read(word) for word in line.split())
    me = next(iter(seen))
    last_visit[me] = turn
    ways = []
    for bit, (move, (dr, dc)) in enumerate(STEPS.items()):
        if int(walls[me[0] * side + me[1]], 16) >> bit & 1:
            continue
        there = (me[0] + dr) % side, (me[1] + dc) % side
        beyond = (there[0] + dr) % side, (there[1] + dc) % side
        danger = seen[me] != "G" and "G" in (seen.get(there), seen.get(beyond))
        ways.append((danger, last_visit.get(there, -1), move))
    print(min(ways)[2], flush=True)
