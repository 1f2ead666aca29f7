// «title»: a first bot, which plays anything that is allowed.
//
// This page is all there is to write.
// What it is told and may answer stands in koth.ts. Print to stderr (console.error): koth reads stdout.

import * as koth from "./koth";

class Mine implements koth.Bot {
  private readonly random: () => number;

  constructor(private readonly hello: koth.Hello) {
    this.random = koth.random(hello.seed); // all our luck from here: then a match can be played again
  }
<% for each in asked %>

  /** «each.doc» */
  «method(each)»(question: koth.«each.question.name»): koth.«each.answer.name» {
<% for member in each.answer.members if kind(member.shape) == "ByNumber" %>
    const «field(member.key)»: koth.«each.answer.name»["«member.key»"] = {};
    for (const «unit(each)» of question.«field(each.units.key)») {
      «field(member.key)»[«unit(each)»«"." + field(each.label) if each.label»] = «value(member.shape.value, each.example[member.key].values()|first)»;
    }
<% endfor %>
    return {
<% for member in each.answer.members %>
      «key(member.key)»: «field(member.key) if kind(member.shape) == "ByNumber" else value(member.shape, each.example[member.key])»,
<% endfor %>
    };
  }
<% endfor %>

  private pick<T>(all: readonly T[]): T {
    return all[Math.floor(this.random() * all.length)];
  }
}

koth.play((hello) => new Mine(hello));
