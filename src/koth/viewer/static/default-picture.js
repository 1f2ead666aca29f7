// The picture of a game without a draw.js: what its frames say by the names of their arrays (docs/new-game.md).

const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
const THINGS = ["#d9a227", "#3f9e6b", "#4f8fd0", "#b06fc4", "#c9694f"]; // colours of what belongs to nobody

export function board(match, frame) {
  const rows = frame.board ?? [];
  const width = frame.width ?? frame.side ?? rows[0]?.length, height = frame.height ?? frame.side ?? rows.length;
  if (!width || !height) throw new Error("the frames do not say how large the board is: side, or width and height");
  return {width, height, wraps: Boolean(frame.wraps ?? match.settings.wraps), reach: 1};
}

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

function thing(ctx, name, number) {
  disc(ctx, THINGS[number % THINGS.length], 0.3);
  letter(ctx, name[0], "#ffffff");
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

export function draw(ctx, scene) {
  const {frame, previous, colors, theme} = scene;
  drawBoard(ctx, scene);
  things(frame).forEach((name, number) => {
    const sprite = scene.sprite(`thing ${name}`, (c) => thing(c, name, number));
    const xs = frame[`${name}_x`], ys = frame[`${name}_y`];
    for (let i = 0; i < xs.length; i++) scene.stamp(sprite, xs[i], ys[i]);
  });
  if (!frame.x) return;
  const moves = previous?.x?.length === frame.x.length; // a piece is known by its place
  for (let i = 0; i < frame.x.length; i++) {
    if (!isThere(frame, i)) continue;
    const team = owner(frame, i);
    const sprite = scene.sprite(`piece ${team}`, (c) => {
      disc(c, team === null ? theme.soft : colors[team], 0.42);
      letter(c, team === null ? "" : LETTERS[team % 26], theme.paper);
    });
    const from = moves && isThere(previous, i);
    scene.stamp(sprite, frame.x[i], frame.y[i], from ? previous.x[i] : undefined, from ? previous.y[i] : undefined);
  }
}

// Every list with a number for each bot, the scores first.
export function series(frame, match) {
  const all = Object.entries(frame).filter(([name, list]) => name !== "score" && Array.isArray(list) &&
    list.length === match.bots.length && list.every((value) => typeof value === "number"));
  return {score: frame.score, ...Object.fromEntries(all)};
}

export const actors = (frame) => Array.from(frame.x ?? [], (x, id) => ({id, x, y: frame.y[id], team: owner(frame, id)}))
  .filter(({id}) => isThere(frame, id));

// What the other arrays with an entry for each piece say of this one.
export function about(frame, id, match) {
  const team = owner(frame, id);
  const rows = Object.entries(frame).filter(([name, list]) => name !== "x" && name !== "y" && name !== "seat" &&
    list?.length === frame.x.length && typeof list[id] === "number").map(([name, list]) => [name, list[id]]);
  return {title: team === null ? "nobody's" : match.bots[team].name, rows: [["at", `${frame.x[id]}, ${frame.y[id]}`], ...rows]};
}

export function spot(frame, x, y) {
  const here = things(frame).filter((name) => frame[`${name}_x`].some((at, i) => at === x && frame[`${name}_y`][i] === y));
  const sign = frame.board?.[y]?.[x];
  return {title: `${x}, ${y}`, rows: [...here.map((name) => ["there", name]), ...(sign ? [["square", sign]] : [])]};
}
