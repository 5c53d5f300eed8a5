// The finished games of a run: requested page by page, shown on the board. The address has the
// filter and the game on the board.
const GAMES_ASKED = 25;
// Interval at which a list with new games is requested again.
const LIST_MS = 5000;
const NO_GAMES = { count: 0, games: [] };
// The parameters of a request, and the ids of their fields.
const FILTERS = {
  pair: "filter-pair",
  result: "filter-result",
  termination: "filter-ending",
  white: "filter-white",
  opening: "filter-opening",
  worker: "filter-worker",
  min_plies: "filter-min-plies",
  max_plies: "filter-max-plies",
  order: "filter-order",
};
const ORDERS = {
  newest: "newest first",
  oldest: "oldest first",
  longest: "longest first",
  shortest: "shortest first",
};
// Adds the fields of the filter that a report does not have.
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

  addOptions("filter-ending", terminations);
  addOptions("filter-white", engines);
  addOptions("filter-result", engines.flatMap(([at, name]) => [
    [`lost:${at}`, `${name} lost`],
    [`won:${at}`, `${name} won`],
  ]));
  add("Opening", "input", "filter-opening", 1);
  add("Worker", "input", "filter-worker", 0);
  add("Plies from", "input", "filter-min-plies", 0);
  add("to", "input", "filter-max-plies", 0);
  add("Order", "select", "filter-order");
  addOptions("filter-order", Object.entries(ORDERS));
}

// A line that offers to update the list, and the function that shows it for a number of new
// games.
function addNews(update) {
  const line = document.createElement("p");
  line.id = "new-games";
  line.className = "facts";
  line.hidden = true;
  const words = document.createElement("span");
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = "Update the list";
  button.addEventListener("click", update);
  line.append(words, " ", button);
  byId("game-count").after(line);
  return (count) => {
    line.hidden = count <= 0;
    words.textContent = count === 1 ? "1 new game." : `${count} new games.`;
  };
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
  // Number of finished games, now and when the list was made; null while not known.
  let finished = null;
  let listed = null;

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
      head.isAfterVerdict = answer.games[at].after_verdict;
    });
    showRows(games.heads);
    const to = offset + lines.length;
    const words =
      lines.length === 0
        ? "No such game."
        : `Games ${offset + 1} to ${to} of ${answer.count}. Choose one to see it on the board.`;
    byId("game-count").textContent = words;
    byId("pager").hidden = answer.count <= GAMES_ASKED;
    byId("page-back").disabled = offset === 0;
    byId("page-on").disabled = to >= answer.count;
  }

  // An answer of the API. Null if a later request was made meanwhile, or if the games cannot be
  // read, which is shown. A game that does not exist has the status 404.
  async function request(place) {
    asked += 1;
    const mine = asked;
    const { answer, text } = await ask(address + place);
    if (mine !== asked) return null;
    if (answer?.ok || answer?.status === 404) return { isFound: answer.ok, text };
    byId("game-count").textContent = "The games cannot be read now.";
    return null;
  }

  async function search(query, isAsked) {
    const answer = await request(`?${query}`);
    // A game may have been chosen meanwhile.
    if (!answer || (!isAsked && isBusy())) return;
    showNews(0);
    isAddressed = false;
    // A screen reader announces only what the reader has asked for.
    byId("game-count").setAttribute("aria-live", isAsked ? "polite" : "off");
    const found = answer.isFound ? JSON.parse(answer.text) : NO_GAMES;
    listed = found.finished ?? null;
    list(found);
  }

  // The filter, as in the address.
  function wanted() {
    const query = new URLSearchParams();
    for (const [name, id] of Object.entries(FILTERS)) {
      const { value } = byId(id);
      if (value && !(name === "order" && value === "newest")) query.set(name, value);
    }
    if (offset > 0) query.set("offset", offset);
    return query;
  }

  function filter(isAsked = true) {
    const query = wanted();
    query.set("limit", GAMES_ASKED);
    return search(query, isAsked);
  }

  // Writes the filter to the address, which then names no game.
  function keep(change) {
    viewer.close();
    const text = wanted().toString();
    const place = window.location.pathname + (text ? `?${text}` : "");
    window.history[change](null, "", `${place}#games`);
    handled = window.location.href;
  }

  const showNews = addNews(() => {
    keep("replaceState");
    filter();
  });

  // Whether the reader uses something that a new list would replace.
  function isBusy() {
    const isChosen = !byId("viewer").hidden || isAddressed || offset > 0;
    const hasFocus = byId("game-list").contains(document.activeElement);
    return isChosen || hasFocus || isInUse(byId("part-games"));
  }

  function follow() {
    const box = byId("game-list").getBoundingClientRect();
    const isSeen = !document.hidden && box.top < window.innerHeight && box.bottom > 0;
    if (!isSeen || finished === null || listed === null || finished <= listed) return;
    if (isBusy()) showNews(finished - listed);
    else filter(false);
  }

  async function openAddressed([, pair, number]) {
    offset = 0;
    isAddressed = true;
    listed = finished;
    const answer = await request(`/${pair}-${number}`);
    if (!answer) return;
    if (!answer.isFound) {
      list(NO_GAMES);
      viewer.close();
      return;
    }
    const game = JSON.parse(answer.text);
    list({ count: 1, games: [game] });
    viewer.open(0, game.plies);
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

  const terminations = meta.termination_names.map((name, at) => [name, meta.terminations[at]]);
  addFields([...meta.engines.entries()], terminations);
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
    viewer.open(one.index, 0);
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
  listeners.finished.push((count) => {
    finished = count;
    if (isAddressed && listed === null) listed = count;
  });
  setInterval(follow, LIST_MS);
  route(true);
  // The browser has scrolled there while the list was empty.
  if (window.location.hash === "#games") byId("games").scrollIntoView();
}

if (byId("games-meta")) startGames();
