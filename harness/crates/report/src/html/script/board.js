// Draws a position.
const NAMES = { k: "king", q: "queen", r: "rook", b: "bishop", n: "knight", p: "pawn" };

function element(parent, name, attributes, text) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  if (text !== undefined) made.textContent = text;
  parent.append(made);
  return made;
}

function drawBoard(svg, state, flipped) {
  svg.replaceChildren();
  for (let square = 0; square < 64; square += 1) {
    const [file, rank] = [square & 7, square >> 3];
    const x = (flipped ? 7 - file : file) * 45;
    const y = (flipped ? rank : 7 - rank) * 45;
    const shade = (file + rank) % 2 === 0 ? "dark" : "light";
    const mark = state.marks.includes(square) ? " marked" : "";
    element(svg, "rect", { x, y, width: 45, height: 45, class: `square ${shade}${mark}` });
    const label = { class: `label ${shade}` };
    if (rank === (flipped ? 7 : 0)) {
      element(svg, "text", { ...label, x: x + 42, y: y + 42, "text-anchor": "end" }, "abcdefgh"[file]);
    }
    if (file === (flipped ? 7 : 0)) element(svg, "text", { ...label, x: x + 3, y: y + 13 }, rank + 1);
    const piece = state.board[square];
    if (piece) {
      const side = piece === piece.toLowerCase() ? "black" : "white";
      const use = { href: `#piece-${piece.toLowerCase()}`, x, y, width: 45, height: 45 };
      element(svg, "use", { ...use, class: `piece ${side}` });
    }
  }
  svg.dataset.placement = placement(state.board);
}

// The position as text for screen readers.
function positionWords(board) {
  const side = (isOwn) =>
    board
      .map((piece, square) => [piece, square])
      .filter(([piece]) => piece && isOwn(piece))
      .map(([piece, square]) => `${NAMES[piece.toLowerCase()]} ${squareName(square)}`)
      .join(", ");
  const isWhite = (piece) => piece === piece.toUpperCase();
  return `White: ${side(isWhite)}. Black: ${side((piece) => !isWhite(piece))}.`;
}
