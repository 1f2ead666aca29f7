// A first bot: run for the centre, capture whoever comes within reach.
//
// What it is told and may answer stands in koth.js. What you print goes to stderr, which koth keeps for you.

const koth = require("./koth.js");

// Squares are [row, column], steps too.
/** @typedef {[number, number]} Pair */

/** @type {Pair[]} */
const STEPS = [[-1, 0], [0, 1], [1, 0], [0, -1]];

class Mine {
  /** @param {koth.Hello} hello */
  constructor(hello) {
    this.hello = hello;
    // The map as far as we have seen it: -1 unknown, 0 wall, 1 floor, 2 highground.
    /** @type {number[][]} */
    this.known = [];
  }

  /**
   * What both pieces do: the spotter first.
   * @param {koth.ActQuestion} state
   * @returns {koth.ActAnswer}
   */
  answerAct(state) {
    const enemies = this.look(state);
    // A dead piece is in nobody's way.
    const partner = state["assasin alive"] ? state["assasin location"] : null;
    const spotter = this.go(state["spotter location"], this.hello.spotter_steps, partner, enemies);
    const stopped = state["spotter alive"] ? spotter.place : null;
    const assassin = this.go(state["assasin location"], this.hello.assassin_steps, stopped, enemies);
    return {
      Spotter: { moves: spotter.steps, direction: turned(state["spotter direction"]) },
      Assasin: { moves: assassin.steps, direction: turned(state["assasin direction"]) },
    };
  }

  /**
   * Remember what is seen of the map; returns where enemies are.
   * @param {koth.ActQuestion} state
   */
  look(state) {
    /** @type {Pair[]} */
    const enemies = [];
    if (!this.known.length) this.known = state.board.map((row) => row.map(() => -1));
    state.board.forEach((row, r) => row.forEach((square, c) => {
      if (typeof square === "object") enemies.push([r, c]);
      const ground = typeof square === "object" ? square.square : square;
      const ring = Math.min(r, c, this.known.length - 1 - r, row.length - 1 - c);
      if (ring < state["circles collapsed"]) this.known[r][c] = 0;
      else if (ground !== -1) this.known[r][c] = ground;
    }));
    return enemies;
  }

  /**
   * All squares within so many steps over known ground, with the steps that lead there.
   * @param {Pair} start
   * @param {number} most
   * @param {Pair | null} blocked
   */
  reach(start, most, blocked) {
    /** @type {Map<string, {place: Pair, steps: Pair[]}>} */
    const found = new Map([[String(start), { place: start, steps: [] }]]);
    for (const { place, steps } of found.values()) {
      if (steps.length === most) continue;
      for (const step of STEPS) {
        /** @type {Pair} */
        const there = [place[0] + step[0], place[1] + step[1]];
        const free = (this.known[there[0]]?.[there[1]] ?? 0) > 0 && String(there) !== String(blocked);
        if (free && !found.has(String(there))) found.set(String(there), { place: there, steps: [...steps, step] });
      }
    }
    return found;
  }

  /**
   * Capture if we can, else get as near to the centre as we can.
   * @param {Pair} start
   * @param {number} most
   * @param {Pair | null} blocked
   * @param {Pair[]} enemies
   */
  go(start, most, blocked, enemies) {
    const places = this.reach(start, most, blocked);
    for (const enemy of enemies) {
      const prey = places.get(String(enemy));
      if (prey) return prey;
    }
    /** @type {Pair} */
    const centre = [this.known.length >> 1, this.known[0].length >> 1];
    return [...places.values()].reduce((a, b) => (distance(b.place, centre) < distance(a.place, centre) ? b : a));
  }
}

/**
 * @param {Pair} a
 * @param {Pair} b
 */
const distance = (a, b) => Math.abs(a[0] - b[0]) + Math.abs(a[1] - b[1]);

/** @param {Pair} direction */
const turned = ([row, column]) => /** @type {koth.Step} */ ([column, -row]);

koth.play((hello) => new Mine(hello));
