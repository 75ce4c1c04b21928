// Everything on the page that has a name and an address, in the order of the page.
function placesOfPage() {
  const count = { table: 0, figure: 0 };
  const found = [];
  for (const node of all("main > section, main h3[id], main .table, main figure.chart, .glossary dl > div")) {
    const within = node.closest("main > section");
    if (node.matches(".table")) {
      if (node.closest("details.data")) continue;
      const numbered = !node.matches(".checks, .questions");
      const named = node.querySelector("caption")?.textContent.trim() || words.requirements;
      found.push({ kind: "table", number: numbered ? ++count.table : 0, name: named, node, within });
    } else if (node.matches("figure")) {
      const title = (node.querySelector(".chart-title") ?? node.querySelector("figcaption"))?.textContent.trim();
      if (title === undefined) continue;
      found.push({ kind: "figure", number: node.closest(".brief") ? 0 : ++count.figure, name: title, node, within });
    } else if (node.matches("h3")) {
      found.push({ kind: "section", number: 0, name: node.textContent.trim(), node, within });
    } else if (node.matches("section")) {
      found.push({ kind: "section", number: 0, name: node.getAttribute("aria-label"), node, within: node });
    } else {
      found.push({ kind: "term", number: 0, name: node.querySelector("dt").textContent.trim(), node, within: null });
    }
  }
  return found;
}

// "Table 4", "Section".
const kindOf = (place) => words[place.kind] + (place.number ? ` ${place.number}` : "");
const places = placesOfPage();

function copy(text) {
  const done = () => say(words.copied);
  const asBefore = () => {
    const area = document.createElement("textarea");
    area.value = text;
    document.body.append(area);
    area.select();
    say(document.execCommand("copy") ? words.copied : words.not_copied);
    area.remove();
  };
  return navigator.clipboard ? navigator.clipboard.writeText(text).then(done, asBefore) : asBefore();
}

const addressOf = (node) => `${location.href.split("#")[0]}#${encodeURIComponent(node.id)}`;

// A quiet # beside headings and captions: it leads to the place and copies its address.
for (const { kind, name, node } of places) {
  if (!node.id || kind === "term") continue;
  const beside = { section: node.matches("h3") ? node : node.querySelector("h2"),
    table: node.querySelector("caption"), figure: node.querySelector("figcaption") }[kind];
  if (!beside) continue;
  const link = document.createElement("a");
  link.className = "anchor";
  link.href = `#${node.id}`;
  link.textContent = "#";
  link.setAttribute("aria-label", fill(words.link, { name }));
  link.addEventListener("click", () => copy(addressOf(node)));
  (beside.querySelector(".chart-title") ?? beside).append(link);
}
