// Pure parts of the views.

import assert from "node:assert/strict";
import { test } from "node:test";
import { cut } from "../../src/core/dom.ts";
import { collect, kindOf, matches } from "../../src/views/findings/strip.ts";
import { patternOf } from "../../src/views/frame/app.ts";
import { arrowPieces, firstRow, hottestRow, rowJumps, codeRows, rowOfLine, sourceRows } from "../../src/views/profile/sourcerows.ts";
import { PAGE, PagedRows } from "../../src/views/shared/paged.ts";
import { sorted } from "../../src/views/shared/stringtable.ts";
import { source } from "../mock/answers.ts";
import { makeDocuments } from "../mock/documents.ts";
import { nameOf } from "../mock/names.ts";

const SCOPE = { event: null, define: [], parts: null, focus: null, ignore: null, hide: null, side: null };
const ANSWER = source({ ask: "source", scope: SCOPE, function: 0, events: ["Ir"], instructions: true }, { functions: 10, comparison: false, findings: [] });

test("long names are cut in the middle, control characters go", () => {
  assert.equal(cut("a".repeat(10), 300), "a".repeat(10));
  assert.equal(cut("abcdefghij", 5), "abc…ij");
  assert.equal(cut("a\nb\u202ec"), "a b c");
  assert.ok(cut("x".repeat(1_000_000)).length < 310);
});

test("a pattern matches exactly one name", () => {
  const fn = { ...nameOf(0), name: "operator/(A<B*>, [c]) + d?" };
  const pattern = patternOf(fn);
  assert.ok(new RegExp(pattern.slice(1, -1)).test(fn.name));
  assert.ok(!new RegExp(pattern.slice(1, -1)).test(`${fn.name}x`));
  const shared = new RegExp(patternOf({ ...fn, place: "src/a.c:2" }).slice(1, -1));
  assert.ok(shared.test(`${fn.name} [src/a.c:2]`), "as the engine names functions of the same name");
  assert.ok(!shared.test(fn.name) && !shared.test(`${fn.name} [src/b.c:2]`));
});

test("source rows have heads, lines and call sites", () => {
  const rows = sourceRows(ANSWER);
  assert.equal(rows[0]?.kind, "file");
  assert.equal(rows.filter((row) => row.kind === "call").length, 2);
  const hottest = rows[hottestRow(rows)];
  assert.equal(hottest?.kind === "line" && hottest.line.line, 124);
  assert.equal(rowOfLine(rows, 124), hottestRow(rows));
  assert.equal(rowOfLine(rows, 9999), -1);
  // Two files have a line 1121 here; a path that no file has does not hide the line.
  const twice = [...rows.filter((row) => row.kind === "line").slice(0, 1).map((row) => ({ ...row, line: { ...row.line, line: 1121 } })), ...rows];
  const inlined = rowOfLine(twice, 1121, "/usr/include/c++/12/bits/stl_vector.h");
  assert.deepEqual([rowOfLine(twice, 1121), rowOfLine(twice, 1121, "src/matrix.cpp"), rowOfLine(twice, 1121, "moved.cpp")], [0, 0, 0]);
  assert.ok(inlined > 0);
  assert.equal(firstRow(rows, 9999), hottestRow(rows));
  const cold = rows.filter((row) => row.kind !== "line" || row.line.self[0]?.value === 0);
  assert.equal(firstRow(cold, 118), rowOfLine(cold, 118));
});

test("arrows are drawn by row", () => {
  const rows = codeRows(ANSWER);
  const jumps = rowJumps(ANSWER, rows);
  assert.deepEqual(arrowPieces(jumps, 3), [
    { lane: 0, above: false, below: true, end: "to", text: "taken 12.3 M times" },
    { lane: 1, above: true, below: true, end: null, text: "" },
  ]);
  assert.deepEqual(arrowPieces(jumps, 13), []);
  const loop = arrowPieces([{ from: 2, to: 2, lane: 0, text: "" }], 2);
  assert.deepEqual(loop, [{ lane: 0, above: false, below: false, end: "to", text: "" }]);
});

test("pages are fetched once, and given up when out of view", async () => {
  const asked: number[] = [];
  const aborted: number[] = [];
  let changes = 0;
  const rows = new PagedRows<number>(1000, Array.from({ length: PAGE }, (_, i) => i), (offset, limit, signal) => {
    asked.push(offset);
    signal.addEventListener("abort", () => aborted.push(offset));
    return Promise.resolve(Array.from({ length: Math.min(limit, 1000 - offset) }, (_, i) => offset + i));
  }, () => changes++);
  rows.need(0, 50);
  assert.deepEqual(asked, []);
  rows.need(190, 210);
  rows.need(195, 215);
  rows.need(900, 950);
  await new Promise((resolve) => setTimeout(resolve, 5));
  assert.deepEqual(asked, [200, 800]);
  assert.deepEqual(aborted, [200]);
  assert.equal(changes, 1);
  assert.equal(rows.row(801), 801);
  assert.equal(rows.row(201), undefined);
});

test("text tables sort numbers by value", () => {
  const rows = ["1,000", "9", "12.5 %", "abc"].map((text) => [{ text }]);
  assert.deepEqual(sorted(rows.slice(0, 3), 0, true).map((row) => row[0]!.text), ["9", "12.5 %", "1,000"]);
  assert.equal(sorted(rows, 0, false)[0]![0]!.text, "abc");
});

test("findings without a share come last whatever their level, and those of one document keep their order", () => {
  const { profile, bench, trace } = structuredClone(makeDocuments());
  if (profile?.stage.stage !== "ready") throw new Error("the mock document is not ready");
  profile.stage.about.findings[1]!.level = "error";
  profile.stage.about.findings[2]!.level = "error";
  profile.stage.about.findings[2]!.rank = [0, 2, 0.6, 0];
  assert.deepEqual(collect([bench!, profile, trace!]).map((item) => [item.finding.rule, item.finding.share]), [
    ["trace/late-sender", 0.31],
    ["profile/cache-misses-in-loop", 0.22],
    ["profile/allocation-in-loop", 0.1],
    ["predict/branch-mispredicted", null],
    ["bench/outliers", null],
    ["bench/undecided", null],
  ]);
});

test("findings have one order over all documents, and filters apply", () => {
  const { profile, trace } = makeDocuments();
  const all = collect([profile!, trace!]);
  assert.equal(all[0]?.finding.rule, "trace/late-sender");
  assert.deepEqual(all.map((item) => [item.finding.level, item.finding.share]), [["warning", 0.31], ["warning", 0.22], ["warning", 0.1], ["note", null]]);
  assert.equal(kindOf(all[3]!), "profile", "the document's kind, not the first word of the rule");
  const none = { pillar: "", rule: "", file: "" };
  assert.equal(all.filter((item) => matches(item, none)).length, 4);
  assert.equal(all.filter((item) => matches(item, { ...none, pillar: "trace" })).length, 1);
  assert.equal(all.filter((item) => matches(item, { ...none, file: "MATRIX.cpp" })).length, 1);
  assert.equal(all.filter((item) => matches(item, { ...none, file: "traces.otf2" })).length, 1);
});
