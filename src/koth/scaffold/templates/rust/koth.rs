//! JSON, and the loop of messages between koth and a bot. It need not be changed: the page to write is `bot.rs`.

#![allow(dead_code)] // a bot need not use all of it

use std::io::{self, BufRead, Write};
use std::ops::Index;

/// A bot for one match. `bot.rs` has one.
pub trait Bot {
    fn new(hello: &Json) -> Self;
    fn answer(&mut self, name: &str, question: &Json) -> Json;
}

/// Play one match.
pub fn play<B: Bot>() {
    let mut bot: Option<B> = None;
    for line in io::stdin().lock().lines() {
        let line = line.expect("koth writes UTF-8");
        let message = Reader { text: line.as_bytes(), at: 0 }.value();
        let mut answer = object([("ready", true.into())]);
        if message.find("bye").is_some() {
            return;
        } else if let Some(hello) = message.find("hello") {
            bot = Some(B::new(hello));
        } else {
            answer = bot.as_mut().expect("hello comes first").answer(message["question"].text(), &message);
            if let Json::Object(members) = &mut answer {
                members.push(("ask".to_string(), message["ask"].clone()));
            }
        }
        let mut out = io::stdout();
        writeln!(out, "{}", answer.written()).expect("koth reads on");
        out.flush().expect("koth reads on");
    }
}

/// Dice that follow from a seed, so that a match can be repeated.
pub struct Dice(u64);

impl Dice {
    pub fn new(seed: i64) -> Self {
        Dice(seed as u64)
    }

    /// Draw a whole number from 0 up to `count - 1`.
    pub fn below(&mut self, count: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ (mixed >> 31)) % count as u64) as usize
    }

    /// Draw one of these values.
    pub fn pick<T: Clone + Into<Json>>(&mut self, values: &[T]) -> Json {
        values[self.below(values.len())].clone().into()
    }
}

/// A JSON value, as in `for unit in message["units"].items() { let x = unit["x"].whole(); }`.
#[derive(Debug, Clone, PartialEq)]
pub enum Json {
    /// A number, true, false or null as it is written.
    Word(String),
    Text(String),
    List(Vec<Json>),
    Object(Vec<(String, Json)>),
}

macro_rules! words {
    ($($kind:ty),*) => { $(impl From<$kind> for Json {
        fn from(value: $kind) -> Json {
            Json::Word(value.to_string())
        }
    })* };
}

words!(bool, i32, i64, f64);

impl From<&str> for Json {
    fn from(value: &str) -> Json {
        Json::Text(value.to_string())
    }
}

/// Make a list: `list([Json::from(1), Json::from("N")])`.
pub fn list<const N: usize>(items: [Json; N]) -> Json {
    Json::List(items.into())
}

/// Make an object: `object([("move", Json::from("N"))])`.
pub fn object<const N: usize>(members: [(&str, Json); N]) -> Json {
    Json::Object(members.into_iter().map(|(key, value)| (key.to_string(), value)).collect())
}

/// Make an answer for each unit of a list, by the unit's number.
pub fn each(units: &Json, number: impl Fn(&Json) -> &Json, mut answer: impl FnMut() -> Json) -> Json {
    Json::Object(units.items().iter().map(|unit| (number(unit).written(), answer())).collect())
}

impl Index<&str> for Json {
    type Output = Json;

    fn index(&self, key: &str) -> &Json {
        self.find(key).unwrap_or_else(|| panic!("no {} in {:?}", key, self))
    }
}

impl Json {
    /// The value of a key, if it is there; `message["key"]` is for those that always are, and panics without it.
    pub fn find(&self, key: &str) -> Option<&Json> {
        match self {
            Json::Object(members) => members.iter().find(|(name, _)| name == key).map(|(_, value)| value),
            _ => None,
        }
    }

    /// The items of a list; panics for anything else.
    pub fn items(&self) -> &[Json] {
        match self {
            Json::List(items) => items,
            other => panic!("no list: {:?}", other),
        }
    }

    /// A text without its quotes, or a number, true, false or null as it is written; panics for a list or an object.
    pub fn text(&self) -> &str {
        match self {
            Json::Text(text) | Json::Word(text) => text,
            other => panic!("no text: {:?}", other),
        }
    }

    /// A whole number; panics for anything else.
    pub fn whole(&self) -> i64 {
        self.text().parse().expect("a whole number")
    }

    /// A number with or without decimals; panics for anything else.
    pub fn real(&self) -> f64 {
        self.text().parse().expect("a number")
    }

    /// Whether it is true.
    pub fn truth(&self) -> bool {
        self.text() == "true"
    }

    fn written(&self) -> String {
        let member = |(key, value): &(String, Json)| format!("{}:{}", quoted(key), value.written());
        match self {
            Json::Word(word) => word.clone(),
            Json::Text(text) => quoted(text),
            Json::List(items) => format!("[{}]", items.iter().map(Json::written).collect::<Vec<_>>().join(",")),
            Json::Object(members) => format!("{{{}}}", members.iter().map(member).collect::<Vec<_>>().join(",")),
        }
    }
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

struct Reader<'a> {
    text: &'a [u8],
    at: usize,
}

impl Reader<'_> {
    /// Skip what separates values, and return the next byte.
    fn peek(&mut self) -> u8 {
        while b" ,:\t\r\n".contains(&self.text[self.at]) {
            self.at += 1;
        }
        self.text[self.at]
    }

    fn value(&mut self) -> Json {
        match self.peek() {
            b'{' => Json::Object(self.several(|reader| (reader.string(), reader.value()))),
            b'[' => Json::List(self.several(Reader::value)),
            b'"' => Json::Text(self.string()),
            _ => {
                let start = self.at;
                while self.at < self.text.len() && !b",]} \t\r\n".contains(&self.text[self.at]) {
                    self.at += 1;
                }
                Json::Word(String::from_utf8_lossy(&self.text[start..self.at]).into_owned())
            }
        }
    }

    fn several<T>(&mut self, mut one: impl FnMut(&mut Self) -> T) -> Vec<T> {
        let mut found = Vec::new();
        self.at += 1;
        while !b"]}".contains(&self.peek()) {
            found.push(one(self));
        }
        self.at += 1;
        found
    }

    fn string(&mut self) -> String {
        let mut found = Vec::new();
        self.at += 1;
        while self.text[self.at] != b'"' {
            let mut byte = self.text[self.at];
            if byte == b'\\' {
                self.at += 1;
                byte = match self.text[self.at] {
                    b'n' => b'\n',
                    b't' => b'\t',
                    b'r' => b'\r',
                    b'b' => 8,
                    b'f' => 12,
                    b'u' => {
                        self.at += 4; // koth writes only control characters so
                        u8::from_str_radix(std::str::from_utf8(&self.text[self.at - 1..=self.at]).unwrap(), 16).unwrap()
                    }
                    other => other,
                };
            }
            found.push(byte);
            self.at += 1;
        }
        self.at += 1;
        String::from_utf8(found).expect("koth writes UTF-8")
    }
}
