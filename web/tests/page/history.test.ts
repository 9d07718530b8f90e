// A recorded history of data structures, opened by the real server: from a finding to its picture and the table of that.

import assert from "node:assert/strict";
import { spawn, type ChildProcess } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { test } from "node:test";
import { accessibility, launch, openAt, REAL } from "./browser.ts";

const HISTORY = "../fixtures/samples/lotse-history/queue.lotse-history";
const LOTSE = "../target/debug/lotse";

/** Starts `lotse open`; gives its address. */
async function open(state: string): Promise<{ server: ChildProcess; url: string }> {
  const server = spawn(LOTSE, ["open", "--no-open", HISTORY], { env: { ...process.env, XDG_STATE_HOME: state, XDG_CACHE_HOME: state }, stdio: ["ignore", "ignore", "pipe"] });
  for await (const line of createInterface({ input: server.stderr! })) {
    const url = /http:\S+/.exec(line)?.[0];
    if (url) return { server, url };
  }
  throw new Error("lotse open printed no address");
}

// The binary is built where there is a real server.
test("a finding of a recorded history leads to its picture, which is also a table", { skip: REAL === undefined }, async () => {
  const state = mkdtempSync(join(tmpdir(), "lotse-history-"));
  const [browser, { server, url }] = [await launch(), await open(state)];
  try {
    const { page, errors, close } = await openAt(browser, url, { viewport: { width: 900, height: 420 } });
    const figure = page.locator(".report figure.drawing").first();
    await figure.waitFor({ state: "attached" });
    assert.equal(await figure.getAttribute("aria-current"), null);
    await page.locator(".finding-head").first().click();
    await page.locator(".report figure.drawing[aria-current=true]").waitFor();
    await page.waitForTimeout(300);
    const [box, view] = [(await figure.boundingBox())!, (await page.locator(".report").first().boundingBox())!];
    assert.ok(box.y >= view.y - 1 && box.y < view.y + view.height, `the picture at ${box.y} is in view: ${view.y}, ${view.height}`);
    assert.match((await figure.locator("h4").textContent())!, /main\.rs:7.*Vec 1/);
    await figure.locator("summary").press("Enter");
    await figure.getByText("insert 0").first().waitFor();
    await accessibility(page);
    assert.deepEqual(errors, []);
    await close();
  } finally {
    server.kill();
    await browser.close();
    rmSync(state, { recursive: true, force: true });
  }
});
