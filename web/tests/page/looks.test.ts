// Screenshots of states that need clicks; only with SHOTS=1, in screenshots/.

import { mkdirSync } from "node:fs";
import { test } from "node:test";
import type { Page } from "playwright-core";
import { launch, openPage } from "./browser.ts";

const STATES: [string, string[] | undefined, (page: Page) => Promise<void>][] = [
  ["explained", undefined, async (page) => void (await page.getByRole("button", { name: "Explain" }).first().click())],
  ["menu", undefined, async (page) => void (await page.locator('[data-view="functions"] .name').nth(2).click({ button: "right" }))],
  ["help", undefined, (page) => page.keyboard.press("?")],
  ["search", undefined, async (page) => { await page.keyboard.press("/"); await page.keyboard.type("solver"); }],
  ["parts-events", undefined, async (page) => { await page.keyboard.press("p"); await page.keyboard.press("e"); await page.waitForTimeout(200); await page.getByLabel("definition of an event type").fill("X = Ir / Bogus"); await page.getByLabel("column Dr").check(); await page.getByLabel("column DLmr").check(); }],
  ["groups", undefined, async (page) => void (await page.getByLabel("group functions").selectOption("file"))],
  ["damaged", ["damaged"], async () => undefined],
  ["opening", ["opening", "failed"], (page) => page.waitForTimeout(900)],
  ["failed", ["failed"], async () => undefined],
  ["graph-treemap", undefined, async (page) => { await page.keyboard.press("g"); await page.keyboard.press("r"); }],
];

test("states", { skip: !process.env["SHOTS"] }, async () => {
  mkdirSync("screenshots", { recursive: true });
  const browser = await launch();
  for (const [name, documents, act] of STATES) {
    const { page, close } = await openPage(browser, documents);
    await page.waitForTimeout(700);
    await act(page);
    await page.waitForTimeout(600);
    await page.screenshot({ path: `screenshots/state-${name}.png` });
    await close();
  }
  await browser.close();
});
