// Copies text, also where the page is opened from the disk.
async function copyText(text) {
  try {
    await navigator.clipboard.writeText(text);
    return;
  } catch {
    // Not allowed here; the older way may be.
  }
  const field = document.createElement("textarea");
  field.value = text;
  document.body.append(field);
  field.select();
  document.execCommand("copy");
  field.remove();
}

// Copies `text()` at a click, and says so on the button.
function copiesAtClick(button, text) {
  const label = button.textContent;
  button.addEventListener("click", async () => {
    await copyText(await text());
    // Nothing beside it may move.
    button.style.minWidth = `${button.offsetWidth}px`;
    button.textContent = "Copied";
    setTimeout(() => {
      button.textContent = label;
    }, 1500);
  });
}

function startCopying(root) {
  for (const button of root.querySelectorAll(".copyable > .copy")) {
    button.hidden = false;
    copiesAtClick(button, () => button.parentElement.querySelector("pre").textContent);
  }
}

startCopying(document);
