//! A first bot: walks up to prey, and fights what looks weaker.
//! koth reads stdout: print to stderr (`eprintln!`), which is kept for you.

use std::collections::HashMap;
use std::io;
use std::iter::Peekable;
use std::str::Chars;

const MOVES: [[&str; 3]; 3] =
    [["NORTHWEST", "NORTH", "NORTHEAST"], ["WEST", "STAY", "EAST"], ["SOUTHWEST", "SOUTH", "SOUTHEAST"]];

/// Points for life, strength, defense, vision and cleverness of an instance: at most 10 together.
const POINTS: &str = "[3, 4, 0, 3, 0]";

/// Where an instance goes: `fields[sight][sight]` is where it stands, `fields[sight + 1][sight]` the square to the east.
fn go(number: usize, sight: usize, fields: &[Json]) -> &'static str {
    let towards = |there: usize| 1 + (there > sight) as usize - (there < sight) as usize;
    for (x, column) in fields.iter().enumerate() {
        for (y, letter) in column.text.chars().enumerate() {
            if "WTEH".contains(letter) && (x, y) != (sight, sight) {
                return MOVES[towards(y)][towards(x)];
            }
        }
    }
    MOVES[number % 2 * 2][number % 3] // straight on, each its own way
}

/// Whether an instance wants to fight; each of the enemy's levels may look higher than it is.
fn fights(own: &[Json], enemy: &[Json]) -> bool {
    enemy[1].number() < own[1].number() && enemy[0].number() < 10 // life, strength, defense, vision
}

/// All that is asked at once: an answer for each instance, by its number.
fn answer(question: &Json) -> String {
    let member = |alien: &Json, answer: String| format!(r#""{}": {}"#, alien.members["number"].text, answer);
    let each = |key: &str, answer: fn(&HashMap<String, Json>) -> String| {
        let aliens = question.members["aliens"].items.iter();
        (key.to_string(), aliens.map(|alien| member(alien, answer(&alien.members))).collect::<Vec<_>>())
    };
    let (key, answers) = match question.members["question"].text.as_str() {
        "move" => each("moves", |alien| {
            let (number, sight) = (alien["number"].number() as usize, alien["sight"].number() as usize);
            format!(r#""{}""#, go(number, sight, &alien["fields"].items))
        }),
        "meet" => each("fights", |alien| fights(&alien["levels"].items, &alien["enemy"].items).to_string()),
        _ => {
            let instances = question.members["instances"].items.iter();
            ("points".to_string(), instances.map(|number| format!(r#""{}": {}"#, number.text, POINTS)).collect())
        }
    };
    format!(r#"{{"ask": {}, "{}": {{{}}}}}"#, question.members["ask"].text, key, answers.join(", "))
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
