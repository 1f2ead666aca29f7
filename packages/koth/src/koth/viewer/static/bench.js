// The page beside `koth dev`: what has become of the bot since it was saved last, and the way to its new match.

import {find, make, makeButton} from "./dom.js";
import {visible} from "./names.js";
import {workNow} from "./place.js";
import {whenIn} from "./faults.js";

const LOOK_EVERY = 500; // milliseconds between two looks
const MOST_CHARACTERS = 400;

export class Bench {
  #shown = ""; // the match that the page was sent to last
  #seen = ""; // what stands on the bench

  /** `on`: {turn(), show(match), jump(turn)}; the turn is the one that is watched. */
  constructor(on) {
    this.on = on;
    find("bench").hidden = false;
    this.#look();
  }

  async #look() {
    const now = await workNow();
    if (now && this.#seen !== JSON.stringify(now)) {
      this.#seen = JSON.stringify(now);
      this.#showState(now);
    } else if (!now) {
      this.#head("over", "koth dev has ended; what is here stays");
    }
    const isThere = now?.state === "played" || (now?.state === "playing" && now.turn > this.on.turn());
    if (isThere && now.match !== this.#shown) {
      const isShown = await this.on.show(now.match).catch(() => false); // the list can't be had just now: the next look tries again
      if (isShown) this.#shown = now.match;
    }
    setTimeout(() => this.#look(), LOOK_EVERY);
  }

  #head(state, text) {
    const head = find("bench").querySelector("p");
    head.dataset.state = state;
    head.textContent = visible(text, 500);
  }

  /** @param {import("./page-data.js").WorkState} now */
  #showState({round, state, text, said, faults, remarks}) {
    const word = state === "played" ? (faults.length ? "faulty" : "fine") : state;
    const end = state === "played" && !faults.length && !remarks.length ? ": no fault" : "";
    this.#head(word, `${round ? `round ${round}: ` : ""}${text}${end}`);
    find("bench").querySelector("ul").replaceChildren(
      ...faults.map((fault) => make("li", null, ...this.#fault(fault))),
      ...remarks.map((remark) => make("li", null, visible(remark, MOST_CHARACTERS))),
    );
    const pre = find("bench").querySelector("pre");
    pre.hidden = !said;
    pre.textContent = said.split("\n").map((line) => visible(line, MOST_CHARACTERS)).join("\n");
  }

  /** @param {import("./page-data.js").WorkFault} fault */
  #fault({kind, turn, count, text, remark}) {
    const times = count > 1 ? `, ${count} times, first` : "";
    const button = makeButton(`${kind}${times} ${whenIn(turn)}`, () => this.on.jump(turn));
    const words = [text, remark].filter((one) => one).map((one) => visible(one, MOST_CHARACTERS)).join(" \u2013 ");
    return [button, ` ${words}`];
  }
}
