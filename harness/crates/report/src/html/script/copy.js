// Copies text, also on a page that is opened as a file. Returns whether it succeeded.
async function copyText(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    // Not allowed here; try the older method.
  }
  const focused = document.activeElement;
  const field = document.createElement("textarea");
  field.value = text;
  // The page must not scroll to it.
  field.style.cssText = "position: fixed; top: 0";
  document.body.append(field);
  field.select();
  const isCopied = document.execCommand("copy");
  field.remove();
  focused?.focus({ preventScroll: true });
  return isCopied;
}

// Copies `text()` at a click, and shows on the button whether it succeeded. `text()` may be a
// promise; null if there is nothing to copy.
function copiesAtClick(button, text) {
  const label = button.textContent;
  const name = button.getAttribute("aria-label");
  let restoring;
  button.addEventListener("click", async () => {
    const wanted = await text();
    const isCopied = wanted !== null && (await copyText(wanted));
    // The button must not change its size.
    button.style.minWidth = `${button.offsetWidth}px`;
    button.textContent = isCopied ? "Copied" : "Not copied";
    // It would hide the answer from screen readers.
    button.removeAttribute("aria-label");
    clearTimeout(restoring);
    restoring = setTimeout(() => {
      button.textContent = label;
      if (name !== null) button.setAttribute("aria-label", name);
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
