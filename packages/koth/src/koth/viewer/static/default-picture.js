// The picture of a game without a draw.js: what its frames say by the names of their arrays (docs/new-game.md).

const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
const COLUMN = 8; // the height of the highest column, where there is no board

function size(frame) {
  const rows = frame.board ?? [];
  const width = frame.width ?? frame.side ?? rows[0]?.length, height = frame.height ?? frame.side ?? rows.length;
  return width && height ? {width, height} : null;
}

export const board = (match, frame) => ({
  ...(size(frame) ?? {width: match.bots.length, height: COLUMN}),
  wraps: Boolean(size(frame) && (frame.wraps ?? match.settings.wraps)),
  reach: 1,
});

// The names of what lies about: `gold` where there are `gold_x` and `gold_y`.
const things = (frame) => Object.keys(frame).filter((key) => key.endsWith("_x") && frame[`${key.slice(0, -2)}_y`])
  .map((key) => key.slice(0, -2));

// Whose a piece is: as `seat` says, or the bot's of its place; null for nobody's.
function owner(frame, i) {
  const seat = frame.seat ? frame.seat[i] : frame.x.length === frame.score.length ? i : -1;
  return seat < 0 ? null : seat;
}

// Pieces off the board have a negative x; where each bot has one piece, those of the dead are gone.
const isThere = (frame, i) =>
  frame.x[i] >= 0 && (frame.seat || frame.alive?.length !== frame.x.length || frame.alive[i]);

function letter(ctx, text, color) {
  ctx.fillStyle = color;
  ctx.font = "bold 0.55px system-ui, sans-serif";
  ctx.textAlign = "center";
  ctx.textBaseline = "middle";
  ctx.fillText(text, 0.5, 0.54);
}

function disc(ctx, color, radius) {
  ctx.fillStyle = color;
  ctx.beginPath();
  ctx.arc(0.5, 0.5, radius, 0, 7);
  ctx.fill();
}

// The first letters of a thing's name, as many as no other name begins with, but two at most.
const initials = (name, names) => name.slice(0, names.some((other) => other !== name && other[0] === name[0]) ? 2 : 1);

// A thing is a square in the colour of its owner (`hill_seat`); nobody's has no colour, so that it is like no bot's.
function thing(ctx, text, color, theme) {
  ctx.fillStyle = color ?? theme.paper;
  ctx.fillRect(0.03, 0.03, 0.94, 0.94);
  ctx.lineWidth = 0.08;
  ctx.strokeStyle = color ?? theme.ink;
  ctx.strokeRect(0.07, 0.07, 0.86, 0.86);
  letter(ctx, text, color ? theme.paper : theme.ink);
}

function drawBoard(ctx, scene) {
  (scene.frame.board ?? []).forEach((row, y) => [...row].forEach((sign, x) => {
    if (sign === "." || sign === " ") return;
    scene.stamp(scene.sprite(`square ${sign}`, (c) => {
      c.fillStyle = sign === "#" ? scene.theme.muted : scene.theme.faint;
      c.fillRect(0.02, 0.02, 0.96, 0.96);
      if (sign !== "#") letter(c, sign, scene.theme.ink);
    }), x, y);
  }));
}

// Squares by the bot that has painted them: its seat and one, 0 for nobody.
function drawCanvas(ctx, {frame, colors, theme}) {
  const {width} = size(frame);
  ctx.globalAlpha = 0.5;
  for (let i = 0; i < frame.canvas.length; i++) {
    if (!frame.canvas[i]) continue;
    ctx.fillStyle = colors[frame.canvas[i] - 1] ?? theme.faint;
    ctx.fillRect(i % width, Math.floor(i / width), 1, 1);
  }
  ctx.globalAlpha = 1;
}

// A column for each bot, as high as its score.
function drawColumns(ctx, scene) {
  const {frame, colors, theme} = scene;
  const least = Math.min(0, ...frame.score), most = Math.max(0, ...frame.score);
  frame.score.forEach((score, seat) => {
    const height = COLUMN * (score - least) / (most - least || 1);
    ctx.fillStyle = colors[seat];
    ctx.fillRect(seat + 0.1, COLUMN - height, 0.8, height);
    scene.stamp(scene.sprite(`column ${seat}`, (c) => letter(c, LETTERS[seat % 26], theme.ink)), seat, COLUMN - 1);
  });
}

export function draw(ctx, scene) {
  const {frame, previous, colors, theme} = scene;
  if (!size(frame)) return drawColumns(ctx, scene);
  drawBoard(ctx, scene);
  if (frame.canvas) drawCanvas(ctx, scene);
  const names = things(frame);
  for (const name of names) {
    const xs = frame[`${name}_x`], ys = frame[`${name}_y`], seats = frame[`${name}_seat`] ?? [];
    for (let i = 0; i < xs.length; i++) {
      const color = colors[seats[i]]; // none for nobody's, -1
      const sprite = scene.sprite(`thing ${name} ${seats[i]}`, (c) => thing(c, initials(name, names), color, theme));
      scene.stamp(sprite, xs[i], ys[i]);
    }
  }
  if (!frame.x) return;
  const moves = previous?.x?.length === frame.x.length; // a piece is known by its place
  for (let i = 0; i < frame.x.length; i++) {
    if (!isThere(frame, i)) continue;
    const team = owner(frame, i);
    const sprite = scene.sprite(`piece ${team}`, (c) => {
      disc(c, theme.paper, 0.48); // a rim, so that it is seen on what its bot owns
      disc(c, team === null ? theme.soft : colors[team], 0.42);
      letter(c, team === null ? "" : LETTERS[team % 26], theme.paper);
    });
    const from = moves && isThere(previous, i);
    scene.stamp(sprite, frame.x[i], frame.y[i], from ? previous.x[i] : undefined, from ? previous.y[i] : undefined);
  }
}

// What the squares of things stand for.
export function legend(match, frame) {
  const names = size(frame) ? things(frame) : [];
  return names.map((name) => ({label: name, paint: (ctx, {colors, theme}) => {
    thing(ctx, initials(name, names), frame[`${name}_seat`] && colors[0], theme);
  }}));
}

// Every list with a number for each bot, the scores first; not what is said of things, such as `hill_seat`.
export function series(frame, match) {
  const names = things(frame);
  const all = Object.entries(frame).filter(([name, list]) => name !== "score" && Array.isArray(list) &&
    list.length === match.bots.length && list.every((value) => typeof value === "number") &&
    !names.some((other) => name.startsWith(`${other}_`)));
  return {score: frame.score, ...Object.fromEntries(all)};
}

export const actors = (frame) => {
  const places = (size(frame) && frame.x) ?? [];
  const all = Array.from(places, (x, id) => ({id, x, y: frame.y[id], team: owner(frame, id)}));
  return all.filter(({id}) => isThere(frame, id));
};

// What the other arrays with an entry for each piece say of this one.
export function about(frame, id, match) {
  const team = owner(frame, id);
  const rows = Object.entries(frame).filter(([name, list]) => name !== "x" && name !== "y" && name !== "seat" &&
    list?.length === frame.x.length && typeof list[id] === "number").map(([name, list]) => [name, list[id]]);
  return {title: team === null ? "nobody's" : match.bots[team].name, rows: [["at", `${frame.x[id]}, ${frame.y[id]}`], ...rows]};
}

export function aboutSquare(frame, x, y) {
  const here = things(frame).filter((name) => frame[`${name}_x`].some((at, i) => at === x && frame[`${name}_y`][i] === y));
  const sign = frame.board?.[y]?.[x];
  return {title: `${x}, ${y}`, rows: [...here.map((name) => ["there", name]), ...(sign ? [["square", sign]] : [])]};
}
