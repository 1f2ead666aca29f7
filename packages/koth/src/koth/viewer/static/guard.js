// A game's picture whose mistakes are shown on the page: what throws is named once, and all else goes on without it.

const WHERE = /\/draw\.js:(\d+)/; // in an error's stack; in a page that is a file lines are others
const NOTHING = () => undefined;
const NONE = () => [];

/** What stands for the answer of a function that failed, by its name. */
const INSTEAD = {
  board: () => ({width: 1, height: 1}), draw: NOTHING, drawAboveFog: NOTHING, drawMemory: NOTHING,
  series: (frame, match) => ({score: match.bots.map(() => null)}),
  others: NONE, actors: NONE, legend: NONE,
  about: () => null, aboutSquare: (frame, x, y) => ({title: `${x}, ${y}`, rows: []}),
  caption: () => "", squareOf: (a, b) => [a, b], memorySquares: NOTHING,
};

/**
 * The picture, whose functions never throw. `report(text)` is called once for each that has failed.
 * @param {import("./draw.js").Picture} picture
 * @param {(text: string) => void} report
 * @returns {import("./draw.js").Picture}
 */
export function guardPicture(picture, report) {
  const failed = new Set();
  const guard = (name, act, instead) => (...args) => {
    try {
      return act(...args);
    } catch (error) {
      if (!failed.has(name)) report(describeError(name, error));
      failed.add(name);
      return instead(...args);
    }
  };
  const names = Object.keys(INSTEAD).filter((name) => picture[name]);
  /** @type {Record<string, any>} */
  const safe = Object.fromEntries(names.map((name) => [name, guard(name, picture[name], INSTEAD[name])]));
  const {legend} = safe;
  if (legend) {
    safe.legend = (...args) => legend(...args).map(({label, paint}) => ({label, paint: guard("legend", paint, NOTHING)}));
  }
  if (picture.answers) {
    safe.answers = Object.fromEntries(Object.entries(picture.answers).map(([question, words]) => (
      [question, guard("answers", words, () => "")])));
  }
  return /** @type {any} */ (safe);
}

function describeError(name, error) {
  const line = WHERE.exec(error?.stack ?? "")?.[1];
  return `draw.js${line ? `, line ${line}` : ""}: ${name} failed: ${error?.message ?? error}`;
}
