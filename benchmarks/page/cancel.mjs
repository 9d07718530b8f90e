// What the server goes on with once nobody waits: openings that are cancelled, questions whose page goes away.
//
// Processor time, not time of the clock, is compared with the goal: on a shared machine the clock measures the others too.

import { mkdtempSync, readFileSync, readdirSync, rmSync } from "node:fs";
import { openServer, run, sleep } from "./process.mjs";

const GOAL = 100;
/** Moments of a cancellation, in parts of what the work takes. */
const MOMENTS = [0.05, 0.2, 0.35, 0.5, 0.65, 0.8, 0.95];
/** The server is idle when it has used less than this many milliseconds of processor time in `QUIET` of the clock. */
const NOISE = 2;
const QUIET = 120;

const scope = (focus = null) => ({ event: null, define: [], parts: null, focus, ignore: null, hide: null, side: null });
const functions = (filter, group, focus) => ({ ask: "functions", scope: scope(focus), events: [], sort: "self", ascending: false, filter, group, within: null, offset: 0, limit: 200 });

/** A filter that many names match. */
const letters = (number) => `/${"aeioubcdfgl"[number]}[a-z]/`;

/** Questions by what they are about; a number makes each a new one. */
const QUESTIONS = {
  profile: [
    ["filter", (number) => functions(`/[a-z]{2}${number}.*[aeiou]/`, null, null)],
    ["functions of a focus", (number) => functions("", null, letters(number))],
    ["files of a focus", (number) => functions("", "file", letters(number))],
    ["flame graph of a focus", (number) => ({ ask: "flame", scope: scope(letters(number)), direction: "callees", root: null })],
    ["call graph of a focus", (number) => ({ ask: "graph", scope: scope(letters(number)), function: null, min_share: 0.0001, nodes: 2000 })],
    ["treemap of a focus", (number) => ({ ask: "treemap", scope: scope(letters(number)), direction: "callers", root: null, width: 1500, height: 900 })],
  ],
  trace: [
    ["time-line", (number) => ({ ask: "timeline", from: null, to: null, columns: 1500 + number, lanes: 64, first_lane: 0, merge: true, table: false })],
    ["statistics of regions", () => ({ ask: "statistics", from: null, to: null, of: "regions", location: null, row: null })],
    ["statistics of waits", () => ({ ask: "statistics", from: null, to: null, of: "waits", location: null, row: null })],
    ["call paths", () => ({ ask: "call_paths", metric: "late_sender" })],
  ],
};

export async function measureCancelling({ lotse, file: files, folder, report }) {
  for (const { name, path: file } of files) {
    for (const withIndex of name === "profile" ? [false, true] : [false]) {
      const home = mkdtempSync(`${folder}/home-`);
      if (withIndex) await run(lotse, ["profile", "top", file], { env: { ...process.env, XDG_CACHE_HOME: `${home}/cache` } });
      await openings({ lotse, file, home, withIndex, name: withIndex ? `${name} with its index` : name, report });
      if (name !== "profile" || withIndex) await asked({ lotse, file, home, name, report });
      rmSync(home, { recursive: true });
    }
  }
}

/** Cancels the opening of a file at different moments. */
async function openings({ lotse, file, home, withIndex, name, report }) {
  const whole = await openServer(lotse, [file], home);
  await until(whole, (document) => document.stage.stage === "ready");
  const duration = used(whole);
  await whole.stop();
  const after = [];
  for (const moment of MOMENTS) {
    if (!withIndex) rmSync(`${home}/cache`, { recursive: true, force: true });
    const server = await openServer(lotse, [file], home);
    while (used(server) < moment * duration) await sleep(1);
    await send(server, "cancel", { document: (await documents(server))[0].id });
    after.push(await goesOn(server));
    await server.stop();
  }
  report.add(`opening ${name} (${Math.round(duration)} ms of processor time), cancelled: the server goes on for`, after, "ms", GOAL, "most");
}

/** Asks, and goes away at different moments; every question is a new one, so that no kept answer hides what it takes. */
async function asked({ lotse, file, home, name, report }) {
  for (const [what, question] of QUESTIONS[name]) {
    const server = await openServer(lotse, [file], home);
    const { id, stage } = await until(server, (document) => document.stage.stage === "ready");
    await goesOn(server);
    const body = (number) => ({ document: id, revision: stage.revision, question: question(number) });
    const before = used(server);
    const answer = await send(server, "ask", body(0));
    if (!answer.ok) throw new Error(`${what}: ${await answer.text()}`);
    await answer.arrayBuffer();
    await goesOn(server);
    const duration = used(server) - before;
    const after = [];
    for (const [index, moment] of MOMENTS.entries()) {
      const begun = used(server);
      const page = new AbortController();
      const gone = send(server, "ask", body(index + 1), page.signal).then((it) => it.arrayBuffer()).then(() => false, () => true);
      let isAnswered = false;
      void gone.then(() => (isAnswered = true));
      while (!isAnswered && used(server) - begun < moment * duration) await sleep(1);
      page.abort();
      const rest = await goesOn(server);
      if (await gone) after.push(rest);
    }
    await server.stop();
    if (after.length > 0) report.add(`${name}: ${what} (${Math.round(duration)} ms), the page goes away: the server goes on for`, after, "ms", GOAL, "most");
  }
}

async function send({ origin, token }, what, body, signal) {
  return fetch(`${origin}/api/${what}`, { method: "POST", headers: { "content-type": "application/json", "x-lotse-token": token }, body: JSON.stringify(body), signal });
}

async function documents({ origin, token }) {
  const answer = await fetch(`${origin}/api/session`, { headers: { "x-lotse-token": token } });
  return (await answer.json()).documents;
}

async function until(server, isSo) {
  for (;;) {
    const document = (await documents(server))[0];
    if (document.stage.stage === "failed") throw new Error(JSON.stringify(document.stage));
    if (isSo(document)) return document;
    await sleep(20);
  }
}

/** Milliseconds of processor time of all threads that live, and of those that have ended as far as the kernel tells them. */
function used({ child }) {
  const ticks = readFileSync(`/proc/${child.pid}/stat`, "utf8").split(") ")[1].split(" ");
  const coarse = (Number(ticks[11]) + Number(ticks[12])) * 10;
  let fine = 0;
  for (const thread of readdirSync(`/proc/${child.pid}/task`)) {
    try {
      fine += Number(readFileSync(`/proc/${child.pid}/task/${thread}/schedstat`, "utf8").split(" ")[0]) / 1e6;
    } catch {
      // The thread has ended meanwhile.
    }
  }
  return Math.max(coarse, fine);
}

/** Processor time that the server uses from now on until it is idle, in milliseconds. */
async function goesOn(server) {
  const begun = used(server);
  for (let before = begun; ; ) {
    await sleep(QUIET);
    const after = used(server);
    if (after - before < NOISE) return Math.max(0, after - begun);
    before = after;
  }
}
