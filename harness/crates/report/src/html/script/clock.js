// The clocks of a game, from the times of the moves.

// Milliseconds left on a clock with these stages; null if a time is missing.
function timeLeft(stages, times) {
  let stage = 0;
  let moves = 0;
  let left = stages[0].base;
  for (const ms of times) {
    if (ms === null) return null;
    left += stages[stage].increment - ms;
    moves += 1;
    if (moves === stages[stage].moves) {
      stage = Math.min(stage + 1, stages.length - 1);
      moves = 0;
      left += stages[stage].base;
    }
  }
  return left;
}

function clockText(ms) {
  const digits = Math.abs(ms) < 10000 ? 2 : 1;
  // Rounded before it is divided: 59.96 s is 1:00.0, not 0:60.0.
  const seconds = Number((Math.abs(ms) / 1000).toFixed(digits));
  const sign = ms < 0 ? "\u2212" : "";
  const minutes = Math.floor(seconds / 60);
  const rest = (seconds % 60).toFixed(digits);
  return `${sign}${minutes}:${rest.padStart(digits + 3, "0")}`;
}

// The clock of a side after a ply; without a clock, the time that it has used.
function clockWords(game, stages, side, ply) {
  const times = [];
  // The moves of the opening take no time.
  const first = game.states.findIndex((state) => state.info);
  for (let at = Math.max(1, first); at <= ply; at += 1) {
    if (moveNumber(game, at).isBlack !== (side === "b")) continue;
    const { info } = game.states[at];
    times.push(info ? info.ms : null);
  }
  if (stages.length > 0) {
    const left = timeLeft(stages, times);
    return left === null ? "" : clockText(left);
  }
  const known = times.filter((ms) => ms !== null);
  const used = known.reduce((sum, ms) => sum + ms, 0);
  return known.length > 0 ? `used ${clockText(used)}` : "";
}
