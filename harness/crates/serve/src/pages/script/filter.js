// Hides the runs that the filter does not match. The filter is part of the address.
function startFilter() {
  const fields = {
    text: "filter-text",
    kind: "filter-kind",
    verdict: "filter-verdict",
    since: "filter-since",
    until: "filter-until",
  };
  const wanted = (name) => byId(fields[name]).value;

  function apply() {
    const words = wanted("text").toLowerCase().split(/\s+/).filter((word) => word);
    let shown = 0;
    const rows = document.querySelectorAll("main [data-kind]");
    for (const row of rows) {
      const { text, kind, verdict, date } = row.dataset;
      row.hidden = !(
        words.every((word) => text.includes(word)) &&
        (!wanted("kind") || kind === wanted("kind")) &&
        (!wanted("verdict") || verdict === wanted("verdict")) &&
        (!wanted("since") || !date || date >= wanted("since")) &&
        (!wanted("until") || !date || date <= wanted("until"))
      );
      if (!row.hidden) shown += 1;
    }
    const isFiltered = Object.keys(fields).some(wanted);
    byId("filter-count").textContent = isFiltered ? `${shown} of ${rows.length} runs` : "";
  }

  function keep() {
    const query = new URLSearchParams();
    for (const name of Object.keys(fields)) if (wanted(name)) query.set(name, wanted(name));
    const text = query.toString();
    window.history.replaceState(null, "", window.location.pathname + (text ? `?${text}` : ""));
  }

  function restore() {
    const query = new URLSearchParams(window.location.search);
    for (const [name, id] of Object.entries(fields)) byId(id).value = query.get(name) || "";
    apply();
  }

  // Buttons that copy the numbers of a run in the forms of other test pages.
  function addCopying(root) {
    for (const link of root.querySelectorAll("tr[data-kind] th a[data-stats]")) {
      const run = decodeURIComponent(link.getAttribute("href").split("/").pop());
      const group = document.createElement("span");
      group.className = "stats";
      for (const form of ["OpenBench", "fishtest"]) {
        const button = document.createElement("button");
        button.type = "button";
        button.textContent = form;
        button.setAttribute("aria-label", `Copy the numbers of ${run} as ${form} shows them`);
        const address = `/api${link.getAttribute("href")}/stats?form=${form.toLowerCase()}`;
        copiesAtClick(button, async () => {
          const { answer, text } = await ask(address);
          return answer?.ok ? text : null;
        });
        group.append(button);
      }
      link.parentElement.append(group);
    }
  }

  byId("run-filter").hidden = false;
  byId("run-filter").addEventListener("submit", (event) => event.preventDefault());
  byId("run-filter").addEventListener("input", () => {
    apply();
    keep();
  });
  listeners.part.push(apply, addCopying);
  addCopying(document);
  restore();
}

if (byId("run-filter")) startFilter();
