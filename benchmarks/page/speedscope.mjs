// speedscope and Lotse's page on the same file.

import { createReadStream, createWriteStream, mkdtempSync, rmSync, statSync } from "node:fs";
import { createServer } from "node:http";
import { extname, join, normalize } from "node:path";
import { createInterface } from "node:readline";
import { finished } from "node:stream/promises";
import { emptyPage, rendererMemory } from "./browser.mjs";
import { anonymous, now, run, sleep } from "./process.mjs";
import { close, open } from "./profile.mjs";

const VERSION = "1.25.0";
const PATIENCE = Number(process.env.PATIENCE ?? 120_000);
/** What is said of the time that was measured. */
const OUTCOMES = { shown: "", late: " (none came until then)", crashed: " (none came: the tab crashed then)" };
const TYPES = { ".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".wasm": "application/wasm", ".json": "application/json" };

export async function measureBeside({ browser, lotse, file: whole, folder, rounds, report }) {
  const file = await simplified(whole, folder);
  const packages = `${folder}/speedscope`;
  await run("npm", ["install", "--prefix", packages, "--no-audit", "--no-fund", "--ignore-scripts", `speedscope@${VERSION}`]);
  const site = await serve(`${packages}/node_modules/speedscope/dist/release`, file);
  const [pictures, memories] = [[], []];
  let outcome = "shown";
  const own = { first: [], again: [], memory: [], server: [] };
  for (let round = 0; round < rounds; round++) {
    // One that did not come in time is not waited for again.
    if (outcome === "shown") {
      const seen = await speedscope(browser, site.origin);
      outcome = seen.outcome;
      pictures.push(seen.milliseconds);
      memories.push(seen.memory);
    }
    await measureOwn(browser, lotse, file, folder, own);
  }
  site.server.close();
  const megabytes = Math.round(statSync(file).size / 1e6);
  report.add(`${megabytes} MB: speedscope ${VERSION}, from the address to the first picture${OUTCOMES[outcome]}`, pictures, "s");
  report.add(`${megabytes} MB: Lotse, from the command to table and flame graph, no index`, own.first, "s");
  report.add(`${megabytes} MB: Lotse, the same with the index`, own.again, "s");
  report.add(`${megabytes} MB: speedscope, most memory of the renderer`, memories, "MB");
  report.add(`${megabytes} MB: Lotse, memory of the renderer`, own.memory, "MB");
  report.add(`${megabytes} MB: Lotse, anonymous memory of the server`, own.server, "MB");
}

const NAMESPACES = { fn: "fn", cfn: "fn", fl: "fl", fi: "fl", fe: "fl", cfi: "fl", cfl: "fl", ob: "ob", cob: "ob" };

/** speedscope refuses jumps (a line, and the place of the jump on the next) and numbers of files that an `fi` line
 * defines. So jumps are left out and all names written out; costs stay the same. */
async function simplified(file, folder) {
  const path = `${folder}/simplified.callgrind`;
  const output = createWriteStream(path);
  const names = new Map();
  let isPlaceOfJump = false;
  let lines = [];
  for await (const line of createInterface({ input: createReadStream(file) })) {
    if (isPlaceOfJump) {
      isPlaceOfJump = false;
      continue;
    }
    if (/^j(cnd|ump)=/.test(line)) {
      isPlaceOfJump = true;
      continue;
    }
    const [, key, id, name] = /^([a-z]+)=\((\d+)\)(?: (.*))?$/.exec(line) ?? [];
    const number = `${NAMESPACES[key]} ${id}`;
    if (name !== undefined) names.set(number, name);
    lines.push(key === undefined ? line : `${key}=${names.get(number)}`);
    if (lines.length < 10_000) continue;
    output.write(`${lines.join("\n")}\n`);
    lines = [];
  }
  output.end(`${lines.join("\n")}\n`);
  await finished(output);
  return path;
}

async function measureOwn(browser, lotse, file, folder, own) {
  const home = mkdtempSync(`${folder}/home-`);
  const first = await open(browser, lotse, file, home);
  own.first.push(first.seconds + Math.max(0, ...first.flame));
  await sleep(1000);
  own.memory.push(await rendererMemory(browser));
  own.server.push(anonymous(first.server.child.pid));
  await close(first);
  const again = await open(browser, lotse, file, home);
  own.again.push(again.seconds + Math.max(0, ...again.flame));
  await close(again);
  rmSync(home, { recursive: true });
}

/** Goes to speedscope with a profile; its views exist from the first picture on. */
async function speedscope(browser, origin) {
  const page = await emptyPage(browser);
  await page.addInitScript(() => {
    const look = () => {
      const isThere = document.querySelector("canvas") && /Time Order/.test(document.body?.textContent ?? "");
      if (!isThere) return requestAnimationFrame(look);
      requestAnimationFrame(() => setTimeout(() => (window.__drawn = performance.timeOrigin + performance.now())));
    };
    requestAnimationFrame(look);
  });
  const crashed = new Promise((resolve) => page.on("crash", () => resolve("crashed")));
  const memory = watchMemory(browser);
  const began = now();
  await page.goto(`${origin}/index.html#profileURL=${encodeURIComponent(`${origin}/profile`)}&title=profile`, { waitUntil: "commit" });
  const waiting = page.waitForFunction(() => window.__drawn || /Something went wrong/.test(document.body.textContent), null, { polling: 100, timeout: PATIENCE }).then((at) => at.jsonValue(), () => sleep(1000).then(() => "late"));
  const drawn = await Promise.race([waiting, crashed]);
  const ended = now();
  if (drawn === true) throw new Error("speedscope cannot read the file");
  await sleep(1000);
  const most = await memory.stop();
  if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/speedscope.png`, timeout: 5000 }).catch(() => undefined);
  await page.context().close();
  if (typeof drawn === "string") return { outcome: drawn, milliseconds: ended - began, memory: most };
  return { outcome: "shown", milliseconds: drawn - began, memory: most };
}

/** Reads the renderer's memory twice a second until it is stopped, and says the most. */
function watchMemory(browser) {
  let isStopped = false;
  let most = 0;
  const look = async () => {
    while (!isStopped) {
      most = Math.max(most, await rendererMemory(browser));
      await sleep(500);
    }
    return most;
  };
  const looking = look();
  return {
    stop: () => {
      isStopped = true;
      return looking;
    },
  };
}

/** Serves a folder, and the profile as /profile, on the loopback interface. */
async function serve(folder, profile) {
  const server = createServer((request, response) => {
    const path = new URL(request.url, "http://localhost").pathname;
    const file = path === "/profile" ? profile : join(folder, normalize(path));
    response.setHeader("content-type", TYPES[extname(file)] ?? "application/octet-stream");
    createReadStream(file, { highWaterMark: 1 << 20 }).on("error", () => response.writeHead(404).end()).pipe(response);
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { server, origin: `http://127.0.0.1:${server.address().port}` };
}
