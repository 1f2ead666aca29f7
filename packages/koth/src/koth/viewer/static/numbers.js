// Numbers and times as people read them.

const FORMAT = new Intl.NumberFormat("en", {maximumFractionDigits: 2}); // kept: making one takes longest

/** A number as it stands in tables and charts: thousands apart, at most one decimal, small ones two. */
export function shortNumber(value) {
  if (typeof value !== "number") return "–";
  const fine = Math.abs(value) < 10 ? 100 : 10;
  return FORMAT.format(Math.round(fine * value) / fine + 0); // (-0 would be written as such)
}

/** A moment, given as "2026-11-21T23:05:00+00:00", as a day and a time where the reader is. */
export function formatWhen(text) {
  const when = new Date(text);
  return Number.isNaN(when.getTime()) ? text : when.toLocaleString("en-GB", {dateStyle: "medium", timeStyle: "short"});
}
