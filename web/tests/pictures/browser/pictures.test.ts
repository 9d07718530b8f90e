// The pictures in a browser: pointer, keys, states, and the work that a painting takes.

import assert from "node:assert/strict";
import { createServer } from "node:http";
import { after, before, test } from "node:test";
import { build } from "esbuild";
import { type Browser, type Page, chromium } from "playwright-core";

const STYLE = `:root{--fg:#1c2024;--bg:#fff;--muted:#5f6870;--line:#e1e4e7;--accent:#0072b2;--less:#0072b2;--more:#c24e00}
[data-theme=dark]{--fg:#e4e7ea;--bg:#16191c;--muted:#9aa4ad;--line:#30363c;--accent:#56b0e8;--less:#56b0e8;--more:#ff8f4a}
html,body{margin:0;height:100%;background:var(--bg);color:var(--fg);font:13px sans-serif}body{display:flex;flex-direction:column}
header{height:32px}main{flex:1;min-height:0}`;
// The policy of the server: the styles of the pictures must not need inline styles.
const POLICY = "default-src 'none'; script-src 'self'; style-src 'self'";

let browser: Browser;
let base = "";
const server = createServer();

before(async () => {
  const { outputFiles } = await build({ entryPoints: ["tests/pictures/browser/page.ts"], bundle: true, write: false, format: "iife" });
  const files: Record<string, [string, string]> = {
    "/": ["text/html", `<!doctype html><html lang=en><meta charset=utf-8><title>test</title><link rel=stylesheet href=style.css><header></header><main></main><script src=page.js></script>`],
    "/style.css": ["text/css", STYLE],
    "/page.js": ["text/javascript", outputFiles[0]!.text],
  };
  server.on("request", (request, response) => {
    const file = files[new URL(request.url!, "http://x").pathname];
    response.writeHead(file ? 200 : 404, { "content-type": file?.[0] ?? "text/plain", "content-security-policy": POLICY });
    response.end(file?.[1]);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  base = `http://127.0.0.1:${(server.address() as { port: number }).port}/`;
  browser = await chromium.launch({ executablePath: process.env["CHROMIUM"] ?? "/usr/bin/chromium", args: ["--no-sandbox"] });
});

after(async () => {
  await browser?.close();
  server.close();
});

async function open(query: string, run: (page: Page) => Promise<void>): Promise<void> {
  const page = await browser.newPage({ viewport: { width: 1280, height: 640 } });
  const errors: string[] = [];
  page.on("pageerror", (error) => errors.push(error.message));
  await page.goto(`${base}?${query}`);
  // A picture that has arrived has reported what it hides.
  if (!/hold|failures/.test(query)) await until(page, "test.calls.some(([f]) => f === 'hidden')");
  await run(page);
  await page.close();
  assert.deepEqual(errors, []);
}

/** Waits until an expression in the page is true. */
async function until(page: Page, expression: string): Promise<void> {
  // Polling inside of the page would need eval, which the policy forbids.
  for (const end = Date.now() + 10_000; !(await page.evaluate(expression)); await page.waitForTimeout(20)) {
    assert.ok(Date.now() < end, `never true: ${expression}`);
  }
  await page.evaluate("new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))");
}

/** The value of an expression in the page, where `test` is what page.ts has set. */
function value<T>(page: Page, expression: string): Promise<T> {
  return page.evaluate(expression) as Promise<T>;
}

const called = (page: Page, name: string) => value<unknown[]>(page, `test.calls.filter(([f]) => f === ${JSON.stringify(name)}).map((call) => call[1])`);
const option = (page: Page, name: string) => value<unknown>(page, `test.option(${JSON.stringify(name)})`);

test("flame graph: click, ctrl-click, double click, Escape, menu", () =>
  open("view=flame&count=2000", async (page) => {
    const canvas = page.locator("canvas");
    await canvas.click({ position: { x: 300, y: 30 } });
    assert.equal((await called(page, "activate")).length, 1);
    await canvas.click({ position: { x: 300, y: 50 }, modifiers: ["Control"] });
    assert.equal(await value(page, "test.context.selected.peek().size"), 1);
    await canvas.dblclick({ position: { x: 300, y: 50 } });
    assert.equal(((await option(page, "zoom")) as number[]).length, 4);
    await page.keyboard.press("ArrowDown");
    assert.match(String((await called(page, "announce")).pop()), /inclusive/);
    await page.keyboard.press("m");
    assert.equal((await called(page, "menu")).length, 1);
    await page.keyboard.press("Escape");
    assert.deepEqual(await option(page, "zoom"), []);
    await canvas.click({ position: { x: 300, y: 30 }, button: "right" });
    assert.equal((await called(page, "menu")).length, 2);
    await canvas.hover({ position: { x: 300, y: 10 } });
    assert.ok(await page.locator(".pic-tip").isVisible());
    assert.notEqual(await value(page, "test.context.hover.peek()"), null);
  }));

test("a failed question is shown in place and can be asked again", () =>
  open("view=flame&failures=1", async (page) => {
    await page.getByText("Try again").waitFor();
    assert.match((await page.locator(".pic-message").textContent())!, /the file is damaged/);
    await page.getByText("Try again").click();
    await page.locator(".pic-message").waitFor({ state: "hidden" });
  }));

test("an empty call graph names the threshold if there are functions", async () => {
  await open("view=graph&count=0", async (page) => {
    assert.match((await page.locator(".pic-message").textContent())!, /No function has at least 1 % of the whole; lower the threshold/);
  });
  await open("view=graph&count=0&nothing", async (page) => {
    assert.match((await page.locator(".pic-message").textContent())!, /no costs of this event type/);
  });
});

test("the old picture stays while the new one loads", () =>
  open("view=flame&hold", async (page) => {
    const progress = page.locator(".pic-progress");
    await progress.waitFor({ state: "visible" });
    await value(page, "test.release()");
    await until(page, "test.calls.some(([f]) => f === 'hidden')");
    assert.ok(!(await progress.isVisible()));
    const drawn = "document.querySelector('canvas').getContext('2d').getImageData(5, 5, 1, 1).data[3]";
    assert.equal(await value(page, drawn), 255);
    await value(page, "test.scope.set({ ...test.scope.peek(), focus: 'x' })");
    await progress.waitFor({ state: "visible" });
    assert.equal(await value(page, drawn), 255);
  }));

test("names of a megabyte are cut and stay texts", () =>
  open("view=flame&hostile", async (page) => {
    await page.locator("canvas").hover({ position: { x: 300, y: 10 } });
    assert.ok((await page.locator(".pic-tip strong").textContent())!.length <= 400);
    assert.equal(await page.locator("img").count(), 0);
    assert.ok(await value<number>(page, "Number(document.querySelector('canvas').dataset.paint)") < 50);
  }));

test("the twin shows what is drawn", () =>
  open("view=flame&twin", async (page) => {
    await page.locator("tbody tr").nth(299).waitFor();
    await page.locator("tbody button").first().click();
    assert.equal((await called(page, "activate")).length, 1);
  }));

test("treemap: a double click makes a function the root, Backspace goes out, a resize asks for its size", () =>
  open("view=treemap&count=300", async (page) => {
    await page.locator("canvas").dblclick({ position: { x: 300, y: 60 } });
    assert.equal(((await option(page, "roots")) as number[]).length, 1);
    await page.keyboard.press("Backspace");
    assert.deepEqual(await option(page, "roots"), []);
    await page.setViewportSize({ width: 700, height: 500 });
    await until(page, "test.calls.some(([f, question]) => f === 'ask' && question.width === 700)");
  }));

test("call graph: keys walk and zoom, a drag is no click, Enter shows the surroundings", () =>
  open("view=graph&count=60", async (page) => {
    await page.locator("canvas").focus();
    for (const key of ["ArrowDown", "ArrowDown", "+"]) await page.keyboard.press(key);
    assert.equal((await called(page, "announce")).length, 2);
    await page.mouse.move(600, 300);
    await page.mouse.down();
    await page.mouse.move(700, 350, { steps: 4 });
    await page.mouse.up();
    assert.equal((await called(page, "activate")).length, 0);
    await page.keyboard.press("Enter");
    assert.equal(await option(page, "function"), 1);
  }));

test("time-line: wheel, selection, call paths and findings set the window", () =>
  open("view=timeline", async (page) => {
    // The shared window follows when the picture stands still.
    const shorterThan = async (length: number) => {
      await until(page, `(([from, to]) => to - from < ${length})(test.window.peek() ?? [0, 100])`);
      const [from, to] = await value<[number, number]>(page, "test.window.peek()");
      return to - from;
    };
    await page.mouse.move(400, 200);
    await page.mouse.wheel(0, -300);
    const zoomed = await shorterThan(99);
    await page.mouse.down();
    await page.mouse.move(500, 210, { steps: 3 });
    await page.mouse.up();
    await shorterThan(zoomed - 1);
    await page.locator("tr.window").click();
    await until(page, "String(test.window.peek()) === '20,30'");
    await value(page, "test.window.set([40, 41])");
    await until(page, "test.calls.some(([f, question]) => f === 'ask' && question.from === 40 && question.to === 41)");
  }));

test("time-line: a click shows the call stack, resting the pointer exact times", () =>
  open("view=timeline&option.messages=false", async (page) => {
    await page.mouse.move(300, 200);
    await page.locator(".pic-tip").getByText("100.000000000 s").first().waitFor();
    await page.mouse.click(300, 200);
    const [location, at] = await value<[number, number]>(page, "test.option('point')");
    assert.ok(location > 0 && at > 0);
    await page.getByText(`rank ${location} at ${at.toFixed(9)} s`).waitFor();
    assert.equal(await option(page, "beside"), "moment");
    await page.keyboard.press("Escape");
    await page.keyboard.press("Escape");
    assert.equal(await option(page, "point"), null);
  }));

test("time-line: keys lead from wait to wait, and the bar is scrolled into view", () =>
  open("view=timeline", async (page) => {
    await page.setViewportSize({ width: 1000, height: 320 });
    await page.locator("canvas").focus();
    await page.keyboard.press("n");
    await until(page, "test.bar.peek() !== null");
    assert.deepEqual(await value(page, "test.bar.peek()"), [50, 50, 1, 2]);
    await until(page, "test.mounted.surface.scrollTop > 0");
    await page.keyboard.press("Shift+N");
    await until(page, "test.calls.some(([f, q]) => f === 'ask' && q.ask === 'next_wait' && q.backward && q.begin === 1 && q.at === 50)");
    assert.equal((await called(page, "navigate")).length, 2);
  }));

test("time-line: only visible lanes are asked for, and scrolling asks for the others", () =>
  open("view=timeline", async (page) => {
    await page.setViewportSize({ width: 1000, height: 320 });
    const last = "test.calls.filter(([f, q]) => f === 'ask' && q.ask === 'timeline').at(-1)[1]";
    await until(page, `${last}.lanes < 60`);
    assert.equal(await value(page, `${last}.first_lane`), 0);
    await value(page, "void (test.mounted.surface.scrollTop = 300)");
    await until(page, `${last}.first_lane > 10`);
    assert.ok((await value<number>(page, `${last}.lanes`)) < 60);
  }));

test("time-line: many turns of the wheel are one step of the history", () =>
  open("view=timeline", async (page) => {
    await page.mouse.move(400, 200);
    for (let turn = 0; turn < 5; turn++) {
      await page.mouse.wheel(0, -100);
      await page.waitForTimeout(300);
    }
    await until(page, "test.window.peek() !== null");
    assert.equal((await called(page, "navigate")).length, 1);
    await page.mouse.down();
    await page.mouse.move(500, 210, { steps: 3 });
    await page.mouse.up();
    assert.equal((await called(page, "navigate")).length, 2);
  }));

/** Queries with the number of drawing calls that one painting may take: a picture costs what its pixels cost, not what the
 * profile holds. Times are measured by benchmarks/page, not here. */
const LARGE: [string, number][] = [
  ["view=flame&count=20000", 200],
  ["view=flame&count=20000&full", 200],
  ["view=flame&count=20000&difference", 200],
  ["view=treemap&count=5000", 4000],
  ["view=graph&count=200", 4000],
  ["view=timeline", 20_000],
];

test("painting large pictures takes a bounded number of drawing calls", async () => {
  for (const [query, limit] of LARGE) {
    await open(query, async (page) => {
      const calls = await value<number>(
        page,
        `(() => {
          const { surface } = test.mounted;
          const context = surface.canvas.getContext("2d");
          let calls = 0;
          for (const name in context) {
            const method = context[name];
            if (typeof method === "function") context[name] = (...args) => (calls++, method.apply(context, args));
          }
          surface.paint();
          return calls;
        })()`,
      );
      console.log(`${query}: ${calls} drawing calls`);
      assert.ok(calls > 0 && calls < limit, `${query}: ${calls} drawing calls`);
    });
  }
});
