// The finished games of a run: asked for page by page, shown on the board.
const GAMES_ASKED = 25;
const FILTERS = {
  pair: "filter-pair",
  result: "filter-result",
  termination: "filter-ending",
  white: "filter-white",
  opening: "filter-opening",
  order: "filter-order",
};
// As the ledger names them, in the order of the page's words.
const TERMINATIONS = [
  "checkmate",
  "stalemate",
  "insufficient_material",
  "repetition",
  "fifty_moves",
  "draw_adjudication",
  "resign_adjudication",
  "max_moves",
  "tablebase",
  "time_forfeit",
  "illegal_move",
  "disconnect",
  "stall",
];

function startGames() {
  const meta = JSON.parse(byId("games-meta").textContent);
  const address = `/api${window.location.pathname}/games`;
  const games = gamesOf(meta, []);
  const viewer = startViewer(games);
  let offset = 0;
  let asked = 0;

  function list(answer) {
    const lines = answer.games.map((one) => one.line);
    Object.assign(games, gamesOf(meta, lines));
    showRows(games.heads);
    const to = offset + lines.length;
    byId("game-count").textContent =
      lines.length === 0
        ? "No such game."
        : `Games ${offset + 1} to ${to} of ${answer.count}. Choose one to see it on the board.`;
    byId("pager").hidden = answer.count <= GAMES_ASKED;
    byId("page-back").disabled = offset === 0;
    byId("page-on").disabled = to >= answer.count;
  }

  async function ask(query) {
    asked += 1;
    const mine = asked;
    const answer = await fetch(`${address}?${query}`);
    if (!answer.ok) {
      byId("game-count").textContent = "The games cannot be read now.";
      return;
    }
    const found = await answer.json();
    // A later question may have been answered already.
    if (mine === asked) list(found);
  }

  function filter() {
    const query = new URLSearchParams({ offset, limit: GAMES_ASKED });
    for (const [name, id] of Object.entries(FILTERS)) {
      if (byId(id).value) query.set(name, byId(id).value);
    }
    return ask(query);
  }

  function options(id, entries) {
    for (const [value, text] of entries) {
      const option = document.createElement("option");
      option.value = value;
      option.textContent = text;
      byId(id).append(option);
    }
  }

  function addFilter(label, element, id) {
    const made = document.createElement("label");
    element.id = id;
    made.append(`${label} `, element);
    byId("game-filter").append(made);
  }

  function numberField() {
    const field = document.createElement("input");
    field.type = "number";
    field.min = 1;
    field.inputMode = "numeric";
    return field;
  }

  // `#game-12-1` in an address opens that game.
  async function openAddressed(hash) {
    const wanted = /^#game-(\d+)-(\d+)$/.exec(hash);
    if (!wanted) return;
    const answer = await fetch(`${address}/${wanted[1]}-${wanted[2]}`);
    if (!answer.ok) return;
    const one = await answer.json();
    offset = 0;
    asked += 1;
    list({ count: 1, games: [one] });
    viewer.open(0, one.plies);
    byId("viewer").scrollIntoView({ block: "start" });
  }

  const engines = [...meta.engines.entries()];
  options("filter-ending", TERMINATIONS.map((name, at) => [name, meta.terminations[at]]));
  options("filter-white", engines);
  options("filter-result", engines.flatMap(([at, name]) => [
    [`lost:${at}`, `${name} lost`],
    [`won:${at}`, `${name} won`],
  ]));
  addFilter("Opening", numberField(), "filter-opening");
  addFilter("Order", document.createElement("select"), "filter-order");
  options("filter-order", ["newest", "oldest", "longest", "shortest"].map((name) => [name, name]));
  byId("game-filter").hidden = false;
  byId("game-filter").addEventListener("input", () => {
    offset = 0;
    filter();
  });
  byId("game-filter").addEventListener("submit", (event) => event.preventDefault());
  byId("game-list").addEventListener("click", (event) => {
    const row = event.target.closest("tr[data-index]");
    if (!row) return;
    const one = games.heads[Number(row.dataset.index)];
    viewer.open(one.index);
    window.history.replaceState(null, "", `#game-${one.pair}-${one.game}`);
    byId("viewer").scrollIntoView({ block: "start" });
  });
  const turnPage = (by) => {
    offset = Math.max(0, offset + by);
    filter();
  };
  byId("page-back").addEventListener("click", () => turnPage(-GAMES_ASKED));
  byId("page-on").addEventListener("click", () => turnPage(GAMES_ASKED));
  window.addEventListener("hashchange", () => openAddressed(window.location.hash));
  if (/^#game-/.test(window.location.hash)) openAddressed(window.location.hash);
  else filter();
}

if (byId("games-meta")) startGames();
