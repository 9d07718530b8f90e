// The time-line of a large trace: zooming in by the wheel, ten steps of which each halves the window.

import { mkdtempSync } from "node:fs";
import { LotsePage } from "./browser.mjs";
import { anonymous, openServer, sleep } from "./process.mjs";

const GOAL = 50;
const FRAME_GOAL = 200;
const STEPS = 10;
/** The page zooms by exp(0.003 × distance). */
const HALF = -Math.log(2) / 0.003;

export async function measureTimeline({ browser, lotse, file, folder, rounds, report }) {
  const home = mkdtempSync(`${folder}/home-`);
  const view = await LotsePage.prepare(browser);
  const server = await openServer(lotse, [file], home);
  await view.go(server.url);
  const canvas = view.page.locator('[data-view="timeline"] canvas');
  await canvas.waitFor();
  const { asks } = await view.settle(1);
  const first = asks.find((ask) => JSON.parse(ask.body).question.ask === "timeline");
  const served = view.finished.find((it) => it.ask === "timeline");
  report.add("30 M events: from the command to the time-line", [first.framed - server.began], "s");
  report.add("30 M events: the first time-line, server", [served.first - served.sent], "ms");
  const steps = Array.from({ length: STEPS }, () => []);
  for (let round = 0; round < rounds; round++) await zoom(view, canvas, steps, random(round));
  steps.forEach((step, index) => {
    report.add(`zoom step ${index + 1}, 1/${2 ** (index + 1)} of the run: server`, step.map((it) => it.longest), "ms", GOAL);
  });
  const all = steps.flat();
  report.add("all zoom steps: server", all.map((it) => it.longest), "ms");
  report.add("all zoom steps: questions", all.map((it) => it.questions), "times");
  report.add("all zoom steps: from the answer to the frame", all.map((it) => it.frame), "ms", FRAME_GOAL);
  report.add("30 M events: server, peak of anonymous memory", [server.memory.peak], "MB");
  report.add("30 M events: server, anonymous memory at the end", [anonymous(server.child.pid)], "MB");
  await view.close();
  await server.stop();
}

async function zoom(view, canvas, steps, next) {
  await canvas.focus();
  await view.page.keyboard.press("0");
  await view.settle();
  const box = await canvas.boundingBox();
  await view.page.mouse.move(box.x + box.width * (0.25 + 0.7 * next()), box.y + box.height / 2);
  await sleep(200);
  for (let step = 0; step < STEPS; step++) {
    steps[step].push(await view.measure((page) => page.mouse.wheel(0, HALF), 1));
  }
}

/** Numbers from 0 to 1 that are the same in each run. */
function random(seed) {
  let state = seed * 2654435761 + 12345;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}
