//! «title»: what a bot is told and may answer, as types, and the loop of messages.
//!
//! Made by `koth new` from the game's declaration. It need not be changed: the page to write is
//! `bot.rs`.

#![allow(dead_code)] // a bot need not use all of it

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::{self, BufRead, Write as _};

/// A bot for one match. `bot.rs` has one.
pub trait Bot {
    /// Made when the match begins.
    fn new(hello: Hello) -> Self;
<% for each in asked %>

    /// «each.doc»
    fn «method(each)»(&mut self, question: «each.question.name») -> «each.answer.name»;
<% endfor %>
}

// --- what is told and answered
<% for shape in named %>

<% for line in doc(shape) %>
/// «line»
<% endfor %>
<% if kind(shape) == "Enum" %>
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum «shape.name» {
<% for value in shape.values %>
    «pascal(value)»,
<% endfor %>
}

impl «shape.name» {
    /// All of them.
    pub const ALL: [«shape.name»; «shape.values|length»] = [
<% for value in shape.values %>
        «shape.name»::«pascal(value)»,
<% endfor %>
    ];

    /// What it is called in messages.
    pub fn name(self) -> &'static str {
        match self {
<% for value in shape.values %>
            «shape.name»::«pascal(value)» => "«value»",
<% endfor %>
        }
    }
}
<% if shape.name in told %>

impl Read for «shape.name» {
    fn read(json: &Json) -> Self {
        let name = json.text();
        let found = Self::ALL.iter().find(|one| one.name() == name);
        *found.unwrap_or_else(|| panic!("no «shape.name»: {}", name))
    }
}
<% endif %>
<% if shape.name in said %>

impl Write for «shape.name» {
    fn write(&self, out: &mut String) {
        self.name().write(out);
    }
}
<% endif %>
<% elif kind(shape) == "Record" %>
#[derive(Debug, Clone, PartialEq)]
pub struct «shape.name» {
<% for member in shape.members %>
<% if member.doc %>
    /// «sentence(member.doc)»
<% endif %>
    pub «field(member.key)»: «type(member.shape)»,
<% endfor %>
}
<% if shape.name in told %>

impl Read for «shape.name» {
    fn read(json: &Json) -> Self {
        «shape.name» {
<% for member in shape.members %>
            «field(member.key)»: json.«'at(%d)' % loop.index0 if shape.row else 'get("%s")' % member.key»,
<% endfor %>
        }
    }
}
<% endif %>
<% if shape.name in said %>

impl Write for «shape.name» {
    fn write(&self, out: &mut String) {
<% for member in shape.members %>
<% if shape.row %>
        out.push('«"[" if loop.first else ","»');
<% elif not (loop.first and shape.name in answers) %>
        out.push_str("«'{' if loop.first else ','»\"«member.key»\":");
<% else %>
        out.push_str(",\"«member.key»\":");
<% endif %>
        self.«field(member.key)».write(out);
<% endfor %>
        out.push('«"]" if shape.row else "}"»');
    }
}
<% endif %>
<% else %>
#[derive(Debug, Clone, PartialEq)]
pub enum «shape.name» {
<% for case in shape.cases %>
    «pascal(case.key)»(«type(case.shape)»),
<% endfor %>
}
<% for case in shape.cases %>

impl From<«type(case.shape)»> for «shape.name» {
    fn from(value: «type(case.shape)») -> Self {
        «shape.name»::«pascal(case.key)»(value)
    }
}
<% endfor %>
<% if shape.name in told %>

impl Read for «shape.name» {
    fn read(json: &Json) -> Self {
        match json {
<% for case in shape.cases %>
            Json::«pascal(in_json(case.shape))»(_) => «shape.name»::«pascal(case.key)»(Read::read(json)),
<% endfor %>
            other => panic!("no «shape.name»: {:?}", other),
        }
    }
}
<% endif %>
<% if shape.name in said %>

impl Write for «shape.name» {
    fn write(&self, out: &mut String) {
        match self {
<% for case in shape.cases %>
            «shape.name»::«pascal(case.key)»(value) => value.write(out),
<% endfor %>
        }
    }
}
<% endif %>
<% endif %>
<% endfor %>

// --- a match

/// Plays one match, from koth's hello to its goodbye.
pub fn play<B: Bot>() {
    let mut playing: Option<B> = None;
    for line in io::stdin().lock().lines() {
        let message = Json::parse(&line.expect("koth writes UTF-8"));
        if let Some(hello) = message.find("hello") {
            playing = Some(B::new(Read::read(hello)));
            say("{\"ready\":true}");
        } else if message.find("ask").is_some() {
            let bot = playing.as_mut().expect("hello comes first");
            say(&answer(bot, &message));
        } else {
            return;
        }
    }
}

fn answer<B: Bot>(bot: &mut B, message: &Json) -> String {
    let number: i64 = message.get("ask");
    let mut out = format!("{{\"ask\":{}", number);
    match message.get::<String>("question").as_str() {
<% for each in asked %>
        "«each.name»" => bot.«method(each)»(Read::read(message)).write(&mut out),
<% endfor %>
        other => panic!("no question of this game: {}", other),
    }
    out
}

fn say(line: &str) {
    let mut out = io::stdout();
    writeln!(out, "{}", line).expect("koth reads on");
    out.flush().expect("koth reads on");
}

/// Dice that follow from a seed, so that a match can be played again.
#[derive(Debug, Clone)]
pub struct Dice(u64);

impl Dice {
    pub fn new(seed: i64) -> Self {
        Dice(seed as u64)
    }

    /// A whole number from 0 up to `count - 1`.
    pub fn below(&mut self, count: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ (mixed >> 31)) % count as u64) as usize
    }

    /// One of these, all alike.
    pub fn pick<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.below(of.len())]
    }
}

// --- JSON

/// What is read out of a message.
pub trait Read {
    fn read(json: &Json) -> Self;
}

/// What is written into an answer.
pub trait Write {
    fn write(&self, out: &mut String);
}

/// A JSON value.
#[derive(Debug, Clone, PartialEq)]
pub enum Json {
    Null,
    Boolean(bool),
    Number(String),
    String(String),
    Array(Vec<Json>),
    Object(Vec<(String, Json)>),
}

impl Json {
    pub fn parse(text: &str) -> Json {
        let text = text.as_bytes();
        Reader { text, at: 0 }.value()
    }

    /// The value of a key, if it is there.
    pub fn find(&self, key: &str) -> Option<&Json> {
        match self {
            Json::Object(pairs) => {
                let pair = pairs.iter().find(|(name, _)| name == key);
                pair.map(|(_, value)| value)
            }
            _ => None,
        }
    }

    fn get<T: Read>(&self, key: &str) -> T {
        T::read(self.find(key).unwrap_or(&Json::Null))
    }

    fn at<T: Read>(&self, place: usize) -> T {
        T::read(&self.items()[place])
    }

    fn items(&self) -> &[Json] {
        match self {
            Json::Array(items) => items,
            other => panic!("no list: {:?}", other),
        }
    }

    fn text(&self) -> &str {
        match self {
            Json::String(text) => text,
            other => panic!("no text: {:?}", other),
        }
    }

    fn digits(&self) -> &str {
        match self {
            Json::Number(digits) => digits,
            other => panic!("no number: {:?}", other),
        }
    }
}

struct Reader<'a> {
    text: &'a [u8],
    at: usize,
}

impl Reader<'_> {
    fn peek(&mut self) -> u8 {
        while self.text[self.at].is_ascii_whitespace() {
            self.at += 1;
        }
        self.text[self.at]
    }

    fn value(&mut self) -> Json {
        match self.peek() {
            b'{' => Json::Object(self.several(b'}', |reader| {
                reader.peek();
                let key = reader.string();
                reader.peek();
                reader.at += 1; // the colon
                (key, reader.value())
            })),
            b'[' => Json::Array(self.several(b']', Reader::value)),
            b'"' => Json::String(self.string()),
            _ => self.word(),
        }
    }

    fn several<T>(&mut self, end: u8, mut one: impl FnMut(&mut Self) -> T) -> Vec<T> {
        let mut found = Vec::new();
        self.at += 1;
        while self.peek() != end {
            found.push(one(self));
            if self.peek() == b',' {
                self.at += 1;
            }
        }
        self.at += 1;
        found
    }

    fn word(&mut self) -> Json {
        let start = self.at;
        while self.at < self.text.len() && !b",]} \t\r\n".contains(&self.text[self.at]) {
            self.at += 1;
        }
        match &self.text[start..self.at] {
            b"true" => Json::Boolean(true),
            b"false" => Json::Boolean(false),
            b"null" => Json::Null,
            number => Json::Number(String::from_utf8_lossy(number).into_owned()),
        }
    }

    fn string(&mut self) -> String {
        let mut found = Vec::new();
        loop {
            self.at += 1;
            match self.text[self.at] {
                b'"' => break,
                b'\\' => self.escaped(&mut found),
                byte => found.push(byte),
            }
        }
        self.at += 1;
        String::from_utf8(found).expect("koth writes UTF-8")
    }

    fn escaped(&mut self, found: &mut Vec<u8>) {
        self.at += 1;
        let letter = match self.text[self.at] {
            b'n' => '\n',
            b't' => '\t',
            b'r' => '\r',
            b'b' => '\u{8}',
            b'f' => '\u{c}',
            b'u' => {
                let code = std::str::from_utf8(&self.text[self.at + 1..self.at + 5]).unwrap();
                self.at += 4;
                char::from_u32(u32::from_str_radix(code, 16).unwrap()).unwrap_or('\u{fffd}')
            }
            other => other as char,
        };
        found.extend(letter.to_string().bytes());
    }
}

impl Read for i64 {
    fn read(json: &Json) -> Self {
        json.digits().parse().expect("a whole number")
    }
}

impl Read for f64 {
    fn read(json: &Json) -> Self {
        json.digits().parse().expect("a number")
    }
}

impl Read for bool {
    fn read(json: &Json) -> Self {
        json == &Json::Boolean(true)
    }
}

impl Read for String {
    fn read(json: &Json) -> Self {
        json.text().to_string()
    }
}

impl Read for char {
    fn read(json: &Json) -> Self {
        json.text().chars().next().expect("a letter")
    }
}

impl<T: Read> Read for Vec<T> {
    fn read(json: &Json) -> Self {
        json.items().iter().map(T::read).collect()
    }
}

impl<T: Read> Read for Option<T> {
    fn read(json: &Json) -> Self {
        (json != &Json::Null).then(|| T::read(json))
    }
}

impl<T: Read> Read for BTreeMap<i64, T> {
    fn read(json: &Json) -> Self {
        let one = |(key, value): &(String, Json)| (key.parse().expect("a number"), T::read(value));
        match json {
            Json::Object(pairs) => pairs.iter().map(one).collect(),
            other => panic!("no object: {:?}", other),
        }
    }
}

impl Write for i64 {
    fn write(&self, out: &mut String) {
        write!(out, "{}", self).unwrap();
    }
}

impl Write for f64 {
    fn write(&self, out: &mut String) {
        write!(out, "{}", self).unwrap();
    }
}

impl Write for bool {
    fn write(&self, out: &mut String) {
        write!(out, "{}", self).unwrap();
    }
}

impl Write for str {
    fn write(&self, out: &mut String) {
        out.push('"');
        for letter in self.chars() {
            match letter {
                '"' | '\\' => out.extend(['\\', letter]),
                letter if letter < ' ' => write!(out, "\\u{:04x}", letter as u32).unwrap(),
                letter => out.push(letter),
            }
        }
        out.push('"');
    }
}

impl Write for String {
    fn write(&self, out: &mut String) {
        self.as_str().write(out);
    }
}

impl Write for char {
    fn write(&self, out: &mut String) {
        self.to_string().write(out);
    }
}

impl<T: Write> Write for Vec<T> {
    fn write(&self, out: &mut String) {
        out.push('[');
        for (place, item) in self.iter().enumerate() {
            if place > 0 {
                out.push(',');
            }
            item.write(out);
        }
        out.push(']');
    }
}

impl<T: Write> Write for Option<T> {
    fn write(&self, out: &mut String) {
        match self {
            Some(value) => value.write(out),
            None => out.push_str("null"),
        }
    }
}

impl<T: Write> Write for BTreeMap<i64, T> {
    fn write(&self, out: &mut String) {
        out.push('{');
        for (place, (number, value)) in self.iter().enumerate() {
            if place > 0 {
                out.push(',');
            }
            write!(out, "\"{}\":", number).unwrap();
            value.write(out);
        }
        out.push('}');
    }
}
