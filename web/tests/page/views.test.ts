// Runs of measurements, the source of a comparison, and the way to the editor.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Browser, Page } from "playwright-core";
import { accessibility, launch, openPage, pane, REAL, rows, type Opened } from "./browser.ts";

const mockOnly = { skip: REAL !== undefined };
let browser: Browser;

before(async () => void (browser = await launch()));
after(() => browser.close());

async function on(documents: readonly string[], f: (opened: Opened) => Promise<void>, options = {}): Promise<void> {
  const opened = await openPage(browser, documents, options);
  try {
    await f(opened);
    assert.deepEqual(opened.errors, []);
  } finally {
    await opened.close();
  }
}

const spoken = (page: Page) => page.locator("footer .offscreen");

/** The middle of a run in the plot of 40 runs; values go from 40 to 120 ms. */
async function placeOf(page: Page, run: number, value: number): Promise<{ x: number; y: number }> {
  const box = (await pane(page, "runs").locator("canvas").boundingBox())!;
  const [left, right, top, bottom] = [78, box.width - 14, 26, box.height - 38];
  return { x: box.x + left + ((run - 0.5) / 40) * (right - left), y: box.y + bottom - ((value - 40) / 80) * (bottom - top) };
}

test("the evidence of a finding about a figure is scrolled to and marked", mockOnly, () =>
  on(["bench"], async ({ page }) => {
    await page.setViewportSize({ width: 900, height: 420 });
    const figure = page.locator(".report figure.drawing").first();
    await figure.waitFor({ state: "attached" });
    assert.equal(await figure.getAttribute("aria-current"), null);
    const [below, room] = [(await figure.boundingBox())!, (await page.locator(".report").first().boundingBox())!];
    assert.ok(below.y >= room.y + room.height, `the figure at ${below.y} is out of view at first: ${room.y}, ${room.height}`);
    await page.locator(".finding-head").nth(1).click();
    await page.locator(".report figure.drawing[aria-current=true]").waitFor();
    await page.waitForTimeout(300);
    const [box, view] = [(await figure.boundingBox())!, (await page.locator(".report").first().boundingBox())!];
    assert.ok(box.y >= view.y - 1 && box.y < view.y + view.height, `the figure at ${box.y} is in view: ${view.y}, ${view.height}`);
  }));

test("a drawing has its values as a table, which keys open", mockOnly, () =>
  on(["bench"], async ({ page }) => {
    const figure = page.locator(".report figure.drawing").first();
    const summary = figure.locator("summary");
    await summary.focus();
    await page.keyboard.press("Enter");
    await figure.getByText("Accesses: all 2").waitFor();
    const cells = figure.locator(".table-space .row");
    await cells.nth(1).waitFor();
    assert.match((await cells.nth(0).textContent())!, /0.*insert/);
    assert.equal(await cells.count(), 2);
    await accessibility(page);
    await summary.press("Enter");
    await figure.getByText("Accesses: all 2").waitFor({ state: "hidden" });
  }));

test("texts of a drawing stay readable on a narrow screen: it scrolls sideways, also by keys", mockOnly, () =>
  on(["bench"], async ({ page }) => {
    const image = page.locator(".report figure.drawing img").first();
    await image.scrollIntoViewIfNeeded();
    const width = (await image.boundingBox())!.width;
    // The drawing is 1200 wide with texts of 12.
    assert.ok((width / 1200) * 12 >= 11, `${width}`);
    const space = page.locator(".drawing-space").first();
    const room = (await space.boundingBox())!.width;
    assert.ok(room <= 390, `the pane does not become wider: ${room}`);
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), "nor does the page");
    await space.focus();
    await page.keyboard.press("ArrowRight");
    await page.waitForTimeout(400);
    assert.ok(await space.evaluate((element) => element.scrollLeft > 0));
  }, { viewport: { width: 390, height: 844 } }));

test("a run is named below the pointer and by keys", mockOnly, () =>
  on(["bench"], async ({ page }) => {
    await pane(page, "runs").getByText("All runs, as in the report").waitFor();
    await page.waitForTimeout(200);
    const { x, y } = await placeOf(page, 3, 95);
    await page.mouse.move(x, y - 1);
    await page.mouse.move(x, y);
    const tip = pane(page, "runs").locator(".pic-tip");
    await tip.getByText("3 of 40").waitFor();
    await tip.getByText("2, place 1").waitFor();
    await tip.getByText("95 ms").waitFor();
    await pane(page, "runs").locator("canvas").focus();
    await page.keyboard.press("Home");
    await spoken(page).getByText("./old, wall 91 ms, run 1 of 40, round 1, place 1").waitFor();
    await page.keyboard.press("ArrowRight");
    await spoken(page).getByText("./new, wall 43 ms, run 2 of 40, round 1, place 2").waitFor();
    await page.keyboard.press("End");
    await spoken(page).getByText("exit code 1").waitFor();
  }));

test("a click on a finding marks its runs", mockOnly, () =>
  on(["bench"], async ({ page }) => {
    await pane(page, "runs").getByText("All runs, as in the report").waitFor();
    assert.equal(await pane(page, "runs").getByText("of the finding").count(), 0);
    await page.locator(".finding-head").first().click();
    await pane(page, "runs").getByText("ring: the 2 runs of the finding").waitFor();
    await pane(page, "runs").getByRole("button", { name: "Table" }).click();
    assert.deepEqual(await pane(page, "runs").locator(".pic-twin tr", { hasText: "of the finding" }).locator("td:first-of-type").allTextContents(), ["3", "7"]);
  }));

test("dragging selects runs; the statistics say that it is a selection; the table lists it", mockOnly, () =>
  on(["bench"], async ({ page, mock }) => {
    await pane(page, "runs").getByText("All runs, as in the report").waitFor();
    await page.waitForTimeout(200);
    const [from, to] = [await placeOf(page, 5, 100), await placeOf(page, 8, 100)];
    await page.mouse.move(from.x - 3, from.y);
    await page.mouse.down();
    await page.mouse.move(to.x + 3, to.y, { steps: 4 });
    await page.mouse.up();
    await pane(page, "runs").getByText("Selection: 4 of 40 runs, marked by hand. It describes these runs; it is no verdict.").waitFor();
    const asked = mock.asked.map((a) => a.body["question"] as { ask: string; selection: unknown }).filter((q) => q?.ask === "runs").at(-1);
    assert.deepEqual(asked?.selection, { first: 5, last: 8, low: null, high: null, metric: "wall" });
    await accessibility(page);
    // Reload keeps the selection: it is in the address.
    await page.waitForTimeout(400);
    await page.reload();
    await pane(page, "runs").getByText("Selection: 4 of 40 runs").waitFor();
    await pane(page, "runs").getByRole("button", { name: "Table", exact: true }).click();
    await pane(page, "runs").getByText("Selection, no verdict: 4 of 40 runs").waitFor();
    assert.equal(await pane(page, "runs").locator(".pic-twin tbody tr").count(), 4);
    await accessibility(page);
  }));

test("a selection of runs is the same in all panes, also with another metric, and in the address", mockOnly, () =>
  on(["bench"], async ({ page, mock }) => {
    await pane(page, "runs").getByText("All runs, as in the report").waitFor();
    await pane(page, "runs").getByRole("button", { name: "pane menu" }).click();
    await page.getByRole("menuitem", { name: "Split: new pane on the right" }).click();
    const [first, second] = [page.locator('.pane[data-view="runs"]').nth(0), page.locator('.pane[data-view="runs"]').nth(1)];
    await second.getByLabel("metric").selectOption("user");
    await first.locator("canvas").focus();
    await page.keyboard.press("Home");
    await page.keyboard.press("Shift+ArrowRight");
    for (const each of [first, second]) await each.getByText("Selection: 2 of 40 runs").waitFor();
    const asked = mock.asked.map((a) => a.body["question"] as { ask: string; metric: string; selection: unknown }).filter((q) => q?.ask === "runs" && q.metric === "user").at(-1);
    assert.deepEqual(asked?.selection, { first: 1, last: 2, low: null, high: null, metric: "wall" });
    await page.waitForTimeout(400);
    assert.equal(new URLSearchParams(new URL(page.url()).hash.slice(1)).get("runs"), "1_2___wall");
    await second.locator("canvas").focus();
    await page.keyboard.press("Escape");
    for (const each of [first, second]) await each.getByText("All runs, as in the report").waitFor();
  }));

test("runs are selected and the selection is cleared by keys", mockOnly, () =>
  on(["bench"], async ({ page }) => {
    await pane(page, "runs").getByText("All runs, as in the report").waitFor();
    await pane(page, "runs").locator("canvas").focus();
    await page.keyboard.press("Home");
    await page.keyboard.press("Shift+ArrowRight");
    await page.keyboard.press("Shift+ArrowRight");
    await pane(page, "runs").getByText("Selection: 3 of 40 runs").waitFor();
    await page.keyboard.press("Escape");
    await pane(page, "runs").getByText("All runs, as in the report").waitFor();
    await pane(page, "runs").getByLabel("plot").selectOption("distribution");
    await page.keyboard.press("Escape");
    await accessibility(page);
  }));

test("the source of a comparison has old and new lines and costs", mockOnly, () =>
  on(["comparison"], async ({ page }) => {
    await rows(page, "functions").first().waitFor();
    await page.keyboard.press("s");
    const source = pane(page, "source");
    for (const title of ["Old", "New", "Difference", "Old line", "New line"]) await source.locator(".table-head, .table-headgroup").getByText(title, { exact: true }).first().waitFor();
    const added = source.locator(".row.added").first();
    await added.waitFor();
    assert.match((await added.textContent()) ?? "", /\+/);
    await accessibility(page);
  }));

test("the old cost of a comparison sorts", mockOnly, () =>
  on(["comparison"], async ({ page, mock }) => {
    await rows(page, "functions").first().waitFor();
    await pane(page, "functions").getByRole("button", { name: "Old", exact: true }).click();
    await page.waitForTimeout(300);
    const asked = mock.asked.map((a) => a.body["question"] as { ask: string; sort: string }).filter((q) => q?.ask === "functions").at(-1);
    assert.equal(asked?.sort, "old");
  }));

test("a line is copied as path:line, and opened in the editor", mockOnly, () =>
  on(["profile"], async ({ page, mock }) => {
    await rows(page, "functions").first().waitFor();
    const source = pane(page, "source");
    await source.locator(".row.source-line").filter({ hasText: "sum +=" }).click();
    await page.keyboard.press("o");
    await spoken(page).getByText("started code --goto /home/user/solver/src/matrix.cpp:").waitFor();
    const edit = mock.asked.filter((a) => a.url === "/api/edit").at(-1)?.body;
    assert.equal(edit?.["path"], "/home/user/solver/src/matrix.cpp");
    await source.locator(".row.source-line").filter({ hasText: "sum +=" }).click();
    await page.keyboard.press("y");
    await spoken(page).getByText("place copied").waitFor();
    assert.equal(await page.evaluate(() => navigator.clipboard.readText()), `${String(edit?.["path"])}:${String(edit?.["line"])}`);
    await page.keyboard.press("m");
    await page.getByRole("menuitem", { name: "Copy path:line" }).waitFor();
  }, { permissions: ["clipboard-read", "clipboard-write"] }));
