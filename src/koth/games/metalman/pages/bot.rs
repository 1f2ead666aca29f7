//! A first bot: runs for the centre, and captures whoever comes within reach.
//!
//! What it is told and may answer stands in `koth.rs`. Print to stderr (`eprintln!`): koth reads
//! stdout.

mod koth;

use koth::*;

const STEPS: [(i64, i64); 4] = [(-1, 0), (0, 1), (1, 0), (0, -1)];

struct Mine {
    hello: Hello,
    /// The map as far as we have seen it: -1 unknown, 0 wall, 1 floor, 2 highground.
    known: Vec<Vec<i64>>,
}

impl Bot for Mine {
    fn new(hello: Hello) -> Self {
        let known = vec![vec![-1; hello.columns as usize]; hello.rows as usize];
        Mine { hello, known }
    }

    fn answer_act(&mut self, question: ActQuestion) -> ActAnswer {
        let enemies = self.look(&question);
        let spotter = place(&question.spotter_location);
        let assassin = place(&question.assasin_location);
        // The spotter moves first. The two must not bump into each other while both live.
        let partner = question.assasin_alive.then(|| assassin);
        let first = self.go(spotter, self.hello.spotter_steps, partner, &enemies);
        let partner = question.spotter_alive.then(|| first.0);
        let second = self.go(assassin, self.hello.assassin_steps, partner, &enemies);
        ActAnswer {
            spotter: Orders {
                moves: first.1,
                direction: turned(&question.spotter_direction),
            },
            assasin: Orders {
                moves: second.1,
                direction: turned(&question.assasin_direction),
            },
        }
    }
}

impl Mine {
    /// Learns the map, and says where enemies stand.
    fn look(&mut self, question: &ActQuestion) -> Vec<(i64, i64)> {
        let mut enemies = Vec::new();
        for (r, row) in question.board.iter().enumerate() {
            for (c, square) in row.iter().enumerate() {
                let ground = match square {
                    Square::Ground(ground) => *ground,
                    Square::Enemy(enemy) => {
                        enemies.push((r as i64, c as i64));
                        enemy.square
                    }
                };
                let (below, right) = (question.board.len() - 1 - r, row.len() - 1 - c);
                let ring = r.min(c).min(below).min(right);
                if (ring as i64) < question.circles_collapsed {
                    self.known[r][c] = 0;
                } else if ground != -1 {
                    self.known[r][c] = ground;
                }
            }
        }
        enemies
    }

    /// Where a piece goes, and its steps: onto an enemy if it can, else as near to the centre as it can.
    fn go(
        &self,
        start: (i64, i64),
        most: i64,
        blocked: Option<(i64, i64)>,
        enemies: &[(i64, i64)],
    ) -> ((i64, i64), Vec<Step>) {
        let places = self.reach(start, most, blocked);
        let centre = (self.hello.rows / 2, self.hello.columns / 2);
        let score = |at: (i64, i64)| match enemies.contains(&at) {
            true => -1,
            false => (at.0 - centre.0).abs() + (at.1 - centre.1).abs(),
        };
        let best = places.into_iter().min_by_key(|(at, _)| score(*at));
        best.expect("the start itself can be reached")
    }

    /// All squares within so many steps over known ground, with the steps that lead there.
    fn reach(
        &self,
        start: (i64, i64),
        most: i64,
        blocked: Option<(i64, i64)>,
    ) -> Vec<((i64, i64), Vec<Step>)> {
        let mut found = vec![(start, Vec::new())];
        let mut next = 0;
        while next < found.len() {
            let (at, steps): ((i64, i64), Vec<Step>) = found[next].clone();
            next += 1;
            for (row, column) in STEPS {
                let there = (at.0 + row, at.1 + column);
                let new = found.iter().all(|(place, _)| *place != there);
                let free = self.free(there) && Some(there) != blocked;
                if (steps.len() as i64) < most && new && free {
                    let mut longer = steps.clone();
                    longer.push(Step { row, column });
                    found.push((there, longer));
                }
            }
        }
        found
    }

    fn free(&self, (row, column): (i64, i64)) -> bool {
        let line = self.known.get(row as usize);
        let ground = line.and_then(|line| line.get(column as usize));
        ground.map_or(false, |ground| *ground > 0)
    }
}

fn place(at: &Place) -> (i64, i64) {
    (at.row, at.column)
}

/// A quarter turn to the right, to see more in time.
fn turned(direction: &Step) -> Step {
    Step {
        row: direction.column,
        column: -direction.row,
    }
}

fn main() {
    koth::play::<Mine>();
}
