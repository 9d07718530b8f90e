// The page in a browser. With LOTSE_URL (URL with token of a real server that has a profile open)
// only the tests that do not depend on invented data run.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Browser, Page } from "playwright-core";
import { accessibility, launch, openPage, pane, REAL, rows, type Opened } from "./browser.ts";

const mockOnly = { skip: REAL !== undefined };
let browser: Browser;

before(async () => void (browser = await launch()));
after(() => browser.close());

/** Opens a page, runs a test on it, and checks that the page reported no errors. */
async function on(documents: readonly string[] | undefined, f: (opened: Opened) => Promise<void>, options = {}): Promise<void> {
  const opened = await openPage(browser, documents, options);
  try {
    await f(opened);
    assert.deepEqual(opened.errors, []);
  } finally {
    await opened.close();
  }
}

async function firstName(page: Page): Promise<string> {
  return (await rows(page, "functions").first().locator(".name").textContent()) ?? "";
}

test("the answer, findings and default panes are there; the token is not in the address bar", () =>
  on(undefined, async ({ page }) => {
    await page.waitForSelector(".sentence:not([hidden])");
    await rows(page, "functions").first().waitFor();
    for (const view of ["functions", "calls", "flame", "source"]) await pane(page, view).waitFor();
    assert.ok(!page.url().includes("token"));
  }));

test("each view of a profile opens with its key", () =>
  on(undefined, async ({ page }) => {
    await rows(page, "functions").first().waitFor();
    const always = [["g", "graph"], ["r", "treemap"], ["e", "events"], ["s", "source"], ["n", "lines"]] as const;
    for (const [key, view] of REAL ? always : [...always, ["p", "parts"], ["d", "data"]] as const) {
      await page.keyboard.press(key);
      await pane(page, view).waitFor();
      assert.equal(await pane(page, view).locator(".problem").count(), 0, view);
    }
    // Where there is no room for one more, the pane that was opened last changes its view.
    const boxes = await page.locator("[data-pane]").evaluateAll((panes) => panes.map((it) => it.getBoundingClientRect()).map(({ width, height }) => [width, height] as const));
    assert.ok(boxes.length > 3 && boxes.every(([width, height]) => width >= 250 && height >= 120), JSON.stringify(boxes));
  }));

test("hostile names are texts", mockOnly, () =>
  on(undefined, async ({ page }) => {
    await rows(page, "functions").first().waitFor();
    assert.ok(await pane(page, "functions").getByText("<img src=x").first().isVisible());
    await page.keyboard.press("]");
    await page.keyboard.press("]");
    await page.keyboard.press("]");
    await pane(page, "report").locator("img").waitFor();
    assert.equal(await page.evaluate(() => (window as unknown as { broken?: number }).broken), undefined);
  }));

test("sorting, filtering and grouping ask the server", mockOnly, () =>
  on(undefined, async ({ page, mock }) => {
    await rows(page, "functions").first().waitFor();
    const table = pane(page, "functions");
    await table.getByRole("button", { name: "Inclusive" }).click();
    await table.getByText("main").first().waitFor();
    assert.equal(await firstName(page), "main");
    assert.equal(await table.locator("[aria-sort]").getAttribute("aria-sort"), "descending");
    await table.getByLabel("filter functions").fill("/^m.*c/");
    await page.waitForFunction(() => document.querySelectorAll('[data-view="functions"] .table-space .row').length === 2);
    await table.getByLabel("filter functions").fill("nothing like this");
    await table.getByText("No function matches").waitFor();
    await table.getByLabel("filter functions").fill("");
    // The answer to the cleared filter would move the rows of groups under the click.
    await rows(page, "functions").getByText("main").first().waitFor();
    await table.getByLabel("group functions").selectOption("object");
    await rows(page, "functions").getByText("main", { exact: true }).first().waitFor({ state: "detached" });
    await rows(page, "functions").getByText("libc.so.6").first().click();
    await page.keyboard.press("Enter");
    await table.getByText("all groups").waitFor();
    await page.waitForFunction(() => document.querySelectorAll('[data-view="functions"] .table-space .row').length === 3);
    const last = mock.asked.filter((a) => a.url === "/api/ask").map((a) => a.body["question"] as { ask: string; within?: unknown }).filter((q) => q.ask === "functions").at(-1);
    assert.deepEqual(last?.within, { group: "object", name: "libc.so.6" });
  }));

test("a click makes a function active everywhere; back and forward undo it; reload restores", mockOnly, () =>
  on(undefined, async ({ page }) => {
    const title = pane(page, "calls").locator(".calls-title");
    await title.getByText("multiply").waitFor();
    await rows(page, "functions").getByText("Solver::step").click();
    await title.getByText("Solver::step").waitFor();
    await pane(page, "source").locator(".calls-title").getByText("Solver::step").waitFor();
    await rows(page, "functions").getByText("parse_input").click();
    await title.getByText("parse_input").waitFor();
    await page.goBack();
    await title.getByText("Solver::step").waitFor();
    await page.goForward();
    await title.getByText("parse_input").waitFor();
    await page.waitForTimeout(300);
    await page.reload();
    await title.getByText("parse_input").waitFor();
  }));

/** Waits until the focus is in the pane of a view. The policy of the page forbids playwright's own waiting for functions. */
async function focusIn(page: Page, view: string): Promise<void> {
  for (let attempt = 0; attempt < 100; attempt++) {
    const focused = await page.evaluate(() => document.activeElement?.closest("[data-view]")?.getAttribute("data-view"));
    if (focused === view) return;
    await page.waitForTimeout(50);
  }
  assert.fail(`the focus did not reach ${view}`);
}

test("keyboard only: move, activate, open, menu, back, search, help", mockOnly, () =>
  on(undefined, async ({ page }) => {
    await rows(page, "functions").first().waitFor();
    const title = pane(page, "calls").locator(".calls-title");
    await title.getByText("multiply").waitFor();
    await page.keyboard.press("t");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await title.getByText("Solver::step").waitFor();
    await page.keyboard.press("Enter");
    await focusIn(page, "source");
    await page.keyboard.press("c");
    // Keys go to the table that has the focus, which moves when the answer is there.
    await rows(page, "calls").getByText("Solver::run").first().waitFor();
    await focusIn(page, "calls");
    await page.keyboard.press("Enter");
    await title.getByText("Solver::run").waitFor();
    await page.keyboard.press("Backspace");
    await title.getByText("Solver::step").waitFor();
    await page.keyboard.press("t");
    await page.keyboard.press("m");
    await page.getByRole("menu").waitFor();
    await page.keyboard.press("Escape");
    assert.equal(await page.getByRole("menu").count(), 0);
    await page.keyboard.press("/");
    await page.keyboard.type("parse");
    await page.getByRole("option").getByText("parse_input").waitFor();
    await page.keyboard.press("Enter");
    await title.getByText("parse_input").waitFor();
    await page.keyboard.press("Escape");
    await page.keyboard.press("Escape");
    await page.keyboard.press("?");
    await page.getByRole("dialog").waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
  }));

test("number keys show the evidence of a finding", mockOnly, () =>
  on(undefined, async ({ page }) => {
    await rows(page, "functions").first().waitFor();
    // The first finding is that of the trace: the order is by level and share, whatever is shown.
    await page.keyboard.press("2");
    await pane(page, "source").locator(".marked").first().waitFor();
    assert.match((await pane(page, "source").locator(".source-line.marked").textContent()) ?? "", /124/);
    // The chosen finding has its whole text, however long it is.
    const reason = page.locator(".finding.current .finding-reason");
    const cutBy = () => reason.evaluate((element) => ((element.textContent = "long text ".repeat(100)), element.scrollHeight - element.clientHeight));
    assert.equal(await reason.count(), 1);
    assert.equal(await cutBy(), 0);
    await page.getByRole("button", { name: "Explain" }).nth(1).click();
    await page.getByText("new cache line at each step").waitFor();
    await page.getByLabel("kind of finding").selectOption("trace");
    await page.keyboard.press("Escape");
    await page.locator(".finding-head").first().click();
    await pane(page, "timeline").waitFor();
    assert.match(page.url(), /window=1.5_3.2/);
  }));

test("a trace: call stack, statistics, waits and the outlined bar; Back undoes each step", mockOnly, () =>
  on(["trace"], async ({ page }) => {
    const timeline = pane(page, "timeline");
    const canvas = timeline.locator("canvas");
    await canvas.waitFor();
    await page.locator(".finding-head").first().click();
    await page.waitForURL(/bar=5_5_2_2.5/);
    await canvas.focus();
    await page.keyboard.press("n");
    await page.waitForURL(/bar=3_3_3_3.25/);
    await timeline.getByText("wait 4 of 12").waitFor();
    await page.keyboard.press("Shift+ArrowRight");
    await page.keyboard.press(" ");
    await timeline.getByRole("table", { name: "open calls" }).getByText("exchange").waitFor();
    await accessibility(page);
    await timeline.getByLabel("beside").selectOption("statistics");
    await timeline.getByRole("table", { name: "statistics of the window" }).getByText("compute").click();
    await timeline.getByText("rank 1", { exact: true }).waitFor();
    await timeline.getByText("known for the whole run only").waitFor();
    await accessibility(page);
    await timeline.getByLabel("statistics of", { exact: true }).selectOption("waits");
    await timeline.getByRole("table", { name: "statistics of the window" }).getByText("Late sender").waitFor();
    await page.goBack();
    assert.doesNotMatch(page.url(), /point/);
    assert.match(page.url(), /bar=3_3_3_3.25/);
    await page.goBack();
    await page.waitForURL(/bar=5_5_2_2.5/);
  }));

test("focus from the menu restricts all views, and the field clears it", mockOnly, () =>
  on(undefined, async ({ page, mock }) => {
    await rows(page, "functions").getByText("malloc").click({ button: "right" });
    await page.getByRole("menuitem", { name: "Focus" }).click();
    assert.equal(await page.getByLabel("Focus").inputValue(), "/^malloc$/");
    await page.waitForTimeout(300);
    const last = () => mock.asked.map((a) => a.body["question"] as { ask: string; scope: { focus: string | null } }).filter((q) => q?.ask === "flame").at(-1);
    assert.equal(last()?.scope.focus, "/^malloc$/");
    await page.getByRole("button", { name: "Clear all" }).click();
    await page.waitForTimeout(300);
    assert.equal(last()?.scope.focus, null);
    await page.goBack();
    assert.equal(await page.getByLabel("Focus").inputValue(), "/^malloc$/");
  }));

test("ctrl-click selects, and the status line sums the selection", mockOnly, () =>
  on(undefined, async ({ page }) => {
    await rows(page, "functions").getByText("memcpy").click({ modifiers: ["Control"] });
    await rows(page, "functions").getByText("free").click({ modifiers: ["Control"] });
    await page.locator(".status").getByText("2 selected: self 10.7 % together").waitFor();
    await page.keyboard.press("Escape");
    await page.locator(".status").getByText("selected").waitFor({ state: "hidden" });
  }));

test("panes split, change their view, move and close; dividers obey keys", mockOnly, () =>
  on(undefined, async ({ page }) => {
    await rows(page, "functions").first().waitFor();
    await pane(page, "functions").getByLabel("pane menu").click();
    await page.getByText("new pane below").click();
    await pane(page, "graph").waitFor();
    await pane(page, "graph").getByLabel("view of this pane").selectOption("parts");
    await pane(page, "parts").waitFor();
    await pane(page, "parts").getByLabel("pane menu").click();
    await page.getByText("Move to the right edge").click();
    await pane(page, "parts").getByLabel("close pane").click();
    assert.equal(await page.locator(".pane").count(), 4);
    const divider = page.locator(".divider").first();
    const before = Number(await divider.getAttribute("aria-valuenow"));
    await divider.focus();
    await page.keyboard.press("ArrowDown");
    assert.equal(Number(await divider.getAttribute("aria-valuenow")), before + 2);
  }));

test("parts restrict all views, and an event type is defined", mockOnly, () =>
  on(undefined, async ({ page, mock }) => {
    await rows(page, "functions").first().waitFor();
    await page.keyboard.press("p");
    await rows(page, "parts").nth(2).click();
    await page.locator(".status").getByText("Instructions: 1.05 G in total, 1 of 8 parts").waitFor();
    await page.locator(".sentence").getByText("(parts 3)").waitFor();
    assert.equal(await page.getByLabel("event type").locator("option").nth(1).textContent(), "Data reads: 1.13 G (all parts, no filter)");
    await page.keyboard.press("e");
    const field = page.getByLabel("definition of an event type");
    await field.fill("X = Ir / Bogus");
    await page.getByText("there is no event type").waitFor();
    assert.equal(await page.locator(".definition-bad mark").textContent(), "Bogus");
    await field.fill("X = Ir / Dr");
    await page.getByText("1.23 in total").waitFor();
    await page.getByRole("button", { name: "Add as a column" }).click();
    await pane(page, "functions").getByText("X self").waitFor();
    const last = mock.asked.map((a) => a.body["question"] as { ask: string; events: string[]; scope: { define: string[]; parts: number[] } }).filter((q) => q?.ask === "functions").at(-1);
    assert.deepEqual([last?.events, last?.scope.define, last?.scope.parts], [["Ir", "X"], ["X = Ir / Dr"], [3]]);
  }));

test("a comparison has old, new, difference and ratio", mockOnly, () =>
  on(["comparison"], async ({ page }) => {
    await rows(page, "functions").first().waitFor();
    for (const title of ["Old", "New", "Difference", "Ratio"]) await pane(page, "functions").locator(".table-head").getByText(title, { exact: true }).waitFor();
    assert.ok((await pane(page, "functions").locator(".change.less").count()) > 0);
    assert.ok((await pane(page, "functions").locator(".row.noise").count()) > 0);
    await page.getByLabel("side of the comparison").selectOption("old");
    assert.match(await page.evaluate(() => new Promise((resolve) => setTimeout(() => resolve(location.hash), 300))), /side=old/);
  }));

test("% redraws at once, and sorting keeps the focus on the head", mockOnly, () =>
  on(["comparison"], async ({ page, mock }) => {
    for (const view of ["functions", "calls", "source"]) {
      const cell = pane(page, view).locator(".table-space .amount").first();
      await cell.waitFor();
      await page.waitForTimeout(400);
      const [before, asked] = [await cell.textContent(), mock.asked.length];
      await pane(page, view).getByRole("button", { name: "%", exact: true }).click();
      assert.notEqual(await cell.textContent(), before, view);
      assert.equal(mock.asked.length, asked, "nothing is asked for it");
    }
    const old = pane(page, "functions").locator(".table-space .row").first().locator(".amount").first();
    assert.match((await old.getAttribute("title"))!, /of the old total 4.80 G/);
    await pane(page, "functions").locator("button.sort").getByText("New").focus();
    await page.keyboard.press("Enter");
    await page.waitForTimeout(400);
    assert.equal(await page.evaluate(() => document.activeElement?.textContent), "New");
  }));

test("Enter in the search takes the function and leaves the box; a group is selected by a click", mockOnly, () =>
  on(["profile"], async ({ page }) => {
    await rows(page, "functions").first().waitFor();
    await page.keyboard.press("/");
    await page.keyboard.type("main");
    await page.keyboard.press("Enter");
    await pane(page, "calls").locator(".calls-title strong").getByText("main", { exact: true }).waitFor();
    assert.equal(await page.locator("input.search").inputValue(), "");
    assert.equal(await page.evaluate(() => document.activeElement?.closest("[data-view]")?.getAttribute("data-view")), "functions");
    await pane(page, "functions").getByLabel("group functions").selectOption("object");
    await pane(page, "functions").getByText("libc.so.6").first().click();
    await pane(page, "functions").locator(".pane-footer").getByText("double click or Enter opens it").waitFor();
    assert.equal(await pane(page, "functions").locator(".row.active").count(), 1);
    await pane(page, "functions").getByText("libc.so.6").first().dblclick();
    await pane(page, "functions").getByText("all groups").waitFor();
  }));

test("numbers are not cut in narrow panes", mockOnly, () =>
  on(["comparison"], async ({ page }) => {
    await rows(page, "functions").first().waitFor();
    await rows(page, "calls").first().waitFor();
    await page.waitForTimeout(300);
    const cut = await page.evaluate(() => [...document.querySelectorAll(".table-space .cell.right")].filter((cell) => cell.scrollWidth > cell.clientWidth).map((cell) => cell.textContent));
    assert.deepEqual(cut, []);
    // What the pinned names leave is room for whole columns.
    const halved = await page.evaluate(() => [...document.querySelectorAll(".table.sideways .table-head")].flatMap((head) => {
      const edge = head.querySelector(".pinned")!.getBoundingClientRect().left;
      return [...head.querySelectorAll(".cell:not(.pinned)")].filter((cell) => { const box = cell.getBoundingClientRect(); return box.left < edge - 1 && box.right > edge + 1; });
    }).length);
    assert.equal(halved, 0);
  }, { viewport: { width: 390, height: 844 } }));

test("two million rows scroll to the end and by wheel", mockOnly, () =>
  on(["big"], async ({ page }) => {
    await rows(page, "functions").first().waitFor();
    await page.keyboard.press("t");
    await page.keyboard.press("End");
    await pane(page, "functions").getByText("function_1999999(").waitFor();
    await pane(page, "functions").locator(".table-space").hover();
    await page.mouse.wheel(0, -220);
    await pane(page, "functions").getByText("function_1999985(").waitFor();
  }));

test("an error is shown in place and can be retried", mockOnly, () =>
  on(undefined, async ({ page, mock }) => {
    await rows(page, "functions").first().waitFor();
    await page.waitForTimeout(400);
    mock.failNext = 500;
    await pane(page, "functions").getByRole("button", { name: "Inclusive" }).click();
    await pane(page, "functions").getByText("the engine could not answer").waitFor();
    await pane(page, "functions").getByRole("button", { name: "Try again" }).click();
    await pane(page, "functions").getByText("the engine could not answer").waitFor({ state: "detached" });
    assert.equal(await firstName(page), "main");
  }));

test("lost connection: nothing is lost, and the page reconnects", mockOnly, () =>
  on(undefined, async ({ page, mock }) => {
    await rows(page, "functions").first().waitFor();
    await page.waitForTimeout(400);
    const { port } = mock;
    await mock.stop();
    await page.getByText("Disconnected:").waitFor();
    await rows(page, "functions").getByText("Solver::step").click();
    assert.ok(await rows(page, "functions").getByText("memcpy").isVisible());
    await mock.start(port);
    await page.getByRole("button", { name: "Try now" }).click();
    await page.locator(".server").getByText("connected", { exact: true }).waitFor();
    await pane(page, "calls").locator(".calls-title").getByText("Solver::step").waitFor();
  }));

test("changed on disk: reload keeps the active function; opening and failed documents", mockOnly, () =>
  on(["damaged", "opening", "failed"], async ({ page, mock }) => {
    await page.getByText("the file is damaged after byte").first().waitFor();
    await rows(page, "functions").getByText("Solver::step").click();
    await pane(page, "calls").locator(".calls-title").getByText("Solver::step").waitFor();
    mock.failNext = 409;
    await rows(page, "functions").getByText("memcpy").click();
    await page.getByText("changed since it was read").first().waitFor();
    await rows(page, "functions").getByText("Solver::step").click();
    await page.getByRole("button", { name: "Reload" }).click();
    await page.getByText("changed on disk").waitFor({ state: "detached" });
    await pane(page, "calls").locator(".calls-title").getByText("Solver::step").waitFor();
    // Numbers of functions before the reload may be those of other functions now.
    await page.goBack();
    await pane(page, "calls").locator(".calls-title").getByText("memcpy").waitFor();
    await page.waitForFunction(() => new URLSearchParams(location.hash).get("r") === "2");
    await page.getByRole("button", { name: "huge.out …" }).click();
    await page.getByText("1,200,000,000 of 4,000,000,000 (30 %)").waitFor();
    await page.getByRole("button", { name: "Cancel" }).click();
    await page.getByText("broken.out could not be opened").waitFor();
    assert.ok(mock.asked.some((a) => a.url === "/api/cancel"));
  }));

test("the start page opens files", mockOnly, () =>
  on([], async ({ page, mock }) => {
    await page.getByLabel("path of a file").fill("/missing");
    await page.keyboard.press("Enter");
    await page.getByText("there is no file /missing").waitFor();
    await page.getByRole("button", { name: "callgrind.out.4711" }).click();
    await rows(page, "functions").first().waitFor();
    await accessibility(page);
    assert.deepEqual(mock.asked.filter((a) => a.url === "/api/open").at(-1)?.body, { paths: ["/home/user/solver/callgrind.out.4711"], compare: false });
  }));

test("two tabs are independent, and the theme is kept by the server", mockOnly, () =>
  on(undefined, async ({ page, mock }) => {
    await rows(page, "functions").first().waitFor();
    const second = await page.context().newPage();
    await second.goto(mock.url);
    await rows(second, "functions").getByText("Solver::step").click();
    await pane(second, "calls").locator(".calls-title").getByText("Solver::step").waitFor();
    await pane(page, "calls").locator(".calls-title").getByText("multiply").waitFor();
    await second.getByRole("button", { name: "colours: auto" }).click();
    await second.getByRole("button", { name: "colours: light" }).click();
    assert.equal(await second.evaluate(() => document.documentElement.dataset["theme"]), "dark");
    await second.waitForTimeout(1300);
    assert.equal((mock.session.layout as { theme: string }).theme, "dark");
  }));

test("at 390 pixels nothing is wider than the window", () =>
  on(undefined, async ({ page }) => {
    await rows(page, "functions").first().waitFor();
    await page.waitForTimeout(400);
    assert.ok(await page.locator(".sentence").isVisible());
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
    await accessibility(page);
  }, { viewport: { width: 390, height: 844 } }));

for (const colorScheme of ["light", "dark"] as const) {
  test(`no serious accessibility problems, ${colorScheme}`, () =>
    on(undefined, async ({ page }) => {
      await rows(page, "functions").first().waitFor();
      for (const key of ["p", "e", "g"]) await page.keyboard.press(key);
      await page.waitForTimeout(500);
      await accessibility(page);
      if (REAL) return;
      for (let i = 0; i < 3; i++) {
        await page.keyboard.press("]");
        await page.waitForTimeout(400);
        await accessibility(page);
      }
    }, { colorScheme }));
}
