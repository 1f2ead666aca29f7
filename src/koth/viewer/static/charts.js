// A chart per series: a line per team over the turns, with a cursor at the turn shown.

import {make, swatch} from "./dom.js";

const EDGE = 6; // CSS pixels above and below the lines

export class Charts {
  #charts = new Map();

  /** `seek(turn)` is called where a chart is clicked; `name(team)` and `when(turn)` are words for what is pointed at. */
  constructor(root, seek, name, when) {
    this.root = root;
    this.seek = seek;
    this.name = name;
    this.when = when;
    new ResizeObserver(() => this.#state && this.draw()).observe(root);
  }

  #state = null;

  /** `state`: {series, scanned, turns, colors, focus, theme}. */
  update(state) {
    this.#state = state;
    for (const [name, rows] of Object.entries(state.series)) {
      if (!this.#charts.has(name) && rows.some((row) => row?.some((value) => value))) this.#add(name);
    }
    this.root.hidden = this.#charts.size === 0;
    this.draw();
  }

  #add(name) {
    const canvas = make("canvas");
    const cursor = make("div", {className: "cursor"});
    const word = make("div", {className: "word", hidden: true});
    const most = make("span");
    const plot = make("div", {className: "plot"}, canvas, cursor, word);
    this.root.append(make("figure", null, make("figcaption", null, name, most), plot));
    const chart = {plot, canvas, cursor, most, word, top: 0};
    const turnAt = (event) => {
      const box = plot.getBoundingClientRect();
      const part = Math.min(Math.max((event.clientX - box.left) / box.width, 0), 1);
      return Math.round(part * this.#state.turns);
    };
    plot.addEventListener("pointerdown", (event) => {
      plot.setPointerCapture(event.pointerId);
      this.seek(turnAt(event));
    });
    plot.addEventListener("pointermove", (event) => {
      if (plot.hasPointerCapture(event.pointerId)) this.seek(turnAt(event));
      this.#tell(name, chart, turnAt(event), event);
    });
    plot.addEventListener("pointerleave", () => { word.hidden = true; });
    this.#charts.set(name, chart);
  }

  /** Whose line is nearest to the pointer, and what it is there. */
  #tell(name, {plot, word, top}, turn, event) {
    const row = this.#state.series[name][turn];
    const box = plot.getBoundingClientRect();
    const away = (value) => Math.abs(heightOf(value, top, box.height) - (event.clientY - box.top));
    let nearest = -1;
    row?.forEach((value, team) => {
      if (typeof value === "number" && (nearest < 0 || away(value) < away(row[nearest]))) nearest = team;
    });
    word.hidden = nearest < 0;
    if (nearest < 0) return;
    word.replaceChildren(swatch(this.#state.colors[nearest]), `${this.name(nearest)}: ${shortNumber(row[nearest])}, ${this.when(turn)}`);
    const half = word.offsetWidth / 2;
    const x = Math.min(Math.max(event.clientX - box.left, half), Math.max(box.width - half, half));
    word.style.transform = `translate(${x - half}px, -4px)`;
  }

  show(time) {
    if (!this.#state) return;
    for (const {plot, cursor} of this.#charts.values()) {
      cursor.style.transform = `translateX(${(time / Math.max(this.#state.turns, 1)) * plot.clientWidth}px)`;
    }
  }

  draw() {
    for (const [name, chart] of this.#charts) drawChart(chart, this.#state.series[name], this.#state);
  }
}

/** How far from the top of a chart a value's line is. */
const heightOf = (value, top, height) => height - EDGE - (value / (top || 1)) * (height - 2 * EDGE);

function drawChart(chart, rows, {scanned, turns, colors, focus, theme}) {
  const {plot, canvas, most} = chart;
  const ratio = devicePixelRatio;
  const width = plot.clientWidth;
  const height = plot.clientHeight;
  canvas.width = Math.round(width * ratio);
  canvas.height = Math.round(height * ratio);
  const ctx = canvas.getContext("2d");
  ctx.scale(ratio, ratio);
  // One turn per pixel column is all that can be seen.
  const columns = Math.min(width, turns + 1);
  const samples = [];
  for (let k = 0; k < columns; k++) {
    const turn = Math.round((k / Math.max(columns - 1, 1)) * turns);
    if (turn <= scanned && rows[turn]) samples.push({x: (turn / Math.max(turns, 1)) * width, row: rows[turn]});
  }
  let top = 0;
  for (const {row} of samples) for (const value of row) top = Math.max(top, value ?? 0);
  const y = (value) => heightOf(value, top, height);
  chart.top = top;
  ctx.fillStyle = theme.soft;
  ctx.fillRect(0, y(0), width, 1);
  ctx.lineWidth = 1.6;
  ctx.lineJoin = "round";
  const teams = colors.map((_, team) => team).filter((team) => team !== focus);
  for (const team of focus === null ? teams : [...teams, focus]) {
    ctx.strokeStyle = colors[team];
    ctx.beginPath();
    for (const {x, row} of samples) if (typeof row[team] === "number") ctx.lineTo(x, y(row[team]));
    ctx.stroke();
  }
  most.textContent = `up to ${shortNumber(top)}`;
}

/** A number as it stands in tables and charts: at most one decimal, small ones two. */
export function shortNumber(value) {
  if (typeof value !== "number") return "–";
  const fine = Math.abs(value) < 10 ? 100 : 10;
  return String(Math.round(fine * value) / fine);
}
