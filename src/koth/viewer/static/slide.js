// Rows of a table that change places slide there.

/** Put `rows` in order in `body`; the focus stays where it was. */
export function reorder(body, rows) {
  const now = [...body.children];
  if (rows.length === now.length && rows.every((row, k) => row === now[k])) return;
  const before = new Map(now.map((row) => [row, row.offsetTop]));
  const focused = /** @type {HTMLElement} */ (document.activeElement);
  body.replaceChildren(...rows);
  if (body.contains(focused)) focused.focus({preventScroll: true});
  if (matchMedia("(prefers-reduced-motion: reduce)").matches) return;
  for (const row of rows) {
    const moved = (before.get(row) ?? row.offsetTop) - row.offsetTop;
    if (moved) row.animate([{transform: `translateY(${moved}px)`}, {}], {duration: 220, easing: "ease-out"});
  }
}
