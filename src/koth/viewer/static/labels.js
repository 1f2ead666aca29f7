// Names on the board: beside whom they name, whole, inside the picture, and never one over another.

const HEIGHT = 13; // CSS pixels of a line
const widths = new Map(); // of words in one font, by font and word

/**
 * Write names. A label is `{x, y, text, color}`: the middle of its square's upper edge, in device pixels; a square is
 * `size` of them wide. `frame` is {left, top, right, bottom}, in device pixels too; `scale` device pixels are as large
 * as a CSS pixel of the usual size of text. Where somebody of the same name is near, one name does for both.
 * @param {any} ctx
 * @param {{x: number, y: number, text: string, color: string}[]} labels
 * @param {number} size
 * @param {{left: number, top: number, right: number, bottom: number}} frame
 * @param {number} scale
 * @param {string} paper
 */
export function drawLabels(ctx, labels, size, frame, scale, paper) {
  if (labels.length === 0) return;
  ctx.save();
  ctx.setTransform(1, 0, 0, 1, 0, 0);
  ctx.font = `600 ${11 * scale}px system-ui, sans-serif`;
  ctx.textAlign = "left";
  ctx.textBaseline = "top";
  ctx.lineJoin = "round";
  ctx.lineWidth = 3 * scale;
  ctx.strokeStyle = paper;
  for (const {left, top, text, color} of placed(ctx, labels, size, frame, HEIGHT * scale)) {
    ctx.strokeText(text, left, top);
    ctx.fillStyle = color;
    ctx.fillText(text, left, top);
  }
  ctx.restore();
}

/** Where there is room for them: under their squares, else above. */
function placed(ctx, labels, size, frame, height) {
  const found = [];
  for (const {x, y, text, color} of labels) {
    const width = widthOf(ctx, text);
    const left = Math.max(frame.left, Math.min(x - width / 2, frame.right - width));
    const near = (other) => other.text === text && Math.hypot(other.x - x, other.y - y) < Math.max(width, 2.5 * size);
    if (found.some(near)) continue;
    const isFree = (top) => top >= frame.top && top + height <= frame.bottom && !found.some((other) => (
      left < other.left + other.width && other.left < left + width && Math.abs(top - other.top) < height));
    const top = [y + size, y - height].find(isFree);
    if (top !== undefined) found.push({x, y, left, top, width, text, color});
  }
  return found;
}

function widthOf(ctx, text) {
  const key = `${ctx.font} ${text}`;
  if (!widths.has(key)) widths.set(key, ctx.measureText(text).width);
  return widths.get(key);
}
