// Unfolds the section that a link or the address names.
function unfold() {
  const id = decodeURIComponent(location.hash.slice(1));
  const fold = id && document.getElementById(id)?.querySelector(":scope > details.fold");
  if (fold && !fold.open) {
    fold.open = true;
    fold.parentElement.scrollIntoView();
  }
}
addEventListener("hashchange", unfold);
unfold();
