// The timeline: where in the match we are, and the moments worth jumping to.

import {formatEvent} from "./events.js";
import {visible} from "./names.js";
import {shortNumber} from "./numbers.js";

const NEAR = 7; // CSS pixels within which a moment is pointed at
const APART = 4; // CSS pixels between two sticks: moments that are nearer share one
const HEAD = 9; // CSS pixels of the sign on a stick

export class Timeline {
  #canvas;
  #head;
  #word;
  #width = 0; // CSS pixels
  #x = -1; // where the head is, in CSS pixels
  #time = 0; // a turn, between two while it plays
  #label = "";
  #state = {turns: 0, scanned: 0, moments: [], teams: [], colors: [], theme: null};

  /** `seek(turn)` is called while it is dragged. */
  constructor(root, seek) {
    this.root = root;
    this.#canvas = root.querySelector("canvas");
    this.#head = root.querySelector(".head");
    this.#word = root.querySelector(".word");
    const drag = (event) => seek(this.#momentAt(event)?.turn ?? this.#turnAt(event));
    root.addEventListener("pointerdown", (event) => {
      root.setPointerCapture(event.pointerId);
      drag(event);
    });
    root.addEventListener("pointermove", (event) => {
      if (root.hasPointerCapture(event.pointerId)) seek(this.#turnAt(event));
      this.#showTip(event);
    });
    root.addEventListener("pointerleave", () => { this.#word.hidden = true; });
    new ResizeObserver(() => {
      this.#width = root.clientWidth;
      this.#movePlace();
      this.draw();
    }).observe(root);
  }

  #turnAt(event) {
    const box = this.root.getBoundingClientRect();
    const part = Math.min(Math.max((event.clientX - box.left) / box.width, 0), 1);
    return Math.round(part * this.#state.turns);
  }

  #momentAt(event) {
    const box = this.root.getBoundingClientRect();
    const near = (NEAR / box.width) * Math.max(this.#state.turns, 1);
    const at = ((event.clientX - box.left) / box.width) * this.#state.turns;
    let best = null;
    for (const moment of this.#state.moments) {
      const away = Math.abs(moment.turn - at) / (1 + moment.weight / 4);
      if (away <= near && away < Math.abs((best?.turn ?? Infinity) - at)) best = moment;
    }
    return best;
  }

  #showTip(event) {
    const moment = this.#momentAt(event);
    const turn = moment?.turn ?? this.#turnAt(event);
    const stick = moment && this.#findSticks().find(({moments}) => moments.includes(moment));
    const more = stick && stick.moments.length > 1 ? ` (and ${stick.moments.length - 1} more here)` : "";
    const words = moment ? ` · ${visible(moment.mark)} ${formatEvent(moment, this.#state.teams)}${more}` : "";
    this.#word.textContent = `${shortNumber(turn)}${words}`;
    this.#word.hidden = false;
    const box = this.root.getBoundingClientRect();
    const half = this.#word.offsetWidth / 2;
    const x = Math.min(Math.max(event.clientX - box.left, half), Math.max(box.width - half, half));
    this.#word.style.transform = `translate(${x - half}px, -4px)`;
  }

  /** Take new knowledge about the match, and draw again. */
  update(state) {
    Object.assign(this.#state, state);
    this.root.setAttribute("aria-valuemax", this.#state.turns);
    this.draw();
  }

  /** Move the head to a (fractional) turn. */
  show(time, text) {
    this.#time = time;
    this.#movePlace();
    if (text === this.#label) return;
    this.#label = text;
    this.root.setAttribute("aria-valuenow", Math.round(time));
    this.root.setAttribute("aria-valuetext", text);
  }

  #movePlace() {
    const part = Math.min(this.#time / Math.max(this.#state.turns, 1), 1); // a live match may be ahead of what is drawn
    const x = Math.round(part * this.#width * devicePixelRatio) / devicePixelRatio;
    if (x === this.#x) return; // most frames of a long match move it by less than a pixel
    this.#x = x;
    this.#head.style.transform = `translateX(${x}px)`;
  }

  /** Where sticks stand, from left to right: {x, moments, first}; `first` of those that share it weighs most. */
  #findSticks() {
    const {turns, moments} = this.#state;
    const sticks = [];
    for (const moment of moments) {
      const x = (moment.turn / Math.max(turns, 1)) * this.#width;
      const last = sticks.at(-1);
      if (!last || x - last.x >= APART) sticks.push({x, moments: [moment], first: moment});
      else {
        last.moments.push(moment);
        if (moment.weight > last.first.weight) last.first = moment;
      }
    }
    return sticks;
  }

  draw() {
    const {turns, scanned, colors, theme} = this.#state;
    if (!theme) return;
    const ratio = devicePixelRatio;
    const width = this.#width;
    const height = this.root.clientHeight;
    this.#canvas.width = Math.round(width * ratio);
    this.#canvas.height = Math.round(height * ratio);
    const ctx = this.#canvas.getContext("2d");
    ctx.scale(ratio, ratio);
    const track = height - 9;
    ctx.fillStyle = theme.soft;
    ctx.fillRect(0, track, width, 2);
    ctx.fillStyle = theme.faint;
    ctx.fillRect(0, track, (Math.max(scanned, 0) / Math.max(turns, 1)) * width, 2);
    ctx.font = `${HEAD}px system-ui, sans-serif`;
    ctx.textAlign = "center";
    ctx.textBaseline = "alphabetic";
    const sticks = this.#findSticks();
    for (const {x, moments, first: {weight, team}} of sticks) {
      const tall = (weight / 3) * (track - HEAD - 2);
      const isShared = moments.some((moment) => moment.team !== team);
      ctx.fillStyle = team === null || isShared ? theme.muted : colors[team];
      ctx.fillRect(Math.round(x * ratio) / ratio - 1, track - tall, isShared ? 3 : 2, tall);
    }
    // The signs of those that weigh most go first where there is no room for all.
    const taken = [];
    ctx.fillStyle = theme.ink;
    for (const {x, first: {mark, weight}} of sticks.toSorted((a, b) => b.first.weight - a.first.weight)) {
      const at = Math.min(Math.max(x, HEAD / 2), width - HEAD / 2);
      if (taken.some((other) => Math.abs(other - at) < HEAD)) continue;
      taken.push(at);
      ctx.fillText(visible(mark), at, track - (weight / 3) * (track - HEAD - 2) - 1);
    }
  }
}
