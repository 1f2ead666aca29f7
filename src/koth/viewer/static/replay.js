// A replay in memory: its bytes as far as they have come, cut into members, and turns decoded out of them.

import {withTools} from "./grid.js";
import {firstLine, inflate, memberEnd} from "./gzip.js";
import {visible} from "./names.js";

const FORMAT = 3; // of replays that can be read here
const KEPT = 4; // decoded members that are kept
const MOST = 1 << 24; // entries of the arrays that a line changes

export class Replay {
  #bytes = new Uint8Array(1 << 16);
  #size = 0;
  #starts = [0]; // where members begin; the last one may not be whole
  #firstTurns = [];
  #decoded = new Map();

  #end = Infinity; // the member with the result

  header = null;
  result = null;
  key = null; // hex digits, once the match's block is over
  turns = -1; // the last turn that can be shown; -1: none yet

  /** How many members can be read; the last may still grow. */
  get members() {
    return this.#starts.length - (this.#starts.at(-1) < this.#size ? 0 : 1);
  }

  get size() {
    return this.#size;
  }

  /** The last turn that stays as it is: what is asked before the first turn still changes turn 0. */
  get settled() {
    return this.turns > 0 || this.result !== null ? this.turns : -1;
  }

  /** Where to go on reading: the last member is read again, because its size may have been filled in. */
  get resume() {
    return this.#starts.at(-1);
  }

  /** Add bytes of the file that begin at `offset`; what was there from `offset` on is forgotten. */
  add(offset, chunk) {
    const size = offset + chunk.length;
    if (size > this.#bytes.length) {
      const bytes = new Uint8Array(Math.max(size, 2 * this.#bytes.length));
      bytes.set(this.#bytes.subarray(0, offset));
      this.#bytes = bytes;
    }
    this.#bytes.set(chunk, offset);
    this.#size = size;
    let end;
    while ((end = memberEnd(this.#bytes, this.#starts.at(-1), this.#size)) !== null && end <= this.#size) {
      this.#starts.push(end);
    }
  }

  #isWhole(member) {
    return member < this.#starts.length - 1;
  }

  #slice(member) {
    return this.#bytes.slice(this.#starts[member], this.#starts[member + 1] ?? this.#size);
  }

  /** Read the header, the number of turns and the result, as far as the file has come. */
  async survey() {
    if (this.header === null && this.#isWhole(0)) {
      const text = await inflate(this.#slice(0), false);
      const header = JSON.parse(text);
      if (header.koth !== FORMAT) {
        throw new Error(`a replay of format ${Number(header.koth)}; here only format ${FORMAT} can be read`);
      }
      if (header.frames === false) throw new Error("this replay holds no frames; koth view makes them");
      header.seed = fingerprint(text);
      for (const bot of header.bots) Object.assign(bot, {given: bot.name, name: visible(bot.name)});
      this.header = withTools(header);
    }
    await this.#readEnd();
    for (let last = this.#lastWithTurns; last > 0; last--) {
      const {lastTurn} = await this.#member(last);
      if (lastTurn === undefined) continue; // nothing of it has been written
      this.turns = Math.max(this.turns, lastTurn);
      return;
    }
  }

  /** What stands behind the turns: the result, then the key. */
  async #readEnd() {
    const first = this.result === null ? Math.max(1, this.members - 2) : this.#end + 1;
    for (let member = first; member < this.members && this.#isWhole(member); member++) {
      const line = await this.#firstLine(member);
      if (line?.result && this.result === null) {
        this.result = line.result;
        this.#end = member;
      } else if (line?.key && this.result !== null) this.key = String(line.key);
    }
  }

  get #lastWithTurns() {
    return Math.min(this.#end, this.members) - 1;
  }

  async #firstLine(member) {
    const text = await firstLine(this.#slice(member));
    return text === "" ? null : JSON.parse(text);
  }

  async #firstTurn(member) {
    this.#firstTurns[member] ??= (await this.#firstLine(member))?.turn;
    return this.#firstTurns[member] ?? Infinity; // nothing of it has been written yet
  }

  /** The member that holds how a turn came about; its frame may begin the next member, too. */
  async memberOf(turn) {
    let low = 1;
    let high = this.#lastWithTurns;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((await this.#firstTurn(middle)) < turn) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  /** One turn: `{turn, frame, events, steps: [{after, frame}], faults, gone, asked}`. Turns of a growing replay beyond its end give the last one. */
  async at(turn) {
    return (await this.#member(await this.memberOf(turn))).at(turn);
  }

  async #member(number) {
    const end = this.#starts[number + 1] ?? this.#size;
    const kept = this.#decoded.get(number);
    this.#decoded.delete(number); // and back in as the youngest
    const member = kept?.end === end ? kept : new Member(await this.#lines(number), this.header.faults, end);
    this.#decoded.set(number, member);
    if (this.#decoded.size > KEPT) this.#decoded.delete(this.#decoded.keys().next().value);
    return member;
  }

  /** All whole turns of a member, in order. */
  async decode(number) {
    return [...turnsIn(await this.#lines(number), this.header.faults)];
  }

  /** The whole lines of a member. */
  async #lines(number) {
    let text;
    try {
      text = await inflate(this.#slice(number), !this.#isWhole(number));
    } catch {
      throw new Error(`part ${number} of the replay is damaged`);
    }
    return text.split("\n").slice(0, -1);
  }
}

/** A member whose turns are decoded as far as they have been asked for. */
class Member {
  #turns = [];
  #rest;

  constructor(lines, faults, end) {
    this.end = end;
    this.#rest = turnsIn(lines, faults);
    this.lastTurn = lines.length ? JSON.parse(lines.at(-1)).turn : undefined;
  }

  at(turn) {
    const wanted = Math.min(turn, this.lastTurn);
    while (!(this.#turns.at(-1)?.turn >= wanted)) {
      const {value, done} = this.#rest.next();
      if (done) throw new Error(`turn ${wanted} is missing in the replay`);
      this.#turns.push(value);
    }
    return this.#turns[wanted - this.#turns[0].turn];
  }
}

/**
 * The turns that a member's lines describe, one by one; they share the arrays that did not change. What is asked before the
 * first turn makes no turn of its own: turn 0 is how it stands then. `kinds` of faults by name, in the order of their codes
 * from 1 on, with what one fault is counted for (the header's `faults`).
 */
export function* turnsIn(lines, kinds = {}) {
  if (lines.length === 0) return;
  const key = JSON.parse(lines[0]);
  if (key.turn === undefined) return;
  let frame = {...key.values};
  for (const [name, numbers] of Object.entries(key.arrays)) frame[name] = Int32Array.from(numbers);
  frame.turn = key.turn;
  let shown = {turn: key.turn, frame, events: [], steps: [], faults: [], gone: [], asked: []};
  const idle = {};
  const roster = new Roster();
  let entries = 0; // of the arrays that the line has changed so far, in steps, too
  const advance = ({values, arrays}) => {
    frame = {...frame, ...values};
    for (const [name, change] of Object.entries(arrays ?? {})) {
      const length = change.n ?? frame[name].length;
      if (!Number.isInteger(length) || length < 0) throw new Error(`turn ${shown.turn + 1}: n of ${name} is no length`);
      entries += length;
      if (entries > MOST) throw new Error(`the arrays of turn ${shown.turn + 1} have too many entries`);
      idle[name] ??= new Uint8Array(frame[name].length).fill(IDLE);
      [frame[name], idle[name]] = changed(frame[name], change, idle[name]);
    }
    return frame;
  };
  for (const text of lines.slice(1)) {
    const line = JSON.parse(text);
    if (line.turn !== shown.turn) yield shown;
    entries = 0;
    const steps = (line.steps ?? []).map((step) => ({after: step.after, frame: advance(step)}));
    frame = {...advance(line), turn: line.turn};
    shown = {turn: line.turn, frame, events: happened(line), steps, ...answersIn(line.asks ?? [], roster, kinds)};
  }
  yield shown;
}

/** A short text that differs between matches: what the ground of their pictures is kept under. */
function fingerprint(text) {
  let hash = 0;
  for (let k = 0; k < text.length; k++) hash = (Math.imul(hash, 31) + text.charCodeAt(k)) | 0;
  return (hash >>> 0).toString(16);
}

const IDLE = 16; // changes of an array after which an entry that has not changed is not active any more
const STEP = "?".charCodeAt(0); // no step of an active entry
const GAP = "#".charCodeAt(0); // no gap between two places
const WIDE = 91; // a part of a wider gap

/** An array after a change, and how many changes ago each entry changed. */
function changed(array, change, idle) {
  const length = change.n ?? array.length;
  const next = resized(array, new Int32Array(length));
  const quiet = resized(idle, new Uint8Array(length).fill(IDLE));
  const moved = new Uint8Array(length);
  if (change.d !== undefined || change.t !== undefined) addSteps(next, change, quiet, moved);
  if (change.i !== undefined) {
    placesOf(change.i).forEach((place, k) => {
      moved[place] = next[place] !== change.s[k] ? 1 : 0;
      next[place] = change.s[k];
    });
  }
  for (let k = 0; k < length; k++) {
    if (moved[k]) quiet[k] = 0;
    else if (quiet[k] < IDLE) quiet[k] += 1;
  }
  return [next, quiet];
}

function resized(array, next) {
  next.set(array.length > next.length ? array.subarray(0, next.length) : array);
  return next;
}

/** The steps of the active entries: a character each (`d`), or one for three (`t`) that go by -1, 0 or 1. */
function addSteps(values, {d, t}, quiet, moved) {
  let active = 0;
  for (let k = 0; k < values.length; k++) {
    if (quiet[k] >= IDLE) continue;
    const step = d !== undefined
      ? d.charCodeAt(active) - STEP
      : Math.floor((t.charCodeAt(Math.floor(active / 3)) - STEP + 13) / 3 ** (active % 3)) % 3 - 1;
    values[k] += step;
    moved[k] = step ? 1 : 0;
    active += 1;
  }
}

/** Places in ascending order, each as the difference to the one before. */
function placesOf(text) {
  const places = [];
  let place = -1;
  for (let k = 0; k < text.length; k++) {
    const gap = text.charCodeAt(k) - GAP;
    place += gap;
    if (gap < WIDE) places.push(++place);
  }
  return places;
}

/** Who was asked each question last, and all seats and bodies that were listed in a member, in order. */
class Roster {
  #last = {};
  #known = [];

  rowsOf(ask) {
    if (ask.who) {
      const rows = [];
      for (let k = 0; k < ask.who.length; k += 2) rows.push([ask.who[k], ask.who[k + 1]]);
      const all = new Map([...this.#known, ...rows].map((row) => [row[0] * 2 ** 32 + row[1], row]));
      this.#known = [...all.keys()].sort((a, b) => a - b).map((key) => all.get(key));
      this.#last[ask.q] = rows;
    } else if (ask.rows !== undefined) {
      this.#last[ask.q] = placesOf(ask.rows).map((place) => this.#known[place]);
    }
    return this.#last[ask.q] ?? [];
  }
}

/** The events of a turn. */
const happened = ({events}) =>
  (Array.isArray(events) ? events.filter((event) => event && typeof event === "object") : []);

/** What bots were asked and answered in a turn, and did wrong: of a fault of a whole answer, which stands in all of a
 * bot's rows, the first row `counts`, as in standings. */
function answersIn(asks, roster, kinds) {
  const names = Object.keys(kinds);
  const faults = [];
  const gone = [];
  const said = [];
  for (const ask of asks) {
    const rows = roster.rowsOf(ask);
    said.push({question: ask.q, rows, answers: ask.a ?? {}});
    const wrong = ask.f ?? [];
    const whole = new Set();
    for (let k = 0; k < wrong.length; k += 2) {
      const [seat, body] = rows[wrong[k]];
      const kind = names[wrong[k + 1] - 1] ?? "unknown";
      const counts = kinds[kind] === "unit" || !whole.has(`${seat} ${kind}`);
      whole.add(`${seat} ${kind}`);
      faults.push({seat, body, kind, counts, question: ask.q});
    }
    gone.push(...(ask.gone ?? []));
  }
  return {faults, gone, asked: said};
}
