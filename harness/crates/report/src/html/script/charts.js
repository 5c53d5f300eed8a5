// Shows the values of a chart at the pointer, or at the position chosen by the arrow keys.
function startChart(chart) {
  const readings = JSON.parse(chart.dataset.readings);
  const rule = document.createElement("i");
  rule.className = "rule";
  const words = document.createElement("output");
  words.className = "reading";
  let current = -1;

  const plot = () => {
    const svg = [...chart.querySelectorAll("svg")].find((one) => one.clientWidth > 0);
    return svg ? svg.dataset.plot.split(" ").map(Number) : [0, 1, 0, 1];
  };
  const show = (index) => {
    current = Math.max(0, Math.min(readings.length - 1, index));
    const [left, right, top, bottom] = plot();
    const [share, text] = readings[current];
    const x = left + share * (right - left);
    rule.style.left = `${100 * x}%`;
    rule.style.top = `${100 * top}%`;
    rule.style.height = `${100 * (bottom - top)}%`;
    words.textContent = text;
    const isLeft = share < 0.5;
    words.style.left = isLeft ? `calc(${100 * x}% + 8px)` : "auto";
    words.style.right = isLeft ? "auto" : `calc(${100 * (1 - x)}% + 8px)`;
    words.style.top = `${100 * top}%`;
    if (!rule.isConnected) chart.append(rule, words);
  };
  const hide = () => {
    rule.remove();
    words.remove();
  };
  const nearest = (event) => {
    const box = chart.getBoundingClientRect();
    const [left, right] = plot();
    const share = ((event.clientX - box.left) / box.width - left) / (right - left);
    let best = 0;
    readings.forEach(([at], index) => {
      if (Math.abs(at - share) < Math.abs(readings[best][0] - share)) best = index;
    });
    return best;
  };
  chart.addEventListener("pointermove", (event) => show(nearest(event)));
  chart.addEventListener("pointerdown", (event) => show(nearest(event)));
  chart.addEventListener("pointerleave", hide);
  chart.addEventListener("blur", hide);
  chart.addEventListener("keydown", (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
    const last = readings.length - 1;
    const places = { ArrowLeft: current - 1, ArrowRight: current + 1, Home: 0, End: last };
    if (event.key === "Escape") hide();
    else if (event.key in places) {
      show(places[event.key]);
      event.preventDefault();
    }
  });
}

function startCharts(root) {
  for (const chart of root.querySelectorAll(".chart[data-readings]")) startChart(chart);
}

startCharts(document);
