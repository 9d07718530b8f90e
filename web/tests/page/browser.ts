// Starts Chromium and opens the page of a mock server, or of the server in LOTSE_URL.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { chromium, type Browser, type BrowserContextOptions, type Page } from "playwright-core";
import { Mock } from "../mock/server.ts";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** The URL with token of a real server; tests that need the mock are then skipped. */
export const REAL = process.env["LOTSE_URL"];

export function launch(): Promise<Browser> {
  return chromium.launch({ executablePath: process.env["CHROMIUM"] ?? "/usr/bin/chromium", args: ["--no-sandbox"] });
}

export interface Opened {
  page: Page;
  mock: Mock;
  /** Errors that the page reported: exceptions, console errors, violated policies. */
  errors: string[];
  close(): Promise<void>;
}

export async function openPage(browser: Browser, documents?: readonly string[], options: BrowserContextOptions = {}): Promise<Opened> {
  const mock = new Mock(documents);
  await mock.start();
  const opened = await openAt(browser, REAL ?? mock.url, options);
  return { ...opened, mock, close: async () => { await opened.close(); await mock.stop(); } };
}

/** Opens the page of a server. */
export async function openAt(browser: Browser, url: string, options: BrowserContextOptions = {}): Promise<Omit<Opened, "mock">> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 720 }, ...options });
  const page = await context.newPage();
  page.setDefaultTimeout(8000);
  const errors: string[] = [];
  page.on("pageerror", (error) => errors.push(String(error.stack ?? error)));
  page.on("console", (message) => {
    // Failed requests are part of some tests and reported by the page itself.
    if (message.type() === "error" && !message.text().startsWith("Failed to load resource")) errors.push(message.text());
  });
  if (REAL) await serveOwnFiles(page);
  await page.goto(url);
  return { page, errors, close: () => context.close() };
}

/** A real server has the files of the last `cargo build`; the test is about those in dist/. */
export async function serveOwnFiles(page: Page): Promise<void> {
  await page.route(/\/(app\.js|app\.css|#.*)?$/, async (route) => {
    const path = new URL(route.request().url()).pathname;
    const body = readFileSync(`dist/${path === "/" ? "index.html" : path}`);
    await route.fulfill({ response: await route.fetch(), body });
  });
}

/** The pane of a view. */
export const pane = (page: Page, view: string) => page.locator(`[data-view="${view}"]`);

/** Rows of the first table of a view. */
export const rows = (page: Page, view: string) => pane(page, view).locator(".table-space .row");

/** Fails if axe finds a serious problem. */
export async function accessibility(page: Page): Promise<void> {
  // The policy of the page forbids inline scripts; evaluate is not bound by it.
  await page.evaluate(AXE);
  const problems = await page.evaluate(async () => {
    const axe = (window as unknown as { axe: { run(): Promise<{ violations: { id: string; impact: string; nodes: { html: string }[] }[] }> } }).axe;
    const { violations } = await axe.run();
    return violations.filter((v) => v.impact === "serious" || v.impact === "critical").map((v) => `${v.id}: ${v.nodes.slice(0, 3).map((n) => n.html.slice(0, 160)).join(" | ")}`);
  });
  assert.deepEqual(problems, []);
}
