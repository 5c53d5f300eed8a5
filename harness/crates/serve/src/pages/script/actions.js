// Actions, which need a token. The token is kept in this tab only.
const TOKEN = "hone-token";

const savedToken = () => window.sessionStorage.getItem(TOKEN) || "";

async function act(address, body, token) {
  const { answer, text } = await ask(address, {
    method: "POST",
    headers: { Authorization: `Bearer ${token}` },
    body,
  });
  const words = text.trim();
  if (!answer) return { isDone: false, words };
  if (answer.ok) window.sessionStorage.setItem(TOKEN, token);
  else if (answer.status === 401) window.sessionStorage.removeItem(TOKEN);
  return { isDone: answer.ok, words };
}

// Buttons are for pages of a server that allows actions.
const canAct = Boolean(document.querySelector("nav.site a[href='/submit']"));

function showActions(root) {
  if (!canAct) return;
  for (const group of root.querySelectorAll(".actions")) group.hidden = false;
}

// Shows a configuration in a dialog. Resolves to whether it was approved.
function isApproved(run, config) {
  const dialog = document.createElement("dialog");
  const heading = document.createElement("h2");
  heading.id = "approval-heading";
  heading.textContent = `Approve ${run}?`;
  dialog.setAttribute("aria-labelledby", heading.id);
  const text = document.createElement("pre");
  text.textContent = config;
  text.tabIndex = 0;
  const form = document.createElement("form");
  form.method = "dialog";
  for (const word of ["Approve", "Cancel"]) {
    const button = document.createElement("button");
    button.value = word;
    button.textContent = word;
    form.append(button, " ");
  }
  dialog.append(heading, text, form);
  byId("main").append(dialog);
  dialog.showModal();
  return new Promise((resolve) => {
    dialog.addEventListener("close", () => {
      dialog.remove();
      resolve(dialog.returnValue === "Approve");
    });
  });
}

// The server compares the SHA-256, so that only the configuration that was read is approved.
async function approval(run) {
  const { answer, text } = await ask(`/api/queue/${encodeURIComponent(run)}`);
  if (!answer?.ok) {
    showAnswer(text.trim(), false);
    return null;
  }
  const config = answer.headers.get("Config-Sha256");
  if (!config) {
    showAnswer("cannot approve: the header Config-Sha256 is missing from the response", false);
    return null;
  }
  return (await isApproved(run, text)) ? `?config=${config}` : null;
}

async function press(button) {
  const { action } = button.dataset;
  const { run } = button.closest(".actions").dataset;
  let query = "";
  if (action === "priority") {
    const priority = window.prompt(`Priority of ${run}; higher starts first`, "0");
    if (priority === null) return;
    query = `?priority=${encodeURIComponent(priority)}`;
  }
  if (action === "approve") {
    query = await approval(run);
    if (query === null) return;
  }
  const token = savedToken() || window.prompt("Token");
  if (token === null) return;
  const { isDone, words } = await act(`/api/runs/${encodeURIComponent(run)}/${action}${query}`, null, token);
  showAnswer(isDone ? `${action}: done` : words, isDone);
}

document.addEventListener("click", (event) => {
  const button = event.target.closest(".actions button[data-action]");
  if (button) press(button);
});
listeners.part.push(showActions);
showActions(document);

function startSubmit(form) {
  byId("submit-token").value = savedToken();
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    byId("submit-answer").textContent = "";
    const query = new URLSearchParams();
    for (const name of ["name", "kind", "priority"]) query.set(name, byId(`submit-${name}`).value);
    const config = byId("submit-config").value;
    const { isDone, words } = await act(`/api/queue?${query}`, config, byId("submit-token").value);
    byId("submit-answer").textContent = isDone ? "It is in the queue." : words;
    if (isDone) window.location.assign("/");
  });
}

if (byId("submit")) startSubmit(byId("submit"));
