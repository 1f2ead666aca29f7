//! A first bot: eats what is next to it, keeps off ghosts, and walks where it has been least.
//! koth reads stdout: print to stderr (`eprintln!`), which is kept for you.

use std::collections::HashMap;
use std::io;

/// What a square is worth by what it shows: pellet, power pellet, fruit, ghost; P: a Pac-Man, X: nothing.
fn worth(letter: char) -> i32 {
    match letter {
        'o' => 10,
        'O' => 50,
        'F' => 100,
        'G' => -1000,
        _ => 0,
    }
}

struct Bot {
    /// For each square, row by row: 1 is a wall in the north, 2 east, 4 south, 8 west.
    walls: Vec<u32>,
    /// The maze is square, and its opposite edges touch.
    side: i32,
    visits: Vec<i32>,
}

impl Bot {
    /// Make a bot that is told a hex digit for each square.
    fn new(walls: &str) -> Bot {
        let walls: Vec<u32> = walls.chars().map(|digit| digit.to_digit(16).expect("a hex digit")).collect();
        let side = (walls.len() as f64).sqrt() as i32;
        Bot { side, visits: vec![0; walls.len()], walls }
    }

    fn square(&self, row: i32, col: i32) -> usize {
        (row.rem_euclid(self.side) * self.side + col.rem_euclid(self.side)) as usize
    }

    /// Where it goes; `seen` has squares as row, column and letter, its own first.
    fn act(&mut self, seen: &[(i32, i32, char)]) -> char {
        let (row, col, _) = seen[0];
        let here = self.square(row, col);
        self.visits[here] += 1;
        let letters: HashMap<usize, char> = seen.iter().map(|&(r, c, letter)| (self.square(r, c), letter)).collect();
        let mut best = ('X', i32::MIN);
        for (bit, (name, down, right)) in [('N', -1, 0), ('E', 0, 1), ('S', 1, 0), ('W', 0, -1)].into_iter().enumerate() {
            let there = self.square(row + down, col + right);
            let score = letters.get(&there).map_or(0, |&letter| worth(letter)) - self.visits[there];
            if self.walls[here] >> bit & 1 == 0 && score > best.1 {
                best = (name, score);
            }
        }
        best.0
    }
}

/// Read a square like `23,70X`.
fn read(word: &str) -> (i32, i32, char) {
    let (place, letter) = word.split_at(word.len() - 1);
    let (row, col) = place.split_once(',').expect("row,col");
    (row.parse().expect("a row"), col.parse().expect("a column"), letter.chars().next().expect("a letter"))
}

fn main() {
    let mut lines = io::stdin().lines().map(|line| line.expect("koth writes text"));
    let mut bot = Bot::new(&lines.next().expect("the walls come first"));
    for line in lines.take_while(|line| line != "Q") {
        let seen: Vec<_> = line.split(' ').map(read).collect();
        println!("{}", bot.act(&seen));
    }
}
