// Reads a replay away from the page: fetches it, decodes the turns asked for, and reads through all of it once
// for charts and events. The page asks with {ask, ...}; every message back has a `kind`.

import {lookEvery, pictureOf} from "./place.js";
import {answersOf} from "./answers.js";
import {ask} from "./ask.js";
import {visibleSquares} from "./eyes.js";
import {guardPicture} from "./guard.js";
import {Mind} from "./memory.js";
import {Replay} from "./replay.js";

const MOST_FAILURES = 5; // looks that may fail in a row

let replay;
let picture;
let url;
let wanted = []; // turns that the page waits for, most urgent first
let wantedAnswers = null; // the turn whose answers the page waits for
let busy = false;
let mind = null; // of the bot through whose eyes the page looks
const scan = {member: 1, turn: -1, faults: [], kinds: new Map(), gone: [], top: -1};

onmessage = ({data}) => {
  if (data.ask === "open") open(data).catch(report);
  if (data.ask === "frames") wanted = data.turns;
  if (data.ask === "answers") wantedAnswers = data.turn;
  if (data.ask === "memory") mind = data.team === null ? null : new Mind(data.team);
  if (data.ask !== "open" && replay) work().catch(report);
};

function report(error) {
  postMessage({kind: "error", text: error.message});
}

/** Read what is at `given.url`, or `given.bytes`: then nothing will be added. */
async function open(given) {
  url = given.url;
  replay = new Replay();
  if (given.bytes) {
    replay.add(0, given.bytes);
    await announce();
  } else {
    await load();
  }
  if (replay.header === null) throw new Error("this replay has no header yet, or is none");
  if (url) follow();
}

/** Fetch what the file has beyond what is here. */
async function load() {
  const offset = replay.resume;
  const response = await ask(url, {headers: {Range: `bytes=${offset}-`}, cache: "no-store"});
  if (response.status === 503) throw new Error((await response.text()).trim());
  if (!response.ok) throw new Error(`the replay can't be read (${response.status})`);
  replay.add(response.status === 206 ? offset : 0, new Uint8Array(await response.arrayBuffer()));
  await announce();
}

async function announce() {
  await replay.survey();
  if (replay.header === null) return;
  if (!picture) {
    picture = guardPicture(await pictureOf(replay.header.game), (text) => postMessage({kind: "picture", text}));
    postMessage({kind: "header", header: replay.header});
  }
  postMessage({kind: "turns", turns: replay.turns, result: replay.result});
  work().catch(report);
}

/** Look again until the result is there: a live match, or one that was cut off. */
function follow(failures = 0) {
  if (replay.result !== null) return;
  setTimeout(async () => {
    try {
      const grows = await lookAgain();
      postMessage({kind: "alive", grows});
      follow();
    } catch (error) {
      // Once is nothing: the file may be changing its name just now.
      if (failures < MOST_FAILURES) follow(failures + 1);
      else report(error);
    }
  }, lookEvery);
}

/** Read what has been added; true when there was something. */
async function lookAgain() {
  const head = await ask(url, {method: "HEAD", cache: "no-store"});
  if (!head.ok) throw new Error(`the replay can't be read any more (${head.status})`);
  const size = Number(head.headers.get("Content-Length"));
  if (size < replay.size) postMessage({kind: "replaced"});
  const grows = size > replay.size;
  if (grows) await load();
  return grows;
}

/** Serve the page's turns first, then go on reading through the match, a member at a time. */
async function work() {
  if (busy) return;
  busy = true;
  try {
    for (;;) {
      if (wanted.length) {
        const turn = wanted.shift();
        if (turn <= replay.turns) {
          const record = await replay.at(turn);
          postMessage({kind: "turn", ...record, asked: null}); // answers are sent when they are asked for
        }
      } else if (wantedAnswers !== null) {
        await tellAnswers();
      } else if (mind && mind.turn < replay.settled) {
        await remember(mind);
      } else if (scan.top < replay.settled) {
        await scanMember();
      } else {
        return;
      }
      await new Promise((next) => setTimeout(next)); // let newer wishes in
    }
  } finally {
    busy = false;
  }
}

async function tellAnswers() {
  const turn = wantedAnswers;
  wantedAnswers = null;
  const {asked} = await replay.at(turn);
  postMessage({kind: "answers", turn, list: answersOf(asked, picture.answers ?? {}, replay.header)});
}

/** Go on, a member at a time, with what a bot has seen so far. */
async function remember(reader) {
  const turns = (await replay.decode(reader.member)).filter(({turn}) => turn > reader.turn);
  if (turns.length === 0) {
    reader.member += 1;
    return;
  }
  const {header} = replay;
  const sightings = [];
  let size = 0;
  for (const {turn, frame} of turns) {
    const seen = visibleSquares(header, frame, reader.team);
    const sighting = reader.see(turn, seen, picture.memorySquares?.(frame, reader.team, header));
    if (sighting) sightings.push(sighting);
    size = seen.length;
  }
  if (reader === mind) postMessage({kind: "memory", team: reader.team, upTo: reader.turn, size, sightings});
}

async function scanMember() {
  const turns = (await replay.decode(scan.member)).filter(({turn}) => turn > scan.top);
  if (turns.length === 0) {
    scan.member += 1;
    return;
  }
  const {header} = replay;
  const rows = {};
  const events = [];
  const lively = [];
  for (const {turn, frame, faults, gone, events: found} of turns) {
    for (const seat of gone) scan.gone[seat] ??= turn;
    for (const {seat, kind, counts} of faults) {
      scan.faults[seat] = (scan.faults[seat] ?? 0) + counts;
      const key = `${seat} ${kind}`;
      if (!scan.kinds.has(key)) scan.kinds.set(key, {seat, kind, count: 0, turn});
      scan.kinds.get(key).count += counts;
    }
    const series = {...picture.series(frame, header)};
    series.faults = header.bots.map((_, seat) => scan.faults[seat] ?? 0);
    for (const [name, values] of Object.entries(series)) (rows[name] ??= []).push(values);
    events.push(...found.filter(({weight, out}) => weight || out).map((event) => ({...event, turn})));
    const deaths = found.filter(({out}) => out).length;
    lively.push(Math.max(0, ...found.map(({weight = 0}) => 2 * weight), Math.min(deaths, 2)));
  }
  scan.top = turns.at(-1).turn;
  const wrong = {faults: [...scan.kinds.values()], gone: scan.gone};
  postMessage({kind: "series", from: turns[0].turn, rows, events, lively, ...wrong});
}
