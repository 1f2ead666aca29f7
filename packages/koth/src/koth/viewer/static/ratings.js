// Curves of ratings or scores with their intervals, from the data embedded in the page. Drawn by uPlot.

import {teamColors, themeOf} from "./colors.js";
import {find, make} from "./dom.js";
import {shortNumber} from "./numbers.js";
import {Plot} from "./uplot.js";

const HEIGHT = 240; // CSS pixels

/**
 * A curve's points are [x, rating, half the width of its interval]; the axis reaches `beyond` them: wider ones are cut.
 * @type {{by: string, beyond: number, curves: {name: string, points: [number, number, number][]}[]}}
 */
const {by, beyond, curves} = JSON.parse(find("embedded-data").textContent);
const root = find("ratings");
const box = make("div", {role: "img", ariaLabel: `${by} by matches of the season`});
const names = make("ul");
let plot = null;

/** The columns of uPlot: all x, and for each curve its ratings, upper and lower ends. */
function columns() {
  const xs = [...new Set(curves.flatMap(({points}) => points.map(([x]) => x)))].sort((a, b) => a - b);
  const lines = curves.flatMap(({points}) => {
    const known = new Map(points.map(([x, rating, margin]) => [x, {rating, margin}]));
    const column = (sign) => xs.map((x) => {
      const point = known.get(x);
      return point ? point.rating + sign * point.margin : null;
    });
    return [column(0), column(1), column(-1)];
  });
  return [xs, ...lines];
}

/** The ends of the axis. */
function range() {
  const points = curves.flatMap((curve) => curve.points);
  const ratings = points.map(([, rating]) => rating);
  const ends = points.flatMap(([, rating, margin]) => [rating - margin, rating + margin]);
  const [low, high] = [Math.min(...ratings), Math.max(...ratings)];
  return [Math.max(Math.min(...ends), low - beyond), Math.min(Math.max(...ends), high + beyond)];
}

function options() {
  const theme = themeOf(document.documentElement);
  const colors = teamColors(curves.length, theme.dark);
  names.replaceChildren(...curves.map(({name}, k) =>
    make("li", null, make("i", {style: {backgroundColor: colors[k]}}), name)));
  const line = {stroke: theme.soft, width: 0.5};
  const axis = {stroke: theme.muted, font: "12px system-ui, sans-serif", grid: line, ticks: {...line, size: 4}};
  const values = (_, marks) => marks.map((mark) => shortNumber(mark));
  return {
    width: box.clientWidth, height: HEIGHT, legend: {show: false},
    scales: {x: {time: false}, y: {range}},
    axes: [{...axis, values, incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1e3, 2e3, 5e3, 1e4, 1e5]}, {...axis, values}],
    cursor: {show: false},
    series: [{}, ...colors.flatMap((stroke) => [{stroke, width: 2, spanGaps: true}, end, end])],
    bands: colors.map((color, k) => ({series: [3 * k + 2, 3 * k + 3], fill: color.replace(")", " / 0.18)")})),
  };
}

const end = {width: 0, points: {show: false}, spanGaps: true}; // of an interval: only what is between is seen

function draw() {
  plot?.destroy();
  plot = new Plot(options(), columns(), box);
}

root.prepend(box, names);
draw();
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
new ResizeObserver(() => plot.setSize({width: box.clientWidth, height: HEIGHT})).observe(box);
