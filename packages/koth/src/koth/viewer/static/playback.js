// The clock of a match: which turns are shown, and how far the way between them has been gone.

import {Tempo} from "./tempo.js";

export const SPEEDS = [0.5, 1, 2, 4, 8, 15, 30, 60, 120, 250, 500, 1000];
const SMOOTH = 45; // turns a second up to which movement between turns is shown
const AHEAD = 40; // frames asked for ahead of time
const PICTURES = 60; // a second
const CATCH_UP = 700; // milliseconds in which a live match's new turns are gone through
const LEAP = 400; // turns behind its place at which the clock leaps there

export class Playback {
  time = 0; // in turns: 3.25 is a quarter of the way from turn 3 to turn 4
  playing = false;
  delay = null; // how many turns behind a live match's end to stay; null: it is not followed
  speed = 8;
  auto = true; // it goes as fast as the match is worth, not at `speed`
  tempo = new Tempo();
  #source;
  #last = null;

  constructor(source) {
    this.#source = source;
  }

  /** The turn being shown, or moved to. */
  get turn() {
    return Math.ceil(this.time - 1e-9);
  }

  /** Whether time passes by itself. */
  get runs() {
    return this.playing || this.delay !== null;
  }

  /** Turns a second just now. */
  get pace() {
    return this.auto && this.#source.result ? this.tempo.at(this.turn + (this.time === this.turn ? 1 : 0)) : this.speed;
  }

  /** At high speed only every n-th turn is shown. */
  get #stride() {
    return Math.max(1, Math.floor(this.pace / PICTURES));
  }

  seek(turn) {
    this.delay = null;
    this.time = Math.min(Math.max(Math.round(turn), 0), Math.max(this.#source.turns, 0));
  }

  step(turns) {
    this.playing = false;
    this.seek((turns > 0 ? Math.floor(this.time + 1e-9) : this.turn) + turns);
  }

  /** Go with a live match, `delay` turns behind its end; null lets go. */
  follow(delay) {
    this.delay = delay;
    this.playing = false;
    this.#last = null;
  }

  toggle() {
    this.delay = null;
    this.playing = !this.playing;
    this.time = this.playing ? this.time : this.turn; // at rest between two turns nobody would know where
    if (this.playing && this.time >= this.#source.turns && this.#source.result) this.time = 0;
    this.#last = null;
  }

  /** Go at `speed` turns a second; at "auto" as fast as the match is worth. */
  setSpeed(speed) {
    this.auto = speed === "auto";
    if (this.auto) return;
    this.speed = Math.min(Math.max(Number(speed), SPEEDS[0]), SPEEDS.at(-1));
  }

  faster(steps) {
    const now = this.pace;
    this.auto = false;
    const found = SPEEDS.findIndex((speed) => speed >= now - 1e-9);
    const at = found < 0 ? SPEEDS.length - 1 : found;
    this.speed = SPEEDS[Math.min(Math.max(at + steps, 0), SPEEDS.length - 1)];
  }

  /** Let time pass up to `now` (milliseconds); true when there is something else to show. */
  tick(now) {
    const before = this.time;
    const passed = this.#last === null ? 0 : Math.min(now - this.#last, 250);
    this.#last = now;
    if (this.delay !== null) {
      this.#goWith(passed);
    } else if (this.playing) {
      const end = Math.max(this.#source.turns, 0);
      const next = Math.min(this.#next((passed / 1000) * this.pace), end);
      // A turn that is not here yet holds the clock, never the page.
      if (this.#isHere(Math.ceil(next - 1e-9))) this.time = next;
      else this.#ahead = 0;
      if (this.time >= end && this.#source.result) this.playing = false;
    }
    this.#source.want(this.#findWanted(), this.turn);
    return this.time !== before;
  }

  #goWith(passed) {
    const end = Math.max(this.#source.turns - (this.#source.result ? 0 : this.delay), 0);
    const gap = end - this.time;
    const isNear = Math.abs(gap) < 0.02;
    const next = isNear || Math.abs(gap) > LEAP ? end : this.time + gap * Math.min(passed / CATCH_UP + 0.002, 1);
    this.#following = Math.abs(next - this.time) * (1000 / Math.max(passed, 1));
    this.#goal = Math.ceil(next - 1e-9);
    if (this.#isHere(this.#goal)) this.time = next;
    if (this.#source.result && this.time >= end) this.delay = null;
  }

  #goal = 0; // the turn to be shown next of a live match: a leap may lead to where nothing has been fetched yet
  #following = 0; // turns a second of a live match
  #ahead = 0; // turns that have passed and are not shown yet, at speeds where whole turns are shown

  #next(turns) {
    if (this.pace <= SMOOTH) {
      this.#ahead = 0;
      return this.time + turns;
    }
    this.#ahead += turns;
    const whole = Math.floor(this.#ahead / this.#stride) * this.#stride;
    this.#ahead -= whole;
    return this.turn + whole;
  }

  #isHere(turn) {
    return this.#source.at(turn) !== undefined;
  }

  #findWanted() {
    const {turn} = this;
    const following = this.delay === null ? 1 : Math.max(1, Math.floor(this.#following / PICTURES));
    const stride = this.playing ? this.#stride : following;
    const wanted = this.delay === null ? [turn, turn - 1] : [turn, this.#goal, this.#goal - 1];
    const ahead = this.playing || this.delay !== null ? AHEAD : 2;
    for (let k = 1; k <= ahead; k++) wanted.push(turn + k * stride);
    return wanted;
  }

  /** What is shown: `{record, previous, progress, drawn}`, or null while the turn is not here; `drawn` is for the board. */
  get shown() {
    const {turn} = this;
    const record = this.#source.at(turn);
    if (!record) return null;
    const pace = this.delay === null ? this.pace : this.#following;
    const progress = pace <= SMOOTH ? 1 - (turn - this.time) : 1;
    const previous = turn > 0 ? (this.#source.at(turn - 1)?.frame ?? null) : null;
    const shown = {record, previous, progress};
    const parts = record.steps.length + 1;
    const inParts = previous && progress < 1 && parts > 1 && pace * parts <= SMOOTH;
    return {...shown, drawn: inParts ? this.#within(shown, parts) : shown};
  }

  /** A turn's steps one after the other, each in its share of the time: the one that is under way. */
  #within({record, previous, progress}, parts) {
    if (this.#parts.at !== record) {
      const frames = [...record.steps.map(({frame}) => frame), record.frame];
      const turn = record.turn - 1;
      this.#parts = {at: record, records: frames.map((frame, k) => ({turn: turn + (k + 1) / parts, frame}))};
    }
    const {records} = this.#parts;
    const part = Math.floor(progress * parts);
    const before = part > 0 ? records[part - 1].frame : previous;
    return {record: records[part], previous: before, progress: progress * parts - part};
  }

  #parts = {at: null, records: []}; // a turn's record, and one for each of its steps
}
