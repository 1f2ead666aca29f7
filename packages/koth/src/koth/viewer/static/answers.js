// Answers of the bots in a turn, in words, as a replay has them.

/**
 * `[{seat, words: [[text, how many units]]}]`; `described` is the game's `answers`. Declared are the fields of each
 * answer in the header of the replay.
 */
export function answersOf(asked, described, match) {
  const bots = new Map();
  for (const {question, rows, answers} of asked) {
    const declaration = match.answers?.[question];
    if (!declaration) continue;
    const words = described[question] ?? formatAnswer;
    const fields = Object.entries(declaration).map(([name, declared]) => (
      {name, names: declared.names, read: reader(answers[name], declared.default)}));
    rows.forEach(([seat], row) => {
      const values = Object.fromEntries(fields.map(({name, names, read}) => [name, nameValue(read(row), names)]));
      const said = Object.values(values).includes(undefined) ? "no numbers" : words(values, match);
      if (!bots.has(seat)) bots.set(seat, new Map());
      const counts = bots.get(seat);
      counts.set(said, (counts.get(said) ?? 0) + 1);
    });
  }
  return [...bots].sort(([a], [b]) => a - b).map(([seat, counts]) => (
    {seat, words: [...counts].sort((a, b) => b[1] - a[1])}));
}

const nameValue = (value, names) => (
  !names ? value : Array.isArray(value) ? value.map((one) => nameValue(one, names)) : names[value]);

/** The value of a sole field, else each with the field's name. */
function formatAnswer(answer) {
  const parts = Object.entries(answer).map(([name, value]) => [name, formatValue(value)]);
  return parts.length === 1 ? parts[0][1] : parts.map((part) => part.join(" ")).join(", ");
}

const formatValue = (value) => (Array.isArray(value) ? `[${value.map(formatValue).join(", ")}]` : String(value));

/**
 * A function from a row to a field's value; undefined for what JSON can't say (infinities and the like).
 * @returns {(row: number) => any}
 */
function reader(packed, none) {
  if (packed === undefined) return () => none;
  return Array.isArray(packed) ? (row) => packed[row] : () => undefined;
}
