// The time-line of a large trace: zooming in by the wheel, ten steps of which each halves the window.

import { mkdtempSync } from "node:fs";
import { LotsePage } from "./browser.mjs";
import { anonymous, now, openServer, sleep } from "./process.mjs";
import { median } from "./report.mjs";

const GOAL = 50;
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
  await view.settle(1);
  const { asks } = await view.settle(1);
  const first = asks.find((ask) => JSON.parse(ask.body).question.ask === "timeline");
  report.add("30 M events: from the command to the time-line", [first.framed - server.began], "s");
  report.add("30 M events: the first time-line, server", [view.finished.find((it) => it.ask === "timeline").first - view.finished.find((it) => it.ask === "timeline").sent], "ms");
  const steps = Array.from({ length: STEPS }, () => []);
  const frames = [];
  for (let round = 0; round < rounds; round++) await zoom(view, canvas, steps, frames, random(round));
  steps.forEach((times, index) => report.add(`zoom step ${index + 1}, 1/${2 ** (index + 1)} of the run: server`, times, "ms", GOAL));
  report.add("all zoom steps: server", steps.flat(), "ms", GOAL);
  report.add("all zoom steps: from the answer to the frame", frames, "ms", 200);
  report.add("30 M events: server, peak of anonymous memory", [server.memory.peak], "MB");
  report.add("30 M events: server, anonymous memory at the end", [anonymous(server.child.pid)], "MB");
  await view.close();
  await server.stop();
}

async function zoom(view, canvas, steps, frames, next) {
  await canvas.focus();
  await view.page.keyboard.press("0");
  await view.settle();
  const box = await canvas.boundingBox();
  await view.page.mouse.move(box.x + box.width * (0.25 + 0.7 * next()), box.y + box.height / 2);
  await sleep(200);
  for (let step = 0; step < STEPS; step++) {
    const measured = await view.measure((page) => page.mouse.wheel(0, HALF), 1);
    steps[step].push(measured.server);
    frames.push(measured.frame);
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
