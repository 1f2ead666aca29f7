"""A first bot: eats what is next to it, walks on, and keeps off ghosts.

What it is told and may answer stands in arena.py. What you print goes to stderr, which koth keeps for you.
"""

import random

import arena

WORTH = {"o": 10.0, "O": 50.0, "F": 100.0, "G": 0.0}  # pellet, power pellet, fruit, ghost; P: a Pac-Man, X: nothing
STEPS: list[tuple[arena.Move, int, int]] = [("N", -1, 0), ("E", 0, 1), ("S", 1, 0), ("W", 0, -1)]


class Mine:
    # A new object is made for every match.

    def __init__(self, hello: arena.Hello) -> None:
        self.walls = hello["walls"]  # a hex digit a square, row by row: 1 north, 2 east, 4 south, 8 west
        self.side = hello["side"]
        self.dice = random.Random(hello["seed"])  # all our luck from here: then a match can be played again

    def answer_move(self, question: arena.MoveQuestion) -> arena.MoveAnswer:
        seen = {(row, col): letter for row, col, letter in question["seen"]}
        row, col = question["row"], question["col"]
        walls = int(self.walls[row * self.side + col], 16)
        best: arena.Move = "X"
        most = 0.0
        for bit, (move, down, right) in enumerate(STEPS):
            if walls >> bit & 1:
                continue
            there = seen.get(((row + down) % self.side, (col + right) % self.side), "?")
            worth = WORTH.get(there, 1.0) + self.dice.random()
            if worth > most:
                best, most = move, worth
        return {"move": best}


arena.play(Mine)
