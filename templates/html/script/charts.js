// A chart that is opened: the plotting library is unpacked when the first one is, and draws it in a window of its own.
const explorer = document.getElementById("explorer");
let library;
let drawnFigure = null;

// The packed library: in this page, or in a file beside that many pages share. Its policy runs only the one it knows.
function packedLibrary() {
  const inside = document.getElementById("plotly");
  if (inside) return Promise.resolve(inside.textContent);
  return new Promise((done, failed) => {
    const frame = document.createElement("iframe");
    frame.hidden = true;
    frame.setAttribute("sandbox", "allow-scripts");
    addEventListener("message", ({ source, data }) => {
      if (source !== frame.contentWindow) return;
      frame.remove();
      done(String(data));
    });
    setTimeout(failed, 20000);
    frame.src = explorer.dataset.library;
    document.body.append(frame);
  });
}

async function unpack() {
  const bytes = Uint8Array.from(atob(await packedLibrary()), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  const script = document.createElement("script");
  script.textContent = await new Response(stream).text();
  document.head.append(script);
  if (!window.Plotly) throw new Error("the library did not run");
}

function inks(text) {
  if (!isDark()) return text;
  const colours = JSON.parse(document.getElementById("dark").textContent);
  return text.replace(/#[0-9a-fA-F]{6}/g, (colour) => colours[colour] ?? colour);
}

// Names beside a plot leave it room to be read, plots beside each other keep the width of the still picture; on a phone
// it scrolls inside its own frame.
function narrowest(layout) {
  const axes = Object.entries(layout).filter(([key]) => key.startsWith("xaxis"));
  if (new Set(axes.map(([, axis]) => axis?.domain?.[0] ?? 0)).size > 1) return 640;
  const labels = layout.xaxis?.ticktext ?? [];
  const longest = Math.max(0, ...labels.map((label) => label.length));
  return (layout.margin?.l ?? 0) + (layout.margin?.r ?? 0) + Math.max(220, labels.length * (7 * longest + 10));
}

// Axes may be dragged and enlarged, which the specification of the still picture forbids.
function freed(layout) {
  const free = Object.entries(layout).map(([key, part]) => [key, /^[xy]axis/.test(key) ? { ...part, fixedrange: false } : part]);
  return { ...Object.fromEntries(free), dragmode: "zoom" };
}

async function draw(figure) {
  const plot = explorer.querySelector(".plot");
  const { data, layout } = JSON.parse(inks(figure.querySelector(":scope > script[type='application/json']").textContent));
  plot.style.minWidth = `${narrowest(layout)}px`;
  plot.style.height = `${layout.height ?? 400}px`;
  await Plotly.react(plot, data, freed(layout), {
    responsive: true, displaylogo: false, displayModeBar: true,
    modeBarButtons: [["zoom2d", "pan2d", "zoomIn2d", "zoomOut2d", "resetScale2d"]],
  });
  series(plot, data);
}

// Each series of a chart can be switched off and on; its dots and their intervals go together.
function series(plot, data) {
  const named = new Map();
  data.forEach(({ legendgroup, name }, index) => {
    const label = legendgroup || name;
    if (label) named.set(label, [...(named.get(label) ?? []), index]);
  });
  const box = explorer.querySelector(".series");
  all("label", box).forEach((label) => label.remove());
  box.hidden = named.size < 2;
  for (const [label, indices] of named) {
    const control = document.createElement("label");
    const tick = document.createElement("input");
    tick.type = "checkbox";
    tick.checked = true;
    tick.addEventListener("change", () => Plotly.restyle(plot, { visible: tick.checked }, indices));
    const name = document.createElement("span");
    name.textContent = new DOMParser().parseFromString(label, "text/html").body.textContent;
    control.append(tick, " ", name);
    box.append(control);
  }
}

async function explore(figure) {
  try {
    explorer.querySelector("h2").textContent = figure.querySelector(".chart-title")?.textContent.replace(/#$/, "") ?? "";
    explorer.querySelector(".plot").setAttribute("aria-label", figure.querySelector(".drawn").dataset.alt);
    explorer.showModal();
    drawnFigure = figure;
    await (library ??= unpack());
    await draw(figure);
    explorer.dispatchEvent(new Event("drawn"));
  } catch {
    library = undefined;
    explorer.close();
    say(words.not_opened);
  }
}

if (explorer && "DecompressionStream" in window) {
  explorer.querySelector("[data-do='close']").addEventListener("click", () => explorer.close());
  explorer.addEventListener("click", (event) => { if (event.target === explorer) explorer.close(); });
  explorer.addEventListener("click", (event) => {
    const format = event.target.dataset.save;
    const plot = explorer.querySelector(".plot");
    if (!format || !window.Plotly) return;
    const { clientWidth: width, clientHeight: height } = plot;
    Plotly.downloadImage(plot, { filename: fileName(drawnFigure, "").slice(0, -1), format, width, height, scale: format === "svg" ? 1 : 2 });
  });
  explorer.addEventListener("close", () => { drawnFigure = null; });
  document.addEventListener("colours", () => { if (drawnFigure && window.Plotly) draw(drawnFigure); });
  all("figure.chart:has(> script) .drawn").forEach((frame) => {
    frame.classList.add("opens");
    frame.addEventListener("click", () => { if (!String(getSelection())) explore(frame.closest("figure")); });
  });
} else {
  all("[data-do='explore']").forEach((button) => button.remove());
}
