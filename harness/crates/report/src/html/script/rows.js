// The table of games.
const OUTCOMES = { w: { w: "won", b: "lost" }, b: { w: "lost", b: "won" } };

function tableCell(row, name, text, className = "") {
  const made = document.createElement(name);
  made.textContent = text;
  made.className = className;
  row.append(made);
  return made;
}

function gameRow(one) {
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
  const of = OUTCOMES[one.result] || { w: "", b: "" };
  tableCell(row, "td", one.white, of.w);
  tableCell(row, "td", one.black, of.b);
  tableCell(row, "td", RESULTS[one.result], "result");
  // Only live pages list these.
  const late = one.isAfterVerdict ? ", after the verdict" : "";
  tableCell(row, "td", one.termination + late);
  tableCell(row, "td", one.plies, "n");
  return row;
}

function showRows(games) {
  const head = document.createElement("tr");
  const names = ["game", "White", "Black", "result", "ended by", "plies"];
  for (const name of names) {
    tableCell(head, "th", name, name === "plies" ? "n" : "").scope = "col";
  }
  const thead = document.createElement("thead");
  thead.append(head);
  const tbody = document.createElement("tbody");
  tbody.append(...games.map(gameRow));
  byId("game-list").replaceChildren(thead, tbody);
}
