// The memory of a bot: a log of sightings, from which follows what it can remember at any turn.

export class Memory {
  #log = []; // {turn, squares, whats} in the order of turns
  #next = 0; // the first one that is not in `what` and `when` yet
  #now = null;

  upTo = -1; // it is known up to this turn

  constructor(team) {
    this.team = team;
  }

  /** More of the log: squares, and what was seen on each, by turn; `size` squares in all. */
  add({upTo, size, sightings}) {
    this.#log.push(...sightings);
    this.size = size;
    this.upTo = upTo;
    this.#now = null;
  }

  /**
   * `{what, when}`: per square what lay there when it was seen last, and in which turn that began (-1: never seen).
   * Good until another turn is asked for.
   */
  at(turn) {
    if (this.upTo < 0) return null;
    if (this.#now?.turn === turn) return this.#now;
    if (!(this.#now?.turn < turn)) {
      this.#next = 0;
      this.#now = {what: new Int32Array(this.size), when: new Int32Array(this.size).fill(-1)};
    }
    const {what, when} = this.#now;
    for (; this.#next < this.#log.length && this.#log[this.#next].turn <= turn; this.#next++) {
      const {turn: seen, squares, whats} = this.#log[this.#next];
      squares.forEach((square, k) => {
        what[square] = whats[k];
        when[square] = seen;
      });
    }
    this.#now = {what, when, turn};
    return this.#now;
  }
}

/** A bot's mind, reading through a match: it takes down what is new to it. */
export class Mind {
  member = 1; // of the replay, to be read next
  turn = -1; // read up to here
  #what = null;
  #inView = null;

  constructor(team) {
    this.team = team;
  }

  /** What is new in this turn, or null. `content`: a number per square, of what is worth remembering; -1: unknown. */
  see(turn, seen, content) {
    this.turn = turn;
    this.#what ??= new Int32Array(seen.length).fill(-1);
    const known = this.#what;
    const squares = [];
    for (let k = 0; k < seen.length; k++) {
      if (!seen[k]) continue;
      let what = content ? content[k] : 0;
      if (what < 0) what = Math.max(known[k], 0);
      // Who is met again where it was once has come back there: that is news, too.
      if (what === known[k] && (what === 0 || this.#inView?.[k])) continue;
      known[k] = what;
      squares.push(k);
    }
    this.#inView = seen;
    return squares.length ? {turn, squares, whats: squares.map((k) => known[k])} : null;
  }
}
