"use strict";
const all = (selector, within = document) => [...within.querySelectorAll(selector)];
const words = JSON.parse(document.getElementById("words").textContent);
const fill = (text, values) => text.replace(/\{(\w+)\}/g, (whole, name) => values[name] ?? whole);
const say = (text) => { document.getElementById("said").textContent = text; };
all("[data-scripted]").forEach((control) => { control.hidden = false; });
{% include "html/script/places.js" %}
{% include "html/script/contents.js" %}
{% include "html/script/tables.js" %}
{% include "html/script/saving.js" %}
{% include "html/script/find.js" %}
{% include "html/script/terms.js" %}
{% include "html/script/charts.js" %}
