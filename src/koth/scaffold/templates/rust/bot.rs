//! «title»: a first bot, whose answers are legal and drawn at random. Write better ones.

#![allow(dead_code, unused_variables)] // it does not use what it receives yet

mod koth;

use koth::{each, list, object, Dice, Json};

«choices»

/// A bot in one match. koth reads stdout: print to stderr (`eprintln!`).
struct Bot {
    hello: Json,
    dice: Dice,
}

impl koth::Bot for Bot {
    fn new(hello: &Json) -> Self {
        // What holds for the whole match:
        //   «hello»
        let dice = Dice::new(hello["seed"].whole());
        Bot { hello: hello.clone(), dice }
    }

    fn answer(&mut self, name: &str, question: &Json) -> Json {
        match name {
«questions»
            "«name»" => {
                // «about»
                «answer»
            }
«end»
            other => panic!("no question of this game: {}", other),
        }
    }
}

fn main() {
    koth::play::<Bot>();
}
