// The contents say which section is being read, and list its tables and figures.
const contents = document.getElementById("contents");
const entries = new Map(all("a", contents).map((link) => [link.hash.slice(1), link]));

function showBelow(section, link) {
  if (link.parentElement.querySelector("ol")) return;
  const own = places.filter((place) => place.within === section && place.node !== section && place.number);
  if (!own.length) return;
  const list = document.createElement("ol");
  for (const place of own) {
    const entry = document.createElement("a");
    entry.href = `#${place.node.id}`;
    const kind = document.createElement("span");
    kind.className = "kind";
    kind.textContent = kindOf(place);
    entry.append(kind, ` ${place.name}`);
    list.append(document.createElement("li"));
    list.lastChild.append(entry);
  }
  link.after(list);
}

function openEntry(section) {
  const link = entries.get(section.id);
  if (!link || link.hasAttribute("aria-current")) return;
  entries.forEach((other) => other.removeAttribute("aria-current"));
  link.setAttribute("aria-current", "true");
  showBelow(section, link);
  if (getComputedStyle(contents).position === "sticky") {
    const room = contents.getBoundingClientRect();
    const place = link.getBoundingClientRect();
    if (place.top < room.top || place.bottom > room.bottom - 40) {
      contents.scrollTop += place.top - room.top - room.height / 3;
    }
  }
}

const watcher = new IntersectionObserver((seen) => {
  for (const { isIntersecting, target } of seen) {
    if (isIntersecting) openEntry(target.closest("main > section") ?? document.querySelector("main > section"));
  }
}, { rootMargin: "-15% 0px -75% 0px" });
all(".title, main > section").forEach((section) => watcher.observe(section));

// On a narrow screen the contents lie over the page, and close when they have led somewhere.
contents.addEventListener("click", (event) => {
  if (event.target.closest("a") && contents.matches(":popover-open")) contents.hidePopover();
});

// Colours: the reader's choice, or the system's.
const chooser = document.getElementById("colours");
const root = document.documentElement;
const systemDark = matchMedia("(prefers-color-scheme: dark)");
const isDark = () => (root.dataset.colours ? root.dataset.colours === "dark" : systemDark.matches);
chooser.value = root.dataset.colours ?? "";
chooser.addEventListener("change", () => {
  if (chooser.value) root.dataset.colours = chooser.value;
  else delete root.dataset.colours;
  try {
    localStorage.setItem("reportgen-colours", chooser.value);
  } catch { /* not allowed to remember */ }
  document.dispatchEvent(new Event("colours"));
});
systemDark.addEventListener("change", () => document.dispatchEvent(new Event("colours")));
const narrow = matchMedia("(max-width: 60rem)");
const colourLabel = chooser.closest("label");
const place = () => (narrow.matches ? contents : document.querySelector(".bar")).append(colourLabel);
narrow.addEventListener("change", place);
place();
