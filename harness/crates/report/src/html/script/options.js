// The options of a field of the filter.
function addOptions(id, entries) {
  for (const [value, text] of entries) {
    const option = document.createElement("option");
    option.value = value;
    option.textContent = text;
    byId(id).append(option);
  }
}
