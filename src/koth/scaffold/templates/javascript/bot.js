// «title»: a first bot, which plays anything that is allowed.
//
// This page is all there is to write.
// What it is told and may answer stands in koth.js. What you print goes to stderr, which koth keeps for you.

const koth = require("./koth.js");

class Mine {
  /** @param {koth.Hello} hello */
  constructor(hello) {
    this.hello = hello;
    this.random = koth.random(hello.seed); // all our luck from here: then a match can be played again
  }
<% for each in asked %>

  /**
   * «each.doc»
   * @param {koth.«each.question.name»} question
   * @returns {koth.«each.answer.name»}
   */
  «method(each)»(question) {
<% for member in each.answer.members if kind(member.shape) == "ByNumber" %>
    /** @type {koth.«each.answer.name»["«member.key»"]} */
    const «field(member.key)» = {};
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

  /**
   * @template T
   * @param {readonly T[]} all
   */
  pick(all) {
    return all[Math.floor(this.random() * all.length)];
  }
}

koth.play((hello) => new Mine(hello));
