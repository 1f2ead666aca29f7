"""A bot for every game: JSON lines, and faults by plan: `python -S lines.py WORD@QUESTION[:VALUE] ...`.

Its answers depend on every key of the message, so any change of an observation changes an answer. Only `left` (the
time that is left), `seed` (which depends on the match's number in its contest) and the constants of `LATER` do not
count. It writes a line to stderr for each message: the message's number and digest.
"""

import hashlib
import json
import os
import signal
import sys
import time

LATER = {"pellet_points", "power_points", "fruit_points", "ghost_points", "invincible", "ghost_sight"}
"""Keys of Pac-Man's match info that older checkouts do not send."""
MOVES = {
    "zombies": ["NORTHWEST", "NORTH", "NORTHEAST", "EAST", "STAY", "WEST", "SOUTHEAST", "SOUTH", "SOUTHWEST"],
    "aliens": ["NORTH", "NORTHEAST", "EAST", "SOUTHEAST", "SOUTH", "SOUTHWEST", "WEST", "NORTHWEST", "STAY"],
    "pacman": ["N", "E", "S", "W", "X"],
    "metalman": [[-1, 0], [0, 1], [1, 0], [0, -1]],
}


def dice(seed, *names):
    """Return a whole number that hangs on all of this."""
    return int.from_bytes(hashlib.sha256(repr((seed, names)).encode()).digest()[:6], "big")


def answer(game, message, seed):
    """Return the content of an answer without a fault."""

    def move(*names):
        return MOVES[game][dice(seed, *names) % len(MOVES[game])]

    if game == "zombies":
        moves = {player["number"]: move(player["number"]) for player in message["players"]}
        for player in message["players"]:
            if player["seen"] and player["bullets"] and dice(seed, "shoot", player["number"]) % 4 == 0:
                moves[player["number"]] = {"shoot": player["seen"][0][2:]}
        return {"moves": moves}
    if game == "pacman":
        return {"move": move()}
    if game == "metalman":
        spotter = {"moves": [move("s", i) for i in range(3)], "direction": move("sd")}
        assassin = {"moves": [move("a", i) for i in range(4)], "direction": move("ad")}
        return {"Spotter": spotter, "Assasin": assassin}
    if message["question"] == "points":
        return {"points": {n: [dice(seed, n, i) % 5 / 2 for i in range(5)] for n in message["instances"]}}
    if message["question"] == "move":
        return {"moves": {alien["number"]: move(alien["number"]) for alien in message["aliens"]}}
    return {"fights": {alien["number"]: dice(seed, alien["number"]) % 3 == 0 for alien in message["aliens"]}}


def spoil(content, how):
    """Leave out every other row of an answer, or make nonsense of every other one."""
    for key, rows in list(content.items()):
        if not isinstance(rows, dict) or key == "Spotter":
            content.pop(key)
            if how == "illegal":
                content[key] = "nonsense"
            continue
        for place, name in enumerate(list(rows)):
            if place % 2 == 0:
                rows.pop(name)
                if how == "illegal":
                    rows[name] = "nonsense"
    return content


def say(*data):
    """Write to stdout, all at once."""
    rest = b"".join(data)
    while rest:
        rest = rest[os.write(1, rest) :]


def line(value):
    return json.dumps(value).encode() + b"\n"


def main():
    plan = {}
    for word in sys.argv[1:]:
        what, _, rest = word.partition("@")
        number, _, value = rest.partition(":")
        plan.setdefault(int(number), []).append((what, float(value or 0)))
    game = ""
    for text in sys.stdin:
        message = json.loads(text)
        if "bye" in message:
            break
        told = {key: value for key, value in message.items() if key != "left"}
        if "hello" in told:
            told["hello"] = {key: value for key, value in told["hello"].items() if key not in {"seed", *LATER}}
        seed = hashlib.sha256(json.dumps(told, sort_keys=True).encode()).hexdigest()
        sys.stderr.write(f"{message.get('ask', 'hello')} {seed[:8]}\n")
        if "hello" in message:
            game = message["hello"]["game"]
            say(line({"ready": True}))
            continue
        number = message["ask"]
        content = answer(game, message, seed)
        before = after = b""
        pieces = 1
        for what, value in plan.get(number, []):
            if what in ("late", "bank"):
                time.sleep(value)
            elif what == "garbage":
                say(b"what now?\n")
                content = None
            elif what == "not-utf8":
                say(b'{"ask": \xff\xfe}\n')
                content = None
            elif what == "no-number":
                say(line(content))
                content = None
            elif what in ("missing", "illegal"):
                content = spoil(content, what)
            elif what == "unasked":
                before += line({"ask": number + 1000, **content})
            elif what == "stale":
                before += line({"ask": number - 1, **content})
            elif what == "twice":
                after += line({"ask": number, **content})
            elif what == "note":
                content["note"] = {"seed": seed[:8]}
            elif what == "pieces":
                pieces = 5
            elif what == "half":
                say(line({"ask": number, **content})[:7])
                os._exit(3)
            elif what == "raise":
                raise RuntimeError(f"planned at question {number}")
            elif what == "exit":
                os._exit(7)
            elif what == "kill":
                os.kill(os.getpid(), signal.SIGKILL)
            elif what == "close":
                os.close(1)
                time.sleep(600)
            elif what == "flood":
                say(b"x" * (1 << 19))
                time.sleep(600)
            elif what == "messages":
                say(b'{"ask":99999}\n' * 20_000)
                time.sleep(600)
            elif what == "stderr":
                for _ in range(10):
                    os.write(2, b"y" * (1 << 20))
                time.sleep(600)
            else:
                raise SystemExit(f"no such plan: {what}")
        if content is None:
            continue
        data = before + line({"ask": number, **content}) + after
        size = -(-len(data) // pieces)
        for start in range(0, len(data), size):
            say(data[start : start + size])
            if pieces > 1:
                time.sleep(0.02)


main()
