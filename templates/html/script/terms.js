// Definitions of terms: shown while the pointer or the focus is on a term or on its definition, closed with Escape.
const tip = document.getElementById("tip");
let explained = null;
let waiting = 0;

function showTip(owner, entry) {
  clearTimeout(waiting);
  explained = owner;
  const [name, definition, question] = tip.children;
  name.textContent = entry.querySelector("dt").textContent;
  const told = entry.querySelector("dd").cloneNode(true);
  question.textContent = told.querySelector("i")?.textContent ?? "";
  told.querySelector("i")?.remove();
  definition.textContent = told.textContent.trim();
  tip.hidden = false;
  const at = owner.getBoundingClientRect();
  const size = tip.getBoundingClientRect();
  const below = at.bottom + 4 + size.height < innerHeight;
  tip.style.left = `${Math.max(8, Math.min(at.left, innerWidth - size.width - 8))}px`;
  tip.style.top = `${below ? at.bottom + 4 : Math.max(8, at.top - size.height - 4)}px`;
}

function hideTip() {
  clearTimeout(waiting);
  tip.hidden = true;
  explained = null;
}

const hideSoon = () => {
  clearTimeout(waiting);
  waiting = setTimeout(() => { if (!explained?.matches(":focus")) hideTip(); }, 250);
};

const entryOf = new Map(all(".glossary [data-terms]").flatMap((entry) =>
  entry.dataset.terms.split(" ").map((key) => [key, entry])));
for (const term of all(".term[data-term]")) {
  const entry = entryOf.get(term.dataset.term);
  if (!entry) {
    term.classList.remove("term");
    continue;
  }
  const owner = term.closest("button, a") ?? term;
  if (owner === term) term.tabIndex = 0;
  const definition = entry.querySelector("dd");
  definition.id ||= `${entry.id}-definition`;
  owner.setAttribute("aria-describedby", definition.id);
  owner.addEventListener("pointerenter", (event) => { if (event.pointerType === "mouse") showTip(owner, entry); });
  owner.addEventListener("pointerleave", hideSoon);
  owner.addEventListener("focus", () => showTip(owner, entry));
  owner.addEventListener("blur", hideTip);
  if (owner === term) owner.addEventListener("click", () => showTip(owner, entry));
}
tip.addEventListener("pointerenter", () => clearTimeout(waiting));
tip.addEventListener("pointerleave", hideSoon);
addEventListener("scroll", () => { if (explained) hideTip(); }, { passive: true });
document.addEventListener("keydown", (event) => { if (event.key === "Escape" && explained) hideTip(); });
