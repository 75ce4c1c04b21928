// Tables that sort: the heading of a column becomes a button, where there is one to be seen.
for (const table of all("table.sortable")) {
  const heads = [...table.tHead.rows[0].cells];
  heads.forEach((head, column) => {
    if (!head.textContent.trim() || head.querySelector(".unseen") || head.matches(".grouped-by")) return;
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener("click", () => sort(table, heads, head, column));
  });
}

function sort(table, heads, head, column) {
  const before = head.getAttribute("aria-sort");
  const down = before ? before === "ascending" : head.classList.contains("largest-first");
  heads.forEach((other) => other.removeAttribute("aria-sort"));
  head.setAttribute("aria-sort", down ? "descending" : "ascending");
  for (const body of table.tBodies) {
    const rows = [...body.rows];
    const fixed = rows.filter((row) => row.matches(".overall, .stub"));
    const moving = rows.filter((row) => !row.matches(".overall, .stub"));
    moving.sort((a, b) => compare(value(a.cells[column]), value(b.cells[column]), down ? -1 : 1));
    body.append(...fixed, ...moving);
  }
  say(fill(down ? words.sorted_down : words.sorted_up, { name: head.textContent.trim() }));
}

// A cell's number, or its text when it holds none.
function value(cell) {
  const text = shown(cell);
  const number = parseFloat((cell.dataset.value ?? text).replace(/[,\s]/g, "").replace("−", "-").replace(/^[<>]\s*/, ""));
  return Number.isNaN(number) ? text : number;
}

// What has no number stands last, whichever way the others are sorted.
function compare(a, b, way) {
  if (typeof a === typeof b) return way * (typeof a === "number" ? a - b : a.localeCompare(b));
  return typeof a === "number" ? -1 : 1;
}

// The text of a cell as it is read, without letters of notes, marks and buttons.
function shown(cell) {
  const own = cell.cloneNode(true);
  all(".note-mark, .anchor, .mark, svg", own).forEach((node) => node.remove());
  return own.textContent.trim().replace(/\s+/g, " ");
}

// A frame scrolls, and can be reached with the keyboard, only where what it holds is wider than it is.
const fitted = new ResizeObserver((seen) => seen.forEach(({ target }) => fit(target)));
function fit(frame) {
  const inner = frame.querySelector("table, svg");
  if (!inner) return;
  const isWide = () => inner.getBoundingClientRect().width > frame.getBoundingClientRect().width + 1;
  frame.classList.remove("stacks");
  if (isWide()) frame.classList.add("stacks"); // intervals stand below their estimates where there is no room beside
  const wide = isWide();
  frame.classList.toggle("fits", !wide);
  if (wide) frame.tabIndex = 0;
  else frame.removeAttribute("tabindex");
}
all(".scroll, .drawn").forEach((frame) => fitted.observe(frame));
