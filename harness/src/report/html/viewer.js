"use strict";
// Shows games on a board. `games.rs` says how they are written; each move says
// what it changes, so nothing here knows the rules of chess.
(() => {
  const data = document.getElementById("games-data");
  if (!data) return;
  const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  const START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR_w_KQkq_-_0_1";
  const NAMES = { k: "king", q: "queen", r: "rook", b: "bishop", n: "knight", p: "pawn" };
  const RESULTS = { w: "1-0", d: "1/2-1/2", b: "0-1" };
  const PAGE = 50;
  const SVG = "http://www.w3.org/2000/svg";

  const meta = JSON.parse(document.getElementById("games-meta").textContent);
  const lines = data.textContent.split("\n").filter((line) => line.length > 0 && line !== "\r");
  const byId = (id) => document.getElementById(id);
  const number = (letter) => ALPHABET.indexOf(letter);
  const squareName = (square) => "abcdefgh"[square & 7] + ((square >> 3) + 1);

  function head(index) {
    const [pair, game, white, black, result, termination, plies] = lines[index].split(" ", 7);
    return {
      index,
      pair: Number(pair),
      game: Number(game),
      white: meta.engines[Number(white)],
      black: meta.engines[Number(black)],
      result,
      termination: meta.terminations[Number(termination)],
      plies: Number(plies),
    };
  }
  const heads = lines.map((_, index) => head(index));

  function startOf(index) {
    for (let at = index; at >= 0; at -= 1) {
      const start = lines[at].split(" ", 8)[7];
      if (start !== "=") return start === "." ? START : start;
    }
    return START;
  }

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

  // Plays one written move on a board: the new board, the squares to point
  // out, its name, and where the next move begins.
  function played(before, text, from) {
    const board = before.slice();
    let at = from;
    const flags = new Set();
    while ("+#/:;".includes(text[at])) {
      flags.add(text[at]);
      at += 1;
    }
    const squares = (count) => {
      const list = [...text.slice(at, at + count)].map(number);
      at += count;
      return list;
    };
    const kind = text[at];
    let name;
    let marks;
    if (kind === "!") {
      at += 1;
      const [kingFrom, kingTo, rookFrom, rookTo] = squares(4);
      const king = board[kingFrom];
      const rook = board[rookFrom];
      board[kingFrom] = "";
      board[rookFrom] = "";
      board[kingTo] = king;
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
      const piece = board[source];
      const takes = board[captured] !== "";
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
    return { board, name, marks, next: at };
  }

  function saidOf(text, ply) {
    const part = text.slice(ply * 5, ply * 5 + 5);
    if (part.length < 5 || part[0] === ".") return null;
    const [s1, s2, depth, t1, t2] = [...part].map(number);
    return { score: s1 * 64 + s2 - 2048, depth, ms: Math.round(2 ** ((t1 * 64 + t2) / 200) - 1) };
  }

  function scoreWords(score) {
    if (Math.abs(score) > 2000) return (score > 0 ? "+" : "-") + "M" + (2047 - Math.abs(score));
    return (score > 0 ? "+" : "") + (score / 100).toFixed(2);
  }

  function load(index) {
    const fields = lines[index].split(" ");
    const start = startOf(index);
    const [, turn, , , , fullmove] = start.split("_");
    const game = {
      ...heads[index],
      states: [{ board: boardOf(start), name: "", marks: [], said: null }],
      blackFirst: turn === "b",
      firstNumber: Number(fullmove) || 1,
      readable: fields[8] !== "?",
    };
    let at = 0;
    for (let ply = 0; ply < game.plies; ply += 1) {
      const state = played(game.states[ply].board, fields[8], at);
      at = state.next;
      state.said = saidOf(fields[9] || "", ply);
      game.states.push(state);
    }
    return game;
  }

  const element = (parent, name, attributes) => {
    const made = document.createElementNS(SVG, name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    parent.append(made);
    return made;
  };

  let game = null;
  let ply = 0;
  let flipped = false;
  let timer = null;

  function drawBoard(state) {
    const svg = byId("board");
    svg.replaceChildren();
    for (let square = 0; square < 64; square += 1) {
      const [file, rank] = [square & 7, square >> 3];
      const x = (flipped ? 7 - file : file) * 45;
      const y = (flipped ? rank : 7 - rank) * 45;
      const shade = (file + rank) % 2 === 0 ? "dark" : "light";
      const mark = state.marks.includes(square) ? " marked" : "";
      element(svg, "rect", { x, y, width: 45, height: 45, class: `square ${shade}${mark}` });
      if (rank === (flipped ? 7 : 0)) {
        const label = { x: x + 41, y: y + 43, class: `label ${shade}`, "text-anchor": "end" };
        element(svg, "text", label).textContent = "abcdefgh"[file];
      }
      if (file === (flipped ? 7 : 0)) {
        element(svg, "text", { x: x + 2, y: y + 10, class: `label ${shade}` }).textContent = rank + 1;
      }
      const piece = state.board[square];
      if (piece) {
        const side = piece === piece.toLowerCase() ? "black" : "white";
        const use = { href: `#piece-${piece.toLowerCase()}`, x, y, width: 45, height: 45 };
        element(svg, "use", { ...use, class: `piece ${side}` });
      }
    }
    svg.dataset.placement = placement(state.board);
    byId("position-words").textContent = positionWords(state.board);
  }

  function placement(board) {
    const rows = [];
    for (let rank = 7; rank >= 0; rank -= 1) {
      const row = board.slice(rank * 8, rank * 8 + 8).map((piece) => piece || "1").join("");
      rows.push(row.replace(/1+/g, (empty) => empty.length));
    }
    return rows.join("/");
  }

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

  function moveNumber(at) {
    const half = at - 1 + (game.blackFirst ? 1 : 0);
    return { number: game.firstNumber + (half >> 1), isBlack: half % 2 === 1 };
  }

  function moveWords() {
    if (ply === 0) return game.readable ? "The first position" : "This game could not be read.";
    const state = game.states[ply];
    const { number: count, isBlack } = moveNumber(ply);
    let text = `${count}${isBlack ? "..." : "."} ${state.name}`;
    if (state.said) {
      const seconds = (state.said.ms / 1000).toFixed(state.said.ms < 10000 ? 3 : 1);
      text += `: ${scoreWords(state.said.score)} from White's side, depth ${state.said.depth}, ${seconds} s`;
    }
    if (ply === game.plies) text += ` (the end: ${RESULTS[game.result]}, ${game.termination})`;
    return text;
  }

  function show(at) {
    ply = Math.max(0, Math.min(game.plies, at));
    drawBoard(game.states[ply]);
    byId("move-words").textContent = moveWords();
    const list = byId("moves");
    for (const old of list.querySelectorAll("[aria-current]")) old.removeAttribute("aria-current");
    const current = list.querySelector(`[data-ply="${ply}"]`);
    if (current) {
      current.setAttribute("aria-current", "true");
      list.scrollTop = current.offsetTop - list.clientHeight / 2;
    } else list.scrollTop = 0;
    const cursor = byId("score-curve").querySelector(".cursor");
    if (cursor) cursor.setAttribute("x", curveX(ply) - 1);
    byId("step-back").disabled = ply === 0;
    byId("to-start").disabled = ply === 0;
    byId("step-on").disabled = ply === game.plies;
    byId("to-end").disabled = ply === game.plies;
    if (ply === game.plies) stop();
  }

  const curveX = (at) => (game.plies > 0 ? (at / game.plies) * 360 : 0);

  function drawCurve() {
    const svg = byId("score-curve");
    svg.replaceChildren();
    const y = (score) => 40 - 38 * Math.tanh(score / 400);
    const points = game.states
      .map((state, at) => [state, at])
      .filter(([state]) => state.said)
      .map(([state, at]) => `${curveX(at).toFixed(1)},${y(state.said.score).toFixed(1)}`);
    svg.toggleAttribute("hidden", points.length === 0);
    if (points.length === 0) return;
    element(svg, "rect", { x: 0, y: 0, width: 360, height: 80, class: "ground" });
    element(svg, "line", { x1: 0, x2: 360, y1: 40, y2: 40, class: "level" });
    element(svg, "polyline", { points: points.join(" "), class: "curve" });
    element(svg, "rect", { x: 0, y: 0, width: 2, height: 80, class: "cursor" });
  }

  function listMoves() {
    const list = byId("moves");
    list.replaceChildren();
    for (let at = 1; at <= game.plies; at += 1) {
      const { number: count, isBlack } = moveNumber(at);
      const move = document.createElement("span");
      move.className = "move";
      if (!isBlack || at === 1) {
        const label = document.createElement("span");
        label.className = "count";
        label.textContent = `${count}${isBlack ? "..." : "."}`;
        move.append(label);
      }
      const button = document.createElement("button");
      button.type = "button";
      button.dataset.ply = at;
      button.textContent = game.states[at].name;
      move.append(button);
      list.append(move, " ");
    }
  }

  function open(index, moveTo) {
    stop();
    game = load(index);
    byId("viewer").hidden = false;
    byId("game-title").textContent = `${game.white} - ${game.black}`;
    byId("game-facts").textContent =
      `Pair ${game.pair}, game ${game.game}: ${RESULTS[game.result]}, ` +
      `${game.termination}, ${game.plies} half-moves`;
    listMoves();
    drawCurve();
    show(0);
    for (const row of byId("game-list").querySelectorAll("tr[data-index]")) {
      row.classList.toggle("chosen", Number(row.dataset.index) === index);
    }
    if (moveTo) byId("viewer").scrollIntoView({ block: "start" });
  }

  function stop() {
    if (timer !== null) clearInterval(timer);
    timer = null;
    byId("play").setAttribute("aria-pressed", "false");
  }

  function togglePlay() {
    if (timer !== null) return stop();
    if (ply === game.plies) show(0);
    byId("play").setAttribute("aria-pressed", "true");
    timer = setInterval(() => show(ply + 1), 600);
  }

  let page = 0;
  let chosen = heads;

  function filter() {
    const pair = Number(byId("filter-pair").value);
    const result = byId("filter-result").value;
    const ending = byId("filter-ending").value;
    const white = byId("filter-white").value;
    chosen = heads.filter(
      (one) =>
        (!pair || one.pair === pair) &&
        (!result || one.result === result) &&
        (!ending || one.termination === ending) &&
        (!white || one.white === white),
    );
    page = 0;
    list();
  }

  function list() {
    const table = byId("game-list");
    const from = page * PAGE;
    const shown = chosen.slice(from, from + PAGE);
    const cell = (row, name, text) => {
      const made = document.createElement(name);
      made.textContent = text;
      row.append(made);
      return made;
    };
    const headRow = document.createElement("tr");
    for (const name of ["game", "White", "Black", "result", "ended by", "half-moves"]) {
      cell(headRow, "th", name).scope = "col";
    }
    const rows = shown.map((one) => {
      const row = document.createElement("tr");
      row.dataset.index = one.index;
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = `${one.pair}.${one.game}`;
      button.setAttribute("aria-label", `Show pair ${one.pair}, game ${one.game}`);
      const first = document.createElement("th");
      first.scope = "row";
      first.append(button);
      row.append(first);
      for (const text of [one.white, one.black, RESULTS[one.result], one.termination]) {
        cell(row, "td", text);
      }
      cell(row, "td", one.plies).className = "n";
      return row;
    });
    const caption = document.createElement("caption");
    caption.textContent = "Choose a game to see it on the board";
    const thead = document.createElement("thead");
    thead.append(headRow);
    const tbody = document.createElement("tbody");
    tbody.append(...rows);
    table.replaceChildren(caption, thead, tbody);
    const to = from + shown.length;
    byId("game-count").textContent =
      chosen.length === 0 ? "No such game." : `Games ${from + 1} to ${to} of ${chosen.length}.`;
    byId("pager").hidden = chosen.length <= PAGE;
    byId("page-back").disabled = page === 0;
    byId("page-on").disabled = to >= chosen.length;
  }

  function options(id, values) {
    for (const value of values) {
      const option = document.createElement("option");
      option.value = value;
      option.textContent = value;
      byId(id).append(option);
    }
  }

  options("filter-ending", meta.terminations);
  options("filter-white", meta.engines);
  byId("game-filter").hidden = false;
  byId("game-filter").addEventListener("input", filter);
  byId("game-filter").addEventListener("submit", (event) => event.preventDefault());
  byId("game-list").addEventListener("click", (event) => {
    const row = event.target.closest("tr[data-index]");
    if (row) open(Number(row.dataset.index), true);
  });
  byId("moves").addEventListener("click", (event) => {
    const button = event.target.closest("button");
    if (button) show(Number(button.dataset.ply));
  });
  const turnPage = (by) => {
    page += by;
    list();
  };
  const actions = {
    "to-start": () => show(0),
    "step-back": () => show(ply - 1),
    play: togglePlay,
    "step-on": () => show(ply + 1),
    "to-end": () => show(game.plies),
    flip: () => {
      flipped = !flipped;
      show(ply);
    },
    "page-back": () => turnPage(-1),
    "page-on": () => turnPage(1),
  };
  for (const [id, action] of Object.entries(actions)) byId(id).addEventListener("click", action);
  byId("viewer").addEventListener("keydown", (event) => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (step) show(ply + step);
    else if (event.key === "Home") show(0);
    else if (event.key === "End") show(game.plies);
    else return;
    event.preventDefault();
  });
  list();
  open(0, false);
})();
