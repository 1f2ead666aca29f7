// The default speed of a match: slow where much happens, fast through quiet stretches.

const USUAL = 1.1; // seconds a turn at the most on the average, in a short one
const LONGEST = 2.2; // seconds that a turn takes at the most
const QUIET = 12; // turns away from anything that happens
const CALM = 0.2; // how long a turn takes there, as a part of an ordinary one's
const AROUND = 2; // turns before and after a great moment that go slowly, too

export class Tempo {
  whole = 60; // seconds that a long match takes
  #known = -1;
  #lively = [];
  #seconds = null;
  #turns = 0;

  /** `lively[turn]` says how much happens in a turn (0: nothing), as far as it is known; `turns` there are. */
  learn(lively, turns) {
    if (lively.length === this.#known && turns === this.#turns) return;
    this.#known = lively.length;
    this.#lively = lively;
    this.#turns = turns;
    this.#seconds = null;
  }

  /** Turns a second on the way to this turn. */
  at(turn) {
    this.#seconds ??= this.#reckon();
    return 1 / (this.#seconds[Math.min(Math.max(turn, 1), this.#turns)] ?? 1 / 8);
  }

  #reckon() {
    const turns = this.#turns;
    const weights = new Float64Array(turns + 1).fill(CALM);
    for (let turn = 1; turn <= turns; turn++) {
      const much = this.#lively[turn] ?? 0.01;
      if (much <= 0) continue;
      const wide = much >= 4 ? AROUND : 0;
      const weight = 1 + Math.min(much, 8);
      spread(weights, turn, QUIET, 1);
      spread(weights, turn, wide, weight);
    }
    const all = weights.reduce((sum, weight) => sum + weight, 0);
    const unit = Math.min(this.whole, turns * USUAL) / Math.max(all, 1);
    return weights.map((weight) => Math.min(weight * unit, LONGEST));
  }
}

/** At least `weight` from this many turns before to this many after. */
function spread(weights, turn, reach, weight) {
  for (let k = Math.max(turn - reach, 0); k <= Math.min(turn + reach, weights.length - 1); k++) {
    weights[k] = Math.max(weights[k], weight);
  }
}
