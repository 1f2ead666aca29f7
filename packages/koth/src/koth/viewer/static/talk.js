// The messages of one bot in the turn that is shown, word for word, for whoever has the run's folder.

import {make} from "./dom.js";
import {knowsTalk, talkOf} from "./place.js";

const KINDS = {"<": "received", ">": "answered", "!": "wrong"};

const hint = (words) => make("p", {className: "hint"}, words);

export class Talk {
  #shown = ""; // which bot and turn

  /** `root` is a <details>; `change()` is called when it is opened. */
  constructor(root, match, change) {
    this.root = root;
    this.match = match;
    root.addEventListener("toggle", change);
  }

  /** Show what `bot` (its name as it was given; null: nobody is chosen) was asked in the turn that ends as `turn`. */
  async show(bot, turn) {
    this.root.hidden = !knowsTalk;
    const key = `${turn} ${bot}`;
    if (!this.root.open || key === this.#shown) return;
    this.#shown = key;
    if (bot === null) return this.#write(hint("choose a bot in the standings"));
    this.#write(hint("the match is played up to here again …"));
    const said = turn > 0 ? await talkOf(this.match, bot, turn).catch(() => null) : [];
    if (key !== this.#shown) return undefined; // another turn is looked at by now
    if (said === null) return this.#write(hint("nobody can tell"));
    if (said.length === 0) return this.#write(hint("it was not asked"));
    return this.#write(...said.flatMap(([mark, text]) => [
      make("h3", null, KINDS[mark] ?? mark), make("pre", {className: "message", tabIndex: 0}, text)]));
  }

  #write(...content) {
    this.root.querySelector("div").replaceChildren(...content);
  }
}
