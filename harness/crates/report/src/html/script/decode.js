// Reads the games on the page. `games.rs` describes their format: a move is written as its
// changes of the board, so the rules of chess are not needed here.
const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
const START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR_w_KQkq_-_0_1";
const RESULTS = { w: "1-0", d: "1/2-1/2", b: "0-1", "*": "*" };

const byId = (id) => document.getElementById(id);
const squareName = (square) => "abcdefgh"[square & 7] + ((square >> 3) + 1);

function boardOf(fen) {
  const board = new Array(64).fill("");
  let square = 56;
  for (const c of fen.split("_")[0]) {
    if (c === "/") square -= 16;
    else if (c >= "1" && c <= "8") square += Number(c);
    else {
      board[square] = c;
      square += 1;
    }
  }
  return board;
}

// Plays one written move on a board. Returns the new board, the squares to highlight, the
// piece, whether it captures, its name, and where the next move begins.
function played(before, text, from) {
  const board = before.slice();
  let at = from;
  const flags = new Set();
  while ("+#/:;".includes(text[at])) {
    flags.add(text[at]);
    at += 1;
  }
  const squares = (count) => {
    const list = [...text.slice(at, at + count)].map((letter) => ALPHABET.indexOf(letter));
    at += count;
    return list;
  };
  const kind = text[at];
  let name;
  let marks;
  let piece;
  let takes = false;
  if (kind === "!") {
    at += 1;
    const [kingFrom, kingTo, rookFrom, rookTo] = squares(4);
    piece = board[kingFrom];
    const rook = board[rookFrom];
    board[kingFrom] = "";
    board[rookFrom] = "";
    board[kingTo] = piece;
    board[rookTo] = rook;
    name = rookFrom > kingFrom ? "O-O" : "O-O-O";
    marks = [kingFrom, kingTo];
  } else {
    let promotion = "";
    if (kind === "=") {
      promotion = text[at + 1];
      at += 2;
    } else if (kind === "*") at += 1;
    const [source, target, captured = target] = squares(kind === "*" ? 3 : 2);
    piece = board[source];
    takes = board[captured] !== "";
    board[captured] = "";
    board[source] = "";
    board[target] = promotion && piece === "p" ? promotion.toLowerCase() : promotion || piece;
    const origin = squareName(source);
    if (piece.toLowerCase() === "p") name = takes ? origin[0] : "";
    else {
      name = piece.toUpperCase();
      if (flags.has("/") || flags.has(";")) name += origin[0];
      if (flags.has(":") || flags.has(";")) name += origin[1];
    }
    name += (takes ? "x" : "") + squareName(target) + (promotion ? "=" + promotion : "");
    marks = [source, target];
  }
  if (flags.has("#")) name += "#";
  else if (flags.has("+")) name += "+";
  return { board, name, marks, piece, takes, next: at };
}

// What an engine reported about a move: score from White's side, depth, time in ms.
function infoOf(text, ply) {
  const part = text.slice(ply * 5, ply * 5 + 5);
  if (part.length < 5 || part[0] === ".") return null;
  const [s1, s2, depth, t1, t2] = [...part].map((letter) => ALPHABET.indexOf(letter));
  return { score: s1 * 64 + s2 - 2048, depth, ms: Math.round(2 ** ((t1 * 64 + t2) / 200) - 1) };
}

// All games of the page; null if it has none.
function readGames() {
  const data = byId("games-data");
  if (!data) return null;
  const meta = JSON.parse(byId("games-meta").textContent);
  return gamesOf(meta, data.textContent.split("\n").filter((line) => line.length > 0 && line !== "\r"));
}

// The games of these lines.
function gamesOf(meta, lines) {
  const heads = lines.map((line, index) => {
    const [pair, game, white, black, result, termination, plies] = line.split(" ", 7);
    return {
      index,
      pair: Number(pair),
      game: Number(game),
      players: { w: Number(white), b: Number(black) },
      white: meta.engines[white],
      black: meta.engines[black],
      result,
      termination: meta.terminations[termination],
      plies: Number(plies),
    };
  });

  function startOf(index) {
    for (let at = index; at >= 0; at -= 1) {
      const start = lines[at].split(" ", 8)[7];
      if (start !== "=") return start === "." ? START : start;
    }
    return START;
  }

  function load(index) {
    const fields = lines[index].split(" ");
    const start = startOf(index);
    const [, turn, , , , fullmove] = start.split("_");
    const game = {
      ...heads[index],
      start,
      states: [{ board: boardOf(start), name: "", marks: [], info: null }],
      blackFirst: turn === "b",
      firstNumber: Number(fullmove) || 1,
      readable: fields[8] !== "?",
    };
    let at = 0;
    for (let ply = 0; ply < game.plies; ply += 1) {
      const state = played(game.states[ply].board, fields[8], at);
      at = state.next;
      state.info = infoOf(fields[9] || "", ply);
      game.states.push(state);
    }
    return game;
  }

  return { ...meta, heads, load };
}
