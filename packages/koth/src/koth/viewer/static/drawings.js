// Drawings that bots made for their authors (`koth.protocol.drawings`): squares, lines and texts on the board.

import {short} from "./grid.js";
import {visible} from "./names.js";

const FILL = 0.22; // how strongly a square is filled
const SMALLEST = 9; // CSS pixels of a text
const LARGEST = 16;

/**
 * A bot's drawings in squares of the board: [{kind, x, y, toX, toY, text, color}]. A game whose bots speak of squares in
 * another way than (x, y) says in its draw.js where they are: `squareOf(a, b, match)` gives [x, y].
 */
export function onBoard(draw, picture, match, color) {
  const at = (a, b) => picture.squareOf?.(a, b, match) ?? [a, b];
  return draw.flatMap((one) => {
    const [a, b, c, d] = one.square ?? one.line ?? one.at ?? [];
    if (!Number.isFinite(a) || !Number.isFinite(b)) return [];
    const [x, y] = at(a, b);
    const [toX, toY] = one.line ? at(c, d) : [x, y];
    const kind = one.line ? "line" : one.square ? "square" : "text";
    return [{kind, x, y, toX, toY, text: visible(String(one.text ?? ""), 40), color: one.color ?? color}];
  });
}

/** Paint them; `view`: {size, left, top, ratio}, of the copy of the board that is painted on. */
export function paint(ctx, drawings, board, view, theme) {
  const thick = Math.max(0.07, (1.5 * view.ratio) / view.size);
  ctx.save();
  ctx.lineCap = "round";
  ctx.lineWidth = thick;
  for (const {kind, x, y, toX, toY, color} of drawings) {
    ctx.fillStyle = theme.accent; // where the colour is none, this one stays
    ctx.fillStyle = color;
    ctx.strokeStyle = ctx.fillStyle;
    if (kind === "square") {
      ctx.globalAlpha = FILL;
      ctx.fillRect(x, y, 1, 1);
      ctx.globalAlpha = 1;
      ctx.strokeRect(x + thick / 2, y + thick / 2, 1 - thick, 1 - thick);
    } else if (kind === "line") {
      const [dx, dy] = way(x, y, toX, toY, board);
      ctx.beginPath();
      ctx.moveTo(x + 0.5, y + 0.5);
      ctx.lineTo(x + 0.5 + dx, y + 0.5 + dy);
      ctx.stroke();
    }
  }
  for (const drawing of drawings) if (drawing.text) write(ctx, drawing, board, view, theme);
  ctx.restore();
}

/** From one square to another; the short way on a board without edges. */
function way(x, y, toX, toY, {wraps, width, height}) {
  return wraps ? [short(toX - x, width), short(toY - y, height)] : [toX - x, toY - y];
}

function write(ctx, {x, y, toX, toY, text, color}, board, {size, left, top, ratio}, theme) {
  const [dx, dy] = way(x, y, toX, toY, board);
  const pixels = Math.min(LARGEST, Math.max(SMALLEST, (0.5 * size) / ratio));
  ctx.setTransform(ratio, 0, 0, ratio, left + (x + 0.5 + dx / 2) * size, top + (y + 0.5 + dy / 2) * size);
  ctx.font = `600 ${pixels}px system-ui, sans-serif`;
  ctx.textAlign = "center";
  ctx.textBaseline = "middle";
  ctx.lineJoin = "round";
  ctx.lineWidth = 3;
  ctx.strokeStyle = theme.paper;
  ctx.strokeText(text, 0, 0);
  ctx.fillStyle = theme.accent;
  ctx.fillStyle = color;
  ctx.fillText(text, 0, 0);
  ctx.setTransform(size, 0, 0, size, left, top);
}
