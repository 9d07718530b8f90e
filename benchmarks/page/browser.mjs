// The browser, which runs before anything is measured, and pages of Lotse in it.

import { createRequire } from "node:module";
import { probe } from "./probe.mjs";
import { now, proportional, sleep } from "./process.mjs";

const { chromium } = createRequire(new URL("../../web/package.json", import.meta.url))("playwright-core");
/** Nothing more is expected after so many quiet milliseconds. */
const QUIET = 350;
const PATIENCE = 120_000;

export function launch() {
  // Of each site one renderer, and none in reserve: the memory of a page is that of one process.
  const args = ["--no-sandbox", "--disable-features=SpareRendererForSitePerProcess"];
  return chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args });
}

/** An empty page that is ready to go somewhere. */
export async function emptyPage(browser) {
  const context = await browser.newContext({ viewport: { width: 1600, height: 900 } });
  const page = await context.newPage();
  page.setDefaultTimeout(PATIENCE);
  return page;
}

/** The proportional memory of the renderer of the only page. */
export async function rendererMemory(browser) {
  const session = await browser.newBrowserCDPSession();
  const { processInfo } = await session.send("SystemInfo.getProcessInfo");
  await session.detach();
  return Math.max(...processInfo.filter(({ type }) => type === "renderer").map(({ id }) => proportional(id) ?? 0));
}

/** How long at least one question was not answered; pauses of the page between questions do not count. */
function waiting(questions) {
  let [sum, until] = [0, 0];
  for (const { sent, first } of questions.toSorted((a, b) => a.sent - b.sent)) {
    sum += Math.max(0, first - Math.max(sent, until));
    until = Math.max(until, first);
  }
  return sum;
}

/** A page of `lotse open`, with what its questions took. */
export class LotsePage {
  /** Finished questions: `ask`, and when the request was sent and the first and the last byte came. */
  finished = [];
  errors = [];

  constructor(page) {
    this.page = page;
    page.on("pageerror", (error) => this.errors.push(String(error)));
    page.on("requestfinished", async (request) => {
      if (!request.url().endsWith("/api/ask")) return;
      const { startTime, requestStart, responseStart, responseEnd } = request.timing();
      const body = request.postData();
      this.finished.push({ ask: JSON.parse(body).question.ask, sent: startTime + requestStart, first: startTime + responseStart, last: startTime + responseEnd });
    });
  }

  static async prepare(browser) {
    const page = await emptyPage(browser);
    await page.addInitScript(probe);
    return new LotsePage(page);
  }

  async go(url) {
    await this.page.goto(url, { waitUntil: "commit" });
  }

  /** When the first rows with numbers were painted. */
  async firstTable() {
    for (const began = now(); now() - began < PATIENCE; await sleep(20)) {
      const at = await this.page.evaluate(() => window.__speed?.firstTable ?? null).catch(() => null);
      if (at !== null) return at;
    }
    throw new Error("no function table appeared");
  }

  /** Waits until all questions are answered and painted, at least `least` of them. */
  async settle(least = 0) {
    for (const began = now(); now() - began < PATIENCE; await sleep(50)) {
      const done = await this.page.evaluate(([least, quiet]) => {
        const { inputs, asks, now } = window.__speed;
        const open = asks.some((ask) => !ask.dropped && ask.framed === null) || inputs.some((input) => input.framed === null);
        const last = Math.max(0, ...inputs.map((input) => input.at), ...asks.map((ask) => ask.framed ?? ask.asked));
        return !open && asks.length >= least && now() - last > quiet;
      }, [least, QUIET]);
      if (done) return this.page.evaluate(() => ({ inputs: window.__speed.inputs, asks: window.__speed.asks }));
    }
    throw new Error("the page does not come to rest");
  }

  async clear() {
    this.finished = [];
    await this.page.evaluate(() => {
      window.__speed.inputs = [];
      window.__speed.asks = [];
    });
  }

  /** Does something and measures it, in milliseconds. `server` is the time in which a question waits for an answer,
   * `frame` the longest from an answer to the frame that shows it, `total` from the input to the last of these frames. */
  async measure(act, least = 0) {
    await this.clear();
    await act(this.page);
    const { inputs, asks } = await this.settle(least);
    const answered = asks.filter((ask) => ask.answered !== null);
    const finished = this.finished;
    const from = Math.min(...inputs.map((input) => input.at));
    const to = Math.max(...inputs.map((input) => input.framed), ...answered.map((ask) => ask.framed));
    const frames = answered.length > 0 ? answered.map((ask) => ask.framed - ask.answered) : inputs.map((input) => input.framed - input.at);
    return {
      server: waiting(finished),
      /** The longest of the questions, by itself. */
      longest: Math.max(0, ...finished.map((it) => it.first - it.sent)),
      questions: answered.length,
      frame: Math.max(...frames),
      total: to - from,
      /** From the input to the frame after the first answer to a question of this kind. */
      until: (kind) => answered.find((ask) => JSON.parse(ask.body).question.ask === kind).framed - from,
      bodies: answered.map((ask) => ask.body),
    };
  }

  async close() {
    await this.page.context().close();
    if (this.errors.length > 0) throw new Error(`the page reported: ${this.errors.join("; ")}`);
  }
}
