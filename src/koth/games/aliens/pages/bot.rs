//! A first bot: walks up to prey, and fights what looks weaker.
//!
//! What it is told and may answer stands in `koth.rs`. Print to stderr (`eprintln!`): koth reads
//! stdout.

mod koth;

use koth::*;

struct Mine {
    dice: Dice,
}

impl Bot for Mine {
    fn new(hello: Hello) -> Self {
        let dice = Dice::new(hello.seed);
        Mine { dice }
    }

    /// Life, strength, defense, vision, cleverness: at most 10 together, for each instance.
    fn answer_points(&mut self, question: PointsQuestion) -> PointsAnswer {
        let points = |number: &i64| (*number, vec![3.0, 4.0, 0.0, 3.0, 0.0]);
        PointsAnswer {
            points: question.instances.iter().map(points).collect(),
        }
    }

    fn answer_move(&mut self, question: MoveQuestion) -> MoveAnswer {
        let mut answer = MoveAnswer {
            moves: Default::default(),
        };
        for alien in &question.aliens {
            let (dx, dy) = prey(alien).unwrap_or_else(|| self.anywhere());
            answer.moves.insert(alien.number, towards(dx, dy));
        }
        answer
    }

    fn answer_meet(&mut self, question: MeetQuestion) -> MeetAnswer {
        // Levels are life, strength, defense, vision, cleverness; an enemy's look higher than they are.
        let fights = |one: &Meeting| one.enemy[1] < one.levels[1] && one.enemy[0] < 10;
        let aliens = question.aliens.iter();
        MeetAnswer {
            fights: aliens.map(|one| (one.number, fights(one))).collect(),
        }
    }
}

impl Mine {
    fn anywhere(&mut self) -> (i64, i64) {
        (self.dice.below(3) as i64 - 1, self.dice.below(3) as i64 - 1)
    }
}

/// How far prey in sight is to the east and the south.
fn prey(alien: &Alien) -> Option<(i64, i64)> {
    for (x, column) in alien.fields.iter().enumerate() {
        for (y, letter) in column.chars().enumerate() {
            let (dx, dy) = (x as i64 - alien.sight, y as i64 - alien.sight);
            if "WTEH".contains(letter) && (dx, dy) != (0, 0) {
                return Some((dx, dy));
            }
        }
    }
    None
}

fn towards(dx: i64, dy: i64) -> Move {
    match (dx.signum(), dy.signum()) {
        (-1, -1) => Move::Northwest,
        (0, -1) => Move::North,
        (1, -1) => Move::Northeast,
        (-1, 0) => Move::West,
        (1, 0) => Move::East,
        (-1, 1) => Move::Southwest,
        (0, 1) => Move::South,
        (1, 1) => Move::Southeast,
        _ => Move::Stay,
    }
}

fn main() {
    koth::play::<Mine>();
}
