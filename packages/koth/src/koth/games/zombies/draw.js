// The picture of zombies: players in their bot's colour, zombies, the bodies that lie, and the shots of a turn.

/** @typedef {import("../../viewer/static/draw.js").Picture} Picture */

/** @type {Picture["board"]} */
export const board = (match, frame) => ({width: frame.side, height: frame.side, wraps: true, reach: 1});

/** @type {Picture["draw"]} */
export function draw(ctx, scene) {
  const {frame, previous} = scene;
  scene.crowd(scene.once("sprites", () => spritesOf(scene)), scene.once("looks", () => looks(scene)), frame, previous);
  drawShots(ctx, scene, previous ?? frame);
}

function spritesOf({match, colors, theme, sprite, paintPattern}) {
  const {zombie, body, player} = match.codes.kind;
  const sprites = [];
  sprites[zombie] = sprite("zombie", (c) => paintZombie(c, theme));
  sprites[body] = sprite("body", (c) => paintBody(c, theme));
  colors.forEach((color, seat) => {
    sprites[player + seat] = sprite(`player ${seat}`, (c) => {
      paintPlayer(c, color, theme);
      paintPattern(c, seat, 0.5, 0.5, 0.42);
    });
  });
  return sprites;
}

/** Return each actor's sprite; an actor that changed its kind this turn keeps the old one for half of the way. */
function looks({match, frame, previous, progress}) {
  const {player} = match.codes.kind;
  const seen = previous && progress < 0.5 ? previous : frame;
  const which = new Int16Array(frame.kind.length);
  for (let i = 0; i < seen.kind.length; i++) {
    which[i] = seen.kind[i] === player ? player + seen.seat[i] : seen.kind[i];
  }
  return which;
}

/** Draw shots, which are fired before anybody moves: from the shooter's old square to the target's. */
function drawShots(ctx, scene, before) {
  const {frame, grid, colors, theme, progress, previous} = scene;
  const fade = previous ? 1 - progress * 0.65 : 0.8;
  ctx.lineCap = "round";
  for (const [shooter, target] of frame.shots) {
    const hit = target >= 0 && target < before.x.length;
    const at = hit ? target : shooter;
    if (before.x[shooter] < 0 || before.x[at] < 0) continue; // out of sight
    const x = before.x[shooter] + 0.5;
    const y = before.y[shooter] + 0.5;
    const [dx, dy] = grid.between({x: before.x[shooter], y: before.y[shooter]}, {x: before.x[at], y: before.y[at]});
    ctx.globalAlpha = fade;
    ctx.strokeStyle = colors[frame.seat[shooter]];
    ctx.lineWidth = 0.18;
    ctx.beginPath();
    ctx.moveTo(x, y);
    ctx.lineTo(x + dx, y + dy);
    ctx.stroke();
    if (!hit) continue;
    ctx.strokeStyle = theme.danger;
    ctx.beginPath();
    ctx.arc(x + dx, y + dy, 0.3 + 0.35 * progress, 0, 7);
    ctx.stroke();
  }
  ctx.globalAlpha = 1;
}

/** Paint a disc that fills a square, with a rim that stands out from bodies and zombies. */
function paintPlayer(c, color, theme) {
  c.fillStyle = color;
  c.beginPath();
  c.arc(0.5, 0.5, 0.46, 0, 7);
  c.fill();
  c.strokeStyle = theme.dark ? "#ffffff" : "#101418";
  c.lineWidth = 0.09;
  c.stroke();
}

/** Paint a zombie: greenish, angular, with two dark eyes, so that shape and colour differ from players. */
function paintZombie(c, theme) {
  c.fillStyle = theme.dark ? "#7f9a6a" : "#a3b894";
  c.beginPath();
  c.moveTo(0.18, 0.95);
  c.lineTo(0.12, 0.35);
  c.quadraticCurveTo(0.5, -0.15, 0.88, 0.35);
  c.lineTo(0.82, 0.95);
  c.lineTo(0.62, 0.8);
  c.lineTo(0.5, 0.95);
  c.lineTo(0.38, 0.8);
  c.closePath();
  c.fill();
  c.fillStyle = theme.dark ? "#141a10" : "#4d5c42";
  c.fillRect(0.28, 0.34, 0.16, 0.18);
  c.fillRect(0.56, 0.34, 0.16, 0.18);
}

/** Paint a body as a low stone, part of the ground. */
function paintBody(c, theme) {
  c.fillStyle = theme.dark ? theme.soft : "#f0eee9";
  c.beginPath();
  c.roundRect(0.1, 0.1, 0.8, 0.8, 0.2);
  c.fill();
  c.strokeStyle = theme.dark ? theme.faint : "#cdc9bf";
  c.lineWidth = 0.12;
  c.beginPath();
  c.moveTo(0.35, 0.35);
  c.lineTo(0.65, 0.65);
  c.moveTo(0.65, 0.35);
  c.lineTo(0.35, 0.65);
  c.stroke();
}

/** @type {Picture["series"]} */
export function series(frame, match) {
  const {player} = match.codes.kind;
  const bullets = frame.score.map(() => 0);
  for (let id = 0; id < frame.kind.length; id++) {
    if (frame.kind[id] === player) bullets[frame.seat[id]] += frame.bullets[id];
  }
  return {score: frame.score, alive: frame.alive, bullets};
}

/** @type {Picture["actors"]} */
export function actors(frame, match) {
  const {zombie, body, player} = match.codes.kind;
  const list = [];
  for (const kind of [body, zombie, player]) {
    for (let id = 0; id < frame.kind.length; id++) {
      if (frame.kind[id] !== kind) continue;
      list.push({id, x: frame.x[id], y: frame.y[id], team: kind === player ? frame.seat[id] : null});
    }
  }
  return list;
}

/** @type {Picture["about"]} */
export function about(frame, id, match) {
  const {absent, zombie, player} = match.codes.kind;
  const kind = frame.kind[id] ?? absent;
  if (kind === absent) return null;
  const number = `#${frame.number[id]}`;
  const was = id < match.facts.players * match.bots.length ? [["was", match.bots[frame.seat[id]].name]] : [];
  const bullets = ["bullets", frame.bullets[id]];
  if (kind === player) return {title: `${match.bots[frame.seat[id]].name} ${number}`, rows: [bullets]};
  if (kind === zombie) return {title: `Zombie ${number}`, rows: was};
  return {title: `Body ${number}`, rows: [bullets, ...was]};
}

const living = (frame) => frame.alive.reduce((sum, count) => sum + count, 0);

/** @type {Picture["legend"]} */
export function legend() {
  return [
    {label: "player, in its bot's colour", paint: (c, look) => paintPlayer(c, look.colors[0], look.theme)},
    {label: "zombie", paint: (c, look) => paintZombie(c, look.theme)},
    {label: "body", paint: (c, look) => paintBody(c, look.theme)},
    {label: "shot", paint: paintShot},
  ];
}

function paintShot(c, look) {
  c.strokeStyle = look.colors[0];
  c.lineWidth = 0.18;
  c.beginPath();
  c.moveTo(0.1, 0.8);
  c.lineTo(0.75, 0.3);
  c.stroke();
  c.strokeStyle = look.theme.danger;
  c.beginPath();
  c.arc(0.75, 0.3, 0.2, 0, 7);
  c.stroke();
}

/** @type {Picture["caption"]} */
export function caption(frame, match, team) {
  let zombies = 0;
  for (const kind of frame.kind) zombies += Number(kind === match.codes.kind.zombie);
  const seen = `${zombies.toLocaleString("en")} zombie${zombies === 1 ? "" : "s"}`;
  return team === null ? `${living(frame)} alive, ${seen}` : `${seen} in sight`;
}

/** @type {Picture["aboutSquare"]} */
export function aboutSquare(frame, x, y, match) {
  const rows = [];
  for (let i = 0; i < frame.kind.length; i++) {
    if (frame.x[i] === x && frame.y[i] === y) rows.push(["", match.spec.codes.kind[frame.kind[i]]]);
  }
  return {title: `x ${x}, y ${y}`, rows};
}

/**
 * What a viewer remembers of a square: a body, which only a rising zombie removes.
 * @type {Picture["memorySquares"]}
 */
export function memorySquares(frame, team, match) {
  const {body} = match.codes.kind;
  const found = new Int32Array(frame.side ** 2);
  for (let i = 0; i < frame.kind.length; i++) {
    if (frame.kind[i] === body) found[frame.y[i] * frame.side + frame.x[i]] = body;
  }
  return found;
}

/**
 * The bodies, as their squares were last seen.
 * @type {Picture["drawMemory"]}
 */
export function drawMemory(ctx, scene) {
  const {what} = scene.memory;
  const {body} = scene.match.codes.kind;
  const squares = [...what.keys()].filter((k) => what[k] === body);
  const at = {x: squares.map((k) => k % scene.frame.side), y: squares.map((k) => Math.floor(k / scene.frame.side))};
  scene.crowd([scene.sprite("body", (c) => paintBody(c, scene.theme))], squares.map(() => 0), at);
}

/** @type {Picture["answers"]} */
export const answers = {
  act({action, target}, match) {
    if (action !== "SHOOT") return action;
    const {zombie, player} = match.codes.kind;
    const [kind, number] = [target % 256, Math.floor(target / 256)];
    const who = kind === zombie ? "a zombie" : match.bots[kind - player]?.name ?? "nobody";
    return `shoot ${who}${number && kind !== zombie ? ` #${number}` : ""}`;
  },
};
