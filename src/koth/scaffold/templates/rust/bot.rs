//! «title»: a first bot, which plays anything that is allowed.
//!
//! This page is all there is to write.
//! What it is told and may answer stands in `koth.rs`. Print to stderr (`eprintln!`): koth reads
//! stdout.

#![allow(dead_code)] // it does not look at what it is told yet

mod koth;

use koth::*;

struct Mine {
    hello: Hello,
    dice: Dice,
}

impl Bot for Mine {
    fn new(hello: Hello) -> Self {
        let dice = Dice::new(hello.seed);
        Mine { hello, dice }
    }
<% for each in asked %>

    /// «each.doc»
    fn «method(each)»(&mut self, «"" if each.units else "_"»question: «each.question.name») -> «each.answer.name» {
        «each.answer.name» {
<% for member in each.answer.members %>
<% if kind(member.shape) == "ByNumber" %>
            «field(member.key)»: question
                .«field(each.units.key)»
                .iter()
                .map(|«unit(each)»| {
                    let answer = «value(member.shape.value, each.example[member.key].values()|first)»;
                    («"%s.%s" % (unit(each), field(each.label)) if each.label else "*" + unit(each)», answer)
                })
                .collect(),
<% else %>
            «field(member.key)»: «value(member.shape, each.example[member.key])»,
<% endif %>
<% endfor %>
        }
    }
<% endfor %>
}

fn main() {
    koth::play::<Mine>();
}
