// A replay in memory: its bytes as far as they have come, cut into members, and turns decoded out of them.

import {firstLine, inflate, memberEnd} from "./gzip.js";
import {visible} from "./names.js";

/** Kinds of faults by their code in a replay's lines. */
export const FAULTS = [
  "none", "late", "crash", "closed", "garbage", "flood", "error", "missing", "illegal", "unasked", "memory",
];

const KEPT = 4; // decoded members that are kept

export class Replay {
  #bytes = new Uint8Array(1 << 16);
  #size = 0;
  #starts = [0]; // where members begin; the last one may not be whole
  #firstTurns = [];
  #decoded = new Map();

  header = null;
  result = null;
  turns = -1; // the last turn that can be shown; -1: none yet

  /** How many members can be read; the last may still grow. */
  get members() {
    return this.#starts.length - (this.#starts.at(-1) < this.#size ? 0 : 1);
  }

  get size() {
    return this.#size;
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
      if (header.koth !== 1) throw new Error(`replays of kind ${Number(header.koth)} can't be read here`);
      // A seed has more digits than a number keeps here. (Within strings every quotation mark has a backslash.)
      header.seed = /"seed":\s*(\d+)/.exec(text)?.[1] ?? String(header.seed);
      for (const bot of header.bots) bot.name = visible(bot.name);
      this.header = header;
    }
    let last = this.members - 1;
    if (last > 0 && this.#isWhole(last) && this.result === null) {
      const line = await this.#firstLine(last);
      if (line?.result) this.result = line.result;
    }
    if (this.result !== null) last -= 1;
    for (; last > 0; last--) {
      const {lastTurn} = await this.#member(last);
      if (lastTurn === undefined) continue; // nothing of it has been written
      this.turns = Math.max(this.turns, lastTurn);
      return;
    }
  }

  async #firstLine(member) {
    const text = await firstLine(this.#slice(member));
    return text === "" ? null : JSON.parse(text);
  }

  async #firstTurn(member) {
    this.#firstTurns[member] ??= (await this.#firstLine(member))?.turn;
    return this.#firstTurns[member] ?? Infinity; // nothing of it has been written yet
  }

  /** The member that tells how a turn came about; its frame may begin the next member, too. */
  async memberOf(turn) {
    let low = 1;
    let high = this.members - (this.result === null ? 1 : 2);
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((await this.#firstTurn(middle)) < turn) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  /** One turn: `{turn, frame, faults, notes, gone, asked}`. Turns of a growing replay beyond its end give the last one. */
  async at(turn) {
    return (await this.#member(await this.memberOf(turn))).at(turn);
  }

  async #member(number) {
    const end = this.#starts[number + 1] ?? this.#size;
    const kept = this.#decoded.get(number);
    this.#decoded.delete(number); // and back in as the youngest
    const member = kept?.end === end ? kept : new Member(await this.#lines(number), end);
    this.#decoded.set(number, member);
    if (this.#decoded.size > KEPT) this.#decoded.delete(this.#decoded.keys().next().value);
    return member;
  }

  /** All whole turns of a member, in order. */
  async decode(number) {
    return [...turnsIn(await this.#lines(number))];
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

  constructor(lines, end) {
    this.end = end;
    this.#rest = turnsIn(lines);
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

/** The turns that a member's lines describe, one by one; they share the arrays that did not change. */
export function* turnsIn(lines) {
  if (lines.length === 0) return;
  const key = JSON.parse(lines[0]);
  if (key.turn === undefined) return;
  let frame = {...key.values};
  for (const [name, numbers] of Object.entries(key.arrays)) frame[name] = Int32Array.from(numbers);
  frame.turn = key.turn;
  yield {turn: key.turn, frame, faults: [], notes: {}, gone: [], asked: []};
  const active = {};
  const asked = {};
  for (const text of lines.slice(1)) {
    const line = JSON.parse(text);
    frame = {...frame, ...line.values, turn: line.turn};
    for (const [name, change] of Object.entries(line.arrays ?? {})) {
      active[name] ??= new ActiveEntries();
      frame[name] = changed(frame[name], change, active[name]);
    }
    yield {turn: line.turn, frame, ...eventsOf(line.asks ?? [], asked)};
  }
}

/** The entries of an array that a `d` string has characters for, in index order. */
class ActiveEntries {
  #isActive = new Set();
  indices = [];

  /** The array has a new length: entries beyond it are gone. */
  cut(length) {
    if (this.indices.length && this.indices.at(-1) >= length) {
      this.indices = this.indices.filter((index) => index < length);
      this.#isActive = new Set(this.indices);
    }
  }

  add(indices) {
    const before = this.#isActive.size;
    for (const index of indices) this.#isActive.add(index);
    if (this.#isActive.size > before) this.indices = [...this.#isActive].sort((a, b) => a - b);
  }
}

function changed(array, change, active) {
  const length = change.n ?? array.length;
  active.cut(length);
  const next = new Int32Array(length);
  next.set(length < array.length ? array.subarray(0, length) : array);
  if (change.d !== undefined) {
    const {indices} = active;
    for (let k = 0; k < change.d.length; k++) next[indices[k]] += change.d.charCodeAt(k) - 63;
  }
  if (change.s !== undefined) {
    for (let k = 0; k < change.s.length; k += 2) next[change.s[k]] = change.s[k + 1];
    active.add(change.s.filter((_, k) => k % 2 === 0));
  }
  return next;
}

/** What bots were asked and answered in a turn, did wrong, and noted. `asked` remembers who was asked each question. */
function eventsOf(asks, asked) {
  const faults = [];
  const notes = {};
  const gone = [];
  const said = [];
  for (const ask of asks) {
    let rows = asked[ask.q] ?? [];
    if (ask.who) {
      rows = [];
      for (let k = 0; k < ask.who.length; k += 2) rows.push([ask.who[k], ask.who[k + 1]]);
    } else if (ask.drop) {
      const dropped = new Set(ask.drop);
      rows = rows.filter((_, row) => !dropped.has(row));
    }
    asked[ask.q] = rows;
    said.push({question: ask.q, rows, answers: ask.a ?? {}});
    const wrong = ask.f ?? [];
    for (let k = 0; k < wrong.length; k += 2) {
      const [seat, body] = rows[wrong[k]];
      faults.push({seat, body, kind: FAULTS[wrong[k + 1]] ?? "unknown", question: ask.q});
    }
    gone.push(...(ask.gone ?? []));
    Object.assign(notes, ask.notes ?? {});
  }
  return {faults, notes, gone, asked: said};
}
