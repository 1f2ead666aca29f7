"""A gold bot as a class: `def move(self, x, y, gold)` returns "north" and so on."""

from koth.adapter.kit import ILLEGAL, TimeLeft, find_bot_class, take_note

MOVES = ["north", "east", "south", "west", "stay"]


class Host:
    """Made once a match, with the facts of hello and the bot's module; then `answer` is called for each question."""

    def __init__(self, match_info, module):
        self.seat, self.side, self.seats = match_info["seat"], match_info["side"], len(match_info["names"])
        self.left = TimeLeft(match_info)  # what it has of its bank, and late answers in a row
        self.bot = find_bot_class(
            module, lambda c: hasattr(c, "move"), "a gold bot is one class with a method move"
        )()

    def answer(self, call):
        """`call.observation` and `call.out` are flat arrays by field, rows behind one another; fill `call.out`."""
        self.left.update(call)
        for row in range(call.rows):
            x, y = (call.observation[name][row * self.seats + self.seat] for name in ("x", "y"))
            board = call.observation["gold"][row * self.side**2 : (row + 1) * self.side**2]
            gold = [(place % self.side, place // self.side) for place, sign in enumerate(board) if sign]
            try:
                said = self.bot.move(x, y, gold)
                if said in MOVES:
                    call.out["move"][row] = MOVES.index(said)
                else:
                    call.record_fault(row, ILLEGAL, f"move returned {said!r:.100}")
            except Exception:
                call.record_fault(row)  # the fault `error`, with the exception's words
        take_note(call)  # what the bot left by koth.adapter.kit.note
