"""Lines of text, as old contests have them; remove this file if your game needs none, and its line in `protocols`."""

from koth.protocol.lines import LinesProtocol


class SkeletonText(LinesProtocol):
    """Both sides write lines until `go`; the methods turn the content of JSON messages into lines, and back."""

    ready = last = "go"

    def opening(self):
        """Return the first message, which bots answer with `go`."""
        return f"side {self.info['side']}\nseat {self.info['seat']}\ngo"

    def question(self, seen):
        """Return the question of a turn: the places of all bots by seat, and of all gold."""
        bots = [f"bot {x} {y}" for x, y in zip(seen["x"], seen["y"], strict=True)]
        gold = [f"gold {x} {y}" for y, row in enumerate(seen["gold"]) for x, what in enumerate(row) if what == "$"]
        return "\n".join([f"turn {seen['turn']}", *bots, *gold, "go"])

    def parse_line(self, line):
        """Return the way in a line such as `move north`."""
        word, way = line.split()
        if word != "move":
            raise ValueError("an order begins with move")
        return way

    def answer(self, parts):
        """Return the JSON answer of these ways: the last one counts."""
        return {"move": parts[-1] if parts else "stay"}

    def answer_text(self, answer):
        """Return the line that means this JSON answer."""
        return f"move {answer['move']}"

    def closing(self, scores):
        """Return the last message."""
        return f"end\nscore {' '.join(map(str, scores))}\ngo"
