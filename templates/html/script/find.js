// Finding by name: sections, tables, figures, terms, and rows of tables; with the keyboard alone.
const field = document.getElementById("find");
const list = document.getElementById("hits");
const MOST_HITS = 40;
const plain = (text) => text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
let findable;
let hits = [];
let current = -1;

function everythingFindable() {
  const named = places.map((place) => ({ ...place, label: kindOf(place), detail: "" }));
  const rows = places.filter(({ kind, node }) => kind === "table" && node.querySelector("tbody")).flatMap((place) =>
    all("tbody th[scope='row']", place.node).map((head) => ({
      kind: "row", label: words.row, name: shown(head), node: head.parentElement,
      detail: place.number ? `${kindOf(place)}. ${place.name}` : place.name,
    })));
  return [...named, ...rows].filter(({ name }) => name).map((each) => ({ ...each, key: plain(`${each.label} ${each.name}`) }));
}

// Smaller is better: the whole name, its beginning, the beginning of a word, anywhere; rows after what holds them.
function rank(each, query) {
  const name = plain(each.name);
  const place = name === query ? 0 : name.startsWith(query) ? 1 : each.key === query ? 0 : ` ${each.key}`.includes(` ${query}`) ? 2 : 3;
  return place + (each.kind === "row" ? 4 : 0);
}

function search() {
  findable ??= everythingFindable();
  const query = plain(field.value.trim());
  const parts = query.split(/\s+/).filter(Boolean);
  hits = parts.length
    ? findable.filter((each) => parts.every((part) => each.key.includes(part)))
      .map((each) => [rank(each, query), each]).sort((a, b) => a[0] - b[0]).map(([, each]) => each)
    : [];
  list.replaceChildren(...hits.slice(0, MOST_HITS).map(option));
  mark(hits.length ? 0 : -1);
  open(parts.length > 0);
  if (parts.length) {
    say(hits.length === 1 ? words.one_hit : hits.length ? fill(words.hits, { n: hits.length }) : words.no_hits);
    if (!hits.length) {
      const nothing = document.createElement("li");
      nothing.setAttribute("role", "option");
      nothing.setAttribute("aria-disabled", "true");
      nothing.textContent = words.no_hits;
      list.append(nothing);
    }
  }
}

function option(hit, index) {
  const item = document.createElement("li");
  item.setAttribute("role", "option");
  item.id = `hit-${index}`;
  const kind = document.createElement("span");
  kind.className = "kind";
  kind.textContent = hit.label;
  const name = document.createElement("span");
  name.textContent = hit.name;
  item.append(kind, " ", name);
  if (hit.detail) {
    const detail = document.createElement("span");
    detail.className = "detail";
    detail.textContent = hit.detail;
    item.append(" ", detail);
  }
  item.addEventListener("pointerdown", (event) => event.preventDefault());
  item.addEventListener("click", () => go(hit));
  return item;
}

function open(whether) {
  list.hidden = !whether;
  field.setAttribute("aria-expanded", String(whether));
  if (!whether) field.removeAttribute("aria-activedescendant");
}

function mark(index) {
  current = index;
  all("[role=option]", list).forEach((item, place) => item.setAttribute("aria-selected", String(place === index)));
  const item = document.getElementById(`hit-${index}`);
  if (!item) return field.removeAttribute("aria-activedescendant");
  field.setAttribute("aria-activedescendant", item.id);
  item.scrollIntoView({ block: "nearest" });
}

function go({ node }) {
  open(false);
  field.value = "";
  node.closest("details")?.setAttribute("open", "");
  if (node.id) history.replaceState(null, "", `#${encodeURIComponent(node.id)}`);
  if (!node.hasAttribute("tabindex")) {
    node.tabIndex = -1;
    node.addEventListener("blur", () => node.removeAttribute("tabindex"), { once: true });
  }
  node.focus({ preventScroll: true });
  node.scrollIntoView({ block: node.matches("tr") ? "center" : "start" });
}

field.addEventListener("input", search);
field.addEventListener("focus", () => { if (field.value.trim()) search(); });
field.addEventListener("blur", () => open(false));
field.addEventListener("keydown", (event) => {
  const last = Math.min(hits.length, MOST_HITS) - 1;
  if (event.key === "ArrowDown" && last >= 0) mark(current < last ? current + 1 : 0);
  else if (event.key === "ArrowUp" && last >= 0) mark(current > 0 ? current - 1 : last);
  else if (event.key === "Enter" && hits[current]) go(hits[current]);
  else if (event.key === "Escape" && !list.hidden) open(false);
  else return;
  event.preventDefault();
});
document.addEventListener("keydown", (event) => {
  const asked = (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey && event.key.toLowerCase() === "k";
  if (!asked || document.querySelector("dialog[open]")) return;
  event.preventDefault();
  field.focus();
});
