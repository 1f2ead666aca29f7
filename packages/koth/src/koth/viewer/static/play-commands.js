// Keys, clicks, fingers and the buttons of the page, all as commands: {go}, {face}, {tap}, {press}.

import {find, make, makeButton, targetOf} from "./dom.js";

const ARROWS = {ArrowUp: "N", ArrowRight: "E", ArrowDown: "S", ArrowLeft: "W"};
const SIGNS = {N: "↑", NE: "↗", E: "→", SE: "↘", S: "↓", SW: "↙", W: "←", NW: "↖"};
const PADS = {4: [["", "N", ""], ["W", ".", "E"], ["", "S", ""]], 8: [["NW", "N", "NE"], ["W", ".", "E"], ["SW", "S", "SE"]]};
const NAMES = {N: "up", NE: "up and right", E: "right", SE: "down and right", S: "down", SW: "down and left", W: "left", NW: "up and left", ".": "stay"};
const ROUND = ["E", "SE", "S", "SW", "W", "NW", "N", "NE"];
const KEYS = {q: "NW", w: "N", e: "NE", a: "W", d: "E", z: "SW", x: "S", c: "SE"}; // where there are eight ways
const TAP = 14; // CSS pixels that a finger may move and still have only tapped

/** The direction of a way on the screen, one of four or eight. */
function towards(dx, dy, ways) {
  const eighth = Math.round((Math.atan2(dy, dx) / Math.PI) * (ways / 2));
  return ROUND[((eighth * (8 / ways)) + 8) % 8];
}

export class Commands {
  /** `play` is the game's {pad}; `on`: {command(command), zoom(factor), pause(), help(), pointAt(x, y)}. */
  constructor(play, on) {
    this.on = on;
    this.ways = play.pad ?? 4;
    this.taken = new Set(play.taken ?? []);
    if (play.pad) this.#buildPad(play);
    this.#listenToKeys();
    this.#listenToBoard();
    find("buttons").addEventListener("click", (event) => {
      const press = targetOf(event)?.closest("button")?.dataset.press;
      if (press !== undefined) on.command({press});
    });
    find("closer").addEventListener("click", () => on.zoom(1.4));
    find("farther").addEventListener("click", () => on.zoom(1 / 1.4));
  }

  #buildPad(play) {
    const buttons = PADS[play.pad].flat().map((way) => {
      const there = way !== "" && !(way === "." && play.middle === null);
      if (!there) return make("span");
      const press = () => this.on.command(way === "." ? {press: "."} : {go: way});
      return makeButton(way === "." ? play.middle ?? "•" : SIGNS[way], press, {"aria-label": NAMES[way]});
    });
    find("pad").replaceChildren(...buttons);
  }

  #listenToKeys() {
    addEventListener("keydown", (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
      const within = (what) => targetOf(event)?.closest(what);
      const pressesIt = [" ", "Enter"].includes(event.key) && within("header button, aside button, #zoom");
      if (pressesIt || within("select, summary, pre, a")) return;
      // Tab may be a command of the game; with shift, or once it has left the board, it moves the focus as everywhere.
      if (event.key === "Tab" && (event.shiftKey || within("header, aside, #hand"))) return;
      if (event.key in ARROWS) {
        event.preventDefault();
        this.on.command(event.shiftKey ? {face: ARROWS[event.key]} : {go: ARROWS[event.key]});
        return;
      }
      const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
      if (this.ways === 8 && key in KEYS) {
        event.preventDefault();
        this.on.command({go: KEYS[key]});
      } else if (this.taken.has(key)) {
        if (within("button") && [" ", "Enter"].includes(key)) targetOf(event).blur();
        event.preventDefault();
        this.on.command({press: key});
      } else if (key === "+" || key === "=") this.on.zoom(1.25);
      else if (key === "-" || key === "−") this.on.zoom(1 / 1.25);
      else if (key === "p") this.on.pause();
      else if (key === "?") this.on.help();
    });
  }

  #listenToBoard() {
    const canvas = find("board");
    let from = null;
    canvas.addEventListener("pointerdown", (event) => {
      if (event.button !== 0 || !event.isPrimary) return;
      from = {x: event.clientX, y: event.clientY};
      canvas.setPointerCapture(event.pointerId);
    });
    canvas.addEventListener("pointerup", (event) => {
      if (!from || !event.isPrimary) return;
      const [dx, dy] = [event.clientX - from.x, event.clientY - from.y];
      from = null;
      if (Math.hypot(dx, dy) > 2 * TAP) {
        this.on.command({go: towards(dx, dy, this.ways)});
      } else {
        const point = this.on.pointAt(event.clientX, event.clientY);
        if (point) this.on.command({tap: {x: Math.floor(point.x), y: Math.floor(point.y)}});
      }
    });
    canvas.addEventListener("pointercancel", () => { from = null; });
    canvas.addEventListener("wheel", (event) => {
      event.preventDefault();
      this.on.zoom(Math.exp(-event.deltaY * (event.deltaMode ? 0.05 : 0.0016)));
    }, {passive: false});
  }
}
