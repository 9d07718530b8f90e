// The table of source lines of the whole program.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Browser, Page } from "playwright-core";
import { accessibility, launch, openPage, pane, REAL, rows, type Opened } from "./browser.ts";

const mockOnly = { skip: REAL !== undefined };
let browser: Browser;

before(async () => void (browser = await launch()));
after(() => browser.close());

/** Opens the view of lines by its key. */
async function onLines(f: (opened: Opened) => Promise<void>, documents?: readonly string[], options = {}): Promise<void> {
  const opened = await openPage(browser, documents, options);
  try {
    await rows(opened.page, "functions").first().waitFor();
    await opened.page.keyboard.press("n");
    await rows(opened.page, "lines").first().waitFor();
    await f(opened);
    assert.deepEqual(opened.errors, []);
  } finally {
    await opened.close();
  }
}

const texts = (page: Page) => rows(page, "lines").evaluateAll((all) => all.map((row) => [...row.querySelectorAll(".cell")].map((cell) => cell.textContent ?? "")));
const marked = (page: Page) => pane(page, "source").locator(".row.source-line.marked");

test("lines are listed with their costs, and what is left out is said", mockOnly, () =>
  onLines(async ({ page }) => {
    const first = (await texts(page))[0]!;
    assert.deepEqual([first[0], first[1], first[3]], ["22.0 %", "22.0 %", "matrix.cpp:124"]);
    const inlined = (await texts(page)).find((cells) => cells[3] === "stl_vector.h:1121")!;
    assert.equal(inlined[1], "–");
    assert.match(inlined[2]!, /and 1 more/);
    await page.getByText("2.1 % of Ir has no line").first().waitFor();
    await pane(page, "lines").getByRole("button", { name: "Inclusive" }).click();
    await rows(page, "lines").first().getByText("99.0 %").waitFor();
    assert.equal(await pane(page, "lines").locator("[aria-sort]").getAttribute("aria-sort"), "descending");
    await accessibility(page);
  }));

test("a click shows the source at the line of its file; Back and a reload know it", mockOnly, () =>
  onLines(async ({ page }) => {
    await rows(page, "lines").getByText("stl_vector.h").click();
    await marked(page).waitFor();
    assert.match((await marked(page).textContent())!, /1121/);
    assert.equal(await rows(page, "lines").locator("xpath=self::*[contains(@class, 'active')]").count(), 1);
    await page.waitForTimeout(300);
    await page.reload();
    await marked(page).waitFor();
    assert.match((await marked(page).textContent())!, /1121/);
    await rows(page, "lines").getByText("matrix.cpp").click();
    await marked(page).getByText("124").first().waitFor();
    await page.goBack();
    await marked(page).getByText("1121").first().waitFor();
  }));

for (const colorScheme of ["light", "dark"] as const)
  test(`keys choose a line on a narrow screen, ${colorScheme}`, mockOnly, () =>
    onLines(async ({ page }) => {
      const table = pane(page, "lines").locator(".table");
      await table.focus();
      await page.keyboard.press("ArrowDown");
      await page.keyboard.press("Enter");
      await marked(page).getByText("1121").first().waitFor();
      assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), "nothing is wider than the screen");
      await accessibility(page);
    }, undefined, { viewport: { width: 390, height: 844 }, colorScheme }));

test("the lines of a comparison have old and new costs, or are those of the chosen profile", mockOnly, () =>
  onLines(async ({ page, mock }) => {
    await page.getByText("matched by their text").first().waitFor();
    const heads = await pane(page, "lines").locator("[role=columnheader]").allTextContents();
    assert.deepEqual(heads.map((head) => head.replace(/[^A-Za-z]/g, "")).slice(0, 4), ["Old", "New", "Difference", "Ratio"]);
    const was = (await texts(page)).map((cells) => cells.slice(-2));
    assert.deepEqual(was, [[":124", "matrix.cpp:130"], ["≈ :140", "matrix.cpp:140"], ["–", "matrix.cpp:150"], [":12", "matrix.cpp:12"]]);
    await pane(page, "lines").getByRole("button", { name: "Ratio" }).click();
    await page.waitForFunction(() => document.querySelector('[data-view="lines"] [aria-sort]')?.textContent?.includes("Ratio"));
    await accessibility(page);
    await page.getByLabel("side of the comparison").selectOption("old");
    await page.getByText("these are the lines of the old profile").first().waitFor();
    assert.ok(mock.asked.some(({ body }) => JSON.stringify(body).includes('"ask":"lines"')));
  }, ["comparison"]));
