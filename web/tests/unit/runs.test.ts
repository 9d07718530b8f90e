// Plots of runs: places, what is near, what a rectangle selects; places of source lines.

import assert from "node:assert/strict";
import { test } from "node:test";
import { answerTo, type Exported } from "../../src/api/exported.ts";
import type { RunsAnswer } from "../../src/api/types.ts";
import { nearestPoint, programMark, runPlot, runText, selectionOf, wholeTicks } from "../../src/derive/runs.ts";
import { placeOf, sourceRows } from "../../src/views/profile/sourcerows.ts";
import { runsTwin } from "../../src/views/report/runs-text.ts";
import { runs, source } from "../mock/answers.ts";

const ANSWER = runs({ ask: "runs", metric: null, selection: null });
const SCOPE = { event: null, define: [], parts: null, focus: null, ignore: null, hide: null, side: null };

test("runs are placed in their order, from left to right", () => {
  const plot = runPlot(ANSWER, "order", 600, 300)!;
  assert.equal(plot.points.length, 40);
  assert.ok(plot.points.every((point, i) => i === 0 || point.x > plot.points[i - 1]!.x));
  assert.ok(plot.points[0]!.y < plot.points[1]!.y, "91 ms is above 43 ms");
  assert.equal(plot.points[39]!.y, plot.area.bottom, "a run without a value stands on the axis");
  assert.equal(runPlot(ANSWER, "order", 50, 50), null);
  assert.equal(runPlot({ ...ANSWER, ticks: [] }, "order", 600, 300), null);
});

test("a distribution rises to one for each program", () => {
  const plot = runPlot(ANSWER, "distribution", 600, 300)!;
  assert.equal(plot.points.length, 39);
  for (const program of [0, 1]) {
    const own = plot.points.filter((point) => ANSWER.runs[point.run]!.program === program);
    assert.equal(own.at(-1)!.y, plot.area.top);
    assert.ok(own.every((point, i) => i === 0 || (point.x >= own[i - 1]!.x && point.y < own[i - 1]!.y)));
  }
});

test("programs differ in colour or shape, and in colour or dashes", () => {
  const marks = Array.from({ length: 24 }, (_, program) => programMark(program, 12));
  assert.equal(new Set(marks.map(({ hue, shape }) => `${hue} ${shape}`)).size, 24);
  assert.equal(new Set(marks.map(({ hue, dash }) => `${hue} ${dash.join()}`)).size, 24);
});

test("the nearest run is found within some pixels", () => {
  const plot = runPlot(ANSWER, "order", 600, 300)!;
  const { x, y } = plot.points[4]!;
  assert.equal(nearestPoint(plot, x + 2, y - 2), 4);
  assert.equal(nearestPoint(plot, x, y + 60), -1);
});

test("a flat drag selects runs, a high one values too", () => {
  const plot = runPlot(ANSWER, "order", 600, 300)!;
  const [from, to] = [plot.points[1]!, plot.points[4]!];
  const flat = { x0: to.x + 1, y0: 100, x1: from.x - 1, y1: 102 };
  assert.deepEqual(selectionOf(plot, ANSWER, flat), { first: 2, last: 5, low: null, high: null, metric: "wall" });
  const high = selectionOf(plot, ANSWER, { ...flat, y0: 0, y1: (plot.area.top + plot.area.bottom) / 2 })!;
  assert.deepEqual([high.first, high.last], [3, 5], "only runs of the slower program are in it");
  assert.ok(high.low! > 0.08 && high.high! < 0.1);
  assert.equal(selectionOf(plot, ANSWER, { x0: 0, y0: 0, x1: 5, y1: 50 }), null);
  const distribution = runPlot(ANSWER, "distribution", 600, 300)!;
  const values = selectionOf(distribution, ANSWER, { x0: distribution.area.left, y0: 0, x1: distribution.points.at(-1)!.x, y1: 5 })!;
  assert.deepEqual([values.first, values.last], [1, 40]);
});

test("few round numbers mark the axis of runs", () => {
  assert.deepEqual(wholeTicks(5, 10), [1, 2, 3, 4, 5]);
  assert.deepEqual(wholeTicks(40, 5), [1, 10, 20, 30, 40]);
  assert.deepEqual(wholeTicks(0, 5), []);
  assert.ok(wholeTicks(123_456, 7).length <= 8);
});

test("texts name program, value, round and place", () => {
  const tip = runText(ANSWER, ANSWER.runs[12]!);
  assert.deepEqual(tip.rows, [["wall", "115 ms"], ["run", "13 of 40"], ["round", "7, place 1"]]);
  assert.match(tip.remark ?? "", /share its CPU/);
});

test("the table of a selection has its runs only, and says so", () => {
  const marked = runs({ ask: "runs", metric: null, selection: { first: 3, last: 4, low: null, high: null, metric: null } });
  assert.equal(runsTwin(ANSWER).rows.length, 40);
  const twin = runsTwin(marked);
  assert.deepEqual(twin.rows.map((row) => row.cells[0]), ["3", "4"]);
  assert.match(twin.caption, /no verdict/);
});

test("an exported page marks a selection and says that it has no statistics", () => {
  const data: Exported = { session: { version: "", read_only: true, editor: null, documents: [], recent: [], layout: null }, answers: { "runs|-": ANSWER } };
  const answer = answerTo(data, { ask: "runs", metric: null, selection: { first: 1, last: 3, low: null, high: null, metric: null } }) as RunsAnswer;
  assert.deepEqual(answer.runs.filter((run) => run.selected).map((run) => run.number), [1, 2, 3]);
  assert.match(answer.selected?.caption ?? "", /3 of 40 runs, no verdict.*exported page/);
});

test("an exported page marks the same runs in the plot of another metric", () => {
  const user = { ...ANSWER, metric: "user", runs: ANSWER.runs.map((run) => ({ ...run, value: 1 })) };
  const data: Exported = { session: { version: "", read_only: true, editor: null, documents: [], recent: [], layout: null }, answers: { "runs|-": ANSWER, "runs|user": user } };
  const selection = { first: 1, last: 6, low: 0.08, high: null, metric: "wall" };
  const selected = (metric: string | null, from: typeof selection) => (answerTo(data, { ask: "runs", metric, selection: from }) as RunsAnswer).runs.filter((run) => run.selected).map((run) => run.number);
  assert.deepEqual(selected("user", selection), [1, 3, 5]);
  assert.deepEqual(selected(null, selection), [1, 3, 5]);
  assert.deepEqual(selected(null, { ...selection, metric: "gone" }), []);
});

test("a line has the place of its own source", () => {
  const answer = source({ ask: "source", scope: SCOPE, function: 0, events: ["Ir"], instructions: false }, { functions: 10, comparison: true, findings: [] });
  const row = sourceRows(answer).find((each) => each.kind === "line")!;
  assert.ok(row.kind === "line");
  assert.equal(placeOf(row)?.path, "/home/user/solver/src/matrix.cpp");
  const removed = { ...row, line: { ...row.line, line: null, old_line: 7, status: "removed" as const } };
  assert.deepEqual(placeOf(removed), { path: "/home/user/old/src/matrix.cpp", line: 7, isFound: true });
  assert.equal(placeOf({ ...row, line: { ...row.line, line: null, old_line: null } }), null);
});

test("the table says which runs a finding is about", () => {
  const rows = runsTwin(ANSWER, new Set([2])).rows;
  assert.deepEqual(rows.map((row) => row.cells.at(-1)!.includes("of the finding")).slice(0, 3), [false, true, false]);
});
