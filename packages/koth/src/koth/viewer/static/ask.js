// Requests that a busy site refuses for a moment, and that are sent again.

const LONGEST = 3; // seconds that an answer may ask for: a longer wait is for people

/**
 * The answer of `fetch`; while a busy site refuses, the request is sent again after 1 to 3 seconds.
 * @param {RequestInfo | URL} where
 * @param {RequestInit} [how]
 */
export async function ask(where, how) {
  for (;;) {
    const answer = await fetch(where, how);
    if (answer.status !== 429 || !(Number(answer.headers.get("Retry-After") ?? Infinity) <= LONGEST)) return answer;
    await new Promise((done) => { setTimeout(done, 1000 + 2000 * Math.random()); });
  }
}
