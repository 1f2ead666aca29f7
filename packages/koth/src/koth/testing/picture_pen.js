// A canvas context that paints nothing: it notes each shape and its place, for the laws on pictures.

export const SIZE = 32; // pixels of a square: enough that the viewer draws a crowd sprite by sprite
const LOOK = {
  fillStyle: "#000", strokeStyle: "#000", lineWidth: 1, globalAlpha: 1, font: "10px sans-serif", textAlign: "start",
  textBaseline: "alphabetic", lineCap: "butt", lineJoin: "miter", miterLimit: 10, lineDashOffset: 0, shadowBlur: 0,
  shadowColor: "#0000", shadowOffsetX: 0, shadowOffsetY: 0, filter: "none", imageSmoothingEnabled: true,
  globalCompositeOperation: "source-over", direction: "inherit", letterSpacing: "0px",
};

function numbers(name, values) {
  if (values.some((value) => !Number.isFinite(value))) throw new Error(`${name}(${values.join(", ")})`);
}

/** Strokes and shapes one after the other, each with the points that it covers. */
class Path {
  parts = [];
  #matrix;

  constructor(other = null, matrix = null) {
    this.#matrix = matrix;
    if (other instanceof Path) this.addPath(other);
  }

  add(name, values, corners) {
    numbers(name, values);
    const points = [];
    for (let k = 0; k < corners.length; k += 2) points.push(placed(this.#matrix?.(), corners[k], corners[k + 1]));
    const isNew = ["moveTo", "rect", "roundRect"].includes(name) || this.parts.length === 0;
    if (isNew) this.parts.push({words: [], points: []});
    const part = this.parts.at(-1);
    part.words.push(`${name} ${values.join()}`);
    part.points.push(...points);
  }

  addPath(other) { this.parts.push(...other.parts); }
  moveTo(...to) { this.add("moveTo", to, to); }
  lineTo(...to) { this.add("lineTo", to, to); }
  quadraticCurveTo(...by) { this.add("quadraticCurveTo", by, by); }
  bezierCurveTo(...by) { this.add("bezierCurveTo", by, by); }
  arcTo(...by) { this.add("arcTo", by, by.slice(0, 4)); }
  rect(...box) { this.add("rect", box, corners(...box)); }
  roundRect(x, y, width, height, ...radius) { this.add("roundRect", [x, y, width, height, ...radius.flat()], corners(x, y, width, height)); }
  closePath() {}

  arc(x, y, radius, ...angles) {
    if (radius < 0) throw new Error(`arc with the radius ${radius}`);
    this.add("arc", [x, y, radius, ...angles.map(Number)], corners(x - radius, y - radius, 2 * radius, 2 * radius));
  }

  ellipse(x, y, across, down, ...angles) {
    const radius = Math.max(across, down);
    if (Math.min(across, down) < 0) throw new Error(`ellipse with the radius ${Math.min(across, down)}`);
    this.add("ellipse", [x, y, across, down, ...angles.map(Number)], corners(x - radius, y - radius, 2 * radius, 2 * radius));
  }
}

const corners = (x, y, width, height) => [x, y, x + width, y, x, y + height, x + width, y + height];
const placed = (m, x, y) => (m ? [m[0] * x + m[2] * y + m[4], m[1] * x + m[3] * y + m[5]] : [x, y]);
globalThis.Path2D = Path;

/** Return the box around points, in squares. */
function boxOf(points, wide = 0) {
  const box = {left: Infinity, top: Infinity, right: -Infinity, bottom: -Infinity};
  for (const [x, y] of points) {
    box.left = Math.min(box.left, x / SIZE - wide);
    box.right = Math.max(box.right, x / SIZE + wide);
    box.top = Math.min(box.top, y / SIZE - wide);
    box.bottom = Math.max(box.bottom, y / SIZE + wide);
  }
  return box;
}

const within = (box, clip) => (clip ? {
  left: Math.max(box.left, clip.left), top: Math.max(box.top, clip.top),
  right: Math.min(box.right, clip.right), bottom: Math.min(box.bottom, clip.bottom),
} : box);

/** Make a context that notes what is drawn: a mark `{what, left, top, right, bottom}` for each shape, in squares. */
export function makePen(marks) {
  const saved = [];
  let [matrix, look, clip] = [[SIZE, 0, 0, SIZE, 0, 0], {...LOOK}, null];
  let path = new Path(null, () => matrix);
  const turn = (a, b, c, d, e, f) => {
    numbers("transform", [a, b, c, d, e, f]);
    const [m, n] = [placed(matrix, e, f), matrix];
    matrix = [n[0] * a + n[2] * b, n[1] * a + n[3] * b, n[0] * c + n[2] * d, n[1] * c + n[3] * d, m[0], m[1]];
  };
  const mark = (what, points, wide = 0) => {
    const box = within(boxOf(points, wide), clip);
    if (box.right >= box.left && box.bottom >= box.top) marks.push({what, ...box});
  };
  const at = (xs) => Array.from({length: xs.length / 2}, (_, k) => placed(matrix, xs[2 * k], xs[2 * k + 1]));
  const paint = (verb, style, given, wide) => {
    const own = given instanceof Path ? given.parts.map((one) => ({...one, points: at(one.points.flat())})) : null;
    const parts = own ?? path.parts;
    for (const {words, points} of parts) mark(`${verb} ${style} ${look.globalAlpha} ${words.join(" ")}`, points, wide);
  };
  const half = () => (look.lineWidth * Math.hypot(matrix[0], matrix[1])) / SIZE / 2;
  const box = (name, style, wide) => (...given) => {
    numbers(name, given);
    mark(`${name} ${style()} ${look.globalAlpha}`, at(corners(...given)), wide?.());
  };
  const write = (name, style) => (text, x, y) => {
    numbers(name, [x, y]);
    mark(`${name} ${text} ${style()} ${look.globalAlpha}`, at([x, y]), 0.25);
  };
  const gradient = (name) => (...given) => {
    numbers(name, given);
    return {addColorStop: (stop, color) => numbers(`addColorStop of ${color}`, [stop])};
  };
  const verbs = {
    save: () => saved.push([matrix, {...look}, clip]),
    restore: () => { if (saved.length) [matrix, look, clip] = saved.pop(); },
    transform: turn, translate: (x, y) => turn(1, 0, 0, 1, x, y), scale: (x, y) => turn(x, 0, 0, y, 0, 0),
    rotate: (angle) => turn(Math.cos(angle), Math.sin(angle), -Math.sin(angle), Math.cos(angle), 0, 0),
    setTransform: (...given) => { matrix = [1, 0, 0, 1, 0, 0]; turn(...given); },
    resetTransform: () => { matrix = [1, 0, 0, 1, 0, 0]; },
    beginPath: () => { path = new Path(null, () => matrix); },
    clip: () => { clip = within(boxOf(path.parts.flatMap(({points}) => points)), clip); },
    fill: (given) => paint("fill", look.fillStyle, given), stroke: (given) => paint("stroke", look.strokeStyle, given, half()),
    fillRect: box("fillRect", () => look.fillStyle), clearRect: box("clearRect", () => ""),
    strokeRect: box("strokeRect", () => look.strokeStyle, half),
    fillText: write("fillText", () => look.fillStyle), strokeText: write("strokeText", () => look.strokeStyle),
    measureText: (text) => ({width: String(text).length / 2}),
    setLineDash: () => undefined, getLineDash: () => [],
    createLinearGradient: gradient("createLinearGradient"), createRadialGradient: gradient("createRadialGradient"),
    createConicGradient: gradient("createConicGradient"),
    drawImage: (image, ...given) => {
      numbers("drawImage", given);
      const [x, y, width = image.width, height = image.height] = given.slice(-4);
      if (image.marks) marks.push(...image.marks);
      else mark(`image ${image.key} ${look.globalAlpha}`, at(corners(x, y, width, height)));
    },
  };
  for (const name of Object.getOwnPropertyNames(Path.prototype)) {
    if (!["constructor", "add", "addPath"].includes(name)) verbs[name] = (...given) => path[name](...given);
  }
  return new Proxy(verbs, {
    get: (_, name) => verbs[name] ?? look[name],
    set: (_, name, value) => {
      if (value === undefined || Number.isNaN(value)) throw new Error(`ctx.${String(name)} = ${value}`);
      look[name] = value;
      return true;
    },
  });
}
