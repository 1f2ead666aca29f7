// The laws of a draw.js, run by Node over the frames of a match: `pictures.py` passes them in and reports violations.

// @ts-expect-error Node.js has no types here
import {readFileSync} from "node:fs";
import * as drawing from "../viewer/static/draw.js";
import {hasSight, seeThrough, visibleSquares} from "../viewer/static/eyes.js";
import {gridOf, withTools} from "../viewer/static/grid.js";
import {makeScene} from "../viewer/static/scene.js";
import {SIZE, makePen} from "./picture_pen.js";

const EDGE = 1e-6;
const WIDEST = 1000; // squares: what is larger covers the board
const NAMES = ["board", "draw", "series", "others", "actors", "about", "legend", "caption", "aboutSquare", "squareOf",
  "drawAboveFog", "drawMemory", "memorySquares", "answers"];
const COLOURS = ["paper", "ground", "ink", "muted", "soft", "faint", "fog", "accent", "danger"];

/** @type {any} */
const picture = drawing;
const {law, match, frames, arrays, changes} = JSON.parse(readFileSync(0, "utf8"));
withTools(match);
for (const frame of frames) for (const name of arrays) frame[name] = Int32Array.from(frame[name]);

class Broken extends Error {}

function claim(isSo, words) {
  if (!isSo) throw new Broken(words);
}

const isText = (value) => typeof value === "string" && value.length > 0;
const show = (value) => JSON.stringify(value) ?? String(value);

/** Call a function of the picture; report its errors with name and line. */
function call(name, ...given) {
  try {
    return picture[name](...given);
  } catch (error) {
    const line = /\/draw\.js:(\d+)/.exec(error?.stack ?? "")?.[1];
    throw new Broken(`${name} fails${line ? ` in line ${line}` : ""}: ${error?.message ?? error}`);
  }
}

const [sprites, layers] = [new Map(), new Map()];
const kept = (known, key, make) => known.get(key) ?? known.set(key, make()).get(key);
/** Return a `once` like the viewer's: each key is painted only once. */
const pictures = {
  sprite: (key, size, paint) => kept(sprites, key, () => {
    paint(makePen([]));
    return {picture: {key, width: SIZE, height: SIZE}, margin: 0, side: SIZE};
  }),
  layer: (key, width, height, size, paint) => kept(layers, key, () => {
    const marks = [];
    paint(makePen(marks));
    return {marks, width, height};
  }),
};
const theme = {dark: true, ...Object.fromEntries(COLOURS.map((name) => [name, name]))};
const others = picture.others ? call("others", match) : [];
const teams = match.bots.length + others.length;
const colors = Array.from({length: teams}, (_, team) => `team ${team}`);
const sizeOf = (frame) => ({wraps: false, reach: 1, ...call("board", match, frame)});

/** Return the marks that a function of the picture makes for `frame`, on the way from `previous`. */
function marksOf(name, frame, previous = null, progress = 1, memory = undefined) {
  const marks = [];
  const pen = makePen(marks);
  const size = sizeOf(frame);
  const visible = {left: 0, top: 0, right: size.width, bottom: size.height};
  const view = {...size, size: SIZE, left: 0, top: 0, visible, copy: "", isRim: false};
  const shot = {match, frame, previous, progress, colors, theme, focus: null, memory};
  call(name, pen, makeScene(pen, pictures, view, shot));
  return marks;
}

/** Return the numbers of the squares that a box covers, without those off the board. */
function squaresOf({left, top, right, bottom}, size, most = Infinity) {
  const grid = gridOf(size);
  const [west, north] = [Math.floor(left + EDGE), Math.floor(top + EDGE)];
  const [east, south] = [Math.max(Math.ceil(right - EDGE), west + 1), Math.max(Math.ceil(bottom - EDGE), north + 1)];
  if (east - west > most || south - north > most) return null;
  const found = new Set();
  for (let y = north; y < south; y++) for (let x = west; x < east; x++) found.add(grid.square(x, y));
  found.delete(-1);
  return found;
}

// What a picture is, all through a match.

function checkColumns(frame) {
  const columns = Object.entries(call("series", frame, match));
  claim(columns.length > 0, "series has no column");
  for (const [name, values] of columns) {
    claim(values?.length === teams, `series: ${name} has ${values?.length} values, there are ${teams} teams`);
    claim([...values].every((value) => value === null || Number.isFinite(value)), `series: ${name} is ${show(values)}`);
  }
}

function checkActors(frame, size, marks) {
  if (!picture.actors) return;
  const found = call("actors", frame, match);
  claim(new Set(found.map(({id}) => id)).size === found.length, "actors: two have one id");
  const small = marks.map((mark) => squaresOf(mark, size, 2)).filter((squares) => squares);
  const painted = new Set(small.flatMap((squares) => [...squares]));
  for (const {id, x, y, team} of found) {
    claim(["number", "string"].includes(typeof id), `actors: the id ${show(id)} is neither number nor text`);
    claim(x >= 0 && x < size.width && y >= 0 && y < size.height, `actors: ${id} is off the board, at ${x}, ${y}`);
    claim(team === null || (Number.isInteger(team) && team >= 0 && team < teams), `actors: ${id} is of team ${show(team)}`);
    claim(painted.has(y * size.width + x), `draw puts nothing on the square ${x}, ${y} of actor ${id}`);
    checkAbout(picture.about && call("about", frame, id, match), `about ${id}`);
    checkAbout(picture.aboutSquare && call("aboutSquare", frame, x, y, match), `aboutSquare ${x}, ${y}`);
  }
}

function checkAbout(told, name) {
  if (told === undefined || told === null) return;
  claim(isText(told.title), `${name}: its title is ${show(told.title)}`);
  for (const row of told.rows) claim(typeof row[0] === "string" && row[1] !== undefined && row[1] !== null, `${name}: a row is ${show(row)}`);
}

function checkSight(frame, previous, size) {
  for (let seat = 0; seat < match.bots.length; seat++) {
    const {frame: known, previous: before, seen} = seeThrough(match, seat, frame, previous);
    claim(seen.length === size.width * size.height, `frame_spec's board has ${seen.length} squares, the picture's ${size.width * size.height}`);
    for (const name of ["draw", "drawAboveFog"]) if (picture[name]) marksOf(name, known, before, before ? 0.4 : 1);
    if (picture.caption) claim(typeof call("caption", known, match, seat) === "string", "caption is not a text");
    for (const {id} of picture.actors ? call("actors", known, match) : []) if (picture.about) call("about", known, id, match);
    const what = picture.memorySquares ? Int32Array.from(call("memorySquares", frame, seat, match)) : new Int32Array(seen.length);
    claim(what.length === seen.length, `memorySquares has ${what.length} squares, the board ${seen.length}`);
    const memory = {what: what.map((value) => Math.max(value, 0)), when: new Int32Array(seen.length)};
    if (picture.drawMemory) marksOf("drawMemory", known, null, 1, memory);
  }
}

/** Check that frames are drawn without errors, actors on their squares of the board, nothing wholly off the board. */
function drawn() {
  for (const needed of ["board", "draw", "series"]) claim(typeof picture[needed] === "function", `there is no ${needed}`);
  const unknown = Object.keys(picture).find((name) => !NAMES.includes(name));
  claim(!unknown, `there is no ${unknown} in a picture; there are ${NAMES.join(", ")}`);
  frames.forEach((frame, k) => telling(frame, () => {
    const before = JSON.stringify(frame);
    const size = sizeOf(frame);
    claim([size.width, size.height].every((side) => Number.isInteger(side) && side > 0), `board is ${show(size)}`);
    checkColumns(frame);
    const marks = marksOf("draw", frame);
    for (const name of ["draw", "drawAboveFog"].filter((one) => picture[one])) {
      if (name !== "draw") marks.push(...marksOf(name, frame));
      if (k > 0) for (const progress of [0, 0.3, 0.7, 1]) marksOf(name, frame, frames[k - 1], progress);
    }
    for (const {what, left, top, right, bottom} of marks) {
      const isOff = right < -1 || bottom < -1 || left > size.width + 1 || top > size.height + 1;
      claim(!isOff, `draw puts something off the board, at ${Math.floor(left)}, ${Math.floor(top)}: ${what}`);
    }
    checkActors(frame, size, marks);
    if (picture.caption) claim(typeof call("caption", frame, match, null) === "string", "caption is not a text");
    if (hasSight(match)) checkSight(frame, k > 0 ? frames[k - 1] : null, size);
    claim(JSON.stringify(frame) === before, "a frame was changed");
  }));
  for (const {label, paint} of picture.legend ? call("legend", match, frames[0]) : []) {
    claim(isText(label), `legend: a label is ${show(label)}`);
    paint(makePen([]), {colors, theme});
  }
}

function telling(frame, act) {
  try {
    act();
  } catch (error) {
    throw error instanceof Broken ? new Broken(`turn ${frame.turn}: ${error.message}`) : error;
  }
}

// What a bot may not see.

/** Return the frame with another value at a path; the rest is shared. */
function changed(frame, path, value) {
  if (path.length === 0) return value;
  const copy = frame.slice ? frame.slice() : {...frame};
  copy[path[0]] = changed(frame[path[0]], path.slice(1), value);
  return copy;
}

/** Return all marks, repeated ones too, and actors with their descriptions, as marks of squares. */
function wholePicture(shots) {
  const found = new Map();
  const put = (mark) => {
    const key = JSON.stringify(mark);
    found.set(key, [...(found.get(key) ?? []), mark]);
  };
  for (const [frame, previous, progress] of shots) {
    for (const mark of marksOf("draw", frame, previous, progress)) put(mark);
    const above = picture.drawAboveFog ? marksOf("drawAboveFog", frame, previous, progress) : [];
    for (const mark of above) put({...mark, isAbove: true});
    for (const {x, y, ...who} of picture.actors ? call("actors", frame, match) : []) {
      const about = picture.about ? call("about", frame, who.id, match) : null;
      put({what: `actor ${show([who, about])}`, team: who.team, left: x, top: y, right: x + 1, bottom: y + 1});
    }
  }
  return found;
}

/** Return the marks that only one of two pictures has. */
const difference = (one, other) => [[one, other], [other, one]].flatMap(([from, to]) => (
  [...from].flatMap(([key, marks]) => marks.slice(to.get(key)?.length ?? 0))));

/**
 * Return as texts what a bot's view shows beyond the marks of `draw` on squares in sight; fog covers other marks.
 */
function throughEyes(shots, seat) {
  return shots.flatMap(([frame, previous, progress]) => {
    const {frame: known, previous: before} = seeThrough(match, seat, frame, previous);
    const shown = picture.drawAboveFog ? marksOf("drawAboveFog", known, before, progress) : [];
    if (picture.drawMemory) shown.push(...marksOf("drawMemory", known, null, 1, nothingIn(frame)));
    const actors = (picture.actors ? call("actors", known, match) : []).filter(({x, y}) => x >= 0 && y >= 0);
    const about = picture.about ? actors.map(({id}) => ["about", call("about", known, id, match)]) : [];
    const caption = picture.caption ? [["caption", call("caption", known, match, seat)]] : [];
    return [...shown, ...actors, ...about, ...caption].map(show);
  });
}

/** Return the memory of a bot that has seen every square empty at the start. */
function nothingIn(frame) {
  const {width, height} = sizeOf(frame);
  return {what: new Int32Array(width * height), when: new Int32Array(width * height)};
}

const seenBy = (all, seat) => all.map((frame) => visibleSquares(match, frame, seat));

/**
 * Check that a change out of a bot's sight changes nothing in the bot's view of the picture; return how many such
 * changes were tried.
 */
function fog() {
  let tried = 0;
  if (!hasSight(match)) return tried;
  for (const [k, path, value] of changes) {
    const [frame, before, after] = [frames[k], frames[k - 1], frames[k + 1]];
    const other = changed(frame, path, value);
    const moves = (one) => [[one, null, 1], [one, before, 0.4], [after, one, 0.6]];
    const shots = (one) => moves(one).filter(([now, last]) => now && last !== undefined);
    const all = (one) => [one, before, after].filter((each) => each);
    const found = difference(wholePicture(shots(frame)), whatever(() => wholePicture(shots(other))) ?? new Map());
    if (found.length === 0 || found.some(({isAbove}) => isAbove)) continue;
    const size = sizeOf(frame);
    const squares = found.map((mark) => squaresOf(mark, size, WIDEST));
    for (let seat = 0; seat < match.bots.length; seat++) {
      const seen = seenBy(all(frame), seat);
      const isFree = (square) => seen.every((one) => !one[square]);
      const isOwn = found.some(({team}) => team === seat);
      const isHidden = !isOwn && squares.every((some) => some && [...some].every(isFree));
      if (!isHidden || show(whatever(() => seenBy(all(other), seat))) !== show(seen)) continue;
      tried += 1;
      const [one, two] = [throughEyes(shots(frame), seat), throughEyes(shots(other), seat)];
      const shown = two.find((text, n) => text !== one[n]) ?? one[two.length];
      const where = path.map((key) => (typeof key === "number" ? `[${key}]` : `.${key}`)).join("");
      telling(frame, () => claim(shown === undefined,
        `through the eyes of seat ${seat}, frame${where} shows where it does not see: ${value} in place of another changes ${shown}`));
    }
  }
  return tried;
}

/** Return the function's result; null if it fails: a randomly changed frame may be invalid. */
function whatever(act) {
  try {
    return act();
  } catch {
    return null;
  }
}

let [broken, told] = [null, null];
try {
  told = {drawn, fog}[law]();
} catch (error) {
  if (!(error instanceof Broken)) throw error;
  broken = error.message;
}
console.log(JSON.stringify({broken, told: told ?? null}));
