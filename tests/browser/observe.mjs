// Opens a report from disk in Chromium, with the network off, in several ways, and prints as JSON what
// could be observed in each:  node observe.mjs REPORT.html [FOLDER_FOR_PICTURES]
// Leaves with 75 when the browser stops answering.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";

const VIEWS = [
  { name: "wide", width: 1400, javaScript: true, colorScheme: "light" },
  { name: "wide dark", width: 1400, javaScript: true, colorScheme: "dark" },
  { name: "phone", width: 390, javaScript: true, colorScheme: "light" },
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
    viewport: { width: view.width, height: 900 },
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
  if (view.javaScript) await step("drawing the charts", everyChartDrawn(page));
  return { context, page, errors, requests };
}

/** Scroll to the end, so that charts that wait to be seen are drawn, and wait until none is missing. */
async function everyChartDrawn(page) {
  await page.evaluate(async () => {
    for (let y = 0; y < document.body.scrollHeight; y += 600) {
      window.scrollTo(0, y);
      await new Promise((done) => requestAnimationFrame(done));
    }
    window.scrollTo(0, 0);
  });
  const drawn = () => [...document.querySelectorAll("figure.chart")].every((chart) => chart.querySelector(".plot svg"));
  await page.waitForFunction(drawn, null, { timeout: 20000 }).catch(() => {});
}

/** What the reader sees: charts (plotted, or as still pictures), tables, whether anything sticks out sideways. */
function seen() {
  const root = document.scrollingElement;
  const charts = [...document.querySelectorAll("figure.chart")];
  const visible = (chart, part) => (chart.querySelector(`${part} svg`)?.getBoundingClientRect().height ?? 0) > 50;
  return {
    charts: charts.length,
    plotted: charts.filter((chart) => visible(chart, ".plot")).length,
    still: charts.filter((chart) => visible(chart, ".drawn")).length,
    overflow: root.scrollWidth - root.clientWidth,
    tables: [...document.querySelectorAll("table")].map((table) => table.innerText).join("\n"),
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
  const result = await judged.evaluate((tags) => globalThis.axe.run({ runOnly: tags }), LEVELS_A_AND_AA);
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
