// Colours: one per team, the same wherever it appears, and those of the theme.

const FIRST = [255, 28, 145, 60, 310, 195, 90, 340, 225, 120, 5, 285]; // hues far apart, for the first teams
const GOLDEN = 137.508;

/** The numbers of the colours of a listed match's teams: bots have their places in the contest. */
export const placesOf = ({places, field}, count) =>
  Array.from({length: count}, (_, team) => places[team] ?? field + team - places.length);

/** A CSS colour for each of these numbers (or for so many teams); `focus` dims all but that one team. */
export function teamColors(places, dark, focus = null) {
  return (typeof places === "number" ? [...Array(places).keys()] : places).map((place, team) => {
    const hue = place < FIRST.length ? FIRST[place] : (FIRST[0] + 20 + place * GOLDEN) % 360;
    const ring = Math.floor(place / FIRST.length) % 3; // further rounds differ in lightness, too
    const light = (dark ? [0.72, 0.84, 0.6] : [0.58, 0.47, 0.68])[ring];
    const chroma = [0.17, 0.11, 0.13][ring];
    if (focus !== null && team !== focus) return `oklch(${dark ? 0.42 : 0.8} 0.025 ${hue})`;
    return `oklch(${light} ${chroma} ${hue})`;
  });
}

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
