//! A first bot: keeps away from zombies, and shoots the one that comes too near.
//!
//! What it is told and may answer stands in `koth.rs`. Print to stderr (`eprintln!`): koth reads
//! stdout.

mod koth;

use koth::*;

struct Mine;

impl Bot for Mine {
    fn new(_hello: Hello) -> Self {
        Mine
    }

    fn answer_act(&mut self, question: ActQuestion) -> ActAnswer {
        let decided = |player: &Player| (player.number, decide(player));
        ActAnswer {
            moves: question.players.iter().map(decided).collect(),
        }
    }
}

/// What one player does: dx grows to the east, dy to the south.
fn decide(player: &Player) -> Move {
    let zombies = player.seen.iter().filter(|who| who.name == "Zombie");
    let nearest = match zombies.min_by_key(|zombie| distance(zombie)) {
        Some(zombie) => zombie,
        None => return Step::Stay.into(),
    };
    if distance(nearest) <= 2 && player.bullets > 0 {
        let shoot = Some(Target {
            name: nearest.name.clone(),
            number: nearest.number,
        });
        return Shoot { shoot }.into();
    }
    away(nearest.dx, nearest.dy).into()
}

fn distance(who: &Somebody) -> i64 {
    who.dx.abs().max(who.dy.abs())
}

fn away(dx: i64, dy: i64) -> Step {
    match (dx.signum(), dy.signum()) {
        (1, 1) => Step::Northwest,
        (0, 1) => Step::North,
        (-1, 1) => Step::Northeast,
        (1, 0) => Step::West,
        (-1, 0) => Step::East,
        (1, -1) => Step::Southwest,
        (0, -1) => Step::South,
        (-1, -1) => Step::Southeast,
        _ => Step::Stay,
    }
}

fn main() {
    koth::play::<Mine>();
}
