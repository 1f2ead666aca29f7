"""Gold in JSON lines: `{"me": [x, y], "gold": [[x, y], ...]}`, answered by `{"go": "north"}`."""

import numpy as np

from koth.protocol.bot_protocol import Answer, JsonProtocol
from koth.protocol.declared import decode_value, reset_faulty_rows
from koth.protocol.encoded_rows import encode_values
from koth.protocol.shapes import field_schema


class Json:
    """The content of messages: a bot has one unit, so a question has one row."""

    def ask(self, match_info, observations):
        """Return the question's content; `match_info` is the content of the hello."""
        ys, xs = np.nonzero(observations.fields["gold"][0])
        me = [
            int(observations.fields["x"][0, match_info["seat"]]),
            int(observations.fields["y"][0, match_info["seat"]]),
        ]
        return {"me": me, "gold": [[int(x), int(y)] for x, y in zip(xs, ys, strict=True)]}

    def decode(self, match_info, observations, message):
        """Decode the answer in a message."""
        if "go" not in message:
            raise ValueError('an answer must have a "go"')
        answer = Answer.default(observations)
        try:
            answer.fields["move"][0] = decode_value("go", observations.question.answer["move"], message["go"])
        except ValueError as error:
            answer.blame(0, "illegal", str(error))
        return reset_faulty_rows(answer, observations.question)

    def example(self, match_info, observations):
        """Return an answer without a fault, for authors."""
        return {"go": "stay"}

    def encode(self, match_info, observations, fields):
        """Return the answer that `decode` reads as these fields."""
        return {"go": encode_values(observations.question.answer["move"], fields["move"][0])}

    def schema(self, question):
        """Return the JSON Schemas of question and answer."""
        place = {"type": "array", "items": {"type": "integer"}, "minItems": 2, "maxItems": 2}
        answer = {"go": field_schema(question.answer["move"])}
        return {"me": place, "gold": {"type": "array", "items": place}}, answer


def open_json(settings, seats):
    """Make the protocol for one bot in one match."""
    return JsonProtocol(Json())
