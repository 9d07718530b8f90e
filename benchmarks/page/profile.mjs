// A large profile: until the first table and the pictures are there, later interactions, memory.

import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { LotsePage, rendererMemory } from "./browser.mjs";
import { anonymous, now, openServer, peakOf, run, sleep } from "./process.mjs";
import { median, table } from "./report.mjs";

const GOALS = { first: 3000, again: 1000, picture: 300, server: 100, frame: 200, renderer: 300e6, memory: 1.2 };
const REPLAYS = 5;
/** How long the server may take to write its index, in milliseconds. */
const INDEX_PATIENCE = 4000;

export async function measureProfile({ browser, lotse, file, folder, rounds, report }) {
  const starts = { first: [], again: [], flame: [], firstPeak: [], againPeak: [], steady: [], own: true };
  let session = null;
  for (let round = 0; round < rounds; round++) {
    const home = mkdtempSync(`${folder}/home-`);
    const first = await open(browser, lotse, file, home);
    starts.first.push(first.seconds);
    starts.firstPeak.push(first.server.memory.peak);
    await close(first, async () => {
      const isOwn = await makeIndex(lotse, file, home);
      starts.own = starts.own && isOwn;
    });
    const again = await open(browser, lotse, file, home);
    starts.again.push(again.seconds);
    starts.flame.push(...first.flame, ...again.flame);
    starts.againPeak.push(again.server.memory.peak);
    starts.steady.push(anonymous(again.server.child.pid));
    if (round < rounds - 1) await close(again);
    else session = again;
    if (round < rounds - 1) rmSync(home, { recursive: true });
  }
  report.add("first table, no index", starts.first, "s", GOALS.first);
  const by = starts.own ? "" : " (which `lotse profile top` wrote, `lotse open` did not)";
  report.add(`first table, with the index${by}`, starts.again, "s", GOALS.again);
  report.add("flame graph, after the first table", starts.flame, "ms", GOALS.picture);
  const asked = new Map();
  await pictures(session.view, rounds, report, asked);
  await interactions(session.view, rounds, report, asked);
  await sleep(1000);
  report.add("renderer, proportional memory", [await rendererMemory(browser)], "MB", GOALS.renderer);
  const top = [];
  for (let round = 0; round < rounds; round++) {
    top.push(await peakOf(lotse, ["profile", "top", "--no-index", file]));
  }
  const ratio = (values) => values.map((value) => value / median(top));
  report.add("`lotse profile top --no-index`, peak of anonymous memory", top, "MB");
  report.add("server without an index, peak : that", ratio(starts.firstPeak), "times", GOALS.memory);
  report.add("server with the index, peak while opening : that", ratio(starts.againPeak), "times", GOALS.memory);
  report.add("server after the first table : that", ratio(starts.steady), "times", GOALS.memory);
  report.add("server, peak of the whole session : that", ratio([session.server.memory.peak]), "times", GOALS.memory);
  report.add("server at the end of the session : that", ratio([anonymous(session.server.child.pid)]), "times", GOALS.memory);
  const times = await replay(session.server, asked);
  await close(session);
  return times;
}

/** Starts the command and goes to its page; the time is that from the start to the first table. */
export async function open(browser, lotse, file, home) {
  const view = await LotsePage.prepare(browser);
  const server = await openServer(lotse, [file], home);
  await view.go(server.url);
  const at = await view.firstTable();
  const { asks } = await view.settle(1);
  const flame = asks.filter((ask) => ask.framed !== null && JSON.parse(ask.body).question.ask === "flame").map((ask) => Math.max(0, ask.framed - at));
  return { view, server, seconds: at - server.began, flame };
}

/** Closes the page and, after `meanwhile`, ends the server. */
export async function close({ view, server }, meanwhile = async () => {}) {
  await view.close();
  await meanwhile();
  await server.stop();
}

/** Waits for the index that the server writes; if it writes none, `lotse profile top` does. */
async function makeIndex(lotse, file, home) {
  const isThere = () => readdirSync(home, { recursive: true }).some((name) => name.endsWith(".lotse-index"));
  for (const began = now(); now() - began < INDEX_PATIENCE; await sleep(100)) if (isThere()) return true;
  await run(lotse, ["profile", "top", file], { env: { ...process.env, XDG_CACHE_HOME: `${home}/cache` } });
  if (!isThere()) throw new Error("lotse profile top wrote no index");
  return false;
}

/** Opens pictures by their keys, and closes them again. */
async function pictures(view, rounds, report, asked) {
  for (const [key, name, title] of [["g", "graph", "call graph"], ["r", "treemap", "treemap"], ["f", "flame", "flame graph"]]) {
    const times = [];
    for (let round = 0; round < rounds; round++) {
      await closePane(view, name);
      await view.page.locator('[data-view="functions"] .table').focus();
      const measured = await view.measure((page) => page.keyboard.press(key), 1);
      if (!(await isDrawn(view.page, name))) throw new Error(`the ${title} is empty`);
      times.push(measured.until(name));
      remember(asked, `open the ${title}`, measured);
    }
    report.add(`${title}, from the key to the picture`, times, "ms", GOALS.picture);
    if (name !== "flame") await closePane(view, name);
  }
}

async function closePane(view, name) {
  const pane = view.page.locator(`[data-view="${name}"]`);
  if ((await pane.count()) > 0) await pane.getByLabel("close pane").click();
  await view.settle();
}

/** Whether a canvas has more than one colour. */
function isDrawn(page, name) {
  return page.evaluate((name) => {
    const canvas = document.querySelector(`[data-view="${name}"] canvas`);
    if (!canvas) return false;
    const pixels = new Uint32Array(canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data.buffer);
    return pixels.some((pixel) => pixel !== pixels[0]);
  }, name);
}

/** What one does with a profile, each several times in different places; every one changes the page. */
function steps(page, events) {
  const head = (name) => page.locator('[data-view="functions"] .table-head').getByRole("button", { name, exact: true });
  const filter = page.locator('[data-view="functions"]').getByLabel("filter functions");
  const columns = ["Inclusive", "Calls", "Function", "Self", "Inclusive"];
  const filters = ["1", "/[aeiou]{2}/", "ab", "9", ""];
  const row = (index) => page.locator('[data-view="functions"] .table-space .row').nth(index);
  const chooser = page.getByLabel("event type", { exact: true });
  const event = async (index) => chooser.selectOption(events[(index + 1) % events.length]);
  const zoom = async (index) => {
    const canvas = page.locator('[data-view="flame"] canvas');
    const { width } = await canvas.boundingBox();
    await canvas.dblclick({ position: { x: width * (0.1 + 0.17 * (index % 5)), y: 19 * (1 + (index % 3)) + 9 } });
  };
  return [
    ["sort by another column", (index) => head(columns[index % columns.length]).click(), 1],
    ["filter", (index) => filter.fill(filters[index % filters.length]), 1],
    ["click another function", (index) => row(2 + (index % 8)).click(), 1],
    ["zoom in the flame graph", zoom, 0],
    ["change the event type", event, 1],
  ];
}

async function interactions(view, rounds, report, asked) {
  const { page } = view;
  const chooser = page.getByLabel("event type", { exact: true });
  const events = await chooser.locator("option").evaluateAll((options) => options.map((option) => option.value));
  const repetitions = Math.max(5, rounds);
  const all = steps(page, events);
  for (const [name, act, least] of all) await repeat(view, name, act, least, repetitions, report, asked);
  await page.locator('[data-view="functions"] .table').focus();
  await page.keyboard.press("g");
  await page.locator('[data-view="graph"]').waitFor();
  await page.locator('[data-view="functions"] .table').focus();
  await page.keyboard.press("r");
  await view.settle(1);
  const again = (index) => all[4][1](index + 2);
  await repeat(view, "change the event type, graph and treemap open too", again, 1, repetitions, report, asked);
}

async function repeat(view, name, act, least, repetitions, report, asked) {
  const measured = [];
  for (let index = 0; index < repetitions; index++) {
    measured.push(await view.measure(() => act(index), least));
    remember(asked, name, measured.at(-1));
  }
  report.add(`${name}: server`, measured.map((it) => it.server), "ms", GOALS.server);
  report.add(`${name}: from the answer to the frame`, measured.map((it) => it.frame), "ms", GOALS.frame);
  report.add(`${name}: from the input to the last frame`, measured.map((it) => it.total), "ms");
}

/** Keeps one body of each kind of question, by what it was asked for. */
function remember(asked, occasion, { bodies }) {
  for (const body of bodies) asked.set(`${occasion}: ${JSON.parse(body).question.ask}`, body);
}

/** Asks the questions once more, one after the other: what each takes when it waits for no other. */
async function replay({ origin, token }, asked) {
  const rows = [];
  for (const [name, body] of asked) {
    const times = [];
    let bytes = 0;
    for (let round = 0; round < REPLAYS; round++) {
      const began = now();
      const response = await fetch(`${origin}/api/ask`, { method: "POST", headers: { "content-type": "application/json", "x-lotse-token": token }, body });
      bytes = (await response.arrayBuffer()).byteLength;
      if (!response.ok) throw new Error(`${name}: status ${response.status}`);
      times.push(now() - began);
    }
    rows.push([name, median(times).toFixed(1), Math.min(...times).toFixed(1), Math.max(...times).toFixed(1), Math.round(bytes / 1000)]);
  }
  return rows;
}

export function printTimes(rows) {
  console.log("Questions asked once more, one at a time:\n");
  table(["occasion: question", "median ms", "least", "most", "kB of answer"], rows);
}
