// Opens a report from disk in Chromium, with the network off, in several ways, and prints as JSON what
// could be observed in each, and what a reader's actions made of it:  node observe.mjs REPORT.html [FOLDER_FOR_PICTURES]
// Leaves with 75 when the browser stops answering.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";

const VIEWS = [
  { name: "wide", width: 1400, javaScript: true, colorScheme: "light" },
  { name: "wide dark", width: 1400, javaScript: true, colorScheme: "dark" },
  { name: "narrow", width: 1000, javaScript: true, colorScheme: "light" },
  { name: "phone", width: 390, height: 844, javaScript: true, colorScheme: "light" },
  { name: "phone dark", width: 390, height: 844, javaScript: true, colorScheme: "dark" },
  { name: "wide without scripts", width: 1400, javaScript: false, colorScheme: "light" },
  { name: "phone without scripts", width: 390, javaScript: false, colorScheme: "dark" },
];
const SECONDS_FOR_A_STEP = 60; // ten times what the longest one takes on two busy processors
const STALLED = 75;
const LEVELS_A_AND_AA = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"];
const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** Wait for a step of the browser, and give it up when no answer comes: evaluating has no limit of its own. */
async function step(name, answer) {
  const giveUp = () => {
    console.error(`Chromium has not answered for ${SECONDS_FOR_A_STEP} s: ${name}`);
    process.exit(STALLED);
  };
  const timer = setTimeout(giveUp, SECONDS_FOR_A_STEP * 1000);
  try {
    return await answer;
  } finally {
    clearTimeout(timer);
  }
}

/** Open `url` as `view` says; return the page, its context, and the lists that fill while it lives. */
async function open(browser, url, view) {
  const context = await browser.newContext({
    offline: true,
    javaScriptEnabled: view.javaScript,
    colorScheme: view.colorScheme,
    viewport: { width: view.width, height: view.height ?? 900 },
    acceptDownloads: true,
  });
  const page = await context.newPage();
  const errors = [];
  const requests = [];
  page.on("pageerror", (error) => errors.push(String(error)));
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) errors.push(message.text());
  });
  page.on("request", (request) => {
    if (request.url() !== url && !/^(data|blob):/.test(request.url())) requests.push(request.url());
  });
  await step("opening the page", page.goto(url, { waitUntil: "load" }));
  return { context, page, errors, requests };
}

/** What the reader sees: charts as still pictures, tables, what sticks out sideways or is cut, where the answer ends. */
function seen() {
  const root = document.scrollingElement;
  const charts = [...document.querySelectorAll("figure.chart")];
  const visible = (chart, part) => [...chart.querySelectorAll(`${part} svg`)].some((svg) => svg.getBoundingClientRect().height > 50);
  return {
    charts: charts.length,
    still: charts.filter((chart) => visible(chart, ".drawn")).length,
    cut: [...document.querySelectorAll("main .scroll")]
      .filter((frame) => !frame.closest("details") && frame.scrollWidth > frame.clientWidth + 1)
      .map((frame) => frame.getAttribute("aria-label")),
    answerEnds: document.querySelector("main > section :is(.headline, .decision, .why, h2 + p)").getBoundingClientRect().bottom,
    small: [...document.querySelectorAll("button, select, input, .contents a")]
      .map((node) => [node.getBoundingClientRect(), node])
      .filter(([box]) => box.width && (box.height < 24 || box.width < 24))
      .map(([, node]) => node.outerHTML.slice(0, 90)),
    overflow: root.scrollWidth - root.clientWidth,
    tables: [...document.querySelectorAll("table")].map((table) => table.innerText).join("\n").replace(/#/g, ""),
  };
}

/** Click the first heading of the longest table in sight twice; return sort order and first column after each click. */
async function sortOneTable(page) {
  const tables = await page.$$("table.sortable:visible");
  const lengths = await Promise.all(tables.map((table) => table.evaluate((node) => node.tBodies[0].rows.length)));
  const table = tables[lengths.indexOf(Math.max(...lengths))];
  const states = [];
  for (let click = 0; click < 2; click += 1) {
    await (await table.$("thead button")).click();
    states.push(
      await table.evaluate((node) => ({
        sort: node.querySelector("th[aria-sort]")?.getAttribute("aria-sort"),
        column: [...node.tBodies[0].rows].map((row) => row.cells[0].innerText.trim()),
      })),
    );
  }
  return states;
}

/** What a file that is saved by clicking `selector` is called, and holds. */
async function saved(page, selector) {
  const [file] = await Promise.all([page.waitForEvent("download"), page.locator(selector).first().click()]);
  return { name: file.suggestedFilename(), content: readFileSync(await file.path()).toString("latin1").slice(0, 4000) };
}

/** Find the row of a table by its name, with the keyboard alone. */
async function finding(page, name) {
  await page.keyboard.press("Control+k");
  await page.keyboard.type(name);
  const list = () => [...document.querySelectorAll("#hits [role=option]")].map((hit) => hit.innerText);
  const hits = await page.evaluate(list);
  const said = await page.evaluate(() => document.getElementById("said").textContent);
  // what the open list covers is no target until it closes
  const broken = await violations(null, page, { javaScript: true, within: ".bar" });
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowUp");
  await page.keyboard.press("Enter");
  const reached = await page.evaluate(() => {
    const bar = document.querySelector(".bar").getBoundingClientRect();
    const box = document.activeElement.getBoundingClientRect();
    return { text: document.activeElement.innerText, inView: box.top >= bar.bottom - 1 && box.top < innerHeight };
  });
  return { hits, said, reached, violations: broken };
}

/** Open a chart, switch its first series off, close it with Escape. */
async function exploring(page) {
  const button = page.locator("[data-do=explore]").last();
  await button.click();
  await page.waitForFunction(() => document.querySelector("#explorer .main-svg"), null, { timeout: 30000 });
  await page.waitForFunction(() => document.querySelector("#explorer .modebar"), null, { timeout: 30000 });
  const state = await page.evaluate(() => ({
    plotted: document.querySelector("#explorer .main-svg").getBoundingClientRect().height > 100,
    series: document.querySelectorAll("#explorer .series input").length,
    traces: document.querySelectorAll("#explorer .plot .trace").length,
  }));
  const broken = await violations(null, page, { javaScript: true });
  const picture = await saved(page, "#explorer [data-save=svg]");
  await page.keyboard.press("Escape");
  const closed = await page.evaluate(() => !document.getElementById("explorer").open);
  const back = await page.evaluate(() => document.activeElement.dataset.do);
  return { ...state, picture: picture.content.slice(0, 200), closed, back, violations: broken };
}

/** Focus the first term, read its definition, close it. */
async function explaining(page) {
  if (!(await page.locator(".term").count())) return null;
  const term = page.locator("main .term[tabindex]").first();
  await term.focus();
  const shown = await page.evaluate(() => ({
    text: document.getElementById("tip").innerText,
    described: document.getElementById(document.activeElement.getAttribute("aria-describedby")).textContent,
  }));
  const broken = await violations(null, page, { javaScript: true });
  await page.keyboard.press("Escape");
  const hidden = await page.locator("#tip").isHidden();
  await term.hover();
  await page.locator("#tip").hover();
  return { ...shown, hidden, stays: await page.locator("#tip").isVisible(), violations: broken };
}

/** Choose other colours than the system's; they stay when the page is opened again. */
async function colouring(page) {
  await page.selectOption("#colours", "dark");
  const broken = await violations(null, page, { javaScript: true });
  await page.reload();
  const ground = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  await page.emulateMedia({ media: "print" });
  const paper = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const bar = await page.locator(".bar").isVisible();
  await page.emulateMedia({ media: null });
  return { ground, paper, bar, violations: broken };
}

/** What a reader can do on a wide screen. */
async function actions(page, name) {
  return {
    found: await step("finding", finding(page, name)),
    csv: await step("saving a table", saved(page, "main .table:not(.checks):has(td[data-value]) [data-do=csv]")),
    svg: await step("saving a drawing", saved(page, "main [data-do=svg]")),
    png: await step("saving a picture", saved(page, "main [data-do=png]")),
    explored: await step("opening a chart", exploring(page)),
    explained: await step("explaining a term", explaining(page)),
    coloured: await step("choosing colours", colouring(page)),
  };
}

/** What a reader can do on a phone: open the contents, and be led somewhere by them. */
async function contentsOnPhone(page) {
  await page.locator(".to-contents").click();
  const open = await page.locator("#contents").isVisible();
  const broken = await violations(null, page, { javaScript: true });
  await page.locator("#contents a").nth(2).click();
  return { open, closed: await page.locator("#contents").isHidden(), violations: broken };
}

/** The rules of axe that the page breaks; a page without scripts is judged as its reader gets it. */
async function violations(browser, page, view) {
  let judged = page;
  let context = null;
  if (!view.javaScript) {
    const html = await page.content();
    const asSeen = html.replace(/<script[\s\S]*?<\/script>/g, "").replace(/<(\/?)noscript/g, "<$1div");
    context = await browser.newContext({ offline: true, colorScheme: view.colorScheme });
    judged = await context.newPage();
    await judged.setViewportSize({ width: view.width, height: 900 });
    await judged.setContent(asSeen);
  }
  await judged.evaluate(AXE);
  const asked = { tags: LEVELS_A_AND_AA, within: view.within ?? "html" };
  const result = await judged.evaluate(({ tags, within }) => globalThis.axe.run(within, { runOnly: tags }), asked);
  await context?.close();
  return result.violations.map(({ id, impact, help, nodes }) => ({
    id,
    impact,
    help,
    where: nodes.slice(0, 5).map((node) => node.html.slice(0, 200)),
    count: nodes.length,
  }));
}

async function observe(browser, url, view, pictures) {
  const { context, page, errors, requests } = await open(browser, url, view);
  if (pictures) await page.screenshot({ path: `${pictures}/${view.name.replaceAll(" ", "_")}.png`, fullPage: true });
  const observation = {
    ...view,
    ...(await step("looking at charts and tables", page.evaluate(seen))),
    violations: await step("the rules of axe", violations(browser, page, view)),
    sorted: view.javaScript ? await step("sorting a table", sortOneTable(page)) : null,
    errors,
    requests,
  };
  if (view.name === "wide") observation.actions = await actions(page, observation.sorted[0].column[0].split("\n")[0]);
  if (view.name === "phone") observation.contents = await step("the contents", contentsOnPhone(page));
  await step("closing the page", context.close());
  return observation;
}

const [report, pictures] = process.argv.slice(2);
const launched = chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium" });
const browser = await step("starting", launched);
const observations = [];
for (const view of VIEWS) observations.push(await observe(browser, pathToFileURL(report).href, view, pictures));
console.log(JSON.stringify(observations));
await step("ending", browser.close());
