// The files that are opened, made by the other benchmarks unless they are there already.

import { createReadStream, existsSync, readdirSync } from "node:fs";
import { finished } from "node:stream/promises";
import { fileURLToPath } from "node:url";
import { run } from "./process.mjs";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

const benchmark = (name, args) => run("cargo", ["run", "--release", "-p", "benchmarks", "--bin", name, "--", ...args], { cwd: ROOT });

/** "generated" (540 MB) or "rustc" (64 MB). */
export async function profile(folder, name) {
  const path = `${folder}/${name}.callgrind`;
  if (!existsSync(path)) await benchmark("profile_open", ["--prepare", "--only", name, "--dir", folder]);
  await intoMemory(path);
  return path;
}

/** An OTF2 archive with 30 million events of 64 processes. */
export async function trace(folder) {
  const under = `${folder}/computing`;
  if (!existsSync(under)) await benchmark("trace_speed", ["--prepare", folder, "--workload", "computing"]);
  const anchor = readdirSync(under).find((name) => name.endsWith(".otf2"));
  if (!anchor) throw new Error(`${under} has no anchor file`);
  return `${under}/${anchor}`;
}

/** Reads a file once, so that disks are not measured. */
async function intoMemory(path) {
  const stream = createReadStream(path, { highWaterMark: 1 << 20 });
  stream.resume();
  await finished(stream);
}
