// Places in a source that compilers and interpreters name in what they print.

/** The beginning of a message that stands in a line before its place, as Rust writes it. */
const HEAD = /^\s*((?:error|warning)\b.*)/;
const LEAST = /\bwarning\b/i;

/**
 * The lines of a file that a text names, as `{line, message, severity}`, each line once. It is named as `FILE:LINE`,
 * `File "FILE", line N` or `(FILE, line N)`; where no message follows, `head` says what is wrong.
 * @param {string} text
 * @param {string} file
 * @param {string} head
 */
export function findLines(text, file, head) {
  const name = file.replace(/[^\w]/g, "\\$&");
  const place = new RegExp(`(?<![\\w.-])${name}(?:"?, line |:)(\\d+)(?::\\d+)?(?:\\s*:\\s*(\\S.*))?`);
  /** @type {Map<number, {line: number, message: string, severity: string}>} */
  const found = new Map();
  let before = head;
  for (const line of text.split("\n")) {
    before = line.match(HEAD)?.[1] ?? before;
    const [, number, after] = line.match(place) ?? [];
    if (number === undefined || found.has(Number(number))) continue;
    const message = after ?? before;
    found.set(Number(number), {line: Number(number), message, severity: LEAST.test(message) ? "warning" : "error"});
  }
  return [...found.values()];
}
