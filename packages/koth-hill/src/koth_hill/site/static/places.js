// Places in a source that compilers and interpreters name in what they print.

/** The beginning of a message that stands in a line before its place, as Rust writes it. */
const HEAD = /^\s*((?:error|warning)\b.*)/;
const LEAST = /\bwarning\b/i;

const escaped = (text) => text.replace(/[^\w]/g, "\\$&");

/**
 * The lines of a file that a text names, as `{line, message, severity}`, each line once. It is named as `FILE:LINE`,
 * `File "FILE", line N` or `(FILE, line N)`; where no message follows, `head` says what is wrong. `files` are all of the
 * bot's: the path of one may end with another's.
 * @param {string} text
 * @param {string} file
 * @param {string} head
 * @param {string[]} files
 */
export function findLines(text, file, head, files = []) {
  const name = escaped(file);
  const folders = files.filter((other) => other.endsWith(`/${file}`)).map((other) => other.slice(0, -file.length));
  const others = folders.map((folder) => `(?<!${escaped(folder)})`).join("");
  const place = new RegExp(`(?<![\\w.-])${others}${name}(?:"?, line |:)(\\d+)(?::\\d+)?(?:\\s*:\\s*(\\S.*))?`);
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
