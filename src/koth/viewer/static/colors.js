// Colours: one per team, the same wherever it appears, and those of the theme.

// [lightness, chroma, hue] of CSS's oklch(): as far from each other as can be, also for people who see red and green,
// or blue and yellow, alike; and far from the greys, browns and dull greens of what is nobody's.
const DARK = [
  [0.7, 0.16, 255], [0.82, 0.16, 80], [0.58, 0.19, 335], [0.58, 0.19, 35], [0.88, 0.16, 155], [0.58, 0.19, 280],
  [0.7, 0.1, 345], [0.82, 0.1, 305], [0.7, 0.16, 60], [0.58, 0.1, 165], [0.88, 0.13, 195], [0.64, 0.13, 295],
];
const LIGHT = [
  [0.52, 0.16, 255], [0.4, 0.16, 30], [0.7, 0.19, 135], [0.4, 0.13, 315], [0.7, 0.19, 310], [0.68, 0.18, 0],
  [0.4, 0.19, 265], [0.52, 0.13, 355], [0.52, 0.13, 125], [0.64, 0.1, 215], [0.64, 0.19, 15], [0.52, 0.1, 305],
];
const GOLDEN = 137.508;

/** The numbers of the colours of a listed match's teams: bots have their places in the contest. */
export const placesOf = ({places, field}, count) =>
  Array.from({length: count}, (_, team) => places[team] ?? field + team - places.length);

/**
 * A CSS colour for each of these numbers (or for so many teams); `focus` dims all but that one team. Teams from `bots`
 * on are no bots': theirs are dull.
 * @param {number[] | number} places
 * @param {boolean} dark
 * @param {number | null} focus
 * @param {number} bots
 */
export function teamColors(places, dark, focus = null, bots = Infinity) {
  return (typeof places === "number" ? [...Array(places).keys()] : places).map((place, team) => {
    const [light, chroma, hue] = team < bots ? tone(place, dark) : dull(team - bots, dark);
    if (focus !== null && team !== focus) return `oklch(${dark ? 0.42 : 0.8} 0.025 ${hue})`;
    return `oklch(${light} ${chroma} ${hue})`;
  });
}

function tone(place, dark) {
  const table = dark ? DARK : LIGHT;
  if (place < table.length) return table[place];
  const ring = Math.floor(place / table.length) % 3; // further rounds differ in lightness, too
  const light = (dark ? [0.72, 0.84, 0.6] : [0.58, 0.47, 0.68])[ring];
  return [light, [0.17, 0.11, 0.13][ring], (275 + place * GOLDEN) % 360];
}

/** Greys between brown and blue, for who is nobody's. */
const dull = (k, dark) => [(dark ? 0.56 : 0.72) - (dark ? -0.07 : 0.08) * (k % 5), 0.028, (70 + 40 * k) % 360];

/**
 * The theme's colours as `draw.js` knows them, read from the style sheet.
 * @returns {import("./draw.js").Theme}
 */
export function themeOf(root) {
  const style = getComputedStyle(root);
  /** @type {any} */
  const theme = {dark: root.dataset.theme === "dark"};
  for (const name of ["ground", "paper", "ink", "muted", "soft", "faint", "accent", "danger", "fog"]) {
    theme[name] = style.getPropertyValue(`--${name}`).trim();
  }
  return theme;
}
