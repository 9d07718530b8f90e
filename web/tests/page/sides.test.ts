// What comparisons, event types and runs say about their numbers.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Browser, Page } from "playwright-core";
import { accessibility, launch, openPage, pane, REAL, rows, type Opened } from "./browser.ts";

const mockOnly = { skip: REAL !== undefined };
let browser: Browser;

before(async () => void (browser = await launch()));
after(() => browser.close());

async function on(documents: readonly string[], f: (opened: Opened) => Promise<void>): Promise<void> {
  const opened = await openPage(browser, documents);
  try {
    await f(opened);
    assert.deepEqual(opened.errors, []);
  } finally {
    await opened.close();
  }
}

async function activate(page: Page, name: string): Promise<void> {
  await rows(page, "functions").first().waitFor();
  await page.getByLabel("filter functions").fill(name);
  // Rows move until the filter is answered, and a click would hit another one.
  await page.waitForFunction((name) => {
    const shown = [...document.querySelectorAll('[data-view="functions"] .table-space .row')];
    return shown.length > 0 && shown.every((row) => row.textContent?.toLowerCase().includes(name.toLowerCase()));
  }, name);
  await rows(page, "functions").getByText(name).first().click();
  await pane(page, "calls").locator(".calls-title").getByText(name).first().waitFor();
}

test("the numbers of a comparison name the side that is shown", mockOnly, () =>
  on(["comparison"], async ({ page }) => {
    await activate(page, "multiply");
    const title = pane(page, "calls").locator(".calls-title");
    const status = page.locator(".status-active");
    await title.getByText("old → new: self 56.8 % → 34.1 % · inclusive 68.7 % → 41.2 %").waitFor();
    const side = page.getByLabel("side of the comparison");
    await side.selectOption("old");
    await title.getByText("old: self 56.8 % · inclusive 68.7 %").waitFor();
    await status.getByText(", old: self 56.8 %, inclusive 68.7 %").waitFor();
    // Lines and instructions are then those of one profile.
    const heads = pane(page, "source").locator(".table-head .head-base");
    await heads.getByText("old", { exact: true }).first().waitFor();
    assert.deepEqual(await heads.allTextContents(), ["old", "old"]);
    await side.selectOption("new");
    await title.getByText("new: self 34.1 % · inclusive 41.2 %").waitFor();
    await status.getByText(", new: self 34.1 %, inclusive 41.2 %").waitFor();
    await page.locator(".status").getByText("Instructions: 4.21 G in total (new)").waitFor();
    await accessibility(page);
  }));

test("heads of a comparison say what shares are of, and only where shares are shown", mockOnly, () =>
  on(["comparison"], async ({ page }) => {
    await activate(page, "multiply");
    const head = pane(page, "calls").locator(".table-head").first();
    await head.getByText("of old total").waitFor();
    assert.deepEqual(await head.locator(".head-base").allTextContents(), ["of new total", "of old total"]);
    await page.keyboard.press("s");
    const source = pane(page, "source").locator(".table-head").first();
    await source.getByText("of new total").waitFor();
    assert.deepEqual(await source.locator(".head-base").allTextContents(), ["of old total", "of new total", "of old total"]);
    await accessibility(page);
    await pane(page, "calls").getByRole("button", { name: "%", exact: true }).click();
    assert.equal(await head.locator(".head-base").count(), 0);
  }));

test("calls inside a cycle have a mark that no ellipsis cuts", mockOnly, () =>
  on(["profile"], async ({ page }) => {
    await activate(page, "evaluate");
    const call = pane(page, "source").locator(".row.source-call").filter({ hasText: "evaluate" }).first();
    await call.locator(".cycle-mark").waitFor();
    await activate(page, "parse_input");
    const caller = rows(page, "calls").filter({ hasText: "evaluate" }).first();
    assert.match((await caller.locator(".name").textContent()) ?? "", /^↻/);
    assert.match((await caller.locator(".cycle-mark").getAttribute("title")) ?? "", /100 %/);
  }));

test("a file whose name is unknown comes without advice", mockOnly, () =>
  on(["profile"], async ({ page }) => {
    await activate(page, "free");
    await page.keyboard.press("s");
    await page.keyboard.press("End");
    const source = pane(page, "source");
    await source.locator(".file-head").getByText("file unknown", { exact: true }).waitFor();
    assert.equal(await source.getByText("--source-dir").count(), 0);
    await activate(page, "multiply");
    await page.keyboard.press("s");
    await page.keyboard.press("End");
    await source.getByText("--source-dir").waitFor();
  }));

test("Enter adds an event type, even before it is checked; its total is shown", mockOnly, () =>
  on(["profile"], async ({ page }) => {
    await rows(page, "functions").first().waitFor();
    await page.keyboard.press("e");
    const events = pane(page, "events");
    const field = page.getByLabel("definition of an event type");
    await field.fill("Bad = Bogus");
    await field.press("Enter");
    await events.getByText("there is no event type “Bogus”").waitFor();
    assert.equal(await field.inputValue(), "Bad = Bogus");
    await field.fill("Own = Ir + Dr");
    await field.press("Enter");
    const row = events.locator("tbody tr").filter({ hasText: "Own" });
    await row.getByText("1.23", { exact: true }).waitFor();
    assert.equal(await field.inputValue(), "");
    await page.getByLabel("rank by Own").check();
    await page.locator(".status").getByText("Own: 1.23 in total").waitFor();
    await field.fill("Per = Ir / Dr");
    await events.getByText("Per: has no total, since it is a ratio").waitFor();
    await field.press("Enter");
    await events.locator("tbody tr").filter({ hasText: "Per" }).getByText("none", { exact: true }).waitFor();
    await accessibility(page);
  }));

test("a drag that catches no run says so", mockOnly, () =>
  on(["bench"], async ({ page }) => {
    const runs = pane(page, "runs");
    await runs.getByText("All runs, as in the report").waitFor();
    await page.waitForTimeout(200);
    const box = (await runs.locator("canvas").boundingBox())!;
    // Between the two programs, whose values are far apart.
    const y = box.y + 26 + (box.height - 64) * 0.6;
    await page.mouse.move(box.x + 200, y - 8);
    await page.mouse.down();
    await page.mouse.move(box.x + 260, y + 8, { steps: 4 });
    await page.mouse.up();
    await runs.getByText("No run is in the selection.").waitFor();
    await accessibility(page);
    await runs.locator("canvas").press("Escape");
    await runs.getByText("No run is in the selection.").waitFor({ state: "detached" });
  }));

test("the help resets the panes", mockOnly, () =>
  on(["profile"], async ({ page }) => {
    await rows(page, "functions").first().waitFor();
    const count = await page.locator("[data-pane]").count();
    await pane(page, "flame").getByLabel("close pane").click();
    await pane(page, "flame").waitFor({ state: "detached" });
    await page.keyboard.press("?");
    await page.getByRole("button", { name: "Reset panes" }).click();
    await pane(page, "flame").waitFor();
    assert.equal(await page.locator("[data-pane]").count(), count);
    assert.equal(await page.getByRole("dialog").count(), 0);
  }));

test("functions of the same name have their place beside it, in tables and titles", mockOnly, () =>
  on(["profile"], async ({ page }) => {
    await activate(page, "free");
    await rows(page, "functions").getByText("[heap.c:3384]").waitFor();
    await pane(page, "calls").locator(".calls-title").getByText("[heap.c:3384]").waitFor();
    assert.equal(await rows(page, "functions").getByText("[", { exact: false }).count(), 1);
  }));

test("the sentence is about what is chosen", mockOnly, () =>
  on(["profile"], async ({ page }) => {
    const sentence = page.locator(".sentence");
    await sentence.getByText("Matrix::multiply takes 34 %").waitFor();
    await page.getByRole("button", { name: "Filter" }).click();
    await page.getByLabel("Focus").fill("malloc");
    await page.getByLabel("Focus").press("Enter");
    await sentence.getByText("(malloc)").waitFor();
  }));

test("an accepted rename takes its note and its finding away, also after a reload, and Undo brings them back", mockOnly, () =>
  on(["renamed"], async ({ page }) => {
    const renames = page.getByRole("group", { name: "renamed functions" });
    const findings = page.getByRole("region", { name: "findings" });
    const hint = page.getByText("perhaps renamed: lookup");
    const of_lookup = findings.getByText("lookup disappeared");
    const isGone = async () => {
      await renames.getByText("Renamed: lookup → find_word").waitFor();
      await hint.waitFor({ state: "detached" });
      await of_lookup.waitFor({ state: "detached" });
      assert.equal(await findings.getByText("malloc costs more").count(), 1);
      assert.equal(await page.getByText("perf lost 3 records").first().isVisible(), true);
    };
    await of_lookup.waitFor();
    const row = renames.locator(".rename").filter({ hasText: "lookup" });
    await row.getByRole("button", { name: "Accept" }).press("Enter");
    await isGone();
    await findings.getByRole("button", { name: "Explain" }).click();
    await page.getByText("strides over rows touches a new cache line").first().waitFor();
    await page.reload();
    await isGone();
    await renames.getByRole("button", { name: "Undo" }).press("Enter");
    await of_lookup.waitFor();
  }));

test("a proposed rename is accepted and rejected with the keyboard, and the address has it", mockOnly, () =>
  on(["comparison"], async ({ page, mock }) => {
    const renames = page.getByRole("group", { name: "renamed functions" });
    await renames.getByText("lookup").waitFor();
    await renames.getByRole("button", { name: "Reject" }).first().press("Enter");
    await renames.getByText("1 proposed rename is rejected").waitFor();
    await renames.getByRole("button", { name: "Accept" }).press("Enter");
    await renames.getByText("Renamed: lookup → find_word").waitFor();
    const expected = [{ old: "lookup", new: "find_word" }];
    const asked = () => mock!.asked.map(({ body }) => body["question"] as { ask: string; scope?: { renames?: unknown } } | undefined);
    await page.waitForFunction(() => location.hash.includes("rename=") && location.hash.includes("norename="));
    await rows(page, "functions").first().waitFor();
    const table = asked().filter((question) => question?.ask === "functions").at(-1);
    assert.deepEqual(table?.scope?.renames, expected);
    await accessibility(page);
    await page.reload();
    await renames.getByText("Renamed: lookup → find_word").waitFor();
    await renames.getByRole("button", { name: "Undo" }).press("Enter");
    await renames.getByRole("button", { name: "Accept" }).waitFor();
    await renames.getByRole("button", { name: "Show again" }).press("Enter");
    assert.equal(await renames.getByRole("button", { name: "Accept" }).count(), 2);
  }));
