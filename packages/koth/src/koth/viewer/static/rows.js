// Rows of a table that change places.

/** Put `rows` in order in `body`, at once: none is drawn over another. The focus stays where it was. */
export function reorder(body, rows) {
  const now = [...body.children];
  if (rows.length === now.length && rows.every((row, k) => row === now[k])) return;
  const focused = /** @type {HTMLElement} */ (document.activeElement);
  body.replaceChildren(...rows);
  if (body.contains(focused)) focused.focus({preventScroll: true});
}
