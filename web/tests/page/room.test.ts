// Small windows: whatever a pane has is on the screen, or can be scrolled to.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Browser, Page } from "playwright-core";
import { launch, openPage, pane, REAL } from "./browser.ts";

const SIZES = [[1280, 720], [390, 844]] as const;
let browser: Browser;

before(async () => void (browser = await launch()));
after(() => browser.close());

/** What is cut without a way to reach it. Texts that end with "…" have the whole text as a title once the pointer is on them. */
function unreachable(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const found = new Set<string>();
    const scrolls = (overflow: string) => /auto|scroll/.test(overflow);
    for (const element of document.querySelectorAll<HTMLElement>("#app *")) {
      if (!element.checkVisibility() || element.closest(".offscreen, .status, .cell") || element.clientWidth === 0) continue;
      const style = getComputedStyle(element);
      const name = `${element.tagName}.${element.className} in ${element.closest<HTMLElement>("[data-view]")?.dataset["view"] ?? "the frame"}`;
      const [wide, high] = [element.scrollWidth > element.clientWidth + 2, element.scrollHeight > element.clientHeight + 2];
      const isShortened = style.textOverflow === "ellipsis" || style.webkitLineClamp !== "none";
      if (!isShortened && /hidden|clip/.test(style.overflowX) && wide) found.add(`${name}: cut at the right`);
      if (!isShortened && /hidden|clip/.test(style.overflowY) && high) found.add(`${name}: cut at the bottom`);
      if (style.scrollbarWidth === "none" && ((wide && scrolls(style.overflowX)) || (high && scrolls(style.overflowY)))) found.add(`${name}: scrolls without a bar`);
      if (isShortened && wide && !element.closest("[title]") && !element.querySelector("[title]")) found.add(`${name}: shortened without the whole text`);
    }
    if (document.documentElement.scrollWidth > innerWidth + 1) found.add("the page is wider than the window");
    return [...found];
  });
}

const viewsOf = (page: Page) => page.locator(".pane-view").first().locator("option").evaluateAll((options) => options.map((option) => (option as HTMLOptionElement).value));

for (const [width, height] of SIZES) {
  for (const name of ["profile", "comparison", "trace", "bench"]) {
    test(`nothing is out of reach at ${width} by ${height}: ${name}`, { skip: REAL !== undefined }, async () => {
      const { page, close } = await openPage(browser, [name], { viewport: { width, height } });
      try {
        await page.locator(".sentence:not(:empty)").waitFor();
        for (const view of await viewsOf(page)) {
          await page.locator(".pane-view").first().selectOption(view);
          await page.waitForTimeout(400);
          assert.deepEqual(await unreachable(page), [], view);
        }
        if (name !== "trace") return;
        const timeline = pane(page, "timeline").first();
        await page.locator(".pane-view").first().selectOption("timeline");
        for (const beside of ["statistics", "moment"]) {
          await timeline.getByLabel("beside").selectOption(beside);
          const box = (await timeline.locator("canvas").boundingBox())!;
          await page.mouse.click(box.x + box.width * 0.6, box.y + 60);
          await page.waitForTimeout(400);
          assert.deepEqual(await unreachable(page), [], beside);
          const rows = timeline.locator(".pic-paths:not([hidden]) .rows");
          const room = await rows.evaluate((element) => [element.scrollWidth, element.clientWidth] as const);
          assert.ok(width < 700 || room[0] <= room[1], `${beside}: all columns fit (${room.join(" > ")})`);
        }
      } finally {
        await close();
      }
    });
  }
}

test("the tab of the shown document is in sight among many", { skip: REAL !== undefined }, async () => {
  const { page, mock, close } = await openPage(browser, ["profile"], { viewport: { width: 1280, height: 720 } });
  try {
    await page.locator(".sentence:not(:empty)").waitFor();
    mock.change((session) => {
      const [first] = session.documents;
      for (let id = 20; id < 40; id++) session.documents.push({ ...first!, id, name: `callgrind.out.${id}` });
    });
    await page.locator(".tab").nth(20).waitFor({ state: "attached" });
    await page.keyboard.press("[");
    const last = page.locator(".tab").nth(20);
    await page.waitForTimeout(300);
    const [tab, bar] = [(await last.boundingBox())!, (await page.locator(".tabs").boundingBox())!];
    assert.ok(tab.x >= bar.x - 1 && tab.x + tab.width <= bar.x + bar.width + 1, JSON.stringify([tab, bar]));
  } finally {
    await close();
  }
});
