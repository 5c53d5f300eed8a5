// The list of games and its filter.
const GAMES_SHOWN = 25;

function startList(games, viewer) {
  let page = 0;
  let chosen = games.heads;

  const scores = { w: { w: "won", b: "lost" }, b: { w: "lost", b: "won" } };
  // `w`, `d`, `b`, or what an engine did: `won:0`, `lost:1`.
  function hasOutcome(one, wanted) {
    const [what, engine] = wanted.split(":");
    if (engine === undefined) return one.result === what;
    const of = scores[one.result];
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

  function cell(row, name, text, className = "") {
    const made = document.createElement(name);
    made.textContent = text;
    made.className = className;
    row.append(made);
    return made;
  }

  function rowOf(one) {
    const row = document.createElement("tr");
    row.dataset.index = one.index;
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = `${one.pair}.${one.game}`;
    button.setAttribute("aria-label", `Show game ${one.pair}.${one.game}`);
    const first = document.createElement("th");
    first.scope = "row";
    first.append(button);
    row.append(first);
    const of = scores[one.result] || { w: "", b: "" };
    cell(row, "td", one.white, of.w);
    cell(row, "td", one.black, of.b);
    cell(row, "td", RESULTS[one.result], "result");
    cell(row, "td", one.termination);
    cell(row, "td", one.plies, "n");
    return row;
  }

  function list() {
    const from = page * GAMES_SHOWN;
    const shown = chosen.slice(from, from + GAMES_SHOWN);
    const headRow = document.createElement("tr");
    for (const name of ["game", "White", "Black", "result", "ended by", "plies"]) {
      cell(headRow, "th", name, name === "plies" ? "n" : "").scope = "col";
    }
    const thead = document.createElement("thead");
    thead.append(headRow);
    const tbody = document.createElement("tbody");
    tbody.append(...shown.map(rowOf));
    byId("game-list").replaceChildren(thead, tbody);
    const to = from + shown.length;
    byId("game-count").textContent =
      chosen.length === 0 ? "No such game." : `Games ${from + 1} to ${to} of ${chosen.length}. Choose one to see it on the board.`;
    byId("pager").hidden = chosen.length <= GAMES_SHOWN;
    byId("page-back").disabled = page === 0;
    byId("page-on").disabled = to >= chosen.length;
  }

  function options(id, entries) {
    for (const [value, text] of entries) {
      const option = document.createElement("option");
      option.value = value;
      option.textContent = text;
      byId(id).append(option);
    }
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
  options("filter-ending", games.terminations.map((name) => [name, name]));
  options("filter-white", engines);
  options("filter-result", engines.flatMap(([at, name]) => [
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
  openAddressed(window.location.hash);
}

const allGames = readGames();
if (allGames) startList(allGames, startViewer(allGames));
