// The list of matches as the page receives it, with names for places.

/**
 * The list with `bots` (names by seat), `entrantCount`, `contest` and `scores` by name of each match.
 * @param {import("./page-data.js").Listing} listing
 */
export function unpackListing({entrants, matches, isRun, isDev, contest = null}) {
  const named = matches.map((match) => {
    const bots = match.places.map((place) => entrants[place]);
    const pairs = match.scores?.map((score, seat) => [bots[seat], score]);
    const scores = pairs ? Object.fromEntries([...pairs, ...Object.entries(match.more)]) : null;
    return {...match, bots, scores, entrantCount: entrants.length, contest};
  });
  return {entrants, matches: named, isRun: isRun === true, isDev: isDev === true};
}

/**
 * Whether all of a contest is played: all matches of its table, and its knockout, if there is one.
 * @param {import("./page-data.js").RunState} run
 */
export const isPlayed = ({done, total, knockout}) => done >= total && (!knockout || knockout.winner !== null);

/**
 * Whether more may come of a contest: somebody runs it, or writes a match of it, and not all of it is played.
 * @param {import("./page-data.js").RunState} run
 */
export const goesOn = (run) => !isPlayed(run) && (run.held !== false || run.playing.some(({still}) => !still));
