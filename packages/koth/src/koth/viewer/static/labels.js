// Names on the board: beside whom they name, whole, inside the picture, and never over a piece or one over another.

import {paintPattern} from "./colors.js";

const HEIGHT = 13; // CSS pixels of a line
const DOT = 9; // of the dot in a bot's colour before its name
const GAP = 3;
const widths = new Map(); // of words in one font, by font and word

/**
 * Write names. A label is `{x, y, text, color, pattern}`: the middle of its square's upper edge, in device pixels; a square
 * is `size` of them wide. `frame` is {left, top, right, bottom}, in device pixels too; `scale` device pixels are as large
 * as a CSS pixel of the usual size of text. `isTaken(left, top, right, bottom)` says whether a piece is there: a name that
 * finds no free place beside its piece is left out. Where somebody of the same name is near, one name does for both.
 * @param {any} ctx
 * @param {{x: number, y: number, text: string, color: string, pattern?: number}[]} labels
 * @param {number} size
 * @param {{left: number, top: number, right: number, bottom: number}} frame
 * @param {number} scale
 * @param {{paper: string, ink: string}} theme
 * @param {(left: number, top: number, right: number, bottom: number) => boolean} isTaken
 */
export function drawLabels(ctx, labels, size, frame, scale, theme, isTaken = () => false) {
  if (labels.length === 0) return;
  ctx.save();
  ctx.setTransform(1, 0, 0, 1, 0, 0);
  ctx.font = `600 ${11 * scale}px system-ui, sans-serif`;
  ctx.textAlign = "left";
  ctx.textBaseline = "top";
  ctx.lineJoin = "round";
  const radius = (DOT / 2) * scale;
  for (const {left, top, text, color, pattern} of placesFor(ctx, labels, size, frame, scale, isTaken)) {
    const middle = top + (HEIGHT / 2) * scale - scale;
    ctx.lineWidth = 3 * scale;
    ctx.strokeStyle = theme.paper;
    ctx.beginPath();
    ctx.arc(left + radius, middle, radius - scale, 0, 7);
    ctx.stroke();
    ctx.fillStyle = color;
    ctx.fill();
    paintPattern(ctx, pattern ?? 0, left + radius, middle, radius - scale);
    const start = left + (DOT + GAP) * scale;
    ctx.strokeText(text, start, top);
    ctx.fillStyle = theme.ink;
    ctx.fillText(text, start, top);
  }
  ctx.restore();
}

/** Where there is room for them: under their squares, above, else to the right or to the left of them. */
function placesFor(ctx, labels, size, frame, scale, isTaken) {
  const height = HEIGHT * scale;
  const found = [];
  for (const label of labels) {
    const {x, y, text} = label;
    const width = widthOf(ctx, text) + (DOT + GAP) * scale;
    const near = (other) => other.text === text && Math.hypot(other.x - x, other.y - y) < Math.max(width, 2.5 * size);
    if (found.some(near)) continue;
    const isFree = ({left, top}) => left >= frame.left && left + width <= frame.right
      && top >= frame.top && top + height <= frame.bottom && !isTaken(left, top, left + width, top + height)
      && !found.some((other) => (
        left < other.left + other.width && other.left < left + width && Math.abs(top - other.top) < height));
    const within = Math.max(frame.left, Math.min(x - width / 2, frame.right - width));
    const beside = y + (size - height) / 2;
    const place = [
      {left: within, top: y + size}, {left: within, top: y - height},
      {left: x + size / 2 + GAP * scale, top: beside}, {left: x - size / 2 - GAP * scale - width, top: beside},
    ].find(isFree);
    if (place) found.push({...label, ...place, width});
  }
  return found;
}

function widthOf(ctx, text) {
  const key = `${ctx.font} ${text}`;
  if (!widths.has(key)) widths.set(key, ctx.measureText(text).width);
  return widths.get(key);
}
