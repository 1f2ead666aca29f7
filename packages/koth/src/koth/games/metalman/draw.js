// The picture of metalman: the terrain and its collapse, what each player sees, the pieces and the way they went.

/** @typedef {import("../../viewer/static/draw.js").Picture} Picture */

const QUARTER = Math.PI / 2;

/** @type {Picture["board"]} */
export const board = (match, frame) => ({width: frame.columns, height: frame.rows, wraps: false, reach: 4});

/** @type {Picture["draw"]} */
export function draw(ctx, scene) {
  const {frame, match} = scene;
  scene.layer(`terrain ${match.seed} ${frame.circles}`, (c) => paintTerrain(c, scene));
  drawCollapse(ctx, scene);
  drawSights(ctx, scene);
  drawTrails(ctx, scene);
  drawPieces(scene);
  drawCaptures(ctx, scene);
}

function paintTerrain(c, {match, frame, grid, theme}) {
  const {wall, highground} = match.codes.terrain;
  for (let y = 0; y < frame.rows; y++) {
    for (let x = 0; x < frame.columns; x++) {
      const terrain = frame.terrain[y * frame.columns + x];
      if (grid.ring(x, y) < frame.circles) paintCollapsed(c, x, y, theme);
      else if (terrain === wall) paintWall(c, x, y, theme);
      else if (terrain === highground) paintHill(c, x, y, theme);
      else paintFloor(c, x, y, theme);
    }
  }
}

function paintFloor(c, x, y, theme) {
  c.fillStyle = theme.faint;
  c.globalAlpha = 0.35;
  c.fillRect(x + 0.47, y + 0.47, 0.06, 0.06);
  c.globalAlpha = 1;
}

function paintWall(c, x, y, theme) {
  c.fillStyle = theme.dark ? "#5b6472" : "#7c8696";
  c.fillRect(x, y, 1, 1);
  c.fillStyle = theme.dark ? "#6d7787" : "#949dab";
  c.fillRect(x, y, 1, 0.18);
}

/** Paint highground as a mountain: its shape differs from a wall's. */
function paintHill(c, x, y, theme) {
  c.fillStyle = theme.dark ? "#8a7346" : "#d9b872";
  c.beginPath();
  c.moveTo(x + 0.04, y + 0.92);
  c.lineTo(x + 0.5, y + 0.08);
  c.lineTo(x + 0.96, y + 0.92);
  c.closePath();
  c.fill();
  c.fillStyle = theme.dark ? "#d8cba8" : "#fff8e6";
  c.beginPath();
  c.moveTo(x + 0.35, y + 0.36);
  c.lineTo(x + 0.5, y + 0.08);
  c.lineTo(x + 0.65, y + 0.36);
  c.lineTo(x + 0.5, y + 0.28);
  c.closePath();
  c.fill();
}

function paintCollapsed(c, x, y, theme) {
  c.fillStyle = theme.dark ? "#0b0d12" : "#3f444f";
  c.fillRect(x - 0.02, y - 0.02, 1.04, 1.04); // no seams between squares
  c.strokeStyle = theme.dark ? "#151920" : "#454b57";
  c.lineWidth = 0.05;
  c.beginPath();
  c.moveTo(x + 0.1, y + 0.9);
  c.lineTo(x + 0.9, y + 0.1);
  c.stroke();
}

/** The ring that has just fallen glows and fades; the one that falls after the next round is framed. */
function drawCollapse(ctx, {frame, previous, progress, theme}) {
  if (previous && previous.circles < frame.circles) {
    ctx.globalAlpha = 0.7 * (1 - progress);
    ctx.fillStyle = theme.danger;
    fillRing(ctx, frame, previous.circles);
  }
  if (frame.timer === 1) {
    ctx.globalAlpha = 0.25;
    ctx.fillStyle = theme.danger;
    fillRing(ctx, frame, frame.circles);
  }
  ctx.globalAlpha = 1;
}

/** Fill ring `n`. */
function fillRing(ctx, frame, n) {
  const right = frame.columns - n;
  const bottom = frame.rows - n;
  if (right <= n || bottom <= n) return;
  const across = Math.min(1, (bottom - n) / 2);
  const down = Math.min(1, (right - n) / 2);
  ctx.fillRect(n, n, right - n, across);
  ctx.fillRect(n, bottom - across, right - n, across);
  ctx.fillRect(n, n + across, down, bottom - n - 2 * across);
  ctx.fillRect(right - down, n + across, down, bottom - n - 2 * across);
}

/** Every square is shaded with the colours of the players who see it; several share it in stripes. */
function drawSights(ctx, {frame, colors, visible}) {
  ctx.globalAlpha = 0.22;
  const seats = frame.alive.length;
  for (let y = Math.max(0, Math.floor(visible.top)); y < Math.min(frame.rows, visible.bottom); y++) {
    for (let x = Math.max(0, Math.floor(visible.left)); x < Math.min(frame.columns, visible.right); x++) {
      const seen = frame.seen[y * frame.columns + x];
      if (seen) shade(ctx, x, y, seen, seats, colors);
    }
  }
  ctx.globalAlpha = 1;
}

function shade(ctx, x, y, seen, seats, colors) {
  let count = 0;
  for (let seat = 0; seat < seats; seat++) count += (seen >> seat) & 1;
  let stripe = 0;
  for (let seat = 0; seat < seats; seat++) {
    if (!((seen >> seat) & 1)) continue;
    ctx.fillStyle = colors[seat];
    ctx.fillRect(x + stripe / count, y, 1 / count, 1);
    stripe++;
  }
}

/** Return the part of its own turn that a player has done, 0 to 1: in a round players move one after another. */
function turnProgress(frame, seat, progress) {
  return Math.min(1, Math.max(0, progress * frame.alive.length - seat));
}

/**
 * Return the way of a piece since `previous` as [x, y] corners, without steps that did not move the piece: the trail,
 * and before it the square where the piece was last seen, if different.
 */
function path(frame, previous, piece) {
  const length = frame.trail.length / frame.row.length;
  let trail = frame.trail.slice(piece * length, (piece + 1) * length);
  const last = previous?.living[piece] ? previous.row[piece] * frame.columns + previous.column[piece] : trail[0];
  if (trail[0] !== last) trail = trail[length - 1] === last ? [last] : [last, ...trail];
  const corners = [...trail].filter((square, k) => square !== trail[k - 1]);
  return corners.map((square) => [square % frame.columns, Math.floor(square / frame.columns)]);
}

function drawTrails(ctx, {frame, previous, progress, colors, theme, along}) {
  if (!previous) return;
  ctx.lineCap = "round";
  ctx.lineJoin = "round";
  for (let piece = 0; piece < frame.row.length; piece++) {
    if (!previous.living[piece]) continue;
    const corners = path(frame, previous, piece);
    if (corners.length < 2) continue;
    const done = turnProgress(frame, piece >> 1, progress);
    ctx.strokeStyle = colors[piece >> 1] ?? theme.ink;
    ctx.globalAlpha = 0.5;
    ctx.lineWidth = piece % 2 === 0 ? 0.22 : 0.12;
    ctx.beginPath();
    ctx.moveTo(corners[0][0] + 0.5, corners[0][1] + 0.5);
    const steps = done * (corners.length - 1);
    for (let k = 1; k <= Math.floor(steps); k++) ctx.lineTo(corners[k][0] + 0.5, corners[k][1] + 0.5);
    const [x, y] = along(corners, done);
    ctx.lineTo(x + 0.5, y + 0.5);
    ctx.stroke();
  }
  ctx.globalAlpha = 1;
}

/** Return the part of a round after which a dead piece is gone: its captor's turn, or all for a collapse. */
function endOf(frame, piece) {
  const entry = frame.captures.find(([, captured]) => captured === piece);
  return entry ? ((entry[0] >> 1) + 1) / frame.alive.length : 1;
}

function drawPieces(scene) {
  const {frame, previous, progress, theme, colors, along} = scene;
  const gone = (piece) => !frame.living[piece] && !(previous?.living[piece] && progress < endOf(frame, piece));
  for (let piece = 0; piece < frame.row.length; piece++) {
    if (!gone(piece)) continue;
    const cross = scene.sprite(`fallen ${piece >> 1}`, (c) => paintFallen(c, colors[piece >> 1], theme));
    scene.stamp(cross, frame.column[piece], frame.row[piece]);
  }
  for (let piece = 0; piece < frame.row.length; piece++) {
    if (gone(piece)) continue;
    const seat = piece >> 1;
    const done = previous ? turnProgress(frame, seat, progress) : 1;
    const facing = (done < 1 ? previous : frame).facing[piece];
    const sprite = pieceSprite(scene, piece, facing);
    const [x, y] = previous ? along(path(frame, previous, piece), done) : [frame.column[piece], frame.row[piece]];
    scene.stamp(sprite, x, y);
  }
}

function drawCaptures(ctx, {frame, previous, progress, theme}) {
  ctx.strokeStyle = theme.danger;
  for (const [captor, piece] of frame.captures) {
    const since = previous ? progress - ((captor >> 1) + 1) / frame.alive.length : 0.2;
    if (since < 0) continue;
    ctx.globalAlpha = Math.max(0.35, 1 - since * 2);
    ctx.lineWidth = 0.14;
    ctx.beginPath();
    ctx.arc(frame.column[piece] + 0.5, frame.row[piece] + 0.5, 0.5 + Math.min(0.25, since), 0, 7);
    ctx.stroke();
  }
  ctx.globalAlpha = 1;
}

/** The spotter is round with an eye, the assassin a blade; both point where they look. */
function paintPiece(c, kind, color, facing, theme) {
  c.translate(0.5, 0.5);
  c.rotate(facing * QUARTER);
  c.fillStyle = color;
  c.strokeStyle = theme.dark ? "#0d1017" : "#ffffff";
  c.lineWidth = 0.06;
  if (kind === 0) paintSpotter(c);
  else paintAssassin(c);
  c.rotate(-facing * QUARTER);
  c.translate(-0.5, -0.5);
}

function paintSpotter(c) {
  c.beginPath();
  c.moveTo(-0.2, -0.3);
  c.lineTo(0, -0.49);
  c.lineTo(0.2, -0.3);
  c.arc(0, 0, 0.36, -0.98, Math.PI + 0.98);
  c.closePath();
  c.fill();
  c.stroke();
  c.fillStyle = "#ffffff";
  c.beginPath();
  c.arc(0, -0.05, 0.19, 0, 7);
  c.fill();
  c.fillStyle = "#10141c";
  c.beginPath();
  c.arc(0, -0.12, 0.1, 0, 7);
  c.fill();
}

function paintAssassin(c) {
  c.beginPath();
  c.moveTo(0, -0.48);
  c.lineTo(0.34, 0.38);
  c.lineTo(0, 0.2);
  c.lineTo(-0.34, 0.38);
  c.closePath();
  c.fill();
  c.stroke();
}

/** Paint a cross in the colour of the player whose piece fell here. */
function paintFallen(c, color, theme) {
  c.strokeStyle = color ?? theme.faint;
  c.globalAlpha = 0.6;
  c.lineWidth = 0.1;
  c.beginPath();
  c.moveTo(0.3, 0.3);
  c.lineTo(0.7, 0.7);
  c.moveTo(0.7, 0.3);
  c.lineTo(0.3, 0.7);
  c.stroke();
  c.globalAlpha = 1;
}

/** @type {Picture["series"]} */
export function series(frame) {
  const seen = frame.alive.map(() => 0);
  for (const bits of frame.seen) {
    for (let seat = 0; seat < seen.length; seat++) seen[seat] += (bits >> seat) & 1;
  }
  return {score: frame.score.map((score) => Math.round(score * 1000) / 1000), alive: frame.alive, "in sight": seen};
}

/** @type {Picture["actors"]} */
export function actors(frame) {
  const list = [];
  for (let id = 0; id < frame.row.length; id++) {
    if (frame.living[id]) list.push({id, x: frame.column[id], y: frame.row[id], team: id >> 1});
  }
  return list;
}

/** @type {Picture["about"]} */
export function about(frame, id, match) {
  if (id < 0 || id >= frame.row.length) return null;
  const rows = [
    ["square", `${frame.row[id]}, ${frame.column[id]}`],
    ["faces", match.spec.codes.facing[frame.facing[id]].toLowerCase()],
  ];
  const here = frame.terrain[frame.row[id] * frame.columns + frame.column[id]];
  if (here === match.codes.terrain.highground) rows.push(["stands on", "highground"]);
  if (!frame.living[id]) rows.push(["", "dead"]);
  return {title: `${match.bots[id >> 1].name}, ${match.spec.codes.piece[id % 2]}`, rows};
}

/** @type {Picture["legend"]} */
export function legend() {
  return [
    {label: "spotter, pointing where it looks", paint: (c, look) => paintPiece(c, 0, look.colors[0], 0, look.theme)},
    {label: "assassin", paint: (c, look) => paintPiece(c, 1, look.colors[0], 0, look.theme)},
    {label: "seen by this player", paint: paintSeen},
    {label: "wall", paint: (c, look) => paintWall(c, 0, 0, look.theme)},
    {label: "highground", paint: (c, look) => paintHill(c, 0, 0, look.theme)},
    {label: "collapsed", paint: (c, look) => paintCollapsed(c, 0, 0, look.theme)},
    {label: "a piece fell here", paint: (c, look) => paintFallen(c, look.colors[0], look.theme)},
  ];
}

function paintSeen(c, look) {
  c.globalAlpha = 0.22;
  c.fillStyle = look.colors[0];
  c.fillRect(0, 0, 1, 1);
  c.globalAlpha = 1;
}

/** @type {Picture["caption"]} */
export function caption(frame) {
  if (frame.alive.filter((pieces) => pieces > 0).length <= 1) return "over";
  return frame.timer === 1 ? "the next ring collapses after this round" : `collapse in ${frame.timer} rounds`;
}

/**
 * Bots speak of squares by row and column.
 * @type {Picture["squareOf"]}
 */
export const squareOf = (row, column) => [column, row];

/** @type {Picture["aboutSquare"]} */
export function aboutSquare(frame, x, y, match) {
  const terrain = frame.terrain[y * frame.columns + x];
  const fallen = match.grid(board(match, frame)).ring(x, y) < frame.circles;
  return {title: `row ${y}, column ${x}`, rows: [["", fallen ? "collapsed" : match.spec.codes.terrain[terrain]]]};
}

/**
 * What a viewer remembers of a square: the enemy there, and its direction (0: none).
 * @type {Picture["memorySquares"]}
 */
export function memorySquares(frame, team) {
  const found = new Int32Array(frame.terrain.length);
  for (let piece = 0; piece < frame.row.length; piece++) {
    if (!frame.living[piece] || piece >> 1 === team) continue;
    found[frame.row[piece] * frame.columns + frame.column[piece]] = 1 + 4 * piece + frame.facing[piece];
  }
  return found;
}

/**
 * The terrain, its collapsed part, and every enemy where it was last seen.
 * @type {Picture["drawMemory"]}
 */
export function drawMemory(ctx, scene) {
  const {frame, match, memory} = scene;
  scene.layer(`terrain ${match.seed} ${frame.circles}`, (c) => paintTerrain(c, scene));
  const last = new Map(); // piece -> square
  memory.what.forEach((what, square) => {
    const piece = (what - 1) >> 2;
    if (what > 0 && !(memory.when[square] < memory.when[last.get(piece)])) last.set(piece, square);
  });
  ctx.globalAlpha = 0.75;
  for (const [piece, square] of last) {
    const facing = (memory.what[square] - 1) % 4;
    scene.stamp(pieceSprite(scene, piece, facing), square % frame.columns, Math.floor(square / frame.columns));
  }
}

function pieceSprite({colors, theme, sprite, paintPattern}, piece, facing) {
  const kind = piece % 2;
  const seat = piece >> 1;
  return sprite(`piece ${kind} ${seat} ${facing}`, (c) => {
    paintPiece(c, kind, colors[seat], facing, theme);
    const behind = (facing + 1) * QUARTER; // the pattern stays clear of the eye and the point
    paintPattern(c, seat, 0.5 + 0.26 * Math.cos(behind), 0.5 + 0.26 * Math.sin(behind), 0.2);
  });
}

/** @type {Picture["answers"]} */
export const answers = {
  act(answer) {
    const piece = (name) => {
      const steps = answer[`${name}_moves`].filter((step) => step !== "STAY");
      return `${name} ${steps.join(" ") || "stays"}, faces ${answer[`${name}_direction`]}`.toLowerCase();
    };
    return `${piece("spotter")}; ${piece("assassin")}`;
  },
};
