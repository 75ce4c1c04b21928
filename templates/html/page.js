"use strict";
// Tables that sort: the heading of a column becomes a button, where there is one to be seen.
for (const table of document.querySelectorAll("table.sortable")) {
  const heads = [...table.tHead.rows[0].cells];
  heads.forEach((head, column) => {
    if (!head.textContent.trim() || head.querySelector(".unseen")) return;
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener("click", () => sort(table, heads, head, column));
  });
}

function sort(table, heads, head, column) {
  const down = head.getAttribute("aria-sort") === "ascending";
  heads.forEach((other) => other.removeAttribute("aria-sort"));
  head.setAttribute("aria-sort", down ? "descending" : "ascending");
  const rows = [...table.tBodies[0].rows];
  const fixed = rows.filter((row) => row.classList.contains("overall"));
  const moving = rows.filter((row) => !row.classList.contains("overall"));
  moving.sort((a, b) => compare(value(a.cells[column]), value(b.cells[column])) * (down ? -1 : 1));
  table.tBodies[0].append(...fixed, ...moving);
}

// A cell's number, or its text when it holds none.
function value(cell) {
  const text = cell.textContent.trim();
  const number = parseFloat(text.replace(/,/g, "").replace("−", "-").replace(/^[<>]\s*/, ""));
  return Number.isNaN(number) ? text : number;
}

function compare(a, b) {
  if (typeof a === typeof b) return typeof a === "number" ? a - b : a.localeCompare(b);
  return typeof a === "number" ? -1 : 1;
}

// The contents list says which section is being read.
const links = new Map([...document.querySelectorAll(".contents a")].map((link) => [link.hash.slice(1), link]));
const watcher = new IntersectionObserver((entries) => {
  for (const entry of entries) {
    if (!entry.isIntersecting) continue;
    links.forEach((link) => link.removeAttribute("aria-current"));
    links.get(entry.target.id)?.setAttribute("aria-current", "true");
  }
}, { rootMargin: "-10% 0px -80% 0px" });
document.querySelectorAll("main > section").forEach((section) => watcher.observe(section));

// Charts: the plotting library is unpacked once, each chart is drawn when it comes near the view.
const packed = document.getElementById("plotly");
if (packed && "DecompressionStream" in window) {
  const darkness = matchMedia("(prefers-color-scheme: dark)");
  const colours = JSON.parse(document.getElementById("dark").textContent);
  const drawn = new Set();
  let library;

  const unpack = async () => {
    const bytes = Uint8Array.from(atob(packed.textContent), (letter) => letter.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
    const script = document.createElement("script");
    script.textContent = await new Response(stream).text();
    document.head.append(script);
  };

  const inks = (text) => darkness.matches
    ? text.replace(/#[0-9a-fA-F]{6}/g, (colour) => colours[colour] ?? colour)
    : text;

  // Names beside a plot leave it room to be read; on a phone it scrolls inside its own frame.
  const narrowest = ({ margin, xaxis }) => {
    const labels = xaxis.ticktext ?? [];
    const longest = Math.max(0, ...labels.map((label) => label.length));
    return margin.l + margin.r + Math.max(220, labels.length * (7 * longest + 10));
  };

  const draw = async (figure) => {
    library ??= unpack();
    await library;
    const source = figure.querySelector("script[type='application/json']");
    const frame = figure.querySelector(".drawn");
    let plot = figure.querySelector(".plot");
    if (!plot) {
      plot = document.createElement("div");
      plot.className = "plot";
      plot.setAttribute("role", "img");
      plot.setAttribute("aria-label", frame.dataset.alt);
      frame.append(plot);
    }
    const { data, layout } = JSON.parse(inks(source.textContent));
    frame.classList.add("plotted");
    plot.style.minWidth = `${narrowest(layout)}px`;
    plot.style.height = `${layout.height ?? 400}px`;
    await Plotly.react(plot, data, layout, { displayModeBar: false, responsive: true });
    drawn.add(figure);
  };

  const near = new IntersectionObserver((entries) => {
    for (const entry of entries) {
      if (!entry.isIntersecting) continue;
      near.unobserve(entry.target);
      draw(entry.target);
    }
  }, { rootMargin: "300px" });
  document.querySelectorAll("figure.chart:has(> script)").forEach((figure) => near.observe(figure));
  darkness.addEventListener("change", () => drawn.forEach(draw));
}
