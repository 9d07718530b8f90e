// How a tab gets the token: from another tab of the same browser, or pasted. Pages of other origins
// get nothing. With LOTSE_URL the tests run against a real server.

import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, test } from "node:test";
import type { Browser, Page } from "playwright-core";
import { TOKEN } from "../mock/server.ts";
import { accessibility, launch, openPage, REAL, serveOwnFiles, type Opened } from "./browser.ts";

let browser: Browser;
before(async () => void (browser = await launch()));
after(() => browser.close());

const token = REAL ? REAL.slice(REAL.indexOf("token=") + "token=".length) : TOKEN;

async function withPage(f: (opened: Opened) => Promise<void>): Promise<void> {
  const opened = await openPage(browser, ["profile"]);
  try {
    await f(opened);
    assert.deepEqual(opened.errors, []);
  } finally {
    await opened.close();
  }
}

/** A new tab of the same browser at an address. */
async function tabAt(opened: Opened, url: string): Promise<Page> {
  const tab = await opened.page.context().newPage();
  tab.setDefaultTimeout(8000);
  if (REAL) await serveOwnFiles(tab);
  await tab.goto(url);
  return tab;
}

const answered = (page: Page) => page.locator(".sentence:not(:empty)").waitFor();
const entry = (page: Page) => page.getByRole("heading", { name: "This tab does not have the token" });

test("an address copied into a second tab opens, with its view, and the token stays out of the address bar", () =>
  withPage(async (opened) => {
    await answered(opened.page);
    await opened.page.waitForURL(/#v=/);
    const copied = opened.page.url();
    const second = await tabAt(opened, copied);
    await answered(second);
    assert.equal(second.url(), copied);
    // The second tab no longer needs the first.
    await opened.page.close();
    await second.reload();
    await answered(second);
  }));

test("without another tab the page says how to get in, and a pasted address opens it", () =>
  withPage(async (opened) => {
    await answered(opened.page);
    const address = opened.page.url();
    const tab = await opened.page.context().newPage();
    await opened.page.close();
    if (REAL) await serveOwnFiles(tab);
    await tab.goto(address);
    await entry(tab).waitFor();
    await accessibility(tab);
    const field = tab.getByLabel("address or token");
    await field.fill("http://127.0.0.1:1/");
    await field.press("Enter");
    await tab.getByText("neither a token nor an address").waitFor();
    await field.fill("0".repeat(32));
    await field.press("Enter");
    await entry(tab).waitFor();
    await tab.getByLabel("address or token").fill(`${new URL(address).origin}/#token=${token}`);
    await tab.getByLabel("address or token").press("Enter");
    await answered(tab);
    assert.ok(!tab.url().includes("token"));
  }));

/** A page of another origin on this machine, without any policy. */
async function withForeignPage(f: (url: string) => Promise<void>): Promise<void> {
  const server = createServer((_, response) => response.setHeader("content-type", "text/html").end("<!doctype html><title>foreign</title>"));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  try {
    await f(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
  } finally {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
}

test("a page of another origin in the same browser gets neither the token nor an answer nor a frame", () =>
  withPage(async (opened) => {
    await answered(opened.page);
    const origin = new URL(opened.page.url()).origin;
    await withForeignPage(async (url) => {
      const foreign = await opened.page.context().newPage();
      await foreign.goto(url);
      const heard = await foreign.evaluate(
        () =>
          new Promise<unknown[]>((resolve) => {
            const messages: unknown[] = [];
            const channel = new BroadcastChannel("lotse-token");
            channel.onmessage = (event) => messages.push(event.data);
            channel.postMessage({ ask: "token" });
            setTimeout(() => resolve(messages), 600);
          }),
      );
      assert.deepEqual(heard, []);
      const answers = await foreign.evaluate(async (api) => {
        const status = (init: RequestInit) => fetch(api, init).then((it) => `${it.type} ${it.status}`, () => "refused");
        return [await status({}), await status({ mode: "no-cors", credentials: "include" }), await status({ credentials: "include", headers: { "X-Lotse-Token": "guess" } })];
      }, `${origin}/api/session`);
      // Nothing is readable; an opaque answer has no content for the page.
      assert.ok(answers.every((answer) => answer === "refused" || answer === "opaque 0"), String(answers));
      const cookies = await opened.page.context().cookies();
      assert.deepEqual(cookies, [], "no cookie that a foreign page could use");
      await foreign.evaluate((source) => {
        const frame = document.createElement("iframe");
        frame.src = source;
        document.body.append(frame);
      }, `${origin}/`);
      await foreign.waitForTimeout(600);
      const framed = foreign.frames().filter((frame) => frame !== foreign.mainFrame());
      const texts = await Promise.all(framed.map((frame) => frame.locator("body").innerText({ timeout: 500 }).catch(() => "")));
      assert.ok(texts.every((text) => !text.includes("Lotse") && !text.includes("Findings")), texts.join());
    });
  }));
