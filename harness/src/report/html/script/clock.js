// What an engine's clock showed, from the times of its moves.

// Milliseconds left of a clock with these stages; none if a time is missing.
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
  const seconds = Math.abs(ms) / 1000;
  const sign = ms < 0 ? "\u2212" : "";
  const minutes = Math.floor(seconds / 60);
  const rest = (seconds % 60).toFixed(seconds < 10 ? 2 : 1);
  return `${sign}${minutes}:${rest.padStart(seconds < 10 ? 5 : 4, "0")}`;
}

// The clock of a side after a ply; what it used in all where none runs.
function clockWords(game, stages, side, ply) {
  const times = [];
  for (let at = 1; at <= ply; at += 1) {
    if (moveNumber(game, at).isBlack !== (side === "b")) continue;
    const { said } = game.states[at];
    times.push(said ? said.ms : null);
  }
  if (stages.length > 0) {
    const left = timeLeft(stages, times);
    return left === null ? "" : clockText(left);
  }
  const known = times.filter((ms) => ms !== null);
  const used = known.reduce((sum, ms) => sum + ms, 0);
  return known.length > 0 ? `used ${clockText(used)}` : "";
}
