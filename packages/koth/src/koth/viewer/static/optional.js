// What a browser may refuse, and no page needs: storage, the full screen, an address.

/**
 * What `act` returns, or null if it fails now or, as a promise, later.
 * @template T
 * @param {() => T} act
 * @returns {T | null}
 */
export function attempt(act) {
  try {
    const found = act();
    if (found instanceof Promise) found.catch(() => null);
    return found;
  } catch {
    return null;
  }
}

/** A text that the browser keeps under this key, or null. */
export const recall = (key) => attempt(() => localStorage.getItem(key));

export const keep = (key, text) => attempt(() => localStorage.setItem(key, text));

export const forget = (key) => attempt(() => localStorage.removeItem(key));
