// The time-line by keys alone: after Enter the focus stays or goes where keys go on working.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Browser, Locator, Page } from "playwright-core";
import { launch, openPage, pane, REAL } from "./browser.ts";

const mockOnly = { skip: REAL !== undefined };
let browser: Browser;

before(async () => void (browser = await launch()));
after(() => browser.close());

async function onTrace(f: (page: Page, timeline: Locator) => Promise<void>): Promise<void> {
  const { page, errors, close } = await openPage(browser, ["trace"]);
  try {
    const timeline = pane(page, "timeline");
    await timeline.locator(".pic-legend span").first().waitFor();
    await f(page, timeline);
    assert.deepEqual(errors, []);
  } finally {
    await close();
  }
}

/** The window in the address. */
const windowOf = (page: Page) => new URLSearchParams(new URL(page.url()).hash.slice(1)).get("window");

/** Presses a key and waits for another window; gives it back. */
async function windowAfter(page: Page, key: string): Promise<string | null> {
  const before = windowOf(page);
  await page.keyboard.press(key);
  for (let attempt = 0; attempt < 100 && windowOf(page) === before; attempt++) await page.waitForTimeout(50);
  assert.notEqual(windowOf(page), before, `${key} changes the window`);
  return windowOf(page);
}

/** What has the focus, and whether the browser marks it. */
const focused = (page: Page) => page.evaluate(() => ({ tag: document.activeElement!.tagName, row: (document.activeElement as HTMLElement).dataset["row"], text: document.activeElement!.textContent ?? "", visible: document.activeElement!.matches(":focus-visible") }));

/** Tabs until an element has the focus. */
async function tabTo(page: Page, target: Locator): Promise<void> {
  for (let presses = 0; presses < 120; presses++) {
    if (await target.evaluate((element) => element === document.activeElement)) return;
    await page.keyboard.press("Tab");
  }
  assert.fail("the element cannot be reached by Tab");
}

test("a region that Enter zoomed into keeps the focus: space, arrows, zoom and the way back go on", mockOnly, () =>
  onTrace(async (page, timeline) => {
    await tabTo(page, timeline.locator("canvas"));
    await page.keyboard.press("Shift+ArrowDown");
    await page.keyboard.press("Shift+ArrowRight");
    const first = await windowAfter(page, "Enter");
    await page.keyboard.press(" ");
    await timeline.getByRole("table", { name: "open calls" }).waitFor();
    await windowAfter(page, "ArrowRight");
    const digits = (window: string | null) => window?.split("_").map((time) => Number(time).toFixed(9));
    assert.deepEqual(digits(await windowAfter(page, "ArrowLeft")), digits(first));
    assert.deepEqual(await focused(page).then(({ tag, visible }) => [tag, visible]), ["CANVAS", true]);
    await windowAfter(page, "Escape");
    assert.equal(windowOf(page), null, "Escape goes back to the whole run");
    await windowAfter(page, "+");
    await windowAfter(page, "-");
    await page.keyboard.press("Escape");
    await page.keyboard.press("Escape");
    await timeline.getByText("Click a place of the time-line").waitFor();
  }));

test("keys of the time-line work at its buttons, where Enter goes on pressing them", mockOnly, () =>
  onTrace(async (page, timeline) => {
    await tabTo(page, timeline.getByRole("button", { name: "next wait (n)" }));
    await windowAfter(page, "Enter");
    await windowAfter(page, "Enter");
    await windowAfter(page, "+");
    await windowAfter(page, "ArrowRight");
    await page.keyboard.press("Escape");
    await page.waitForURL((url) => !url.hash.includes("bar="));
    const { text, visible } = await focused(page);
    assert.deepEqual([text.trim(), visible], ["›", true]);
  }));

test("the focus stays in the statistics when a row is opened and left again", mockOnly, () =>
  onTrace(async (page, timeline) => {
    const beside = timeline.getByLabel("beside");
    await tabTo(page, beside);
    await page.keyboard.press("ArrowDown");
    const rows = timeline.locator(".row-link");
    await rows.nth(1).waitFor();
    await tabTo(page, rows.nth(1));
    const { row } = await focused(page);
    await page.keyboard.press("Enter");
    await timeline.getByRole("button", { name: "‹ all" }).waitFor();
    assert.deepEqual(await focused(page).then(({ text, visible }) => [text, visible]), ["‹ all", true]);
    await windowAfter(page, "+");
    await page.keyboard.press("Enter");
    await rows.nth(1).waitFor();
    const back = await focused(page);
    assert.deepEqual([back.row, back.visible], [row, true]);
  }));

test("a call path keeps the focus when Enter shows its worst place", mockOnly, () =>
  onTrace(async (page, timeline) => {
    await tabTo(page, timeline.locator("tbody tr[tabindex='0']"));
    await windowAfter(page, "Enter");
    const { row } = await focused(page);
    await page.keyboard.press("ArrowDown");
    assert.notEqual((await focused(page)).row, row);
    await windowAfter(page, "+");
  }));

test("a finding leads into the table if that is what the pane shows", mockOnly, () =>
  onTrace(async (page, timeline) => {
    await tabTo(page, timeline.getByRole("button", { name: "Table", exact: true }));
    await page.keyboard.press("Enter");
    await page.keyboard.press("1");
    await page.waitForURL(/bar=/);
    const inTable = () => timeline.locator(".pic-twin").evaluate((twin) => twin.contains(document.activeElement));
    for (let attempt = 0; attempt < 60 && !(await inTable()); attempt++) await page.waitForTimeout(50);
    assert.ok(await inTable());
  }));
