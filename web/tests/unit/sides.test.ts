// Numbers of comparisons say whose they are; losses come first; totals that do not exist read well.

import assert from "node:assert/strict";
import { test } from "node:test";
import { isRecursive, lossFirst, totalText } from "../../src/views/shared/amount.ts";
import { sideCosts } from "../../src/views/shared/sides.ts";
import { functionRow, nameOf } from "../mock/names.ts";

test("costs of a comparison name their side", () => {
  const pair = functionRow(0, ["Ir"], true).costs[0]!;
  assert.deepEqual(sideCosts(pair, "new"), { side: "new", self: "34.1 %", inclusive: "41.2 %" });
  assert.deepEqual(sideCosts(pair, "old"), { side: "old", self: "56.8 %", inclusive: "68.7 %" });
  assert.deepEqual(sideCosts(pair, "difference"), { side: "old → new", self: "56.8 % → 34.1 %", inclusive: "68.7 % → 41.2 %" });
  const plain = functionRow(0, ["Ir"], false).costs[0]!;
  assert.equal(sideCosts(plain, null).side, "");
  assert.equal(sideCosts(plain, "old").side, "in one profile only");
  assert.equal(sideCosts({ ...plain, inclusive: null }, null).inclusive, "");
});

test("remarks on lost data come first, others keep their order", () => {
  const remark = (message: string, loss: boolean) => ({ place: null, message, loss });
  const sorted = lossFirst([remark("a", false), remark("b", true), remark("c", false), remark("d", true)]);
  assert.deepEqual(sorted.map((it) => it.message), ["b", "d", "a", "c"]);
});

test("an event type without a total says why", () => {
  assert.equal(totalText({ formula: null, adds_up: true }, "4.21 G"), "4.21 G in total");
  assert.equal(totalText({ formula: "Ir / calls", adds_up: false }, ""), "has no total, since it is a ratio");
  assert.equal(totalText({ formula: "Ir * Ir", adds_up: false }, ""), "has no total, since its costs do not add up");
});

test("calls inside a cycle and calls of oneself are recursive", () => {
  const [evaluate, other] = [nameOf(11), nameOf(8)];
  assert.ok(isRecursive(evaluate, evaluate));
  assert.ok(isRecursive(other, other), "also without a cycle of several functions");
  assert.ok(isRecursive(evaluate, { ...other, cycle: evaluate.cycle }));
  assert.ok(!isRecursive(other, nameOf(0)) && !isRecursive(null, other) && !isRecursive(evaluate, other));
});
