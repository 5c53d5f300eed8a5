// Moves, positions and games as text: numbers, scores, FEN, PGN.

// The number of a move and whether Black made it; plies count from 1.
function moveNumber(game, ply) {
  const half = ply - 1 + (game.blackFirst ? 1 : 0);
  return { number: game.firstNumber + (half >> 1), isBlack: half % 2 === 1 };
}

const isMate = (score) => Math.abs(score) > 2000;

function scoreWords(score) {
  const sign = score > 0 ? "+" : score < 0 ? "\u2212" : "";
  if (isMate(score)) return `${sign}M${2047 - Math.abs(score)}`;
  return sign + (Math.abs(score) / 100).toFixed(2);
}

function placement(board) {
  const rows = [];
  for (let rank = 7; rank >= 0; rank -= 1) {
    const row = board.slice(rank * 8, rank * 8 + 8).map((piece) => piece || "1").join("");
    rows.push(row.replace(/1+/g, (empty) => empty.length));
  }
  return rows.join("/");
}

// The square of the rook of a castling right: `K` is the outermost rook on the king's side,
// the letter of a file is the rook on that file.
function rookOf(right, board) {
  const isWhite = right === right.toUpperCase();
  const rank = isWhite ? 0 : 56;
  const [king, rook] = isWhite ? ["K", "R"] : ["k", "r"];
  const letter = right.toLowerCase();
  if (letter !== "k" && letter !== "q") return rank + "abcdefgh".indexOf(letter);
  const files = letter === "k" ? [7, 6, 5, 4, 3, 2, 1, 0] : [0, 1, 2, 3, 4, 5, 6, 7];
  for (const file of files) {
    if (board[rank + file] === rook) return rank + file;
    if (board[rank + file] === king) break;
  }
  return -1;
}

// The position after a ply as FEN.
function fenAt(game, ply) {
  const [, , rights, passant, halfmoves] = game.start.split("_");
  const first = game.states[0].board;
  let castling = [...rights].filter((right) => right !== "-");
  const rooks = new Map(castling.map((right) => [right, rookOf(right, first)]));
  let quiet = Number(halfmoves) || 0;
  for (const { piece, takes, marks } of game.states.slice(1, ply + 1)) {
    quiet = takes || piece.toLowerCase() === "p" ? 0 : quiet + 1;
    castling = castling.filter((right) => {
      const king = right === right.toUpperCase() ? "K" : "k";
      return piece !== king && !marks.includes(rooks.get(right));
    });
  }
  // `K` and `Q` name the outermost rooks: if another rook is farther out, use the file.
  const { board } = game.states[ply];
  const named = castling.map((right) => {
    const rook = rooks.get(right);
    if (rookOf(right, board) === rook) return right;
    const file = "abcdefgh"[rook & 7];
    return right === right.toUpperCase() ? file.toUpperCase() : file;
  });
  const { number, isBlack } = moveNumber(game, ply + 1);
  const square = ply === 0 ? passant : passantSquare(game.states[ply]);
  return [
    placement(board),
    isBlack ? "b" : "w",
    named.join("") || "-",
    square,
    quiet,
    number,
  ].join(" ");
}

// The square that a pawn has passed, if an opposing pawn is beside it.
function passantSquare({ board, piece, marks: [from, to] }) {
  if (piece.toLowerCase() !== "p" || Math.abs(to - from) !== 16) return "-";
  const other = piece === "P" ? "p" : "P";
  const file = to & 7;
  const isBeside = (file > 0 && board[to - 1] === other) || (file < 7 && board[to + 1] === other);
  return isBeside ? squareName((from + to) / 2) : "-";
}

function pgnOf(game, isChess960) {
  const tags = [
    ["Event", document.title],
    ["Round", `${game.pair}.${game.game}`],
    ["White", game.white],
    ["Black", game.black],
    ["Result", RESULTS[game.result]],
  ];
  if (isChess960) tags.push(["Variant", "Chess960"]);
  if (game.start !== START) tags.push(["SetUp", "1"], ["FEN", game.start.replaceAll("_", " ")]);
  tags.push(["Termination", game.termination]);
  const quoted = (text) => text.replace(/[\\"]/g, "\\$&");
  const words = [];
  for (let ply = 1; ply <= game.plies; ply += 1) {
    const { number, isBlack } = moveNumber(game, ply);
    const { name, info } = game.states[ply];
    if (!isBlack || ply === 1 || game.states[ply - 1].info) {
      words.push(`${number}${isBlack ? "..." : "."}`);
    }
    words.push(name);
    if (info) words.push(comment(info, isBlack));
  }
  words.push(RESULTS[game.result]);
  const head = tags.map(([name, value]) => `[${name} "${quoted(value)}"]\n`).join("");
  return `${head}\n${wrapped(words)}\n`;
}

// A comment in the PGN format of hone: the score is from the engine's own side.
function comment({ score, depth, ms }, isBlack) {
  const own = scoreWords(isBlack ? -score : score).replace("\u2212", "-");
  return `{${own}/${depth} ${(ms / 1000).toFixed(3)}s}`;
}

function wrapped(words) {
  let text = "";
  let width = 0;
  for (const word of words) {
    const breaks = width + word.length > 78;
    text += (text === "" ? "" : breaks ? "\n" : " ") + word;
    width = breaks ? word.length : width + word.length + 1;
  }
  return text;
}
