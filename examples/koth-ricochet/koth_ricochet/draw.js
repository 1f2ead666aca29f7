// The picture of Ricochet: walls, mines as crosses, bots as discs with their lives, bullets as darts.

const WAYS = {north: [0, -1], east: [1, 0], south: [0, 1], west: [-1, 0]};

export const board = (match, frame) => ({width: frame.side, height: frame.side, wraps: false, reach: 1});

function disc(ctx, color, radius) {
  ctx.fillStyle = color;
  ctx.beginPath();
  ctx.arc(0.5, 0.5, radius, 0, 7);
  ctx.fill();
}

function bot(ctx, color, theme, lives) {
  disc(ctx, color, 0.42);
  ctx.fillStyle = theme.paper;
  ctx.font = "bold 0.5px system-ui, sans-serif";
  ctx.textAlign = "center";
  ctx.textBaseline = "middle";
  ctx.fillText(String(lives), 0.5, 0.54);
}

function mine(ctx, color) {
  ctx.strokeStyle = color;
  ctx.lineWidth = 0.12;
  ctx.beginPath();
  for (const from of [0.3, 0.7]) { ctx.moveTo(from, 0.3); ctx.lineTo(1 - from, 0.7); }
  ctx.stroke();
}

function dart(ctx, color, way) {
  const [dx, dy] = WAYS[way];
  ctx.strokeStyle = color;
  ctx.lineCap = "round";
  ctx.lineWidth = 0.16;
  ctx.beginPath();
  ctx.moveTo(0.5 - 0.35 * dx, 0.5 - 0.35 * dy);
  ctx.lineTo(0.5 + 0.1 * dx, 0.5 + 0.1 * dy);
  ctx.stroke();
  ctx.fillStyle = color;
  ctx.beginPath();
  ctx.arc(0.5 + 0.1 * dx, 0.5 + 0.1 * dy, 0.14, 0, 7);
  ctx.fill();
}

function burst(ctx, color) {
  ctx.strokeStyle = color;
  ctx.lineWidth = 0.08;
  ctx.beginPath();
  for (let k = 0; k < 8; k++) {
    const dx = Math.cos(k * Math.PI / 4), dy = Math.sin(k * Math.PI / 4);
    ctx.moveTo(0.5 + 0.25 * dx, 0.5 + 0.25 * dy);
    ctx.lineTo(0.5 + 0.48 * dx, 0.5 + 0.48 * dy);
  }
  ctx.stroke();
}

export const legend = () => [
  {label: "a bot and its lives", paint: (ctx, {colors, theme}) => bot(ctx, colors[0], theme, 4)},
  {label: "a bullet", paint: (ctx, {colors}) => dart(ctx, colors[0], "east")},
  {label: "a mine", paint: (ctx, {colors}) => mine(ctx, colors[0])},
  {label: "struck", paint: (ctx, {theme}) => burst(ctx, theme.danger)},
];

// What stays in mind: walls, which never change; the viewer covers those that were never seen.
export function drawMemory(ctx, scene) {
  const {frame, theme} = scene;
  scene.layer(`walls ${frame.board.join()}`, (c) => {
    c.fillStyle = theme.muted;
    frame.board.forEach((row, y) => [...row].forEach((sign, x) => { if (sign === "#") c.fillRect(x + 0.02, y + 0.02, 0.96, 0.96); }));
  });
}

export function draw(ctx, scene) {
  const {frame, previous, colors, theme} = scene;
  drawMemory(ctx, scene);
  for (const one of frame.mines) scene.stamp(scene.sprite(`mine ${one.seat}`, (c) => mine(c, colors[one.seat])), one.x, one.y);
  frame.lives.forEach((lives, seat) => {
    if (frame.x[seat] < 0) return;
    const moved = previous && previous.x[seat] >= 0;
    const sprite = scene.sprite(`bot ${seat} ${lives}`, (c) => bot(c, colors[seat], theme, lives));
    scene.stamp(sprite, frame.x[seat], frame.y[seat], moved ? previous.x[seat] : undefined, moved ? previous.y[seat] : undefined);
  });
  for (const one of frame.bullets) {
    scene.stamp(scene.sprite(`bullet ${one.seat} ${one.way}`, (c) => dart(c, colors[one.seat], one.way)), one.x, one.y);
  }
  const sprite = scene.sprite("burst", (c) => burst(c, theme.danger));
  for (const one of frame.struck) scene.stamp(sprite, one.x, one.y);
}

export const series = (frame) => ({score: frame.score, alive: frame.alive, lives: frame.lives, points: frame.points});

export const actors = (frame) => frame.lives.flatMap((_, seat) =>
  frame.x[seat] >= 0 ? [{id: seat, x: frame.x[seat], y: frame.y[seat], team: seat}] : []);

export const about = (frame, id, match) => frame.x[id] >= 0 ?
  {title: match.bots[id].name, rows: [["lives", frame.lives[id]], ["points", frame.points[id]]]} : null;

export function aboutSquare(frame, x, y) {
  const here = [
    ...frame.bullets.filter((one) => one.x === x && one.y === y).map((one) => ["bullet", `flies ${one.way}`]),
    ...frame.mines.filter((one) => one.x === x && one.y === y).map(() => ["there", "a mine"]),
  ];
  return {title: `${x}, ${y}`, rows: frame.board[y]?.[x] === "#" ? [["there", "wall"]] : here};
}

export const caption = (frame) => `${frame.alive.filter(Boolean).length} alive`;
