// Keeps the page up to date: the server sends each changed part as a whole.
const listeners = { part: [], boards: [], finished: [] };

// An answer of the server and its text; no answer if the server is gone.
async function ask(address, options) {
  try {
    const answer = await fetch(address, options);
    return { answer, text: await answer.text() };
  } catch {
    return { answer: null, text: "the server does not answer" };
  }
}

function sectionOf({ name, heading }) {
  const inner = document.createElement("div");
  inner.id = `part-${name}`;
  inner.dataset.part = name;
  if (!heading) {
    byId("main").append(inner);
    return inner;
  }
  const section = document.createElement("section");
  section.id = name;
  section.setAttribute("aria-labelledby", `${name}-heading`);
  const title = document.createElement("h2");
  title.id = `${name}-heading`;
  title.textContent = heading;
  section.append(title, inner);
  byId("main").append(section);
  return inner;
}

// Parts that wait until the reader is done with what they would replace.
const waiting = new Map();

// Whether the reader selects, types, presses or reads something there.
const IN_USE = ":active, :has(input:focus, select:focus, textarea:focus, .reading)";

function isInUse(place) {
  const selected = document.getSelection();
  const isSelected = selected && !selected.isCollapsed && selected.containsNode(place, true);
  return isSelected || place.matches(IN_USE);
}

// The element of a part that has the focus, by what it is and the row that it is in:
// `refocus` gives the focus to the one that has taken its place.
function focusIn(place) {
  const focused = document.activeElement;
  if (!place.contains(focused)) return null;
  const keyOf = (one) =>
    [one.className, one.getAttribute("href"), one.dataset.action, one.closest("[data-text]")?.dataset.text].join("\n");
  const key = keyOf(focused);
  const alike = () => [...place.querySelectorAll(focused.tagName)].filter((one) => keyOf(one) === key);
  const at = alike().indexOf(focused);
  return { refocus: () => alike()[at]?.focus({ preventScroll: true }) };
}

function patch(part) {
  waiting.delete(part.name);
  const place = byId(`part-${part.name}`) || sectionOf(part);
  if (place.dataset.hash === String(part.hash)) return;
  // The script of the page fills these; for another run, the page is loaded again.
  if (part.name === "games" && place.dataset.hash) return;
  if (part.name === "filter" && place.dataset.hash) return;
  if (place.dataset.hash && isInUse(place)) {
    waiting.set(part.name, part);
    return;
  }
  const open = [...place.querySelectorAll("details")].map((one) => one.open);
  const scrolled = [...place.querySelectorAll(".scroll")].map((one) => one.scrollLeft);
  const focus = focusIn(place);
  place.innerHTML = part.html;
  place.dataset.hash = part.hash;
  if (part.name === "header") document.title = place.querySelector("h1").textContent;
  [...place.querySelectorAll("details")].forEach((one, at) => {
    if (open[at]) one.open = true;
  });
  [...place.querySelectorAll(".scroll")].forEach((one, at) => {
    one.scrollLeft = scrolled[at] || 0;
  });
  startCharts(place);
  startCopying(place);
  for (const listener of listeners.part) listener(place);
  focus?.refocus();
}

// Removes the parts that the page no longer has.
function keepOnly(names) {
  for (const place of document.querySelectorAll("[data-part]")) {
    const name = place.dataset.part;
    if (names.includes(name)) continue;
    waiting.delete(name);
    const parent = place.parentElement;
    (parent.matches("section") ? parent : place).remove();
    document.querySelector(`nav.sections a[href="#${name}"]`)?.closest("li").remove();
  }
}

// The state of the connection; the result of an action replaces it for some seconds.
const ANSWER_MS = 10000;
let connection = { words: "Connecting…", isGood: true };
let answerTimer = null;

function showStatus({ words, isGood }) {
  const place = byId("connection");
  place.textContent = words;
  place.classList.toggle("lost", !isGood);
}

function tell(words, isGood) {
  connection = { words, isGood };
  if (answerTimer === null) showStatus(connection);
}

function showAnswer(words, isGood) {
  clearTimeout(answerTimer);
  showStatus({ words, isGood });
  answerTimer = setTimeout(() => {
    answerTimer = null;
    showStatus(connection);
  }, ANSWER_MS);
}

// The server sends an event at least every 15 s: after this time the connection is lost.
const SILENCE_MS = 40000;
let source = null;
let heard = 0;
// Whether the run of this page is no longer in the folder.
let isRemoved = false;

function connect() {
  const hashes = [...document.querySelectorAll("[data-hash]")].map((part) => part.dataset.hash);
  source = new EventSource(`${document.body.dataset.events}?have=${hashes.join(".")}`);
  heard = performance.now();
  const on = (name, listener) =>
    source.addEventListener(name, (event) => {
      heard = performance.now();
      listener(event.data);
    });
  on("open", () => {
    isRemoved = false;
    tell("Live", true);
  });
  on("alive", () => {});
  on("version", (version) => {
    // The server was replaced by another version of itself.
    if (version !== document.body.dataset.version) window.location.reload();
  });
  on("page", (identity) => {
    // Another run has taken the place of the one on this page.
    if (identity !== document.body.dataset.page) window.location.reload();
  });
  on("parts", (names) => keepOnly(names.split(" ")));
  on("part", (part) => patch(JSON.parse(part)));
  on("finished", (count) => {
    for (const listener of listeners.finished) listener(Number(count));
  });
  on("boards", (boards) => {
    for (const listener of listeners.boards) listener(JSON.parse(boards));
  });
  source.addEventListener("error", lose);
}

function warn() {
  if (!isRemoved) tell("Connection lost; trying again", false);
}

async function lose() {
  warn();
  const refused = source;
  if (isRemoved || refused.readyState !== EventSource.CLOSED) return;
  // The server refuses the stream: it has too many browsers, or the run is gone.
  const { answer } = await ask(window.location.pathname, { method: "HEAD" });
  const isRun = Boolean(document.body.dataset.page);
  if (!isRun || answer?.status !== 404 || source !== refused) return;
  isRemoved = true;
  tell("This run is no longer in the folder", false);
}

// Connects again if the server is silent or has refused. A removed run may come back.
function reconnect() {
  const isSilent = performance.now() - heard > SILENCE_MS;
  if (!isSilent && source.readyState !== EventSource.CLOSED) return;
  source.close();
  warn();
  connect();
}

if (document.body.dataset.events) {
  showStatus(connection);
  connect();
  setInterval(reconnect, 5000);
  setInterval(() => [...waiting.values()].forEach(patch), 500);
  window.addEventListener("pagehide", () => source.close());
  window.addEventListener("pageshow", (event) => {
    if (event.persisted) window.location.reload();
  });
}
