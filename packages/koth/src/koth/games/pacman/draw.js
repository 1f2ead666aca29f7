// The picture of Pac-Man: the maze as the arcade draws it, chomping Pac-Men, ghosts by kind, points that pop up.

/** @typedef {import("../../viewer/static/draw.js").Picture} Picture */

const STILL = 4; // a direction: none
const DROW = [-1, 0, 1, 0, 0];
const DCOL = [0, 1, 0, -1, 0];
const KIND_COLORS = ["#ff2a1a", "#ff9ce0", "#19d8e8", "#ffa032"];
const FRUITS = ["#e8102e", "#ff7a1a", "#7ac322"];
const MEAL = 0.6; // of a step is done when what lies on a square is eaten, or a ghost

const sideOf = (match) => match.facts.side;
const wallsAt = (match, square) => parseInt(match.facts.walls[square], 16);

/** @type {Picture["board"]} */
export const board = (match) => ({width: sideOf(match), height: sideOf(match), wraps: true, reach: 1});

/** @type {Picture["draw"]} */
export function draw(ctx, scene) {
  const {match, frame, previous, progress} = scene;
  const {ghost, pacman} = match.codes.status;
  const side = sideOf(match);
  scene.layer(`maze ${match.seed}`, (c) => paintMaze(c, match, scene.theme));
  drawFood(ctx, scene, side, previous && progress < MEAL ? previous.item : frame.item);
  const moving = previous ?? frame;
  for (let g = 0; g < frame.ghost_row.length; g++) {
    const now = [frame.ghost_col[g], frame.ghost_row[g]];
    const before = [moving.ghost_col[g], moving.ghost_row[g]];
    const body = (c, foot) => paintHunter(c, frame.ghost_kind[g], foot, scene);
    drawGhost(scene, `kind ${frame.ghost_kind[g]}`, body, now, before, frame.ghost_waits[g]);
  }
  for (let i = 0; i < frame.row.length; i++) {
    const now = [frame.col[i], frame.row[i]];
    const before = [moving.col[i], moving.row[i]];
    if (frame.status[i] === ghost && moving.status[i] === pacman && progress < 1) drawDeath(scene, i, now, before);
    else if (frame.status[i] === ghost) {
      const body = (c, foot) => {
        paintSpirit(c, scene.colors[i], foot);
        scene.paintPattern(c, i, 0.5, 0.72, 0.16);
      };
      drawGhost(scene, `spirit ${i}`, body, now, before, frame.waits[i]);
    }
  }
  for (let i = 0; i < frame.row.length; i++) {
    if (frame.status[i] === pacman) drawPacman(scene, i);
  }
  drawPoints(ctx, scene);
}

/** Paint two lines around every wall: a wide stroke, and a narrower one in the colour of the floor over it. */
function paintMaze(c, match, theme) {
  const side = sideOf(match);
  const floor = floorOf(theme);
  c.fillStyle = floor;
  c.fillRect(0, 0, side, side);
  c.beginPath();
  for (let square = 0; square < side * side; square++) {
    const walls = wallsAt(match, square);
    const x = square % side;
    const y = Math.floor(square / side);
    if (walls & 1) line(c, x, y, x + 1, y);
    if (walls & 8) line(c, x, y, x, y + 1);
    if (walls & 2 && x === side - 1) line(c, side, y, side, y + 1);
    if (walls & 4 && y === side - 1) line(c, x, side, x + 1, side);
  }
  c.lineCap = "round";
  c.lineJoin = "round";
  c.strokeStyle = theme.dark ? "#2838ff" : "#3d55c8";
  c.lineWidth = 0.24;
  c.stroke();
  c.strokeStyle = theme.dark ? "#070a26" : "#c9d4ff";
  c.lineWidth = 0.12;
  c.stroke();
}

const floorOf = (theme) => (theme.dark ? "#000006" : theme.paper);

function line(c, x, y, toX, toY) {
  c.moveTo(x, y);
  c.lineTo(toX, toY);
}

/** Draw the items in view; an item eaten this turn stays until its eater reaches it. */
function drawFood(ctx, scene, side, items) {
  const {match, frame, progress, visible, theme, size} = scene;
  const {pellet, "power pellet": power, fruit} = match.codes.item;
  const fruits = FRUITS.map((color, k) => scene.sprite(`fruit ${k}`, (c) => paintFruit(c, color, k)));
  const beat = 0.2 + 0.09 * Math.abs(Math.cos(Math.PI * (progress + 0.5 * (frame.turn % 2))));
  const dot = Math.max(0.07, 1 / size);
  const ball = scene.sprite(`power ${Math.round(40 * beat)}`, (c) => paintPower(c, theme, beat));
  ctx.fillStyle = pelletOf(theme);
  ctx.beginPath();
  const top = Math.max(0, Math.floor(visible.top));
  const left = Math.max(0, Math.floor(visible.left));
  for (let row = top; row < Math.min(side, visible.bottom); row++) {
    for (let col = left; col < Math.min(side, visible.right); col++) {
      const item = items[row * side + col];
      if (item === pellet) ctx.rect(col + 0.5 - dot, row + 0.5 - dot, 2 * dot, 2 * dot);
      else if (item === power) scene.stamp(ball, col, row);
      else if (item === fruit) scene.stamp(fruits[(row * 7 + col) % 3], col, row);
    }
  }
  ctx.fill();
}

/** Draw a moving ghost, frightened where an invincible Pac-Man may eat it; only eyes while it sits out. */
function drawGhost(scene, key, body, now, before, waits) {
  const {frame, grid, previous, progress} = scene;
  const foot = Math.floor(progress * 4) % 2;
  const jumped = previous !== null && apart(now, before, grid) > 1;
  const fear = fearOf(frame, now, grid);
  const blinks = fear > 0 && fear <= 2 && foot === 0;
  const sprite = fear > 0
    ? scene.sprite(`fear ${blinks} ${foot}`, (c) => paintFrightened(c, blinks, foot))
    : scene.sprite(`${key} ${foot}`, (c) => body(c, foot));
  if (jumped && progress < MEAL) {
    scene.stamp(scene.sprite(`fear false ${foot}`, (c) => paintFrightened(c, false, foot)), ...before);
    return;
  }
  const looks = directionOf(before, now, grid);
  const eyes = scene.sprite(`eyes ${looks}`, (c) => paintEyes(c, looks));
  const way = jumped ? now : [...now, ...before];
  if (!waits) scene.stamp(sprite, ...way);
  if (waits || fear === 0) scene.stamp(eyes, ...way);
}

/** Return how many turns the invincibility of a Pac-Man within reach lasts; 0 without one. */
function fearOf(frame, [x, y], grid) {
  let turns = 0;
  for (let i = 0; i < frame.invincible.length; i++) {
    const left = frame.invincible[i];
    if (left > turns && apart([x, y], [frame.col[i], frame.row[i]], grid) <= left) turns = left;
  }
  return turns;
}

function drawPacman(scene, i) {
  const {frame, previous, progress, colors} = scene;
  const before = previous ? [previous.col[i], previous.row[i]] : [frame.col[i], frame.row[i]];
  const moved = frame.facing[i] !== STILL;
  const way = facingOf(frame, previous, i);
  const mouth = moved ? Math.round(4 * Math.abs(Math.cos(2 * Math.PI * progress))) : 1;
  const strong = frame.invincible[i];
  const glow = strong === 0 ? 0 : strong <= 2 && Math.floor(progress * 6) % 2 ? 1 : 2;
  const paint = (c) => {
    paintPacman(c, colors[i], way, mouth, glow && glowOf(scene.theme, glow));
    scene.paintPattern(c, i, 0.5 - 0.2 * DCOL[way], 0.5 - 0.2 * DROW[way], 0.2);
  };
  const sprite = scene.sprite(`pacman ${i} ${way} ${mouth} ${glow}`, paint);
  scene.stamp(sprite, frame.col[i], frame.row[i], ...before);
}

/** Return a Pac-Man's direction: of its move, else of its last move, else east. */
function facingOf(frame, previous, i) {
  if (frame.facing[i] !== STILL) return frame.facing[i];
  return previous && previous.facing[i] !== STILL ? previous.facing[i] : 1;
}

/** Return the rim's colour of an invincible Pac-Man, fainter towards the end. */
const glowOf = (theme, glow) => (theme.dark ? "#ffffff" : "#f0a800") + (glow === 2 ? "e0" : "50");

/** Draw a dying Pac-Man: the mouth opens until nothing is left. */
function drawDeath(scene, i, now, before) {
  const step = Math.floor(scene.progress * 8);
  const paint = (c) => paintPacman(c, scene.colors[i], 0, 4 + 1.6 * step, null);
  scene.stamp(scene.sprite(`death ${i} ${step}`, paint), ...now, ...before);
}

/** Draw points above a pellet's, rising where a bot won them. */
function drawPoints(ctx, scene) {
  const {match, frame, previous, progress, colors, theme, size} = scene;
  if (!previous || progress < MEAL / 2 || size < 8) return;
  const rise = (progress - MEAL / 2) / (1 - MEAL / 2);
  for (let i = 0; i < frame.gained.length; i++) {
    if (frame.gained[i] <= match.settings.pellet_points) continue;
    ctx.save();
    ctx.globalAlpha = rise < 0.7 ? 1 : Math.max(0, (1 - rise) / 0.3);
    ctx.translate(frame.col[i] + 0.5, frame.row[i] + 0.1 - 0.7 * rise);
    ctx.scale(0.02, 0.02); // tiny fonts are not to be trusted: a common size, made small
    ctx.font = "bold 34px ui-monospace, monospace";
    ctx.textAlign = "center";
    ctx.lineWidth = 8;
    ctx.lineJoin = "round";
    ctx.strokeStyle = floorOf(theme);
    ctx.strokeText(String(frame.gained[i]), 0, 0);
    ctx.fillStyle = colors[i];
    ctx.fillText(String(frame.gained[i]), 0, 0);
    ctx.restore();
  }
}

function paintPacman(c, color, way, mouth, glow) {
  const angle = Math.min(3.1, 0.02 + 0.2 * mouth);
  const middle = (way - 1) * (Math.PI / 2);
  if (glow) {
    c.fillStyle = glow;
    wedge(c, 0.5, middle, angle);
  }
  c.fillStyle = color;
  wedge(c, 0.41, middle, angle);
  c.strokeStyle = "rgba(0, 0, 0, 0.5)";
  c.lineWidth = 0.035;
  c.stroke();
}

function wedge(c, radius, middle, angle) {
  c.beginPath();
  c.moveTo(0.5, 0.5);
  c.arc(0.5, 0.5, radius, middle + angle, middle - angle + 2 * Math.PI);
  c.closePath();
  c.fill();
}

/** The round head and the skirt of a ghost, on one foot or the other. */
function ghostPath(c, foot) {
  c.beginPath();
  c.moveTo(0.1, 0.9);
  c.lineTo(0.1, 0.48);
  c.arc(0.5, 0.48, 0.4, Math.PI, 0);
  c.lineTo(0.9, 0.9);
  const waves = foot ? 4 : 3;
  for (let k = 1; k <= 2 * waves; k++) c.lineTo(0.9 - (0.8 * k) / (2 * waves), k % 2 ? 0.78 : 0.9);
  c.closePath();
}

function paintGhost(c, color, foot) {
  ghostPath(c, foot);
  c.fillStyle = color;
  c.fill();
}

/** A ghost of the maze: a pale head, so that no bot's colour is like it, on a skirt of its kind's colour, with its letter. */
function paintHunter(c, kind, foot, {match, theme}) {
  paintGhost(c, theme.dark ? "#cfd4da" : "#f4f5f7", foot);
  c.save();
  c.clip();
  c.fillStyle = KIND_COLORS[kind];
  c.fillRect(0, 0.6, 1, 0.4);
  c.restore();
  if (!theme.dark) {
    c.strokeStyle = "#343a42";
    c.lineWidth = 0.05;
    c.lineJoin = "round";
    c.stroke();
  }
  c.save();
  c.translate(0.5, 0.82);
  c.scale(0.01, 0.01);
  c.font = "bold 24px system-ui, sans-serif";
  c.textAlign = "center";
  c.textBaseline = "alphabetic";
  c.fillStyle = "#14171b";
  c.fillText(match.spec.codes.hunter[kind][0], 0, 0);
  c.restore();
}

/** A dead Pac-Man: a ghost one can look through, in its bot's colour. */
function paintSpirit(c, color, foot) {
  ghostPath(c, foot);
  c.globalAlpha = 0.4;
  c.fillStyle = color;
  c.fill();
  c.globalAlpha = 1;
  c.strokeStyle = color;
  c.lineWidth = 0.09;
  c.lineJoin = "round";
  c.stroke();
}

function paintFrightened(c, blinks, foot) {
  paintGhost(c, blinks ? "#f4f4ff" : "#2430d8", foot);
  c.fillStyle = c.strokeStyle = blinks ? "#e01818" : "#ffd2b0";
  c.fillRect(0.3, 0.36, 0.13, 0.13);
  c.fillRect(0.57, 0.36, 0.13, 0.13);
  c.lineWidth = 0.06;
  c.beginPath();
  for (let k = 0; k <= 6; k++) c.lineTo(0.23 + 0.09 * k, k % 2 ? 0.6 : 0.67);
  c.stroke();
}

function paintEyes(c, looks) {
  for (const x of [0.34, 0.66]) {
    c.fillStyle = "#fff";
    c.strokeStyle = "rgba(0, 0, 0, 0.35)";
    c.lineWidth = 0.025;
    c.beginPath();
    c.ellipse(x + 0.04 * DCOL[looks], 0.44 + 0.04 * DROW[looks], 0.12, 0.15, 0, 0, 7);
    c.fill();
    c.stroke();
    c.fillStyle = "#1a2bd0";
    c.beginPath();
    c.arc(x + 0.09 * DCOL[looks], 0.44 + 0.1 * DROW[looks], 0.07, 0, 7);
    c.fill();
  }
}

/** Cherries, an orange or a melon. */
function paintFruit(c, color, k) {
  const round = k === 0 ? [[0.34, 0.66, 0.17], [0.64, 0.7, 0.17]] : [[0.5, 0.58, 0.28]];
  c.strokeStyle = "#3f9b3f";
  c.lineWidth = 0.06;
  c.beginPath();
  for (const [x, y, radius] of round) {
    c.moveTo(x, y - radius);
    c.quadraticCurveTo(x + 0.02, 0.3, 0.62, 0.18);
  }
  c.stroke();
  for (const [x, y, radius] of round) {
    c.fillStyle = color;
    c.beginPath();
    c.arc(x, y, radius, 0, 7);
    c.fill();
    c.fillStyle = "rgba(255, 255, 255, 0.55)";
    c.beginPath();
    c.arc(x - radius / 3, y - radius / 3, radius / 4, 0, 7);
    c.fill();
  }
}

const apart = ([x, y], [atX, atY], grid) => grid.steps({x, y}, {x: atX, y: atY});

/** Return the direction of a step, across the seam too; south without a step. */
function directionOf([x, y], [toX, toY], grid) {
  const found = ["N", "E", "S", "W"].indexOf(grid.towards({x, y}, {x: toX, y: toY}));
  return found >= 0 && grid.steps({x, y}, {x: toX, y: toY}) === 1 ? found : 2;
}

/** @type {Picture["series"]} */
export const series = (frame) => ({score: frame.score, alive: frame.alive});

/** @type {Picture["actors"]} */
export function actors(frame, match) {
  const list = Array.from(frame.ghost_row, (y, g) => ({id: `ghost ${g}`, x: frame.ghost_col[g], y, team: null}));
  frame.row.forEach((y, i) => {
    if (frame.status[i] !== match.codes.status.gone) list.push({id: i, x: frame.col[i], y, team: i});
  });
  return list;
}

/** @type {Picture["about"]} */
export function about(frame, id, match) {
  const {gone, ghost, pacman} = match.codes.status;
  const waiting = (waits) => (waits ? [["sits out", "its next turn"]] : []);
  if (typeof id === "string") {
    const g = Number(id.split(" ")[1]);
    const quarry = frame.quarry[g];
    const hunts = frame.chasing[g] && quarry >= 0 && frame.status[quarry] === pacman;
    const mood = hunts ? ["chases", match.bots[quarry].name] : ["scatters", "to its corner"];
    return {title: `${match.spec.codes.hunter[frame.ghost_kind[g]]} #${g}`, rows: [mood, ...waiting(frame.ghost_waits[g])]};
  }
  if (frame.status[id] === gone) return null;
  const name = match.bots[id].name;
  const score = ["score", frame.score[id]];
  if (frame.status[id] === ghost) return {title: `${name}, a ghost`, rows: [score, ...waiting(frame.waits[id])]};
  const strong = frame.invincible[id] ? [["invincible", `${frame.invincible[id]} turns`]] : [];
  return {title: name, rows: [score, ...strong]};
}

/** @type {Picture["legend"]} */
export function legend(match) {
  const hunter = (k) => (c, look) => withEyes(c, () => paintHunter(c, k, 0, {match, theme: look.theme}));
  const ghosts = match.spec.codes.hunter.map((label, k) => ({label, paint: hunter(k)}));
  return [
    {label: "Pac-Man, in its bot's colour", paint: (c, look) => paintPacman(c, look.colors[0], 1, 3, null)},
    {label: "invincible", paint: (c, look) => paintPacman(c, look.colors[0], 1, 3, glowOf(look.theme, 2))},
    {label: "dead, goes on as a ghost", paint: (c, look) => withEyes(c, () => paintSpirit(c, look.colors[0], 0))},
    ...ghosts,
    {label: "may be eaten by an invincible one", paint: (c) => paintFrightened(c, false, 0)},
    {label: "eaten, sits out a turn", paint: (c) => paintEyes(c, 2)},
    {label: "power pellet", paint: (c, look) => paintPower(c, look.theme, 0.27)},
    {label: "fruit", paint: (c) => paintFruit(c, FRUITS[0], 0)},
  ];
}

function withEyes(c, body) {
  body();
  paintEyes(c, 2);
}

const pelletOf = (theme) => (theme.dark ? "#ffc8a8" : "#8a6a4a");

/** A glowing ball. */
function paintPower(c, theme, radius) {
  c.fillStyle = theme.dark ? "#ffc8a8" : "#ffc933";
  c.beginPath();
  c.arc(0.5, 0.5, radius, 0, 7);
  c.fill();
  if (theme.dark) return;
  c.strokeStyle = "#8a5a00";
  c.lineWidth = 0.06;
  c.stroke();
}

/** @type {Picture["caption"]} */
export function caption(frame, match, team) {
  let pellets = 0;
  for (const item of frame.item) pellets += Number(item === match.codes.item.pellet);
  if (team !== null) return `${pellets} pellet${pellets === 1 ? "" : "s"} in sight`;
  const living = frame.alive.reduce((sum, alive) => sum + alive, 0);
  return `${living} alive, ${pellets} pellets left`;
}

/**
 * Bots speak of squares by row and column.
 * @type {Picture["squareOf"]}
 */
export const squareOf = (row, column) => [column, row];

/** @type {Picture["aboutSquare"]} */
export function aboutSquare(frame, x, y, match) {
  const item = match.spec.codes.item[frame.item[y * sideOf(match) + x]];
  const digit = wallsAt(match, y * sideOf(match) + x);
  const walls = ["north", "east", "south", "west"].filter((_, d) => (digit >> d) & 1).join(", ");
  return {title: `row ${y}, column ${x}`, rows: [["", item], ["walls", walls || "none"]]};
}

/**
 * What a viewer remembers of a square: the food there, but no ghosts.
 * @type {Picture["memorySquares"]}
 */
export function memorySquares(frame, team, match) {
  const found = Int32Array.from(frame.item);
  const side = Math.sqrt(found.length);
  const hide = (row, col) => { found[row * side + col] = -1; };
  frame.ghost_row.forEach((row, g) => hide(row, frame.ghost_col[g]));
  frame.status.forEach((status, i) => { if (status === match.codes.status.ghost) hide(frame.row[i], frame.col[i]); });
  return found;
}

/**
 * The maze, and each square's food when last seen.
 * @type {Picture["drawMemory"]}
 */
export function drawMemory(ctx, scene) {
  scene.layer(`maze ${scene.match.seed}`, (c) => paintMaze(c, scene.match, scene.theme));
  drawFood(ctx, scene, sideOf(scene.match), scene.memory.what);
}
