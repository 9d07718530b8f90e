// How fast the page of `lotse open` is, in a browser that is already running.
//
//     node benchmarks/page/speed.mjs --lotse PATH [--only profile|timeline|cancelling|speedscope] [--dir FOLDER] [--rounds N]

import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { cpus, loadavg, tmpdir } from "node:os";
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { launch } from "./browser.mjs";
import { measureCancelling } from "./cancel.mjs";
import { profile, trace } from "./inputs.mjs";
import { endAll, processorTimes, stolen, yardstick } from "./process.mjs";
import { measureProfile, printTimes } from "./profile.mjs";
import { Report } from "./report.mjs";
import { measureBeside } from "./speedscope.mjs";
import { measureTimeline } from "./timeline.mjs";

const PARTS = ["profile", "timeline", "cancelling", "speedscope"];

const { values } = parseArgs({
  options: {
    lotse: { type: "string" },
    only: { type: "string" },
    /** Where the files are made, and found again by the next run. */
    dir: { type: "string" },
    rounds: { type: "string", default: "3" },
  },
});
if (!values.lotse || (values.only && !PARTS.includes(values.only))) {
  console.error(`usage: speed.mjs --lotse PATH [--only ${PARTS.join("|")}] [--dir FOLDER] [--rounds N]`);
  process.exit(2);
}

const folder = mkdtempSync(`${tmpdir()}/lotse-page-`);
const files = resolve(values.dir ?? `${folder}/files`);
let browser = null;
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => void tidyUp().then(() => process.exit(1)));

async function tidyUp() {
  await browser?.close();
  await endAll();
  rmSync(folder, { recursive: true, force: true });
}

async function cancelled(folder) {
  return [{ name: "profile", path: await profile(folder, "generated") }, { name: "trace", path: await trace(folder) }];
}

async function measure() {
  mkdirSync(files, { recursive: true });
  const wants = (part) => !values.only || values.only === part;
  const inputs = {
    profile: wants("profile") ? await profile(files, "generated") : null,
    timeline: wants("timeline") ? await trace(files) : null,
    speedscope: wants("speedscope") ? await profile(files, "rustc") : null,
    cancelling: wants("cancelling") ? await cancelled(files) : null,
  };
  browser = await launch();
  console.log(`page speed, ${new Date().toISOString().slice(0, 16)}, Chromium ${browser.version()}, ${cpus().length} × ${cpus()[0].model}, load ${loadavg()[0].toFixed(1)}\n`);
  const common = { browser, lotse: resolve(values.lotse), folder, rounds: Number(values.rounds) };
  for (const [part, measurePart] of [["profile", measureProfile], ["timeline", measureTimeline], ["cancelling", measureCancelling], ["speedscope", measureBeside]]) {
    if (!inputs[part]) continue;
    const report = new Report();
    const before = { times: processorTimes(), yardstick: yardstick() };
    const times = await measurePart({ ...common, report, file: inputs[part] });
    console.log(`${part}:\n`);
    report.print();
    if (times) printTimes(times);
    const percent = (100 * stolen(before.times)).toFixed(1);
    console.log(`other guests took ${percent} % of the processors; a fixed loop took ${before.yardstick.toFixed(0)} ms before and ${yardstick().toFixed(0)} ms after\n`);
  }
  console.log(`load at the end ${loadavg()[0].toFixed(1)}`);
}

try {
  await measure();
} finally {
  await tidyUp();
}
