// Strangers' text, made fit to be shown: nothing in it can hide, reorder or break what stands around it.

// Control characters, surrogates that stand alone, and the invisible ones that steer direction or line breaks.
const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Co}]/gu;
const LONGEST = 80;

/** The text with every control, bidi and invisible character written out as \u{...}, cut at 80 characters. */
export function visible(text, longest = LONGEST) {
  const shown = String(text).replace(UNSEEN, (c) => `\\u{${c.codePointAt(0).toString(16)}}`);
  const characters = [...shown];
  return characters.length > longest ? `${characters.slice(0, longest - 1).join("")}…` : shown;
}

const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;

const fromRight = (name) => RIGHT_TO_LEFT.test(name);

/** A visible name for the middle of a sentence: one that reads from the right takes no number beside it along. */
export const isolated = (name) => (fromRight(name) ? `\u2068${name}\u2069` : name);
