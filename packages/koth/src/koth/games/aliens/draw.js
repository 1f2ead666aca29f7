// The picture of aliens: every species in its colour, brighter and larger the more able an instance is, prey by
// their shapes, and a flash where somebody fought.

/** @typedef {import("../../viewer/static/draw.js").Picture} Picture */

const STEPS = 6; // sizes of glow
const GLOWS = [1, 2, 3, 4, 5].map((step) => 14 * 1.33 ** step); // the total from which on each but the first has it

/** @type {Picture["board"]} */
export const board = (match, frame) => ({width: frame.side, height: frame.side, wraps: true, reach: 1});

/** @type {Picture["others"]} */
export const others = (match) => match.facts.prey;

/** @type {Picture["draw"]} */
export function draw(ctx, scene) {
  const {frame, previous} = scene;
  drawFights(ctx, scene, false);
  const sprites = scene.once("sprites", () => spritesOf(scene));
  scene.crowd(sprites, scene.once("looks", () => looks(scene)), frame, previous);
  drawFights(ctx, scene, true);
}

/** Paint every species in every size of glow. */
function spritesOf({colors, match, sprite, paintPattern}) {
  const seats = match.bots.length;
  return colors.flatMap((color, team) => Array.from({length: STEPS}, (_, step) => {
    const power = step / (STEPS - 1);
    return sprite(`${team} at ${step}`, (c) => {
      if (team >= seats) paintPrey(c, color, team - seats, power);
      else paintAlien(c, color, power);
      paintPattern(c, team, 0.5, 0.68 + 0.06 * power, 0.2);
    });
  }));
}

/** Return each instance's sprite; one that dies this turn is seen until it has met its enemy. */
function looks({frame, previous, progress}) {
  const {species, total} = frame;
  const dying = previous !== null && progress < 0.6 ? previous.total : total;
  const which = new Int32Array(species.length);
  for (let i = 0; i < which.length; i++) {
    const power = total[i] || dying[i];
    which[i] = power ? species[i] * STEPS + glow(power) : -1;
  }
  return which;
}

/** Return the glow of a total ability: 15 at the start; each step takes a third more. */
function glow(total) {
  let step = 0;
  while (step < STEPS - 1 && total >= GLOWS[step]) step += 1;
  return step;
}

/** Draw a burst where two instances met, growing from their arrival on; with rays if one died. */
function drawFights(ctx, {frame, previous, progress, theme, visible}, above) {
  const heat = previous === null ? 0.6 : Math.max(0, (progress - 0.4) / 0.6);
  if (!heat || !frame.fights.length) return;
  ctx.fillStyle = ctx.strokeStyle = theme.danger;
  ctx.lineWidth = 0.1;
  ctx.beginPath();
  for (const [one, other] of frame.fights) {
    const x = frame.x[one] + 0.5;
    const y = frame.y[one] + 0.5;
    if (x < visible.left - 1 || x > visible.right + 1 || y < visible.top - 1 || y > visible.bottom + 1) continue;
    if (!above) {
      ctx.moveTo(x + 0.75 * heat, y);
      ctx.arc(x, y, 0.75 * heat, 0, 7);
    } else if (!frame.hp[one] && !frame.hp[other]) cross(ctx, x, y);
  }
  ctx.globalAlpha = above ? heat : 0.55 * (1 - heat / 2);
  if (above) ctx.stroke();
  else ctx.fill();
  ctx.globalAlpha = 1;
}

/** Nobody has survived here. */
function cross(ctx, x, y) {
  for (const side of [-1, 1]) {
    ctx.moveTo(x - 0.25, y - 0.25 * side);
    ctx.lineTo(x + 0.25, y + 0.25 * side);
  }
}

/** A drop with two eyes; the greater ones have a halo. */
function paintAlien(c, color, power) {
  halo(c, color, power);
  const r = 0.3 + 0.22 * power;
  c.fillStyle = color;
  c.beginPath();
  c.ellipse(0.5, 0.5, r * 0.86, r, 0, 0, 7);
  c.fill();
  c.fillStyle = "rgba(0, 0, 0, 0.65)";
  for (const side of [-1, 1]) {
    c.beginPath();
    c.ellipse(0.5 + side * r * 0.38, 0.46, r * 0.22, r * 0.32, side * 0.4, 0, 7);
    c.fill();
  }
}

/** Prey: whale, cow, turtle, eagle and human are told apart by shape. */
function paintPrey(c, color, kind, power) {
  halo(c, color, power);
  const r = 0.3 + 0.18 * power;
  c.fillStyle = color;
  c.beginPath();
  if (kind === 0) c.ellipse(0.5, 0.55, r * 1.3, r * 0.75, 0, 0, 7);
  else if (kind === 1) c.rect(0.5 - r, 0.5 - r * 0.7, 2 * r, r * 1.4);
  else if (kind === 2) polygon(c, 6, r * 1.1, 0);
  else if (kind === 3) polygon(c, 3, r * 1.2, -Math.PI / 2);
  else polygon(c, 4, r * 1.15, 0);
  c.fill();
}

function polygon(c, corners, radius, turn) {
  for (let k = 0; k < corners; k++) {
    const angle = turn + (2 * Math.PI * k) / corners;
    c.lineTo(0.5 + radius * Math.cos(angle), 0.5 + radius * Math.sin(angle));
  }
  c.closePath();
}

function halo(c, color, power) {
  if (power === 0) return;
  const light = c.createRadialGradient(0.5, 0.5, 0.1, 0.5, 0.5, 0.5 + 0.25 * power);
  light.addColorStop(0, color);
  light.addColorStop(1, "transparent");
  c.globalAlpha = 0.45 + 0.55 * power;
  c.fillStyle = light;
  c.fillRect(-0.25, -0.25, 1.5, 1.5);
  c.globalAlpha = 1;
}

/** @type {Picture["series"]} */
export function series(frame) {
  const health = frame.score.map(() => 0);
  for (let i = 0; i < frame.hp.length; i++) health[frame.species[i]] += Math.max(frame.hp[i], 0);
  return {"total ability": frame.score, alive: frame.alive, "hit points": health.map(Math.round)};
}

/**
 * The greatest come last, so that they are on top.
 * @type {Picture["actors"]}
 */
export function actors(frame) {
  const list = [];
  for (let id = 0; id < frame.hp.length; id++) {
    if (frame.hp[id] > 0) list.push({id, x: frame.x[id], y: frame.y[id], team: frame.species[id]});
  }
  return list.sort((a, b) => frame.total[a.id] - frame.total[b.id]);
}

/** Return an instance's number within its species. */
function numberOf(slot, team, {bots, facts}) {
  const {instances, prey_instances: animals} = facts;
  return team < bots.length ? slot % instances : (slot - bots.length * instances) % animals;
}

/** @type {Picture["about"]} */
export function about(frame, id, match) {
  const team = frame.species[id];
  if (team === undefined) return null;
  const seats = match.bots.length;
  const number = numberOf(id, team, match);
  const name = team < seats ? match.bots[team].name : frame.prey[team - seats];
  const abilities = match.spec.codes.ability;
  return {
    title: `${name} #${number}`,
    rows: [
      ["HP", frame.hp[id] > 0 ? frame.hp[id] : "dead"],
      ...(frame.life[id] > 0 ? abilities.map((ability) => [ability, frame[ability][id]]) : []), // not of who fell before
      ...(frame.hp[id] > 0 ? [["total", frame.total[id]]] : []),
      ...enemies(frame, id, match),
    ],
  };
}

/** Return the enemies that an instance fought this round. */
function enemies(frame, id, match) {
  const name = (slot) => {
    const team = frame.species[slot];
    return team < match.bots.length ? match.bots[team].name : frame.prey[team - match.bots.length];
  };
  return frame.fights
    .filter((pair) => pair.includes(id))
    .map(([one, other]) => ["fought", name(one === id ? other : one)]);
}

/** @type {Picture["legend"]} */
export function legend(match) {
  return [
    {label: "alien, in its bot's colour", paint: (c, look) => paintAlien(c, look.colors[0], 0)},
    {label: "a great one", paint: (c, look) => paintAlien(c, look.colors[0], 1)},
    ...match.facts.prey.map((name, kind) => ({
      label: name,
      paint: (c, look) => paintPrey(c, look.colors[match.bots.length + kind], kind, 0),
    })),
    {label: "fight", paint: paintFlash},
  ];
}

function paintFlash(c, look) {
  c.globalAlpha = 0.4;
  c.fillStyle = look.theme.danger;
  c.beginPath();
  c.arc(0.5, 0.5, 0.48, 0, 7);
  c.fill();
  c.globalAlpha = 1;
}

/** @type {Picture["caption"]} */
export function caption(frame, match, team) {
  const fights = frame.fights.length;
  const seen = `${fights} fight${fights === 1 ? "" : "s"}`;
  if (team !== null) return `${seen} in sight`;
  const living = frame.alive.reduce((sum, count) => sum + count, 0);
  return `${living} alive` + (fights ? `, ${seen}` : "");
}

/** @type {Picture["aboutSquare"]} */
export function aboutSquare(frame, x, y, match) {
  const counts = new Map();
  for (let i = 0; i < frame.hp.length; i++) {
    if (frame.hp[i] <= 0 || frame.x[i] !== x || frame.y[i] !== y) continue;
    const team = frame.species[i];
    const name = team < match.bots.length ? match.bots[team].name : frame.prey[team - match.bots.length];
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return {title: `x ${x}, y ${y}`, rows: [...counts]};
}

/** @type {Picture["answers"]} */
export const answers = {
  points: ({points}, match) => points.map((value, k) => `${match.spec.codes.ability[k]} ${Math.round(100 * value) / 100}`).join(", "),
  meet: ({fight}) => (fight ? "fight" : "peace"),
};
