// The games that are being played, move by move.
function startBoards() {
  const meta = JSON.parse(byId("games-meta").textContent);
  const places = new Map();

  function made(parent, name, className) {
    const element = document.createElement(name);
    element.className = className;
    parent.append(element);
    return element;
  }

  function player(parent) {
    const line = made(parent, "p", "player");
    const disc = made(line, "i", "disc");
    const name = made(line, "span", "name");
    const score = made(line, "span", "eval");
    const clock = made(line, "span", "clock");
    return { line, disc, name, score, clock, left: null, since: null };
  }

  function placeOf(key) {
    const known = places.get(key);
    if (known) return known;
    const card = made(byId("live-boards"), "article", "live-game");
    const heading = made(card, "h3", "");
    heading.id = `live-${key}`;
    card.setAttribute("aria-labelledby", heading.id);
    const top = player(card);
    const board = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    board.setAttribute("viewBox", "0 0 360 360");
    board.setAttribute("role", "img");
    board.setAttribute("class", "live-board");
    card.append(board);
    const bottom = player(card);
    const moves = made(card, "p", "facts live-moves");
    const scores = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    scores.setAttribute("role", "img");
    scores.setAttribute("aria-label", "The score over the game, from White's side");
    scores.setAttribute("class", "live-scores score-curve");
    card.append(scores);
    const place = { card, heading, top, board, bottom, moves, scores };
    places.set(key, place);
    return place;
  }

  function showPlayer(part, game, side, live) {
    const engine = game.players[side];
    part.disc.className = `disc ${side === "w" ? "white" : "black"}`;
    part.name.textContent = meta.engines[engine];
    part.name.title = meta.engines[engine];
    let last = null;
    for (let ply = game.plies; ply > 0 && !last; ply -= 1) {
      if (moveNumber(game, ply).isBlack === (side === "b")) last = game.states[ply].info;
    }
    part.score.textContent = last ? `${scoreWords(last.score)} / ${last.depth}` : "";
    const isTurn = moveNumber(game, game.plies + 1).isBlack === (side === "b");
    part.line.classList.toggle("turn", isTurn);
    const hasClock = (meta.clocks[engine] || []).length > 0;
    part.left = hasClock ? live.left_ms[side === "w" ? 0 : 1] : null;
    part.since = isTurn ? performance.now() - live.thinking_ms : null;
    showClock(part);
  }

  function showClock(part) {
    if (part.left === null) {
      part.clock.textContent = "";
      return;
    }
    const used = part.since === null ? 0 : performance.now() - part.since;
    part.clock.textContent = clockText(Math.max(0, part.left - used));
  }

  function lastMoves(game) {
    const words = [];
    for (let ply = Math.max(1, game.plies - 5); ply <= game.plies; ply += 1) {
      const { number, isBlack } = moveNumber(game, ply);
      if (!isBlack || words.length === 0) words.push(`${number}${isBlack ? "..." : "."}`);
      words.push(game.states[ply].name);
    }
    return words.join(" ") || "Start position";
  }

  function show(list) {
    const games = gamesOf(meta, list.map((live) => live.line));
    const present = new Set();
    list.forEach((live, at) => {
      const game = games.load(at);
      // The games of a pair use the same place, so that boards do not move.
      const key = `${game.pair}`;
      present.add(key);
      const place = placeOf(key);
      place.heading.textContent = `Game ${game.pair}.${game.game}`;
      drawBoard(place.board, game.states[game.plies], false);
      place.board.setAttribute("aria-label", positionWords(game.states[game.plies].board));
      place.card.dataset.plies = game.plies;
      place.moves.textContent = lastMoves(game);
      showPlayer(place.top, game, "b", live);
      showPlayer(place.bottom, game, "w", live);
      drawScores(place.scores, game);
    });
    for (const [key, place] of places) {
      if (present.has(key)) continue;
      place.card.remove();
      places.delete(key);
    }
    byId("live-none").hidden = list.length > 0;
  }

  listeners.boards.push(show);
  setInterval(() => {
    for (const place of places.values()) {
      for (const part of [place.top, place.bottom]) if (part.since !== null) showClock(part);
    }
  }, 200);
}

if (byId("live-boards") && byId("games-meta")) startBoards();
