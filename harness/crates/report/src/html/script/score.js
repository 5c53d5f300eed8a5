// The score over a game: a line for each engine, from White's side.
const SCORES = { height: 150, top: 8, bottom: 22, left: 30, right: 8 };

// A compressed scale: small scores are spread out, large ones are close together.
const scoreHeight = (score) => {
  const room = SCORES.height - SCORES.top - SCORES.bottom;
  return SCORES.top + (room / 2) * (1 - Math.tanh(score / 350));
};

function scoreX(game, ply, width) {
  const room = width - SCORES.left - SCORES.right;
  return SCORES.left + (game.plies > 0 ? (ply / game.plies) * room : 0);
}

// The ply at a position of the chart.
function plyAt(svg, game, clientX) {
  const box = svg.getBoundingClientRect();
  const share = (clientX - box.left - SCORES.left) / (box.width - SCORES.left - SCORES.right);
  return Math.round(Math.max(0, Math.min(1, share)) * game.plies);
}

const hasScores = (game) => game.states.some((state) => state.info);

function drawScores(svg, game) {
  svg.replaceChildren();
  if (!hasScores(game)) return;
  const width = svg.clientWidth || 360;
  const right = width - SCORES.right;
  const bottom = SCORES.height - SCORES.bottom;
  svg.setAttribute("viewBox", `0 0 ${width} ${SCORES.height}`);
  element(svg, "rect", {
    x: SCORES.left,
    y: SCORES.top,
    width: right - SCORES.left,
    height: bottom - SCORES.top,
    class: "ground",
  });
  for (const pawns of [-5, -2, 0, 2, 5]) {
    const y = scoreHeight(100 * pawns);
    const line = { x1: SCORES.left, x2: right, y1: y, y2: y };
    element(svg, "line", { ...line, class: pawns === 0 ? "level zero" : "level" });
    const text = pawns > 0 ? `+${pawns}` : String(pawns).replace("-", "\u2212");
    element(svg, "text", { x: SCORES.left - 5, y: y + 4, "text-anchor": "end" }, text);
  }
  drawMoveNumbers(svg, game, width);
  for (const side of ["w", "b"]) drawScoreLine(svg, game, side, width);
  element(svg, "line", { y1: SCORES.top, y2: bottom, class: "cursor" });
}

function drawMoveNumbers(svg, game, width) {
  const moves = Math.ceil(game.plies / 2);
  const most = Math.max(2, Math.floor(width / 60));
  const step = [1, 2, 5, 10, 20, 50, 100].find((one) => moves / one <= most) || 200;
  for (let ply = 1; ply <= game.plies; ply += 1) {
    const { number, isBlack } = moveNumber(game, ply);
    if (isBlack || number % step !== 0) continue;
    const x = scoreX(game, ply, width);
    element(svg, "text", { x, y: SCORES.height - 6, "text-anchor": "middle" }, number);
  }
}

function drawScoreLine(svg, game, side, width) {
  const points = [];
  for (let ply = 1; ply <= game.plies; ply += 1) {
    const { info } = game.states[ply];
    if (!info || moveNumber(game, ply).isBlack !== (side === "b")) continue;
    points.push(`${scoreX(game, ply, width).toFixed(1)},${scoreHeight(info.score).toFixed(1)}`);
  }
  element(svg, "polyline", { points: points.join(" "), class: `curve ${paintOf(game, side)}` });
}

// The first engine of the run has the first colour in all its games.
function paintOf(game, side) {
  const other = side === "w" ? "b" : "w";
  return game.players[side] <= game.players[other] ? "first" : "second";
}

function moveScoreCursor(svg, game, ply) {
  const cursor = svg.querySelector(".cursor");
  if (!cursor) return;
  const x = scoreX(game, ply, svg.clientWidth || 360);
  cursor.setAttribute("x1", x);
  cursor.setAttribute("x2", x);
}
