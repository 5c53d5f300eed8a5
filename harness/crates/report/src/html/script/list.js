// The list of games and its filter.
const GAMES_SHOWN = 25;

function startList(games) {
  let page = 0;
  let chosen = games.heads;
  let isReady = false;

  // The address names the game on the board, except the first one that is shown.
  const viewer = startViewer(games, (game) => {
    const hash = `#game-${game.pair}-${game.game}`;
    if (isReady && window.location.hash !== hash) window.history.replaceState(null, "", hash);
  });

  // `w`, `d`, `b`, or the result of an engine: `won:0`, `lost:1`.
  function hasOutcome(one, wanted) {
    const [what, engine] = wanted.split(":");
    if (engine === undefined) return one.result === what;
    const of = OUTCOMES[one.result];
    return Boolean(of) && ["w", "b"].some((side) => one.players[side] === Number(engine) && of[side] === what);
  }

  function filter() {
    const pair = Number(byId("filter-pair").value);
    const outcome = byId("filter-result").value;
    const ending = byId("filter-ending").value;
    const white = byId("filter-white").value;
    chosen = games.heads.filter(
      (one) =>
        (!pair || one.pair === pair) &&
        (!outcome || hasOutcome(one, outcome)) &&
        (!ending || one.termination === ending) &&
        (!white || one.players.w === Number(white)),
    );
    page = 0;
    list();
  }

  function list() {
    const from = page * GAMES_SHOWN;
    const shown = chosen.slice(from, from + GAMES_SHOWN);
    showRows(shown);
    const to = from + shown.length;
    byId("game-count").textContent =
      chosen.length === 0 ? "No such game." : `Games ${from + 1} to ${to} of ${chosen.length}. Choose one to see it on the board.`;
    byId("pager").hidden = chosen.length <= GAMES_SHOWN;
    byId("page-back").disabled = page === 0;
    byId("page-on").disabled = to >= chosen.length;
  }

  // `#game-12-1` in an address opens that game.
  function openAddressed(hash) {
    const wanted = /^#game-(\d+)-(\d+)$/.exec(hash);
    if (!wanted) return;
    const [pair, number] = wanted.slice(1).map(Number);
    const found = games.heads.find((one) => one.pair === pair && one.game === number);
    if (!found) return;
    viewer.open(found.index, found.plies);
    byId("viewer").scrollIntoView({ block: "start" });
  }

  const engines = [...games.engines.entries()];
  addOptions("filter-ending", games.terminations.map((name) => [name, name]));
  addOptions("filter-white", engines);
  addOptions("filter-result", engines.flatMap(([at, name]) => [
    [`lost:${at}`, `${name} lost`],
    [`won:${at}`, `${name} won`],
  ]));
  byId("game-filter").hidden = false;
  byId("game-filter").addEventListener("input", filter);
  byId("game-filter").addEventListener("submit", (event) => event.preventDefault());
  byId("game-list").addEventListener("click", (event) => {
    const row = event.target.closest("tr[data-index]");
    if (!row) return;
    viewer.open(Number(row.dataset.index));
    byId("viewer").scrollIntoView({ block: "start" });
  });
  const turnPage = (by) => {
    page += by;
    list();
  };
  byId("page-back").addEventListener("click", () => turnPage(-1));
  byId("page-on").addEventListener("click", () => turnPage(1));
  document.addEventListener("click", (event) => {
    const link = event.target.closest("a[href^='#game-']");
    if (link) openAddressed(link.hash);
  });
  list();
  viewer.open(0);
  isReady = true;
  window.addEventListener("hashchange", () => openAddressed(window.location.hash));
  openAddressed(window.location.hash);
}

const allGames = readGames();
if (allGames) startList(allGames);
