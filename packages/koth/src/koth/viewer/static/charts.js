// A chart per series: a line per team, with axes; drag to zoom in, double click to zoom out. Drawn by uPlot.

import {make, makeButton, swatch} from "./dom.js";
import {shortNumber} from "./numbers.js";
import {Plot} from "./uplot.js";

const DASHES = [[], [6, 3], [2, 2], [9, 3, 2, 3]]; // by pattern
const POINTS = 1500; // of a line
const LOWEST = 120; // CSS pixels, also of the width
const SPREAD = 100; // times the smallest that the largest value is, for a logarithmic scale to be offered
const STEPS = [0, 1, 2, 3, 4, 5, 6].flatMap((power) => [1, 2, 5].map((step) => step * 10 ** power)); // of turns
const MOST_VALUES = 40_000; // teams times points beyond which lines of a chart are thinned out

export class Charts {
  #charts = new Map();
  #state = null;

  /**
   * `seek(turn)` is called where a chart is clicked; `teamOf(team)`, {name, pattern}, and `when(turn)`, words, are of what
   * is pointed at, `mark(turn)` is the number below it.
   */
  constructor(root, seek, teamOf, when, mark = (turn) => turn) {
    this.root = root;
    this.seek = seek;
    this.teamOf = teamOf;
    this.when = when;
    this.mark = mark;
    new ResizeObserver(() => this.#resize()).observe(root);
  }

  /** `state`: {series, scanned, turns, colors, focus, theme}. */
  update(state) {
    this.#state = state;
    for (const [name, rows] of Object.entries(state.series)) {
      if (!this.#charts.has(name) && rows.some((row) => row?.some((value) => value))) this.#add(name);
    }
    this.root.hidden = this.#charts.size === 0;
    for (const [name, chart] of this.#charts) this.#draw(name, chart);
  }

  /** Let go of what uPlot would keep for as long as the page lives. */
  close() {
    for (const {plot} of this.#charts.values()) plot?.destroy();
    this.#charts.clear();
  }

  /** Put the mark at a (fractional) turn. */
  show(time) {
    for (const {plot, mark} of this.#charts.values()) {
      if (!plot) continue;
      const at = plot.valToPos(time, "x");
      mark.style.transform = `translateX(${at}px)`;
      mark.hidden = !(at >= 0 && at <= plot.bbox.width / devicePixelRatio);
    }
  }

  #add(name) {
    const box = make("div", {className: "plot"});
    const word = make("div", {className: "word", hidden: true});
    const attributes = {className: "log-scale", hidden: true, "aria-pressed": "false"};
    const log = makeButton("log", () => this.#scale(name), attributes);
    this.root.append(make("figure", null, make("figcaption", null, name, log), box));
    box.append(word);
    const mark = make("div", {className: "cursor"});
    this.#charts.set(name, {box, word, log, mark, plot: null, key: "", isLog: false});
  }

  #scale(name) {
    const chart = this.#charts.get(name);
    chart.isLog = !chart.isLog;
    chart.log.setAttribute("aria-pressed", String(chart.isLog));
    this.#draw(name, chart);
  }

  #draw(name, chart) {
    const {series, scanned, turns, colors, focus, theme} = this.#state;
    const {xs, lines, spread} = linesOf(series[name], Math.min(scanned, turns), colors.length);
    chart.log.hidden = !(spread >= SPREAD);
    const key = JSON.stringify([colors, focus, theme.ink, chart.isLog]);
    if (key !== chart.key || !chart.plot) {
      chart.key = key;
      chart.plot?.destroy();
      chart.plot = new Plot(this.#options(chart), [xs, ...fit(lines, chart.isLog)], chart.box);
      this.#listen(name, chart);
    } else {
      chart.plot.setData([xs, ...fit(lines, chart.isLog)]);
    }
  }

  #options(chart) {
    const {colors, focus, theme} = this.#state;
    const axis = {
      stroke: theme.muted, font: "11px system-ui, sans-serif", grid: {stroke: theme.soft, width: 0.5},
      ticks: {stroke: theme.soft, width: 0.5, size: 4},
    };
    return {
      ...sizeOf(chart.box), legend: {show: false}, pxAlign: 0,
      scales: {
        x: {time: false, range: (_, low, high) => [low ?? 0, Math.max(high ?? 1, 1)]},
        y: chart.isLog ? {distr: 3} : {range: (_, low, high) => [Math.min(low ?? 0, 0), high > 0 ? high * 1.04 : 1]},
      },
      axes: [
        {...axis, size: 24, space: 60, incrs: STEPS, values: (_, marks) => marks.map((turn) => brief(this.mark(turn)))},
        {...axis, size: 44, values: (_, marks) => marks.map(brief)},
      ],
      cursor: {y: false, points: {show: false}, drag: {x: true, y: false, dist: 8}},
      series: [{}, ...colors.map((stroke, team) => ({
        stroke, dash: DASHES[this.teamOf(team).pattern], width: team === focus ? 2.4 : 1.4, points: {show: false},
        spanGaps: false,
      }))],
    };
  }

  #listen(name, chart) {
    const {plot, word, mark} = chart;
    plot.over.append(mark);
    let from = 0;
    plot.over.addEventListener("pointerdown", (event) => { from = event.clientX; });
    plot.over.addEventListener("click", (event) => {
      if (Math.abs(event.clientX - from) < 5) this.seek(this.#turnAt(plot, event));
    });
    plot.over.addEventListener("pointermove", (event) => this.#showTip(name, chart, event));
    plot.over.addEventListener("pointerleave", () => { word.hidden = true; });
  }

  #turnAt(plot, event) {
    const {left} = plot.over.getBoundingClientRect();
    return Math.round(Math.min(Math.max(plot.posToVal(event.clientX - left, "x"), 0), this.#state.turns));
  }

  /** Whose line is nearest to the pointer, and what it is there. */
  #showTip(name, {plot, word, box}, event) {
    const turn = this.#turnAt(plot, event);
    const row = this.#state.series[name][turn];
    const over = plot.over.getBoundingClientRect();
    const away = (value) => Math.abs(plot.valToPos(value, "y") - (event.clientY - over.top));
    let nearest = -1;
    row?.forEach((value, team) => {
      if (typeof value === "number" && (nearest < 0 || away(value) < away(row[nearest]))) nearest = team;
    });
    word.hidden = nearest < 0;
    if (nearest < 0) return;
    const team = this.teamOf(nearest);
    const text = `${team.name}: ${shortNumber(row[nearest])}, ${this.when(turn)}`;
    word.replaceChildren(swatch(this.#state.colors[nearest], team.pattern), text);
    const half = word.offsetWidth / 2;
    const x = event.clientX - box.getBoundingClientRect().left;
    word.style.transform = `translate(${Math.min(Math.max(x, half), Math.max(box.clientWidth - half, half)) - half}px, -4px)`;
  }

  #resize() {
    for (const {plot, box} of this.#charts.values()) {
      const {width, height} = sizeOf(box);
      if (plot && box.clientWidth && (width !== plot.width || height !== plot.height)) plot.setSize({width, height});
    }
  }
}

const sizeOf = (box) => ({width: Math.max(box.clientWidth, LOWEST), height: Math.max(box.clientHeight, LOWEST)});

/** Columns for uPlot: the turns, and a line per team; how many times the smallest positive value the largest is. */
function linesOf(rows, last, teams) {
  const most = Math.max(200, Math.min(POINTS, Math.floor(MOST_VALUES / Math.max(teams, 1))));
  const step = Math.max(1, Math.ceil((last + 1) / most));
  const xs = [];
  for (let turn = 0; turn <= last; turn += step) if (rows[turn]) xs.push(turn);
  if (last >= 0 && xs.at(-1) !== last && rows[last]) xs.push(last);
  const lines = Array.from({length: teams}, (_, team) => xs.map((turn) => rows[turn][team] ?? null));
  let [low, high] = [Infinity, 0];
  for (const line of lines) {
    for (const value of line) {
      high = Math.max(high, value ?? 0);
      if (value > 0) low = Math.min(low, value);
    }
  }
  return {xs, lines, spread: high / low};
}

/** Nothing that a logarithm does not know. */
const fit = (lines, isLog) => (isLog ? lines.map((line) => line.map((value) => (value > 0 ? value : null))) : lines);

/** A mark on an axis: 12k for 12,000. */
function brief(value) {
  if (value === null || value === undefined) return "";
  return Math.abs(value) >= 10_000 ? `${shortNumber(value / 1000)}k` : shortNumber(value);
}
