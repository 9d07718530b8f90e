// Many visible tabs of one server: browsers allow six connections to it.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Browser, Page } from "playwright-core";
import { launch, openPage, REAL, rows } from "./browser.ts";

const mockOnly = { skip: REAL !== undefined };
const TABS = 8;
let browser: Browser;

before(async () => void (browser = await launch()));
after(() => browser.close());

const hasDocument = (tab: Page, name: string) => tab.locator(".tab-name", { hasText: name }).waitFor();

test("eight visible tabs share one stream: all answer, all see changes, and the turn passes on", mockOnly, async () => {
  const opened = await openPage(browser, ["profile"]);
  const mock = opened.mock;
  try {
    const tabs = [opened.page];
    while (tabs.length < TABS) {
      const tab = await opened.page.context().newPage();
      tab.setDefaultTimeout(20_000);
      tabs.push(tab);
      await tab.goto(mock.url);
    }
    for (const tab of tabs) {
      assert.equal(await tab.evaluate(() => document.visibilityState), "visible");
      await rows(tab, "functions").first().waitFor();
    }
    assert.equal(mock.followers, 1);
    const before = mock.session.documents[0]!;
    mock.change((session) => session.documents.push({ ...before, id: 50, name: "second.out" }));
    for (const tab of tabs) await hasDocument(tab, "second.out");
    // The first tab came first and has the turn.
    await tabs.shift()!.close();
    while (mock.followers !== 1) await new Promise((resolve) => setTimeout(resolve, 10));
    mock.change((session) => session.documents.push({ ...before, id: 51, name: "third.out" }));
    for (const tab of tabs) await hasDocument(tab, "third.out");
    assert.equal(mock.followers, 1);
    const { port } = mock;
    await mock.stop();
    await tabs[0]!.getByText("Disconnected").first().waitFor();
    await mock.start(port);
    for (const tab of tabs) await tab.getByText("Disconnected").first().waitFor({ state: "detached" });
    assert.deepEqual(opened.errors, []);
  } finally {
    await opened.close();
  }
});
