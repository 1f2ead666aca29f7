// The picture of snakes: a body is a thick line through its parts, the head has eyes.

export const board = (match, frame) => ({width: frame.side, height: frame.side, wraps: match.settings.wraps, reach: 1});

// Where each snake's parts begin among all parts; the last entry is where they end.
function starts(frame) {
  const at = [0];
  for (const length of frame.length) at.push(at[at.length - 1] + length);
  return at;
}

const lengthOf = (frame, id) => frame.x.filter((x, i) => x >= 0 && frame.seat[i] === id).length;

// Grey: no bot's colour is.
function food(ctx, {theme}) {
  ctx.fillStyle = theme.muted;
  ctx.beginPath();
  ctx.arc(0.5, 0.5, 0.22, 0, 7);
  ctx.fill();
}

export const legend = () => [{label: "food", paint: food}];

export function drawMemory(ctx, scene) {
  const {frame} = scene, sprite = scene.sprite("food", (c) => food(c, scene));
  for (let i = 0; i < frame.food_x.length; i++) scene.stamp(sprite, frame.food_x[i], frame.food_y[i]);
}

function body(ctx, frame, first, last) {
  ctx.beginPath();
  for (let i = first; i < last; i++) {
    const x = frame.x[i] + 0.5, y = frame.y[i] + 0.5;
    const near = i > first && Math.abs(frame.x[i] - frame.x[i - 1]) + Math.abs(frame.y[i] - frame.y[i - 1]) <= 1;
    if (near) ctx.lineTo(x, y);
    else { ctx.moveTo(x, y); ctx.lineTo(x, y); }
  }
  ctx.stroke();
}

export function draw(ctx, scene) {
  const {frame, previous, colors, theme} = scene;
  drawMemory(ctx, scene);
  ctx.lineCap = ctx.lineJoin = "round";
  const at = starts(frame), before = previous && starts(previous);
  for (let seat = 0; seat < frame.length.length; seat++) {
    if (!frame.length[seat]) continue;
    ctx.strokeStyle = colors[seat];
    ctx.lineWidth = 0.62;
    const first = at[seat], from = before && previous.length[seat] ? before[seat] : null;
    body(ctx, frame, first, at[seat + 1]);
    if (frame.x[first] < 0) continue; // its head is out of sight
    const head = scene.sprite(`head ${seat}`, (c) => {
      c.fillStyle = colors[seat];
      c.beginPath();
      c.arc(0.5, 0.5, 0.4, 0, 7);
      c.fill();
      c.fillStyle = theme.paper;
      for (const x of [0.36, 0.64]) { c.beginPath(); c.arc(x, 0.45, 0.08, 0, 7); c.fill(); }
    });
    const fromX = from === null ? undefined : previous.x[from], fromY = from === null ? undefined : previous.y[from];
    scene.stamp(head, frame.x[first], frame.y[first], fromX, fromY);
  }
}

// In the coordinates that bots are told: y grows upwards.
export function aboutSquare(frame, x, y) {
  const food = frame.food_x.some((at, i) => at === x && frame.food_y[i] === y);
  return {title: `${x}, ${frame.side - 1 - y}`, rows: food ? [["there", "food"]] : []};
}

export const caption = (frame, match, team) => team === null ?
  `${frame.alive.filter(Boolean).length} alive, ${frame.food_x.length} food` : `${frame.food_x.filter((x) => x >= 0).length} food in sight`;

export const series = (frame) => ({score: frame.score, alive: frame.alive, length: frame.length, health: frame.health});

export const actors = (frame) => starts(frame).slice(0, -1).flatMap((first, seat) =>
  frame.length[seat] ? [{id: seat, x: frame.x[first], y: frame.y[first], team: seat}] : []);

export const about = (frame, id, match) => frame.length[id] ?
  {title: match.bots[id].name, rows: [["length in sight", lengthOf(frame, id)], ["health", frame.health[id]]]} : null;
