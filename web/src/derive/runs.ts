// The plots of runs: where each run is, which one is near, and what a rectangle selects. Pure.

import type { RunRow, RunSelection, RunsAnswer } from "../api/types.ts";

export type RunPlotKind = "order" | "distribution";

export interface PlotArea {
  left: number;
  top: number;
  right: number;
  bottom: number;
}

export interface RunPoint {
  /** The index of the run. */
  run: number;
  x: number;
  y: number;
}

export interface PlotTick {
  at: number;
  text: string;
}

export interface RunPlot {
  kind: RunPlotKind;
  area: PlotArea;
  /** Runs with a value, and in the order of runs those without one, which stand on the axis. */
  points: RunPoint[];
  across: PlotTick[];
  up: PlotTick[];
  /** Titles of the axes. */
  acrossTitle: string;
  upTitle: string;
}

/** How many shapes and dash patterns there are; coprime to the number of hues, so that no pair comes again early. */
const SHAPES = 5;
const DASHES: readonly (readonly number[])[] = [[], [6, 3], [2, 3], [8, 3, 2, 3], [12, 3]];

/** How the runs of a program are drawn. */
export interface ProgramMark {
  hue: number;
  shape: number;
  dash: readonly number[];
}

/** The mark of a program. With 12 hues the first 60 programs differ in colour or shape, and neighbours in both. */
export function programMark(program: number, hues: number): ProgramMark {
  return { hue: (program * 5) % Math.max(1, hues), shape: program % SHAPES, dash: DASHES[program % DASHES.length]! };
}

const MARGIN = { left: 78, top: 26, right: 14, bottom: 38 };
/** Pixels within which the pointer finds a run. */
const NEAR = 12;
/** A drag that is lower than this selects runs with any value. */
const FLAT = 8;

/** Places all runs on a canvas; null if there is no room, or nothing to place. */
export function runPlot(answer: RunsAnswer, kind: RunPlotKind, width: number, height: number): RunPlot | null {
  const area = { left: MARGIN.left, top: MARGIN.top, right: width - MARGIN.right, bottom: height - MARGIN.bottom };
  const span = valueSpan(answer);
  if (!span || area.right - area.left < 40 || area.bottom - area.top < 30) return null;
  return kind === "order" ? orderPlot(answer, area, span) : distributionPlot(answer, area, span);
}

type Span = readonly [low: number, high: number];

function valueSpan(answer: RunsAnswer): Span | null {
  const { ticks } = answer;
  const [low, high] = [ticks[0]?.value, ticks[ticks.length - 1]?.value];
  if (low === undefined || high === undefined) return null;
  return high > low ? [low, high] : [low - Math.abs(low) / 2 - 1e-9, high + Math.abs(high) / 2 + 1e-9];
}

const between = (value: number, [low, high]: Span, from: number, to: number) => from + ((value - low) / (high - low)) * (to - from);

function orderPlot(answer: RunsAnswer, area: PlotArea, span: Span): RunPlot {
  const runs: Span = [0.5, Math.max(answer.runs.length, 1) + 0.5];
  const x = (number: number) => between(number, runs, area.left, area.right);
  const y = (value: number) => between(value, span, area.bottom, area.top);
  const points = answer.runs.map((run, index) => ({ run: index, x: x(run.number), y: run.value === null ? area.bottom : y(run.value) }));
  return {
    kind: "order",
    area,
    points,
    across: wholeTicks(answer.runs.length, Math.max(2, Math.floor((area.right - area.left) / 70))).map((number) => ({ at: x(number), text: String(number) })),
    up: answer.ticks.map((tick) => ({ at: y(tick.value), text: tick.text })),
    acrossTitle: "run, in the order in which they were made",
    upTitle: answer.axis,
  };
}

/** The share of a program's runs that took at most so much. */
function distributionPlot(answer: RunsAnswer, area: PlotArea, span: Span): RunPlot {
  const x = (value: number) => between(value, span, area.left, area.right);
  const y = (share: number) => between(share, [0, 1], area.bottom, area.top);
  const points: RunPoint[] = [];
  answer.programs.forEach((_, program) => {
    const own = answer.runs.map((run, index) => ({ run, index })).filter(({ run }) => run.program === program && run.value !== null);
    own.sort((a, b) => a.run.value! - b.run.value! || a.index - b.index);
    own.forEach(({ run, index }, at) => points.push({ run: index, x: x(run.value!), y: y((at + 1) / own.length) }));
  });
  return {
    kind: "distribution",
    area,
    points,
    across: answer.ticks.map((tick) => ({ at: x(tick.value), text: tick.text })),
    up: [0, 0.25, 0.5, 0.75, 1].map((share) => ({ at: y(share), text: `${share * 100} %` })),
    acrossTitle: answer.axis,
    upTitle: "runs with at most this",
  };
}

/** Round numbers from 1 to `count`, at most `most`. */
export function wholeTicks(count: number, most: number): number[] {
  if (count <= 1) return count === 1 ? [1] : [];
  const steps = [1, 2, 5].flatMap((digit) => [0, 1, 2, 3, 4, 5, 6].map((power) => digit * 10 ** power)).sort((a, b) => a - b);
  const step = steps.find((size) => count / size <= most) ?? count;
  const ticks = step === 1 ? [] : [1];
  for (let number = step; number <= count; number += step) ticks.push(number);
  return ticks;
}

/** The index in `points` of the nearest one; -1 if none is near. */
export function nearestPoint(plot: RunPlot, x: number, y: number): number {
  let best = -1;
  let least = NEAR * NEAR;
  plot.points.forEach((point, index) => {
    const distance = (point.x - x) ** 2 + (point.y - y) ** 2;
    if (distance <= least) [best, least] = [index, distance];
  });
  return best;
}

export interface Brush {
  x0: number;
  y0: number;
  x1: number;
  y1: number;
}

/** The selection of a rectangle; null if no run with a value is in it. */
export function selectionOf(plot: RunPlot, answer: RunsAnswer, brush: Brush): RunSelection | null {
  const [left, right] = [Math.min(brush.x0, brush.x1), Math.max(brush.x0, brush.x1)];
  const [top, bottom] = [Math.min(brush.y0, brush.y1), Math.max(brush.y0, brush.y1)];
  // In the distribution, the height of a run follows from its value.
  const isFlat = plot.kind === "distribution" || bottom - top < FLAT;
  const inside = plot.points.filter((point) => point.x >= left && point.x <= right && (isFlat || (point.y >= top && point.y <= bottom)));
  const runs = inside.map((point) => answer.runs[point.run]!).filter((run) => run.value !== null);
  if (runs.length === 0) return null;
  const values = runs.map((run) => run.value!);
  const numbers = runs.map((run) => run.number);
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const { metric } = answer;
  if (plot.kind === "distribution") return { first: 1, last: answer.runs.length, low, high, metric };
  const range = { first: Math.min(...numbers), last: Math.max(...numbers) };
  return isFlat ? { ...range, low: null, high: null, metric } : { ...range, low, high, metric };
}

/** What to read out or to show beside a run. */
export function runText(answer: RunsAnswer, run: RunRow): { title: string; rows: (readonly [string, string])[]; remark?: string } {
  const rows: (readonly [string, string])[] = [
    [answer.metric, run.text],
    ["run", `${run.number} of ${answer.runs.length}`],
    ["round", `${run.round}, place ${run.place}`],
  ];
  const title = answer.programs[run.program] ?? "";
  return run.contended ? { title, rows, remark: "It had to share its CPU." } : { title, rows };
}
