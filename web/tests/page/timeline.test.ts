// The time-line of traces: jumps from wait to wait, the call stack, merged lanes, the focus, Back, exported pages.

import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { after, before, test } from "node:test";
import type { Browser, Locator, Page } from "playwright-core";
import type { Question } from "../../src/api/types.ts";
import * as answers from "../mock/answers.ts";
import { makeDocuments } from "../mock/documents.ts";
import type { Mock } from "../mock/server.ts";
import { accessibility, launch, openPage, pane, REAL, type Opened } from "./browser.ts";

const mockOnly = { skip: REAL !== undefined };
let browser: Browser;

before(async () => void (browser = await launch()));
after(() => browser.close());

async function on(documents: readonly string[], f: (opened: Opened, timeline: Locator) => Promise<void>): Promise<void> {
  const opened = await openPage(browser, documents);
  try {
    const timeline = pane(opened.page, "timeline");
    await timeline.locator(".pic-legend span").first().waitFor();
    await f(opened, timeline);
    assert.deepEqual(opened.errors, []);
  } finally {
    await opened.close();
  }
}

type Asked<A extends Question["ask"]> = Extract<Question, { ask: A }>;

/** The last question of a kind. */
function last<A extends Question["ask"]>(mock: Mock, ask: A): Asked<A> | undefined {
  return mock.asked.map((a) => a.body["question"] as Question).filter((q): q is Asked<A> => q?.ask === ask).at(-1);
}

/** Waits until something is as the test expects; the policy of the page forbids playwright's own waiting for functions. */
async function until(page: Page, what: string, holds: () => boolean): Promise<void> {
  for (let attempt = 0; attempt < 160 && !holds(); attempt++) await page.waitForTimeout(50);
  assert.ok(holds(), what);
}

/** Waits for a point other than `before` in the address, and gives it back. */
async function pointAfter(page: Page, before?: readonly [number, number]): Promise<[number, number]> {
  const point = () => options(page)["point"] as [number, number] | undefined;
  await until(page, "a point is chosen", () => point() !== undefined && String(point()) !== String(before));
  return point()!;
}

const note = (timeline: Locator) => timeline.locator(".pic-note");

/** Clicks into a lane, at a share of the width of the picture. */
async function clickLane(page: Page, lane: number, share: number): Promise<void> {
  const box = (await pane(page, "timeline").locator("canvas").boundingBox())!;
  // Lanes are as high as the room allows, and 12 pixels or more.
  const height = Math.max(12, Math.floor((box.height - 26) / 16));
  await page.mouse.click(box.x + box.width * share, box.y + 28 + height * lane + 4);
}

const options = (page: Page): Record<string, unknown> => {
  const all = JSON.parse(new URLSearchParams(new URL(page.url()).hash.slice(1)).get("opt") ?? "{}") as Record<string, Record<string, unknown>>;
  return Object.assign({}, ...Object.values(all)) as Record<string, unknown>;
};

test("waits are searched from the side of the window, from the click, or from the bar: what was chosen last", mockOnly, () =>
  on(["trace"], async ({ page, mock }, timeline) => {
    const next = timeline.getByRole("button", { name: "next wait (n)" });
    await next.click();
    await note(timeline).getByText("of 12").waitFor();
    assert.deepEqual([last(mock, "next_wait")?.begin, last(mock, "next_wait")?.at], [0, null]);
    await page.keyboard.press("Escape");
    await page.keyboard.press("0");
    await page.waitForURL((url) => !url.hash.includes("window="));
    await clickLane(page, 3, 0.6);
    await timeline.getByRole("table", { name: "open calls" }).waitFor();
    const [location, at] = await pointAfter(page);
    await page.keyboard.press("n");
    await page.waitForURL(/bar=/);
    assert.deepEqual([last(mock, "next_wait")?.begin, last(mock, "next_wait")?.end], [at, null]);
    // The bar is newer than the click now; a further click is newer than the bar.
    const { begin } = last(mock, "next_wait")!;
    const outlined = page.url();
    await page.keyboard.press("n");
    await page.waitForURL((url) => url.href !== outlined);
    assert.notEqual(last(mock, "next_wait")?.end, null);
    assert.ok(last(mock, "next_wait")!.begin > begin);
    const jumped = await pointAfter(page);
    await clickLane(page, 3, 0.5);
    const later = await pointAfter(page, jumped);
    assert.equal(later[0], location);
    await page.keyboard.press("Shift+N");
    await until(page, "the previous wait is asked for", () => last(mock, "next_wait")?.backward === true);
    assert.deepEqual([last(mock, "next_wait")?.begin, last(mock, "next_wait")?.end, last(mock, "next_wait")?.backward], [later[1], null, true]);
  }));

test("waits of the chosen location do not start from a bar of another one", mockOnly, () =>
  on(["trace"], async ({ page, mock }, timeline) => {
    await timeline.getByLabel("waits of", { exact: true }).selectOption("one");
    // A call stack would follow the finding, and with it the chosen location.
    await timeline.getByLabel("beside").selectOption("statistics");
    await clickLane(page, 3, 0.6);
    const [location, at] = await pointAfter(page);
    await page.locator(".finding-head").first().click();
    await page.waitForURL(/bar=5_5_2_2.5/);
    await timeline.locator("canvas").focus();
    await page.keyboard.press("n");
    await note(timeline).getByText("of 12").waitFor();
    const asked = last(mock, "next_wait");
    assert.deepEqual([asked?.location, asked?.begin, asked?.at], [location, at, null]);
  }));

test("the text about a wait goes when something else is outlined", mockOnly, () =>
  on(["trace"], async ({ page }, timeline) => {
    await timeline.getByRole("button", { name: "next wait (n)" }).click();
    await note(timeline).getByText("of 12").waitFor();
    await page.locator(".finding-head").first().click();
    await note(timeline).getByText("of 12").waitFor({ state: "hidden" });
  }));

test("a finding without a place takes the outline away and leaves the window", mockOnly, () =>
  on(["wide"], async ({ page }) => {
    await page.locator(".finding-head").first().click();
    await page.waitForURL(/bar=5_5_2_2.5/);
    await page.locator(".finding-head").nth(1).click();
    await page.waitForURL((url) => !url.hash.includes("bar="));
    assert.match(page.url(), /window=1.5_3.2/);
  }));

test("the call stack follows a click on a finding, and is empty for one without a place", mockOnly, () =>
  on(["wide"], async ({ page, mock }, timeline) => {
    await clickLane(page, 3, 0.6);
    await timeline.getByRole("table", { name: "open calls" }).waitFor();
    const clicked = await pointAfter(page);
    await page.locator(".finding-head").first().click();
    assert.deepEqual(await pointAfter(page, clicked), [5, 2]);
    await until(page, "its call stack is asked for", () => last(mock, "moment")?.location === 5 && last(mock, "moment")?.at === 2);
    await page.locator(".finding-head").nth(1).click();
    await timeline.getByText("Click a place of the time-line").waitFor();
  }));

test("the call stack follows jumps; statistics stay at a click and offer its location", mockOnly, () =>
  on(["trace"], async ({ page, mock }, timeline) => {
    await timeline.getByLabel("beside").selectOption("moment");
    await timeline.getByText("Click a place of the time-line").waitFor();
    await timeline.locator("canvas").focus();
    await page.keyboard.press("n");
    await timeline.getByText("rank 1 at 1.000000000 s").waitFor();
    await page.keyboard.press("n");
    await timeline.getByText("rank 2 at 2.000000000 s").waitFor();
    await timeline.getByLabel("beside").selectOption("statistics");
    const table = timeline.getByRole("table", { name: "statistics of the window" });
    await table.waitFor();
    await clickLane(page, 4, 0.5);
    await note(timeline).getByText("rank 4 is chosen").waitFor();
    assert.ok(await table.isVisible());
    assert.equal(options(page)["beside"], "statistics");
    const where = timeline.getByLabel("location", { exact: true });
    await where.focus();
    await where.selectOption("4");
    await until(page, "statistics of the location", () => last(mock, "statistics")?.location === 4);
    // Statistics of one location follow the click.
    await clickLane(page, 6, 0.5);
    await until(page, "statistics of the location", () => last(mock, "statistics")?.location === 6);
    assert.equal(await where.inputValue(), "6");
  }));

test("a click into a merged lane says why there is no call stack", mockOnly, () =>
  on(["wide"], async ({ page, mock }, timeline) => {
    await timeline.getByLabel("merge lanes").check();
    await until(page, "merged lanes are asked for", () => last(mock, "timeline")?.merge === true);
    await page.waitForTimeout(200);
    await clickLane(page, 2, 0.5);
    await note(timeline).getByText("merged from 2 locations, so it has no call stack. Turn “merge lanes” off").waitFor();
    await timeline.getByLabel("merge lanes").uncheck();
    await note(timeline).waitFor({ state: "hidden" });
  }));

test("a choice by the pointer gives the focus to the picture, one by keys does not", mockOnly, () =>
  on(["trace"], async ({ page }, timeline) => {
    const beside = timeline.getByLabel("beside");
    const focused = () => page.evaluate(() => document.activeElement?.tagName);
    await beside.focus();
    await page.keyboard.press("ArrowDown");
    assert.equal(await beside.inputValue(), "statistics");
    assert.equal(await focused(), "SELECT");
    await beside.dispatchEvent("pointerdown");
    await beside.selectOption("moment");
    assert.equal(await focused(), "CANVAS");
    await page.keyboard.press("n");
    await timeline.getByText("rank 1 at 1.000000000 s").waitFor();
    // The pointer opened the list, but keys choose.
    await beside.focus();
    await beside.dispatchEvent("pointerdown");
    await page.keyboard.press("ArrowUp");
    assert.equal(await focused(), "SELECT");
    await timeline.getByRole("button", { name: "next wait (n)" }).click();
    assert.equal(await focused(), "CANVAS");
  }));

test("Backspace does not leave the page", mockOnly, () =>
  on(["wide"], async ({ page }) => {
    await page.keyboard.press("Backspace");
    await page.waitForTimeout(200);
    assert.match(page.url(), /^http:/);
    await page.locator(".finding-head").first().click();
    await page.waitForURL(/bar=/);
    await page.reload();
    await pane(page, "timeline").locator("canvas").waitFor();
    await page.keyboard.press("Backspace");
    await page.waitForURL((url) => !url.hash.includes("bar="));
    for (let i = 0; i < 3; i++) {
      await page.keyboard.press("Backspace");
      await page.waitForTimeout(150);
    }
    assert.match(page.url(), /^http:/);
    await page.locator("footer .offscreen").getByText("there is nothing to go back to").waitFor();
  }));

test("the table has the messages, the critical path and the waits of the window, and keys lead to them", mockOnly, () =>
  on(["trace"], async ({ page, mock }, timeline) => {
    assert.equal(last(mock, "timeline")?.table, false, "the picture alone does not need the rows");
    await timeline.getByRole("button", { name: "Table", exact: true }).click();
    await checkTables(timeline, "0 s to 12.5");
    assert.equal(last(mock, "timeline")?.table, true);
    const waits = timeline.getByRole("table", { name: /^Waits/ });
    await timeline.getByRole("button", { name: "Waits", exact: true }).focus();
    await page.keyboard.press("Enter");
    assert.ok(await waits.evaluate((table) => table === document.activeElement), "the focus is in the table");
    await accessibility(page);
    // Also when the picture has never been drawn.
    await page.reload();
    await checkTables(timeline, "0 s to 12.5");
    await page.evaluate(() => void (location.hash += "&window=2_3"));
    await page.reload();
    await checkTables(timeline, "2");
    assert.deepEqual([last(mock, "timeline")?.from, last(mock, "timeline")?.to], [2, 3]);
  }));

/** The tables of the mock's time-line, with what they leave out. */
async function checkTables(timeline: Locator, begin: string): Promise<void> {
  const table = (name: string) => timeline.getByRole("table", { name });
  await table(`Messages from ${begin}`).getByRole("row").nth(2).waitFor();
  const cells = async (name: string, row: number) => table(name).getByRole("row").nth(row).locator("th, td").allTextContents();
  assert.deepEqual((await cells("Messages", 1)).slice(-2), ["sender", "≤ 0.250000000 s"]);
  assert.deepEqual((await cells("Messages", 2)).slice(-2), ["–", ""]);
  assert.match((await table("Messages").locator("caption").textContent())!, /the 5 of 50 messages that took longest in 2 rows/);
  assert.equal((await cells("Critical path", 1))[1], "rank 0");
  assert.match((await table("Critical path").locator("caption").textContent())!, /the 1 longest of 900 intervals/);
  assert.deepEqual((await cells("Waits", 1)).slice(0, 4), ["Late sender", "rank 3", "rank 0", "main/exchange/MPI_Recv"]);
  assert.equal((await cells("Waits", 2))[2], "not known");
}

test("an exported page says what it does not have, below the lanes, without a button to try again", mockOnly, async () => {
  const folder = mkdtempSync(join(tmpdir(), "lotse-page-"));
  const page = await browser.newPage({ viewport: { width: 1280, height: 720 } });
  page.setDefaultTimeout(8000);
  try {
    writeFileSync(join(folder, "trace.html"), exportedPage());
    await page.goto(pathToFileURL(join(folder, "trace.html")).href);
    const timeline = pane(page, "timeline");
    await timeline.locator(".pic-legend span").first().waitFor();
    const message = timeline.locator(".pic .pic-message");
    const tries = page.getByRole("button", { name: "Try again" });
    await timeline.locator("canvas").focus();
    await page.keyboard.press("+");
    await message.getByText("`lotse open` shows parts of it exactly").waitFor();
    const [lanes, line] = [await timeline.locator("canvas").boundingBox(), await message.boundingBox()];
    assert.ok(line!.y >= lanes!.y + lanes!.height - 1, "the line is below the lanes");
    assert.ok(line!.height < 40);
    await page.keyboard.press("n");
    await note(timeline).getByText("jumps from wait to wait are not in the exported page").waitFor();
    await page.keyboard.press("0");
    await message.waitFor({ state: "hidden" });
    await clickLane(page, 3, 0.5);
    await note(timeline).getByText("they need `lotse open`").waitFor();
    await timeline.getByLabel("beside").selectOption("moment");
    await timeline.locator(".pic-paths:visible").getByText("call stacks are not in the exported page: they need `lotse open`").waitFor();
    assert.equal(await tries.count(), 0);
    await timeline.getByRole("button", { name: "Table", exact: true }).click();
    await checkTables(timeline, "0 s to 12.5");
  } finally {
    await page.close();
    rmSync(folder, { recursive: true });
  }
});

/** The page as `lotse export` writes it. */
function exportedPage(): string {
  const session = { version: "0.1.0", read_only: true, editor: null, documents: [makeDocuments()["trace"]!], recent: [], layout: null };
  const known = {
    timeline: answers.timeline({ ask: "timeline", from: null, to: null, columns: 1000, lanes: 16, first_lane: 0, merge: false, table: true }),
    "call_paths|late_sender": answers.callPaths({ ask: "call_paths", metric: "late_sender" }),
  };
  const data = JSON.stringify({ session, answers: known }).replaceAll("<", "\\u003c");
  const [html, style, script] = ["index.html", "app.css", "app.js"].map((name) => readFileSync(`dist/${name}`, "utf8")) as [string, string, string];
  const lines = html.split("\n").filter((line) => !line.includes("app.js") && !line.includes("app.css"));
  const inside = `<style>${style}</style><script type="application/json" id="lotse-export">${data}</script><script type="module">${script.replaceAll("</script", "<\\/script")}</script></head>`;
  return lines.join("\n").replace("</head>", () => inside);
}
