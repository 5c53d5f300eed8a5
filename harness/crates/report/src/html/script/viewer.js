// A game on the board: its state, buttons and keys. `onOpen` is called with the game that
// is opened.
function startViewer(games, onOpen = () => {}) {
  let game = null;
  let ply = 0;
  let flipped = false;
  let timer = null;
  const scores = byId("score-curve");

  function moveWords() {
    if (ply === 0) return game.readable ? "Start position" : "This game could not be read.";
    const state = game.states[ply];
    const { number, isBlack } = moveNumber(game, ply);
    let text = `${number}${isBlack ? "..." : "."} ${state.name}`;
    if (state.info) {
      const seconds = (state.info.ms / 1000).toFixed(state.info.ms < 10000 ? 3 : 1);
      text += `: ${scoreWords(state.info.score)} from White's side, depth ${state.info.depth}, ${seconds} s`;
    }
    if (ply === game.plies) text += ` (the end: ${RESULTS[game.result]}, ${game.termination})`;
    return text;
  }

  // Name, score and clock of the side above and below the board.
  function showPlayers() {
    const { isBlack } = moveNumber(game, ply + 1);
    for (const [id, side] of [["player-top", flipped ? "w" : "b"], ["player-bottom", flipped ? "b" : "w"]]) {
      const place = byId(id);
      const engine = game.players[side];
      place.classList.toggle("turn", ply < game.plies && isBlack === (side === "b"));
      place.querySelector(".disc").className = `disc ${side === "w" ? "white" : "black"}`;
      place.querySelector(".name").textContent = games.engines[engine];
      let last = null;
      for (let at = ply; at > 0 && !last; at -= 1) {
        if (moveNumber(game, at).isBlack === (side === "b")) last = game.states[at].info;
      }
      place.querySelector(".eval").textContent = last ? `${scoreWords(last.score)} / ${last.depth}` : "";
      place.querySelector(".clock").textContent = clockWords(game, games.clocks[engine], side, ply);
    }
  }

  function show(at) {
    ply = Math.max(0, Math.min(game.plies, at));
    const state = game.states[ply];
    drawBoard(byId("board"), state, flipped);
    byId("position-words").textContent = positionWords(state.board);
    byId("move-words").textContent = moveWords();
    showPlayers();
    moveScoreCursor(scores, game, ply);
    const list = byId("moves");
    for (const old of list.querySelectorAll("[aria-current]")) old.removeAttribute("aria-current");
    const current = list.querySelector(`[data-ply="${ply}"]`);
    if (current) {
      current.setAttribute("aria-current", "true");
      list.scrollTop = current.offsetTop - list.clientHeight / 2;
    } else list.scrollTop = 0;
    moveTabStop(list, current || list.querySelector("button"));
    for (const id of ["step-back", "to-start"]) byId(id).disabled = ply === 0;
    for (const id of ["step-on", "to-end"]) byId(id).disabled = ply === game.plies;
    if (ply === game.plies) stop();
  }

  // Tab reaches only the current move; the arrow keys reach the others.
  function moveTabStop(list, button) {
    for (const old of list.querySelectorAll("[tabindex='0']")) old.tabIndex = -1;
    if (!button) return;
    button.tabIndex = 0;
    if (list.contains(document.activeElement)) button.focus({ preventScroll: true });
  }

  function listMoves() {
    const list = byId("moves");
    list.replaceChildren();
    for (let at = 1; at <= game.plies; at += 1) {
      const { number, isBlack } = moveNumber(game, at);
      if (!isBlack || at === 1) {
        const count = document.createElement("span");
        count.className = "count";
        count.textContent = `${number}.`;
        list.append(count);
        if (isBlack) list.append(document.createElement("span"));
      }
      const button = document.createElement("button");
      button.type = "button";
      button.dataset.ply = at;
      button.tabIndex = -1;
      const { name, info } = game.states[at];
      const move = document.createElement("b");
      move.textContent = name;
      button.append(move);
      if (info) {
        const score = document.createElement("small");
        score.textContent = scoreWords(info.score);
        button.append(" ", score);
      }
      list.append(button);
    }
  }

  function showLegend() {
    const legend = byId("score-legend");
    legend.replaceChildren();
    for (const side of ["w", "b"]) {
      const entry = document.createElement("li");
      const swatch = document.createElement("span");
      swatch.className = `swatch ${paintOf(game, side)}`;
      entry.append(swatch, `${games.engines[game.players[side]]} (${side === "w" ? "White" : "Black"})`);
      legend.append(entry);
    }
  }

  function open(index, at = 0) {
    stop();
    game = games.load(index);
    byId("viewer").hidden = false;
    byId("game-title").textContent = `Game ${game.pair}.${game.game}: ${game.white} - ${game.black}`;
    byId("game-facts").textContent =
      `${RESULTS[game.result]}, ${game.termination}, ${game.plies} plies`;
    byId("game-back").disabled = index === 0;
    byId("game-on").disabled = index === games.heads.length - 1;
    listMoves();
    showLegend();
    byId("scores").hidden = !hasScores(game);
    drawScores(scores, game);
    show(at);
    for (const row of byId("game-list").querySelectorAll("tr[data-index]")) {
      row.classList.toggle("chosen", Number(row.dataset.index) === index);
    }
    onOpen(game);
  }

  function close() {
    stop();
    byId("viewer").hidden = true;
  }

  function stop() {
    if (timer !== null) clearInterval(timer);
    timer = null;
    byId("play").setAttribute("aria-label", "Play");
    byId("play").textContent = "\u25B6\uFE0E";
  }

  function togglePlay() {
    if (timer !== null) return stop();
    if (ply === game.plies) show(0);
    byId("play").setAttribute("aria-label", "Stop");
    byId("play").textContent = "\u275A\u275A";
    timer = setInterval(() => show(ply + 1), 700);
  }

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
    "game-back": () => open(game.index - 1),
    "game-on": () => open(game.index + 1),
  };
  for (const [id, action] of Object.entries(actions)) byId(id).addEventListener("click", action);
  byId("moves").addEventListener("click", (event) => {
    const button = event.target.closest("button");
    if (button) show(Number(button.dataset.ply));
  });
  scores.addEventListener("click", (event) => show(plyAt(scores, game, event.clientX)));
  copiesAtClick(byId("copy-fen"), () => fenAt(game, ply));
  copiesAtClick(byId("copy-pgn"), () => pgnOf(game, games.chess960));
  new ResizeObserver(() => {
    if (!game) return;
    drawScores(scores, game);
    moveScoreCursor(scores, game, ply);
  }).observe(byId("scores"));

  // While the board is visible, its keys work everywhere except in elements that use these
  // keys themselves.
  const keys = { ArrowLeft: "step-back", ArrowRight: "step-on", Home: "to-start", End: "to-end" };
  document.addEventListener("keydown", (event) => {
    const hasModifier = event.altKey || event.ctrlKey || event.metaKey || event.shiftKey;
    const { target } = event;
    const isScrolled = target.matches(".scroll") && target.scrollWidth > target.clientWidth;
    const isTaken = isScrolled || target.closest("input, select, textarea, pre");
    if (event.defaultPrevented || hasModifier || isTaken) return;
    const box = byId("viewer").getBoundingClientRect();
    const isSeen = box.bottom > 0 && box.top < window.innerHeight;
    const isOurs = event.key.startsWith("Arrow") || target.closest("#games");
    if (!(event.key in keys) || !isSeen || !isOurs) return;
    actions[keys[event.key]]();
    event.preventDefault();
  });
  return { open, close };
}
