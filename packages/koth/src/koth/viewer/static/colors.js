// Colours: one per team, the same wherever it appears and in both themes, and those of the theme.

// [lightness, chroma, hue] of CSS's oklch(): each stands out from light and from dark paper, and they are as far from each
// other as can be, also for people who see red and green, or blue and yellow, alike.
const COLORS = [
  [0.66, 0.16, 256], [0.58, 0.22, 32], [0.54, 0.13, 320], [0.68, 0.16, 56], [0.52, 0.13, 128], [0.68, 0.22, 0],
  [0.54, 0.16, 264], [0.68, 0.1, 320], [0.6, 0.1, 192], [0.6, 0.22, 288], [0.62, 0.07, 48], [0.54, 0.13, 8],
];

/** Bots of a like colour are distinguished by a pattern: none, a light core, a dark core, a light bar. */
const PATTERNS = 4;
const LIGHT = "#ffffff";
const DARK = "#101418";

/** The numbers of the colours of a listed match's teams: bots have their places in the contest. */
export const placesOf = ({places, entrantCount}, count) =>
  Array.from({length: count}, (_, team) => places[team] ?? entrantCount + team - places.length);

/** The number of the pattern of a bot with this place in the contest. */
export const patternOf = (place) => Math.floor(place / COLORS.length) % PATTERNS;

/**
 * A CSS colour for each of these numbers (or for this number of teams); `focus` dims all but that one team, towards the paper.
 * Teams from `bots` on are not bots': theirs are dull.
 * @param {number[] | number} places
 * @param {boolean} dark
 * @param {number | null} focus
 * @param {number} bots
 */
export function teamColors(places, dark, focus = null, bots = Infinity) {
  return (typeof places === "number" ? [...Array(places).keys()] : places).map((place, team) => {
    const [light, chroma, hue] = team < bots ? COLORS[place % COLORS.length] : dull(team - bots);
    if (focus !== null && team !== focus) return `oklch(${dark ? 0.42 : 0.8} 0.025 ${hue})`;
    return `oklch(${light} ${chroma} ${hue})`;
  });
}

/** Greys between brown and blue, for who is nobody's. */
const dull = (k) => [0.67 - 0.035 * (k % 5), 0.028, (70 + 40 * k) % 360];

/**
 * Paint a pattern over a disc of this radius around (x, y).
 * @param {import("./draw.js").Brush} ctx
 * @param {number} pattern
 */
export function paintPattern(ctx, pattern, x, y, radius) {
  if (!pattern) return;
  ctx.fillStyle = pattern === 2 ? DARK : LIGHT;
  ctx.beginPath();
  if (pattern === 3) ctx.rect(x - 0.95 * radius, y - 0.25 * radius, 1.9 * radius, 0.5 * radius);
  else ctx.arc(x, y, 0.45 * radius, 0, 7);
  ctx.fill();
}

/**
 * The theme's colours as `draw.js` knows them, read from the style sheet.
 * @returns {import("./draw.js").Theme}
 */
export function themeOf(root) {
  const probe = root.appendChild(document.createElement("i")); // a colour is resolved where it is used
  /** @type {any} */
  const theme = {dark: isDark(root)};
  for (const name of ["ground", "paper", "ink", "muted", "soft", "faint", "accent", "danger", "fog"]) {
    probe.style.color = `var(--${name})`;
    theme[name] = getComputedStyle(probe).color;
  }
  probe.remove();
  return theme;
}

/** Whether a page is dark: by its own word, else by the system's. */
const isDark = ({dataset}) =>
  dataset.theme ? dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
