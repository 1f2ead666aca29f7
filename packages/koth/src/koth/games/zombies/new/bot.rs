//! A first bot: keep away from zombies, shoot the one that comes too near.
//! koth reads stdout: print to stderr (`eprintln!`), which is kept for you.

use std::collections::HashMap;
use std::io;
use std::iter::Peekable;
use std::str::Chars;

const MOVES: [[&str; 3]; 3] =
    [["NORTHWEST", "NORTH", "NORTHEAST"], ["WEST", "STAY", "EAST"], ["SOUTHWEST", "SOUTH", "SOUTHEAST"]];

/// A zombie in sight, so many squares to the east and to the south.
struct Zombie {
    dx: i32,
    dy: i32,
    number: i32,
}

impl Zombie {
    fn distance(&self) -> i32 {
        self.dx.abs().max(self.dy.abs())
    }
}

/// A move, or a shot at a zombie, of one of your 50 players.
fn act(bullets: i32, zombies: &[Zombie]) -> String {
    match zombies.iter().min_by_key(|zombie| zombie.distance()) {
        None => r#""STAY""#.to_string(),
        Some(near) if near.distance() <= 2 && bullets > 0 => format!(r#"{{"shoot": ["Zombie", {}]}}"#, near.number),
        Some(near) => format!(r#""{}""#, MOVES[(1 - near.dy.signum()) as usize][(1 - near.dx.signum()) as usize]),
    }
}

/// All that is asked in a turn: a move for each player.
fn answer(question: &Json) -> String {
    let moves = question.members["players"].items.iter().map(|player| {
        let seen = player.members["seen"].items.iter().map(|one| &one.items); // [dx, dy, name, number]
        let zombies: Vec<Zombie> = seen
            .filter(|one| one[2].text == "Zombie")
            .map(|one| Zombie { dx: one[0].number(), dy: one[1].number(), number: one[3].number() })
            .collect();
        let chosen = act(player.members["bullets"].number(), &zombies);
        format!(r#""{}": {}"#, player.members["number"].text, chosen)
    });
    let moves = moves.collect::<Vec<_>>().join(", ");
    format!(r#"{{"ask": {}, "moves": {{{}}}}}"#, question.members["ask"].text, moves)
}

fn main() {
    for line in io::stdin().lines() {
        let message = Json::read(&mut line.expect("koth writes text").chars().peekable());
        if message.members.contains_key("bye") {
            return;
        } else if message.members.contains_key("hello") {
            println!("{{\"ready\": true}}"); // message.members["hello"] has what holds for the whole match
        } else {
            println!("{}", answer(&message));
        }
    }
}

// --- JSON: no need to change what is below.

/// A value: a list's items, an object's members, or a text; numbers, true, false and null are texts as they are written.
#[derive(Default)]
struct Json {
    text: String,
    items: Vec<Json>,
    members: HashMap<String, Json>,
}

impl Json {
    /// Read a value of a line of koth's, which has no blanks between values.
    fn read(from: &mut Peekable<Chars>) -> Json {
        let mut value = Json::default();
        match from.next().expect("a value") {
            '"' => {
                while let Some(letter) = from.next().filter(|&letter| letter != '"') {
                    value.text.push(if letter == '\\' { from.next().expect("a letter") } else { letter });
                }
            }
            open @ ('[' | '{') => {
                while from.next_if(|&letter| letter == ']' || letter == '}').is_none() {
                    if open == '{' {
                        let key = Json::read(from).text;
                        from.next(); // the colon
                        value.members.insert(key, Json::read(from));
                    } else {
                        value.items.push(Json::read(from));
                    }
                    from.next_if_eq(&',');
                }
            }
            first => {
                value.text.push(first);
                while let Some(letter) = from.next_if(|&letter| !",]}".contains(letter)) {
                    value.text.push(letter);
                }
            }
        }
        value
    }

    fn number(&self) -> i32 {
        self.text.parse().expect("a whole number")
    }
}
