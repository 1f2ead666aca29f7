// Through a seat's eyes: the squares that it sees, and frames without what it does not see, so that nothing else can be
// drawn. Both follow from the game's declaration of its frames (`match.spec`), as in koth's frame.py.

import {gridOf} from "./grid.js";

const NOWHERE = -1e6; // column and row of a unit out of sight
const WAYS = ["N", "NE", "E", "SE", "S", "SW", "W", "NW"]; // the order of a unit's rays

/** Whether the frames of a match say what a seat sees. */
export const hasSight = ({spec}) => Boolean(spec?.seen || spec?.units?.some(({reach, rays}) => reach || rays));

/** Whether one can look through a bot's eyes: squares are out of sight, or things are only their owner's. */
export const hasEyes = (match) => hasSight(match) || Boolean(match.spec?.own?.length);

/** The board of a frame. */
const boardOf = ({width = "side", height = "side", wraps = false}, frame) => (
  gridOf({width: frame[width], height: frame[height], wraps: frame.wraps ?? wraps}));

/** The seat of each unit; -1 for units of nobody. */
function ownersOf({x, seat, each}, frame) {
  if (seat) return frame[seat];
  return Array.from(frame[x], (_, k) => (each ? Math.floor(k / each) : -1));
}

/**
 * The squares that a seat sees: a number for each, row by row, 1 where it does.
 * @param {import("./draw.js").Match} match
 * @param {import("./draw.js").Frame} frame
 * @param {number} team
 */
export function visibleSquares({spec}, frame, team) {
  const grid = boardOf(spec, frame);
  const seen = spec.seen
    ? Uint8Array.from(frame[spec.seen], (bits) => (bits >> team) & 1)
    : new Uint8Array(grid.width * grid.height);
  const far = Math.max(grid.width, grid.height) >> Number(grid.wraps); // from here on all is within reach
  for (const group of spec.units ?? []) {
    const {reach, rays} = group;
    ownersOf(group, frame).forEach((owner, k) => {
      const here = {x: frame[group.x][k], y: frame[group.y][k]};
      if (owner !== team || here.x < 0 || here.y < 0) return;
      if (reach && frame[reach][k] >= 0) grid.fill(seen, here.x, here.y, Math.min(frame[reach][k], far), 1);
      for (const [way, name] of rays ? WAYS.entries() : []) {
        for (let at = here, left = frame[rays][8 * k + way]; left > 0; left--) {
          at = grid.step(at, name);
          seen[grid.square(at.x, at.y)] = 1;
        }
      }
    });
  }
  return seen;
}

/** The frame without things that only other seats see, such as the cards in their hands. */
const hideOwn = ({spec}, frame, team) => ({
  ...frame,
  ...Object.fromEntries((spec?.own ?? []).map((name) => [name, frame[name].filter(({seat}) => seat === team)])),
});

/** The frame without what a seat does not see; keys that the declaration does not name are public. */
function applyFog(match, frame, seen, team) {
  const {spec} = match;
  const {width, height} = boardOf(spec, frame);
  const isOn = (x, y) => x >= 0 && x < width && y >= 0 && y < height && seen[y * width + x] === 1;
  const known = hideOwn(match, frame, team);
  if (spec.seen) known[spec.seen] = Int32Array.from(frame[spec.seen], (bits) => bits & (1 << team));
  for (const [name, hidden] of Object.entries(spec.squares ?? {})) {
    known[name] = Int32Array.from(frame[name], (value, k) => (seen[k] ? value : hidden));
  }
  for (const name of spec.things ?? []) known[name] = frame[name].filter(({x, y}) => isOn(x, y));
  for (const group of spec.units ?? []) Object.assign(known, unitsInSight(group, frame, seen, isOn, team));
  return known;
}

/** The arrays and links of units, without those out of sight. */
function unitsInSight(group, frame, seen, isOn, team) {
  const {x, y, each, fields = [], paths = [], links = []} = group;
  const own = Array.from(ownersOf(group, frame), (seat) => seat === team);
  const shown = own.map((isOwn, k) => (each && isOwn) || isOn(frame[x][k], frame[y][k]));
  const kept = (names, knows, hidden) => names.map((name) => (
    [name, Int32Array.from(frame[name], (value, k) => (knows(k) ? value : hidden))]));
  const known = Object.fromEntries([
    ...kept([x, y], (k) => shown[k], NOWHERE), ...kept(fields, (k) => shown[k], 0),
    ...kept(paths, () => true, -1),
  ]);
  for (const name of paths) {
    const length = frame[name].length / own.length;
    own.forEach((isOwn, unit) => {
      if (isOwn) return;
      const path = known[name].subarray(unit * length, (unit + 1) * length);
      if (!shown[unit]) path.fill(-1);
      for (let k = length - 2; k >= 0; k--) if (!seen[path[k]]) path[k] = path[k + 1]; // only the end in sight is known
    });
  }
  for (const name of links) known[name] = frame[name].filter((link) => link.every((k) => shown[k] ?? true));
  return known;
}

/**
 * What of a turn a seat knows: `{frame, previous, seen}`; with `team` null all of it. `seen` is null if it sees all
 * squares.
 * @param {import("./draw.js").Match} match
 * @param {number | null} team
 * @param {import("./draw.js").Frame} frame
 * @param {import("./draw.js").Frame | null} previous
 */
export function seeThrough(match, team, frame, previous) {
  if (team === null) return {frame, previous, seen: null};
  if (!hasSight(match)) {
    return {frame: hideOwn(match, frame, team), previous: previous && hideOwn(match, previous, team), seen: null};
  }
  const known = (one) => applyFog(match, one, visibleSquares(match, one, team), team);
  return {frame: known(frame), previous: previous && known(previous), seen: visibleSquares(match, frame, team)};
}
