//! A first bot: eats what is next to it, walks on, and keeps off ghosts.
//!
//! What it is told and may answer stands in `koth.rs`. Print to stderr (`eprintln!`): koth reads
//! stdout.

mod koth;

use koth::*;

/// The moves with their steps, in the order of the bits of a wall: rows grow to the south.
const STEPS: [(Move, i64, i64); 4] = [
    (Move::N, -1, 0),
    (Move::E, 0, 1),
    (Move::S, 1, 0),
    (Move::W, 0, -1),
];

struct Mine {
    walls: Vec<char>,
    side: i64,
    dice: Dice,
}

impl Bot for Mine {
    fn new(hello: Hello) -> Self {
        Mine {
            walls: hello.walls.chars().collect(),
            side: hello.side,
            dice: Dice::new(hello.seed),
        }
    }

    fn answer_move(&mut self, question: MoveQuestion) -> MoveAnswer {
        let mut best = (Move::X, 0);
        for (bit, (step, down, right)) in STEPS.into_iter().enumerate() {
            if self.walls_around(&question) >> bit & 1 == 1 {
                continue;
            }
            let row = (question.row + down).rem_euclid(self.side);
            let col = (question.col + right).rem_euclid(self.side);
            let worth = worth(letter_at(&question, row, col));
            let score = 4 * worth + self.dice.below(4);
            if worth > 0 && score >= best.1 {
                best = (step, score);
            }
        }
        MoveAnswer { move_: best.0 }
    }
}

impl Mine {
    /// A bit for each side of our square that is a wall: 1 north, 2 east, 4 south, 8 west.
    fn walls_around(&self, question: &MoveQuestion) -> u32 {
        let place = question.row * self.side + question.col;
        let digit = self.walls[place as usize];
        digit.to_digit(16).expect("a hex digit")
    }
}

fn letter_at(question: &MoveQuestion, row: i64, col: i64) -> char {
    let mut seen = question.seen.iter();
    let found = seen.find(|square| square.row == row && square.col == col);
    found.map_or(' ', |square| square.letter)
}

fn worth(letter: char) -> usize {
    match letter {
        'o' => 10,  // a pellet
        'O' => 50,  // a power pellet
        'F' => 100, // fruit
        'G' => 0,   // a ghost
        _ => 1,     // P another Pac-Man, X nothing, or out of sight
    }
}

fn main() {
    koth::play::<Mine>();
}
