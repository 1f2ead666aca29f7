// A replay in memory: its bytes as far as they have come, cut into members, and turns decoded out of them.

import {withTools} from "./grid.js";
import {firstLine, inflate, memberEnd} from "./gzip.js";
import {visible} from "./names.js";

const FORMAT = 4; // of replays that can be read here
const KEPT_MEMBERS = 4; // decoded members that are kept
const MOST_ENTRIES = 1 << 24; // entries of the arrays that a line changes

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
    if (this.#decoded.size > KEPT_MEMBERS) this.#decoded.delete(this.#decoded.keys().next().value);
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
  const asked = {}; // the rows that were asked last, by question
  let entries = 0; // of the arrays that the line has changed so far, in steps, too
  const advance = ({dropped, values, arrays}) => {
    frame = {...frame};
    for (const name of dropped ?? []) delete frame[name];
    Object.assign(frame, values);
    for (const [name, change] of Object.entries(arrays ?? {})) {
      if (!Number.isInteger(change.n) || change.n < 0) throw new Error(`turn ${shown.turn + 1}: n of ${name} is not a length`);
      entries += change.n;
      if (entries > MOST_ENTRIES) throw new Error(`the arrays of turn ${shown.turn + 1} have too many entries`);
      frame[name] = applyChanges(frame[name] ?? new Int32Array(0), change);
    }
    return frame;
  };
  for (const text of lines.slice(1)) {
    const line = JSON.parse(text);
    if (line.turn !== shown.turn) yield shown;
    entries = 0;
    const steps = (line.steps ?? []).map((step) => ({after: step.after, frame: advance(step)}));
    frame = {...advance(line), turn: line.turn};
    shown = {turn: line.turn, frame, events: happened(line), steps, ...answersIn(line.asks ?? [], asked, kinds)};
  }
  yield shown;
}

/** A short text that differs between matches: what the ground of their pictures is kept under. */
function fingerprint(text) {
  let hash = 0;
  for (let k = 0; k < text.length; k++) hash = (Math.imul(hash, 31) + text.charCodeAt(k)) | 0;
  return (hash >>> 0).toString(16);
}

/** An array after a change: its length, and by each amount the places that change, each as its distance from the one before. */
function applyChanges(array, {n, by}) {
  const next = new Int32Array(n);
  next.set(array.subarray(0, n));
  for (const [amount, ...distances] of by) {
    let place = 0;
    for (const distance of distances) next[place += distance] += amount;
  }
  return next;
}

/** The events of a turn. */
const happened = ({events}) =>
  (Array.isArray(events) ? events.filter((event) => event && typeof event === "object") : []);

const pairs = (numbers) => Array.from({length: numbers.length / 2}, (_, k) => [numbers[2 * k], numbers[2 * k + 1]]);

/** What bots were asked and answered in a turn, and did wrong: of a fault of a whole answer, which stands in all of a
 * bot's rows, the first row `counts`, as in standings. */
function answersIn(asks, asked, kinds) {
  const names = Object.keys(kinds);
  const faults = [];
  const gone = [];
  const said = [];
  for (const ask of asks) {
    if (ask.who) asked[ask.q] = pairs(ask.who);
    const rows = asked[ask.q] ?? [];
    said.push({question: ask.q, rows, answers: ask.a ?? {}});
    const wrong = ask.f ?? [];
    const whole = new Set();
    for (let k = 0; k < wrong.length; k += 2) {
      const [seat] = rows[wrong[k]];
      const kind = names[wrong[k + 1] - 1] ?? "unknown";
      const counts = kinds[kind] === "unit" || !whole.has(`${seat} ${kind}`);
      whole.add(`${seat} ${kind}`);
      faults.push({seat, kind, counts, question: ask.q});
    }
    gone.push(...(ask.gone ?? []));
  }
  return {faults, gone, asked: said};
}
