// The page's side of the worker: frames as they are needed, series and events as they are found.

import {withTools} from "./grid.js";
import {Memory} from "./memory.js";
import {replayOf, startReader} from "./place.js";

const KEPT_FRAMES = 240; // frames that are kept around the turn shown

export class Source {
  #worker = startReader();
  #frames = new Map();
  #waiting = new Set();

  header = null;
  result = null;
  turns = -1;
  scanned = -1; // series and events are known up to this turn
  grows = false;
  series = {}; // name -> a row per turn: a value per team
  moments = []; // events on the timeline, with their turns
  deaths = []; // those that ended somebody
  gone = []; // the turn in which a bot's process ended, by seat
  faults = []; // {seat, kind, count, turn}: of each bot, by kind, with the turn of the first
  lively = []; // how much happens, by turn
  memory = null; // what a bot has seen so far
  answers = null; // {turn, list} of the turn last asked for
  /** @type {(what: string) => void} */
  onChange = () => {};
  /** @type {(text: string) => void} */
  onError = () => {};
  onReplaced = () => {};
  /** @type {(text: string) => void} */
  onPicture = () => {}; // a function of the game's draw.js has failed

  constructor(match) {
    this.#worker.onmessage = ({data}) => this[`_${data.kind}`](data); // a method by the kind of message
    this.#worker.onerror = (event) => this.onError(event.message ?? "the replay's reader could not be started");
    this.#worker.postMessage({ask: "open", ...replayOf(match)});
  }

  /** `{turn, frame, events, steps, faults, gone}`, or undefined while it is not here. */
  at(turn) {
    return this.#frames.get(turn);
  }

  /** Ask for turns, most urgent first; those asked for before and not listed again are dropped. */
  want(turns, around) {
    const missing = turns.filter((turn) => turn >= 0 && turn <= this.turns && !this.#frames.has(turn));
    if (missing.length === this.#waiting.size && missing.every((turn) => this.#waiting.has(turn))) return;
    this.#waiting = new Set(missing);
    this.#worker.postMessage({ask: "frames", turns: missing});
    if (this.#frames.size <= KEPT_FRAMES) return;
    const far = [...this.#frames.keys()].sort((a, b) => Math.abs(b - around) - Math.abs(a - around));
    for (const turn of far.slice(0, this.#frames.size - KEPT_FRAMES)) this.#frames.delete(turn);
  }

  /** Find out what a bot remembers (null: nobody). */
  remember(team) {
    this.memory = team === null ? null : new Memory(team);
    this.#worker.postMessage({ask: "memory", team});
  }

  /** Find out what was answered in a turn. */
  wantAnswers(turn) {
    this.#worker.postMessage({ask: "answers", turn});
  }

  close() {
    this.#worker.terminate();
  }

  _header({header}) {
    this.header = withTools(header);
    this.onChange("header");
  }

  _turns({turns, result}) {
    if (this.turns === 0) this.#frames.delete(0); // what was asked before the first turn may have changed it
    this.turns = turns;
    this.result = result;
    this.onChange("turns");
  }

  _turn({kind: _, ...record}) {
    this.#frames.set(record.turn, record);
    this.#waiting.delete(record.turn);
    this.onChange("turn");
  }

  _series({from, rows, events, lively, faults, gone}) {
    for (const [name, values] of Object.entries(rows)) {
      this.series[name] ??= [];
      values.forEach((row, k) => { this.series[name][from + k] = row; });
      this.scanned = from + values.length - 1;
    }
    this.moments.push(...events.filter(({weight}) => weight));
    this.deaths.push(...events.filter(({out}) => out));
    this.faults = faults;
    this.gone = gone;
    lively.forEach((much, k) => { this.lively[from + k] = much; });
    this.onChange("series");
  }

  _memory(more) {
    if (more.team !== this.memory?.team) return; // it is about somebody else's eyes by now
    this.memory.add(more);
    this.onChange("memory");
  }

  _answers(answers) {
    this.answers = answers;
    this.onChange("answers");
  }

  _alive({grows}) {
    this.grows = grows;
    this.onChange("turns");
  }

  _replaced() {
    this.onReplaced();
  }

  _picture({text}) {
    this.onPicture(text);
  }

  _error({text}) {
    this.onError(text);
  }
}
