// Tables and figures leave the page as files and by copying; all of it is made from the page itself.
function save(name, type, content) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(content instanceof Blob ? content : new Blob([content], { type }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
  say(fill(words.saved, { name }));
}

const fileName = (node, ending) => `${node.id.replace(/^(table|chart|checks)-/, "")}.${ending}`;

// The cells of a table, row by row, without columns that hold drawings alone.
function cellsOf(table) {
  const rows = [...table.rows].filter((row) => !row.matches(".stub")).map((row) => [...row.cells]);
  const told = rows[0].map((head, column) => rows.length < 2 || rows.slice(1).some((row) => row[column] && shown(row[column])));
  return rows.map((row) => row.filter((cell, column) => told[column]));
}

// The rows of a table as a reader sees them.
const seenRows = (table) => cellsOf(table).map((row) => row.map((cell) => shown(cell)));

// The rows of a table with its numbers unrounded; an interval has two columns of its own.
function exactRows(table) {
  const rows = cellsOf(table);
  const parts = rows.map((row) => row.map((cell) => (cell.dataset.value ?? "").split(" ")));
  const width = Math.max(...rows.map((row) => row.length));
  const ends = [...Array(width).keys()].map((column) => parts.some((row) => (row[column]?.length ?? 0) > 1));
  return rows.map((row, line) => row.flatMap((cell, column) => {
    const name = shown(cell);
    if (line === 0) {
      return ends[column] ? [name, fill(words.low, { name }), fill(words.high, { name })] : [name];
    }
    const [exact, low, high] = parts[line][column];
    const number = exact || plainNumber(name);
    return ends[column] ? [number, low ?? "", high ?? ""] : [number];
  }));
}

// A number as programs read it: 4,812 is 4812, and −0.19 has a hyphen; a dash for a missing value is empty.
function plainNumber(text) {
  if (/^[–—]$/.test(text)) return "";
  const bare = text.replace(/[,\u202f](?=\d{3}\b)/g, "").replace(/^−/, "-").replace(/^\+(?=\d)/, "");
  return /^-?\d+(\.\d+)?(\s?%)?$/.test(bare) ? bare.replace(/\s?%$/, "") : text;
}

// What a spreadsheet could take for a formula is shown as text.
function csvCell(text) {
  const harmless = /^[=+\-@\t\r]/.test(text) && Number.isNaN(Number(text)) ? `'${text}` : text;
  return /[",\n\r]/.test(harmless) ? `"${harmless.replace(/"/g, '""')}"` : harmless;
}

const csvOf = (table) => exactRows(table).map((row) => `${row.map(csvCell).join(",")}\n`).join("");
const tsvOf = (table) => seenRows(table).map((row) => row.join("\t")).join("\n");

// The inks of a drawing as they are on paper, whatever the screen has.
function inked(svg) {
  const paper = document.createElement("div");
  paper.className = "on-paper";
  paper.append(svg);
  document.body.append(paper);
  for (const mark of all("[class]", svg)) {
    const style = getComputedStyle(mark);
    for (const ink of ["fill", "stroke"]) {
      if (mark.getAttribute("class").includes(`${ink}-`)) mark.setAttribute(ink, style.getPropertyValue(ink));
    }
  }
  paper.remove();
  return svg;
}

// A drawing that stands alone: on white, in the colours of paper, with the fonts of the page inside.
function drawingOf(figure) {
  const svg = inked(figure.querySelector(".drawn svg").cloneNode(true));
  const box = svg.viewBox.baseVal;
  svg.setAttribute("width", box.width);
  svg.setAttribute("height", box.height);
  const family = getComputedStyle(figure.querySelector(".drawn svg")).fontFamily;
  svg.setAttribute("font-family", family);
  const faces = [...document.styleSheets].flatMap((sheet) => [...sheet.cssRules])
    .filter((rule) => rule instanceof CSSFontFaceRule)
    .filter((rule) => family.includes(rule.style.getPropertyValue("font-family").replace(/["']/g, "")));
  const ground = document.createElementNS(svg.namespaceURI, "rect");
  for (const [key, set] of Object.entries({ width: "100%", height: "100%", fill: "#ffffff" })) ground.setAttribute(key, set);
  const style = document.createElementNS(svg.namespaceURI, "style");
  style.textContent = faces.map((rule) => rule.cssText).join("\n");
  svg.prepend(...(faces.length ? [style] : []), ground);
  return { text: new XMLSerializer().serializeToString(svg), width: box.width, height: box.height };
}

async function pictureOf(figure) {
  const drawing = drawingOf(figure);
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(drawing.text)}`;
  await image.decode();
  const canvas = document.createElement("canvas");
  canvas.width = 2 * drawing.width;
  canvas.height = 2 * drawing.height;
  canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise((done) => canvas.toBlob(done, "image/png"));
}

const doings = {
  copy: (node) => copy(tsvOf(node.querySelector("table"))),
  csv: (node) => save(fileName(node, "csv"), "text/csv;charset=utf-8", csvOf(node.querySelector("table"))),
  svg: (node) => save(fileName(node, "svg"), "image/svg+xml", drawingOf(node).text),
  png: async (node) => save(fileName(node, "png"), "image/png", await pictureOf(node)),
  link: (node) => copy(addressOf(node)),
  explore: (node, button) => explore(node, button),
};

for (const place of places.filter(({ kind }) => kind === "table" || kind === "figure")) {
  const { kind, name, node } = place;
  const tools = document.getElementById(`${kind}-tools`).content.cloneNode(true).firstElementChild;
  tools.setAttribute("aria-label", `${kindOf(place)} ${name}`);
  if (!node.querySelector(":scope > script[type='application/json']")) tools.querySelector("[data-do='explore']")?.remove();
  if (kind === "figure" && !node.querySelector(".drawn svg")) all("[data-do='svg'], [data-do='png']", tools).forEach((button) => button.remove());
  tools.addEventListener("click", (event) => {
    const button = event.target.closest("button");
    if (button) doings[button.dataset.do](node, button);
  });
  (node.querySelector(".scroll, .drawn") ?? node.querySelector("table"))?.after(tools);
}

// Every table of the page as a file, from one list.
const dataList = document.querySelector("#data-list ul");
for (const place of places.filter(({ kind }) => kind === "table")) {
  const button = document.createElement("button");
  button.type = "button";
  const kind = document.createElement("span");
  kind.className = "kind";
  kind.textContent = kindOf(place);
  button.append(kind, ` ${place.name}`);
  button.addEventListener("click", () => doings.csv(place.node));
  dataList.append(document.createElement("li"));
  dataList.lastChild.append(button);
}
