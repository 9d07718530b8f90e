// Inputs for the tests of pictures, small and large.

import type { Amount, EventType, FlamePicture, FunctionName, GraphPicture, Timeline, TreemapPicture } from "../../src/api/types.ts";

/** Random numbers from 0 to 1 that are the same in every run. */
export function randomNumbers(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

export const EVENT: EventType = { name: "Ir", unit: "", title: "instructions", formula: null, total: "1,000,000", old_total: null, by_share: false, adds_up: true };

export function amount(share: number): Amount {
  const percent = `${(share * 100).toFixed(1)} %`;
  return { value: share * 1e6, text: Math.round(share * 1e6).toLocaleString("en"), share, share_text: percent, mark: "" };
}

const WORDS = ["parse", "read", "sort", "merge", "hash", "insert", "allocate", "visit", "emit", "fold", "scan", "copy"];
const OBJECTS = ["program", "libc.so.6", "libstdc++.so.6", "libm.so.6", "libz.so.1", "vdso"];

export function fn(id: number): FunctionName {
  const label = `${WORDS[id % WORDS.length]}_${WORDS[(id * 7 + 3) % WORDS.length]}${id > 11 ? id : ""}`;
  const object = OBJECTS[(id * 5) % OBJECTS.length]!;
  return { id, name: `${label}(std::vector<int>&, unsigned long)`, label, object, file: `src/${label}.cc`, line: 10 + id, class: null, cycle: null, place: null, colour_key: object };
}

/** A random tree of `count` frames; with `difference` each has a change. */
export function flame(count: number, difference = false, seed = 1): FlamePicture {
  const random = randomNumbers(seed);
  const frames: FlamePicture["frames"] = { function: [], parent: [], depth: [], start: [], share: [], self: [], inclusive: [], change: [] };
  const add = (parent: number, depth: number, start: number, share: number) => {
    frames.function.push(Math.floor(random() * 300));
    frames.parent.push(parent);
    frames.depth.push(depth);
    frames.start.push(start);
    frames.share.push(share);
    frames.self.push(amount(share / 3).text);
    frames.inclusive.push(amount(share).text);
    if (difference) frames.change.push((random() - 0.5) * share);
    return frames.function.length - 1;
  };
  add(-1, 0, 0, 1);
  for (let at = 0; at < frames.function.length && frames.function.length < count; at++) {
    let [start, rest] = [frames.start[at]!, frames.share[at]! * (0.9 + 0.1 * random())];
    const children = 1 + Math.floor(random() * 3.2);
    for (let c = 0; c < children && frames.function.length < count; c++) {
      const share = c === children - 1 ? rest : rest * (0.2 + 0.6 * random());
      add(at, frames.depth[at]! + 1, start, share);
      start += share;
      rest -= share;
    }
  }
  const functions = Array.from({ length: 300 }, (_, i) => fn(i));
  return { event: EVENT, direction: "callees", estimated: false, whole: amount(1), functions, frames, hidden: "312 branches below 0.1 % (2.1 % together) are not shown", empty: "", remarks: [] };
}

/** Rows of frames that are all wide enough to be seen: the most work for a painting. */
export function fullFlame(rows: number, perRow: number): FlamePicture {
  const picture = flame(1);
  const frames: FlamePicture["frames"] = { function: [], parent: [], depth: [], start: [], share: [], self: [], inclusive: [], change: [] };
  for (let i = 0; i < rows * perRow; i++) {
    frames.function.push((i * 7) % 300);
    frames.parent.push(i - perRow < 0 ? -1 : i - perRow);
    frames.depth.push(Math.floor(i / perRow));
    frames.start.push((i % perRow) / perRow);
    frames.share.push(1 / perRow);
    frames.self.push("");
    frames.inclusive.push("");
  }
  return { ...picture, frames };
}

/** Tiles that divide their parents alternately. */
export function treemap(count: number, width: number, height: number, difference = false): TreemapPicture {
  const random = randomNumbers(2);
  const tiles: TreemapPicture["tiles"] = { function: [], parent: [], x: [], y: [], width: [], height: [], share: [], self: [], inclusive: [], change: [] };
  const add = (parent: number, x: number, y: number, w: number, h: number, share: number) => {
    tiles.function.push(Math.floor(random() * 200));
    tiles.parent.push(parent);
    tiles.x.push(x);
    tiles.y.push(y);
    tiles.width.push(w);
    tiles.height.push(h);
    tiles.share.push(share);
    tiles.self.push(amount(share / 3).text);
    tiles.inclusive.push(amount(share).text);
    if (difference) tiles.change.push((random() - 0.5) * share);
  };
  add(-1, 0, 0, width, height, 1);
  for (let at = 0; at < tiles.function.length && tiles.function.length < count; at++) {
    let [x, y, w, h] = [tiles.x[at]! + 2, tiles.y[at]! + 15, tiles.width[at]! - 4, tiles.height[at]! - 17];
    if (w < 12 || h < 12) continue;
    const parts = 2 + Math.floor(random() * 3);
    for (let c = 0; c < parts; c++) {
      const share = c === parts - 1 ? 0.8 : 0.3 + 0.3 * random();
      const cost = (tiles.share[at]! * share * (w * h)) / (tiles.width[at]! * tiles.height[at]!);
      if (w > h) {
        add(at, x, y, w * share, h, cost);
        [x, w] = [x + w * share, w * (1 - share)];
      } else {
        add(at, x, y, w, h * share, cost);
        [y, h] = [y + h * share, h * (1 - share)];
      }
    }
  }
  const functions = Array.from({ length: 200 }, (_, i) => fn(i));
  return { event: EVENT, estimated: true, whole: amount(1), functions, tiles, hidden: "", empty: "", remarks: [] };
}

/** Rows of boxes, each called by boxes of the row above. */
export function graph(count: number, difference = false): GraphPicture {
  const random = randomNumbers(3);
  const across = Math.max(1, Math.round(Math.sqrt(count) * 0.8));
  const [w, h, dx, dy] = [170, 66, 230, 170];
  const nodes: GraphPicture["nodes"] = [];
  const edges: GraphPicture["edges"] = [];
  const shareOf = (i: number) => Math.max(0.002, 1 / (1 + i * 0.6));
  for (let i = 0; i < count; i++) {
    const [row, column] = i === 0 ? [0, Math.floor(across / 2)] : [1 + Math.floor((i - 1) / across), (i - 1) % across];
    const f = { ...fn(i), cycle: i % 17 === 16 ? 1 : null };
    const share = shareOf(i);
    nodes.push({
      function: f, label: f.label, details: [`self ${amount(share / 4).text}`, `incl. ${amount(share).share_text}`], is_cycle: false,
      self: amount(share / 4), inclusive: amount(share), change: difference ? (i % 3) / 10 - 0.1 : null, x: 20 + column * dx, y: 20 + row * dy, width: w, height: h,
    });
    if (i > 0) {
      const callers = row === 1 ? [0] : [i - across, 1 + (row - 2) * across + Math.floor(random() * across)];
      for (const from of new Set(callers)) {
        const [a, b] = [nodes[from]!, nodes[i]!];
        const [start, end]: [[number, number], [number, number]] = [[a.x + w / 2, a.y + h], [b.x + w / 2, b.y]];
        const middle: [number, number] = [(start[0] + end[0]) / 2, (start[1] + end[1]) / 2];
        edges.push({ from, to: i, share: share * 0.7, label: [amount(share * 0.7).share_text, `${i * 31} ×`], points: [start, middle, end], label_at: [middle[0] + 4, middle[1]], course: "down" });
      }
    }
  }
  if (count > 3) {
    const a = nodes[2]!;
    edges.push({ from: 2, to: 2, share: 0.1, label: ["10 %", "5 ×"], points: [[a.x + w, a.y + 20], [a.x + w + 30, a.y + 33], [a.x + w, a.y + 46]], label_at: [a.x + w + 34, a.y + 33], course: "loop" });
  }
  const rows = 1 + Math.ceil((count - 1) / across);
  return { event: EVENT, width: across * dx, height: rows * dy, nodes, edges, hidden: "1,204 functions below 1 % are not shown", empty: "", remarks: [] };
}

const REGIONS = ["compute", "MPI_Recv", "MPI_Send", "MPI_Allreduce", "MPI_Waitall", "exchange", "io", "solve", "assemble", "update", "norm", "init", "finish", "log"];

/** Lanes full of regions, with waits, messages and a critical path. */
export function timeline(lanes: number, columns: number, from: number, to: number, runtime: number, firstLane = 0, count = lanes): Timeline {
  const seconds = (to - from) / columns;
  const messages: Timeline["messages"] = [];
  const critical: Timeline["critical_path"] = [];
  const rows = Array.from({ length: count }, (_, i) => {
    const lane = firstLane + i;
    const row: Timeline["lanes"][number] = { name: `rank ${lane}`, locations: [lane], from: [], to: [], region: [], waits: [] };
    // Regions of the run: piece k of a lane begins at k * period, so that zooming shows the same ones.
    const period = runtime / 400;
    for (let k = Math.floor(from / period); k * period < to; k++) {
      const shift = ((lane * 7 + k * 3) % 10) / 25;
      const a = Math.max(0, Math.floor(((k + shift) * period - from) / seconds));
      const b = Math.min(columns, Math.ceil(((k + 0.98 + ((lane * 7 + (k + 1) * 3) % 10) / 25) * period - from) / seconds));
      if (b <= a) continue;
      const region = (k * 5 + (k % 3 === 0 ? lane : 0)) % REGIONS.length;
      row.from.push(Math.max(a, row.to[row.to.length - 1] ?? 0));
      row.to.push(Math.max(b, row.from[row.from.length - 1]! + 1));
      row.region.push(region);
      if (region === 1 || region === 4) row.waits.push([a, Math.max(a + 1, Math.floor((a + b) / 2))]);
      if (region === 2 && lane + 3 < lanes) messages.push({ from_lane: lane, to_lane: lane + 3, sent: k * period, received: (k + 1.5) * period, count: (k % 4) ** 3 + 1 });
    }
    return row;
  });
  for (let c = 0; c < columns; c += columns / 12) {
    critical.push({ lane: firstLane + (Math.floor(c * 3) % count), from: Math.floor(c), to: Math.floor(c + columns / 12) });
  }
  return {
    begin: from, end: to, runtime, columns, lane_count: lanes, first_lane: firstLane,
    regions: REGIONS.map((name, rank) => ({ name, class: name.startsWith("MPI") ? "MPI" : "user", rank })),
    lanes: rows, messages, message_count: messages.length * 5, hidden: "", critical_path: critical, table: null,
  };
}
