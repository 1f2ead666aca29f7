//! A first bot: run for the centre, capture whoever comes within reach.
//! koth reads stdout: print to stderr (`eprintln!`), which is kept for you.

use std::collections::{HashMap, HashSet, VecDeque};
use std::io;
use std::iter::Peekable;
use std::str::Chars;

/// A row and a column; a direction is a step: (1, 0) is down.
type Place = (i32, i32);

const STEPS: [Place; 4] = [(-1, 0), (0, 1), (1, 0), (0, -1)];
const UNSEEN: i32 = -1;
const WALL: i32 = 0;

struct Bot {
    reach: (usize, usize),
    centre: Place,
    /// What it has not seen may be open.
    open: HashSet<Place>,
    enemies: HashSet<Place>,
}

impl Bot {
    fn new(hello: &Json) -> Bot {
        let whole = |key: &str| hello.members[key].number();
        let (rows, columns) = (whole("rows"), whole("columns"));
        Bot {
            reach: (whole("spotter_steps") as usize, whole("assassin_steps") as usize),
            centre: (rows / 2, columns / 2),
            open: (0..rows).flat_map(|row| (0..columns).map(move |column| (row, column))).collect(),
            enemies: HashSet::new(),
        }
    }

    /// All that is asked in a turn: what its two pieces do.
    fn answer(&mut self, question: &Json) -> String {
        let told = &question.members;
        self.look(&told["board"].items);
        let home = self.search(self.centre, self.open.len(), None).into_iter().collect();
        // The spotter moves first. While both live they are in each other's way.
        let (spotter, assassin) = (place(&told["spotter location"]), place(&told["assasin location"]));
        let blocked = Some(assassin).filter(|_| told["assasin alive"].text == "true");
        let (end, first) = self.go(spotter, self.reach.0, blocked, &home);
        let blocked = Some(end).filter(|_| told["spotter alive"].text == "true");
        let (_, second) = self.go(assassin, self.reach.1, blocked, &home);
        let spotter = orders(&first, place(&told["spotter direction"]));
        let assassin = orders(&second, place(&told["assasin direction"]));
        format!(r#"{{"ask": {}, "Spotter": {}, "Assasin": {}}}"#, told["ask"].text, spotter, assassin)
    }

    fn look(&mut self, board: &[Json]) {
        self.enemies.clear();
        for (row, line) in board.iter().enumerate() {
            for (column, square) in line.items.iter().enumerate() {
                let place = (row as i32, column as i32);
                let enemy = square.members.get("square"); // {playerId, direction, type, square}
                if enemy.is_some() {
                    self.enemies.insert(place);
                }
                match enemy.unwrap_or(square).number() {
                    UNSEEN => false,
                    WALL => self.open.remove(&place),
                    _ => self.open.insert(place),
                };
            }
        }
    }

    /// The squares within reach, each with the steps to it, the nearest first.
    fn search(&self, from: Place, reach: usize, blocked: Option<Place>) -> Vec<(Place, Vec<Place>)> {
        let (mut found, mut known, mut queue) = (vec![], HashSet::from([from]), VecDeque::from([(from, vec![])]));
        while let Some((place, way)) = queue.pop_front() {
            for step in STEPS {
                let next = (place.0 + step.0, place.1 + step.1);
                if way.len() < reach && self.open.contains(&next) && blocked != Some(next) && known.insert(next) {
                    queue.push_back((next, [way.clone(), vec![step]].concat()));
                }
            }
            found.push((place, way));
        }
        found
    }

    /// The way to an enemy within reach, else towards the centre: its end, and its steps.
    fn go(&self, from: Place, reach: usize, blocked: Option<Place>, home: &HashMap<Place, Vec<Place>>) -> (Place, Vec<Place>) {
        let score = |there: &Place| match self.enemies.contains(there) {
            true => 0,
            false => home.get(there).map_or(usize::MAX, |rest| rest.len() + 1),
        };
        let found = self.search(from, reach, blocked);
        found.into_iter().min_by_key(|(there, _)| score(there)).expect("its own square is there")
    }
}

fn place(pair: &Json) -> Place {
    (pair.items[0].number(), pair.items[1].number())
}

/// These steps, and a look around: a quarter turn clockwise.
fn orders(steps: &[Place], facing: Place) -> String {
    let moves: Vec<String> = steps.iter().map(|(down, right)| format!("[{}, {}]", down, right)).collect();
    format!(r#"{{"moves": [{}], "direction": [{}, {}]}}"#, moves.join(", "), facing.1, -facing.0)
}

fn main() {
    let mut bot = None;
    for line in io::stdin().lines() {
        let message = Json::read(&mut line.expect("koth writes text").chars().peekable());
        if message.members.contains_key("bye") {
            return;
        } else if let Some(hello) = message.members.get("hello") {
            bot = Some(Bot::new(hello)); // what holds for the whole match
            println!("{{\"ready\": true}}");
        } else if let Some(bot) = &mut bot {
            println!("{}", bot.answer(&message));
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
