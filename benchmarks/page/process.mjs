// Processes that the benchmark starts: the server, other commands, and what the kernel says about their memory.

import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";

const SAMPLE = 4;
const started = new Set();

/** Milliseconds since the epoch with fractions, as in the page. */
export const now = () => performance.timeOrigin + performance.now();

export const sleep = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** Share of processor time that other guests of the host took, since an earlier reading of the counters. */
export function stolen(earlier, later = processorTimes()) {
  const all = later.all - earlier.all;
  return all > 0 ? (later.stolen - earlier.stolen) / all : 0;
}

/** The kernel's counters of processor time, in ticks. */
export function processorTimes() {
  const ticks = readFileSync("/proc/stat", "utf8").split("\n")[0].trim().split(/\s+/).slice(1, 9).map(Number);
  return { all: ticks.reduce((sum, it) => sum + it, 0), stolen: ticks[7] };
}

/** Milliseconds that a fixed amount of arithmetic takes now: how fast the machine is while this runs. */
export function yardstick() {
  const began = now();
  let state = 1;
  for (let round = 0; round < 30_000_000; round++) state = (Math.imul(state, 1664525) + 1013904223) | 0;
  return state === 0 ? NaN : now() - began;
}

/** Anonymous memory in bytes; null when the process has ended. */
export function anonymous(pid) {
  return field(`/proc/${pid}/status`, "RssAnon");
}

/** Proportional memory in bytes: pages that processes share are divided among them. */
export function proportional(pid) {
  return field(`/proc/${pid}/smaps_rollup`, "Pss");
}

function field(path, name) {
  try {
    const kilobytes = new RegExp(`^${name}:\\s+(\\d+) kB`, "m").exec(readFileSync(path, "utf8"))?.[1];
    return kilobytes === undefined ? null : Number(kilobytes) * 1024;
  } catch {
    return null;
  }
}

/** Looks at the anonymous memory of a process every few milliseconds. */
export class MemoryWatch {
  peak = 0;

  constructor(pid) {
    this.timer = setInterval(() => (this.peak = Math.max(this.peak, anonymous(pid) ?? 0)), SAMPLE);
  }

  stop() {
    clearInterval(this.timer);
    return this.peak;
  }
}

export function start(program, args, options = {}) {
  const child = spawn(program, args, { stdio: ["ignore", "pipe", "pipe"], ...options });
  child.ended = new Promise((resolve) => child.once("close", resolve));
  started.add(child);
  child.ended.then(() => started.delete(child));
  return child;
}

/** Ends a process that this benchmark has started, by its id. */
export async function end(child) {
  if (child.exitCode === null && child.signalCode === null) child.kill("SIGTERM");
  const killer = setTimeout(() => child.kill("SIGKILL"), 5000);
  await child.ended;
  clearTimeout(killer);
}

export const endAll = () => Promise.all([...started].map(end));

/** Runs a command to its end; what it prints on stderr is passed on if it fails. */
export async function run(program, args, options = {}) {
  const child = start(program, args, options);
  let errors = "";
  child.stdout.resume();
  child.stderr.on("data", (data) => (errors = (errors + data).slice(-4000)));
  const code = await child.ended;
  if (code !== 0) throw new Error(`${program} ${args.join(" ")} ended with ${code}:\n${errors}`);
}

/** The peak of the anonymous memory of a command. */
export async function peakOf(program, args, options) {
  const child = start(program, args, options);
  child.stdout.resume();
  child.stderr.resume();
  const watch = new MemoryWatch(child.pid);
  await child.ended;
  return watch.stop();
}

/** Starts `lotse open` and waits for its address. */
export async function openServer(lotse, args, folder) {
  const environment = { ...process.env, XDG_CACHE_HOME: `${folder}/cache`, XDG_STATE_HOME: `${folder}/state`, XDG_CONFIG_HOME: `${folder}/config` };
  const began = now();
  const child = start(lotse, ["open", "--no-open", ...args], { env: environment });
  const memory = new MemoryWatch(child.pid);
  let text = "";
  const url = await new Promise((resolve, reject) => {
    const read = (data) => {
      text += data;
      const found = /http:\/\/127\.0\.0\.1:\d+\/#token=\S+/.exec(text)?.[0];
      if (found) resolve(found);
    };
    child.stdout.on("data", read);
    child.stderr.on("data", read);
    child.ended.then(() => reject(new Error(`lotse open ended: ${text}`)));
  });
  const [origin, token] = url.split("/#token=");
  return { child, url, origin, token, began, memory, stop: async () => (memory.stop(), await end(child)) };
}
