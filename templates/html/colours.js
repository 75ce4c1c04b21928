"use strict";
// Before anything is drawn: what scripts add may be shown, in the colours that the reader chose before.
document.documentElement.classList.add("scripted");
try {
  const chosen = localStorage.getItem("reportgen-colours");
  if (["light", "dark"].includes(chosen)) document.documentElement.dataset.colours = chosen;
} catch { /* a page opened from a disk may not be allowed to remember */ }
