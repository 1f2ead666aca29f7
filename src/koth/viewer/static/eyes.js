// Through a bot's eyes: the frames without what it does not see, so that nothing else can be drawn.

/**
 * What of a turn a bot knows: `{frame, previous, seen}`; with `team` null all of it, and `seen` is null.
 * @param {import("./draw.js").Picture} picture
 * @param {import("./draw.js").Match} match
 * @param {number | null} team
 * @param {import("./draw.js").Frame} frame
 * @param {import("./draw.js").Frame | null} previous
 */
export function through(picture, match, team, frame, previous) {
  if (team === null || !picture.visibleSquares) return {frame, previous, seen: null};
  const known = (one) => picture.applyFog(one, picture.visibleSquares(one, team, match), team, match);
  return {frame: known(frame), previous: previous && known(previous), seen: picture.visibleSquares(frame, team, match)};
}
