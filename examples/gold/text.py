"""Gold in lines of text: a line with the places of itself and of all gold, answered by N, E, S, W or a dot."""

import numpy as np

from koth.protocol.bot_protocol import Answer, BotProtocol, Fault

LETTERS = "NESW."


class TextProtocol(BotProtocol):
    """The bot receives `side seat`, then the questions `x,y x,y ...`, at last `bye`."""

    handshake = False  # True where a bot must first say that it is ready: then `decode` returns Ready()

    def __init__(self, settings, seats):
        self.observations = None

    def hello(self, match_info):
        """Return the first message, as bytes."""
        self.seat = match_info["seat"]
        return f"{match_info['side']} {self.seat}\n".encode()

    def ask(self, observations):
        """Return a question; `observations` has the rows of this bot."""
        self.observations = observations
        ys, xs = np.nonzero(observations.fields["gold"][0])
        places = [
            (observations.fields["x"][0, self.seat], observations.fields["y"][0, self.seat]),
            *zip(xs, ys, strict=True),
        ]
        return (" ".join(f"{x},{y}" for x, y in places) + "\n").encode()

    def decode(self, message):
        """Return an Answer, a Fault, Reply(bytes) to a line that is not yet one, or Stale() for an old answer."""
        if self.observations is None:
            return Fault("unasked", "an answer to no question", ends=False)
        said = message.strip().decode("utf-8", "backslashreplace")
        if len(said) != 1 or said not in LETTERS:
            return Fault("garbage", f"{said!r:.50} is none of {LETTERS}")
        answer = Answer.default(self.observations)
        answer.fields["move"][0] = LETTERS.index(said)
        self.observations = None
        return answer

    def bye(self):
        return b"bye\n"

    def example(self, number, observations):
        """Return an answer without a fault, for authors."""
        return "."

    def encode_answer(self, number, observations, fields):
        """Return the line for these fields."""
        return LETTERS[fields["move"][0]]
