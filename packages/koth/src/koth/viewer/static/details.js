// Details of a finished match beside its replay: notes of bots for their authors, and their stderr, also where a fault
// ended it.

import {make, targetOf} from "./dom.js";
import {visible} from "./names.js";

const MOST_LINES = 400; // of what a bot wrote in one turn
const BRIEF = 16; // lines of it beside the board
const BOTS = 6; // who wrote in a turn, beside the board

export class Details {
  #stderr = new Map(); // by the bot's name as it is shown: [[turn, text], ...]
  #byTurn = new Map(); // [{bot, text, verb}]
  #drawn = new Map(); // by the turn at which it was drawn: [{bot, draw}]
  #writer = null; // whose stderr is shown
  #turn = 0;
  #select = make("select", {"aria-label": "Printed by"});
  #log = make("div", {className: "log", tabIndex: 0}); // it scrolls

  /** `root` is a <details>; `jump(turn)` is called when what was written in a turn is clicked. */
  constructor(root, jump) {
    this.root = root;
    this.jump = jump;
    this.#select.addEventListener("change", () => this.#write(this.#select.value));
    this.#log.addEventListener("click", (event) => {
      const piece = targetOf(event)?.closest("[data-turn]");
      if (piece && getSelection().isCollapsed) jump(Number(piece.dataset.turn));
    });
    root.addEventListener("toggle", () => this.#mark());
  }

  /**
   * Show the details; notes are {turn, note} or {turn, draw, lost}, and turns count from 1 (0: while starting).
   * @param {import("./page-data.js").MatchDetails} details
   */
  show({faults, stderr, notes}) {
    this.#stderr = new Map(Object.entries(stderr).map(([bot, pieces]) => [visible(bot), pieces]));
    this.#byTurn.clear();
    this.#drawn.clear();
    const tell = (turn, what) => {
      if (!this.#byTurn.has(turn)) this.#byTurn.set(turn, []);
      this.#byTurn.get(turn).push(what);
    };
    for (const [bot, list] of Object.entries(notes)) {
      for (const {turn, note, draw, lost} of list) {
        if (note !== undefined) tell(turn, {bot: visible(bot), text: JSON.stringify(note), verb: "notes"});
        if (lost) tell(turn, {bot: visible(bot), text: lost, verb: "draws"});
        if (draw) this.#drawn.set(turn, [...(this.#drawn.get(turn) ?? []), {bot, draw}]);
      }
    }
    for (const [bot, pieces] of this.#stderr) {
      for (const [turn, text] of pieces) if (text.trim()) tell(turn, {bot, text, verb: "writes"});
    }
    /** @type {HTMLElement[]} */
    const blocks = faults.flatMap((fault) => this.#lastWords(fault));
    const writers = [...this.#stderr.keys()];
    if (writers.length) {
      const head = make("label", null, "printed by ", this.#select);
      this.#select.replaceChildren(...writers.map((bot) => new Option(bot)));
      this.#log.setAttribute("role", "region");
      blocks.push(head, this.#log);
      this.#write(writers[0]);
    }
    this.root.hidden = blocks.length === 0;
    this.root.querySelector("div").replaceChildren(...blocks);
  }

  /** What was written in the turn that leads to this frame: [{bot, text, verb}], of `bot` alone if there is one. */
  errorsAt(turn, bot = null) {
    const found = (this.#byTurn.get(turn) ?? []).filter((one) => bot === null || one.bot === bot);
    return found.slice(0, BOTS).map((one) => ({...one, text: cutLines(one.text, BRIEF)}));
  }

  /** What was drawn by those who were asked at this frame: [{bot, draw}], of `bot` alone if there is one. */
  drawingsAt(turn, bot = null) {
    return (this.#drawn.get(turn + 1) ?? []).filter((one) => bot === null || one.bot === bot);
  }

  /** Go to what was written in the turn shown, or last before it, by the bot in focus if there is one. */
  at(turn, bot = null) {
    this.#turn = turn;
    if (bot !== null && bot !== this.#writer && this.#stderr.has(bot)) this.#write(bot);
    else this.#mark();
  }

  #write(bot) {
    this.#writer = this.#select.value = bot;
    this.#log.setAttribute("aria-label", `Printed by ${bot}`);
    this.#log.replaceChildren(...this.#stderr.get(bot).map(([turn, text]) => {
      return make("pre", turn === null ? null : {"data-turn": turn}, cutLines(text, MOST_LINES));
    }));
    this.#mark();
  }

  #mark() {
    if (!this.root.open) return;
    let nearest = null;
    for (const piece of this.#log.querySelectorAll("pre")) {
      piece.className = "";
      if (Number(piece.dataset.turn) <= this.#turn) nearest = piece;
    }
    if (!nearest) return;
    nearest.className = Number(nearest.dataset.turn) === this.#turn ? "now" : "before";
    const over = nearest.offsetTop + nearest.offsetHeight - this.#log.scrollTop - this.#log.clientHeight;
    if (over > 0) this.#log.scrollTop += Math.min(over, nearest.offsetTop - this.#log.scrollTop);
    else if (nearest.offsetTop < this.#log.scrollTop) this.#log.scrollTop = nearest.offsetTop;
  }

  /** What a bot wrote when it failed, unless that is shown with all that it wrote. */
  #lastWords({bot, kind, stderr}) {
    const below = (this.#stderr.get(visible(bot)) ?? []).map(([, words]) => words).join("");
    if (!stderr || below.includes(stderr)) return [];
    return [make("p", null, `${visible(bot)}, ${kind}:`), make("pre", {tabIndex: 0}, cutLines(stderr, MOST_LINES))];
  }
}

/** The last lines of a stranger's text, each made fit to be shown. */
function cutLines(text, most) {
  const all = text.trimEnd().split("\n");
  const left = all.length > most ? [`… ${all.length - most} lines before`] : [];
  return [...left, ...all.slice(-most).map((line) => visible(line.replaceAll("\t", "    "), 400))].join("\n");
}
