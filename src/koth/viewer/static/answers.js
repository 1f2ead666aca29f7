// What bots answered in a turn, in words, out of the packed rows of a replay.

const ZERO = 63; // the character of 0 in packed strings

/** `[{seat, words: [[text, how many bodies]]}]`; `described` is the game's `answers`. */
export function answersOf(asked, described, match) {
  const bots = new Map();
  for (const {question, rows, answers} of asked) {
    const {silent, words} = described[question] ?? {};
    if (!words) continue;
    const fields = Object.entries(silent).map(([name, none]) => ({name, read: reader(answers[name], none)}));
    rows.forEach(([seat], row) => {
      const values = Object.fromEntries(fields.map(({name, read}) => [name, read(row)]));
      const said = Object.values(values).includes(undefined) ? "no numbers" : words(values, match);
      if (!bots.has(seat)) bots.set(seat, new Map());
      const counts = bots.get(seat);
      counts.set(said, (counts.get(said) ?? 0) + 1);
    });
  }
  return [...bots].sort(([a], [b]) => a - b).map(([seat, counts]) => (
    {seat, words: [...counts].sort((a, b) => b[1] - a[1])}));
}

/**
 * A function from a row to a field's value; undefined for what JSON can't say (infinities and the like).
 * @returns {(row: number) => any}
 */
function reader(packed, none) {
  if (packed === undefined) return () => none;
  if (typeof packed === "string") return (row) => packed.charCodeAt(row) - ZERO;
  if (packed.s) {
    const said = new Map();
    for (let k = 0; k < packed.s.length; k += 2) said.set(packed.s[k], packed.s[k + 1]);
    return (row) => said.get(row) ?? none;
  }
  return packed.v ? (row) => packed.v[row] : () => undefined;
}
