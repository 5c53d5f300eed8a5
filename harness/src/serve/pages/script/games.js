// The finished games of a run: asked for page by page, shown on the board. What
// is looked for and the game on the board are in the address.
const GAMES_ASKED = 25;
// What the server is asked for, and the field with it.
const FILTERS = {
  pair: "filter-pair",
  result: "filter-result",
  termination: "filter-ending",
  white: "filter-white",
  opening: "filter-opening",
  worker: "filter-worker",
  min_plies: "filter-min-plies",
  max_plies: "filter-max-plies",
  min_swing: "filter-min-swing",
  order: "filter-order",
};
const ORDERS = {
  newest: "newest first",
  oldest: "oldest first",
  longest: "longest first",
  shortest: "shortest first",
  swing: "biggest swing first",
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

// The fields of the filter that are not on a page that has its games in it.
function addFields(engines, terminations) {
  function add(label, name, id, least) {
    const made = document.createElement("label");
    const field = document.createElement(name);
    field.id = id;
    if (name === "input") {
      field.type = "number";
      field.min = least;
      field.inputMode = "numeric";
    }
    made.append(`${label} `, field);
    byId("game-filter").append(made);
  }

  addOptions("filter-ending", TERMINATIONS.map((name, at) => [name, terminations[at]]));
  addOptions("filter-white", engines);
  addOptions("filter-result", engines.flatMap(([at, name]) => [
    [`lost:${at}`, `${name} lost`],
    [`won:${at}`, `${name} won`],
  ]));
  add("Opening", "input", "filter-opening", 1);
  add("Worker", "input", "filter-worker", 0);
  add("Plies from", "input", "filter-min-plies", 0);
  add("to", "input", "filter-max-plies", 0);
  add("Swing from (cp)", "input", "filter-min-swing", 0);
  add("Order", "select", "filter-order");
  addOptions("filter-order", Object.entries(ORDERS));
}

function startGames() {
  const meta = JSON.parse(byId("games-meta").textContent);
  const address = `/api${window.location.pathname}/games`;
  const games = gamesOf(meta, []);
  const gameIn = (hash) => /^#game-(\d+)-(\d+)$/.exec(hash);
  // Whether the list has only the game of the address.
  let isAddressed = false;
  let offset = 0;
  let asked = 0;
  let handled = "";

  // A game on the board is a step of the history; the next one replaces it.
  const viewer = startViewer(games, (game) => {
    const hash = `#game-${game.pair}-${game.game}`;
    if (window.location.hash === hash) return;
    const next = window.location.pathname + window.location.search + hash;
    const change = gameIn(window.location.hash) ? "replaceState" : "pushState";
    window.history[change](null, "", next);
    handled = window.location.href;
  });

  function list(answer) {
    const lines = answer.games.map((one) => one.line);
    Object.assign(games, gamesOf(meta, lines));
    games.heads.forEach((head, at) => {
      head.swing = answer.games[at].swing;
    });
    showRows(games.heads);
    const to = offset + lines.length;
    let words =
      lines.length === 0
        ? "No such game."
        : `Games ${offset + 1} to ${to} of ${answer.count}. Choose one to see it on the board.`;
    const { searched } = answer;
    if (searched && searched.games < searched.of) {
      words += ` Looked through ${searched.games} of ${searched.of} games; more is coming.`;
    }
    byId("game-count").textContent = words;
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
    if (mine !== asked) return;
    isAddressed = false;
    list(found);
    if (found.searched && found.searched.games < found.searched.of) {
      setTimeout(() => {
        if (mine === asked) ask(query);
      }, 200);
    }
  }

  // What is looked for, as in the address.
  function wanted() {
    const query = new URLSearchParams();
    for (const [name, id] of Object.entries(FILTERS)) {
      const { value } = byId(id);
      if (value && !(name === "order" && value === "newest")) query.set(name, value);
    }
    if (offset > 0) query.set("offset", offset);
    return query;
  }

  function filter() {
    const query = wanted();
    query.set("limit", GAMES_ASKED);
    return ask(query);
  }

  // Keeps what is looked for in the address, which names no game then.
  function keep(change) {
    viewer.close();
    const text = wanted().toString();
    const place = window.location.pathname + (text ? `?${text}` : "");
    window.history[change](null, "", `${place}#games`);
    handled = window.location.href;
  }

  async function openAddressed([, pair, number]) {
    asked += 1;
    const mine = asked;
    offset = 0;
    isAddressed = true;
    const answer = await fetch(`${address}/${pair}-${number}`);
    const found = answer.ok ? [await answer.json()] : [];
    // The address may have changed meanwhile.
    if (mine !== asked) return;
    list({ count: found.length, games: found });
    if (found.length === 0) {
      viewer.close();
      return;
    }
    viewer.open(0, found[0].plies);
    byId("viewer").scrollIntoView({ block: "start" });
  }

  // Shows what the address names: a game, or the list.
  function route(isFirst) {
    if (window.location.href === handled) return;
    handled = window.location.href;
    const query = new URLSearchParams(window.location.search);
    const before = wanted().toString();
    for (const [name, id] of Object.entries(FILTERS)) {
      byId(id).value = query.get(name) || (name === "order" ? "newest" : "");
    }
    offset = Math.max(0, Number(query.get("offset")) || 0);
    const { hash } = window.location;
    const game = gameIn(hash);
    if (game) {
      openAddressed(game);
      return;
    }
    // A link to another section leaves the board as it is.
    if (["", "#games"].includes(hash)) viewer.close();
    if (isFirst || isAddressed || wanted().toString() !== before) filter();
  }

  addFields([...meta.engines.entries()], meta.terminations);
  byId("game-filter").hidden = false;
  byId("game-filter").addEventListener("input", () => {
    offset = 0;
    keep("replaceState");
    filter();
  });
  byId("game-filter").addEventListener("submit", (event) => event.preventDefault());
  byId("game-list").addEventListener("click", (event) => {
    const row = event.target.closest("tr[data-index]");
    if (!row) return;
    const one = games.heads[Number(row.dataset.index)];
    viewer.open(one.index, one.swing ? one.swing.ply : 0);
    byId("viewer").scrollIntoView({ block: "start" });
  });
  const turnPage = (by) => {
    offset = Math.max(0, offset + by);
    keep("pushState");
    filter();
  };
  byId("page-back").addEventListener("click", () => turnPage(-GAMES_ASKED));
  byId("page-on").addEventListener("click", () => turnPage(GAMES_ASKED));
  for (const event of ["popstate", "hashchange"]) {
    window.addEventListener(event, () => route(false));
  }
  route(true);
  // The list was empty when the browser looked for the place.
  if (window.location.hash === "#games") byId("games").scrollIntoView();
}

if (byId("games-meta")) startGames();
