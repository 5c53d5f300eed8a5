// Follows the changes of the page: each part that has changed comes as a whole.
const listeners = { part: [], boards: [] };

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

// Parts that wait until the reader has left them.
const waiting = new Map();

function isInUse(place) {
  const selected = document.getSelection();
  const isSelected = selected && !selected.isCollapsed && selected.containsNode(place, true);
  return isSelected || place.contains(document.activeElement) || place.matches(":has(.reading)");
}

function patch(part) {
  const place = byId(`part-${part.name}`) || sectionOf(part);
  if (place.dataset.hash === String(part.hash)) return;
  // The script of the page fills these.
  if (part.name === "games" && place.dataset.hash) return;
  if (part.name === "filter" && place.dataset.hash) return;
  if (place.dataset.hash && isInUse(place)) {
    waiting.set(part.name, part);
    return;
  }
  const open = [...place.querySelectorAll("details")].map((one) => one.open);
  const scrolled = [...place.querySelectorAll(".scroll")].map((one) => one.scrollLeft);
  place.innerHTML = part.html;
  place.dataset.hash = part.hash;
  [...place.querySelectorAll("details")].forEach((one, at) => {
    if (open[at]) one.open = true;
  });
  [...place.querySelectorAll(".scroll")].forEach((one, at) => {
    one.scrollLeft = scrolled[at] || 0;
  });
  startCharts(place);
  startCopying(place);
  for (const listener of listeners.part) listener(place);
}

function tell(words, isGood) {
  const place = byId("connection");
  place.textContent = words;
  place.classList.toggle("lost", !isGood);
}

function follow(address) {
  const hashes = [...document.querySelectorAll("[data-hash]")].map((part) => part.dataset.hash);
  const source = new EventSource(`${address}?have=${hashes.join(".")}`);
  source.addEventListener("open", () => tell("Live", true));
  source.addEventListener("version", (event) => {
    // The server was replaced by another version of itself.
    if (event.data !== document.body.dataset.version) window.location.reload();
  });
  source.addEventListener("part", (event) => patch(JSON.parse(event.data)));
  source.addEventListener("boards", (event) => {
    for (const listener of listeners.boards) listener(JSON.parse(event.data));
  });
  source.addEventListener("error", () => {
    tell("Connection lost; trying again", false);
    // A server that refuses is asked again, too.
    if (source.readyState === EventSource.CLOSED) {
      setTimeout(() => follow(address), 5000);
    }
  });
  window.addEventListener("pagehide", () => source.close());
  window.addEventListener("pageshow", (event) => {
    if (event.persisted) window.location.reload();
  });
}

if (document.body.dataset.events) {
  follow(document.body.dataset.events);
  setInterval(() => {
    for (const [name, part] of waiting) {
      if (isInUse(byId(`part-${name}`))) continue;
      waiting.delete(name);
      patch(part);
    }
  }, 500);
}
