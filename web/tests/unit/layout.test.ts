import assert from "node:assert/strict";
import { test } from "node:test";
import { closePane, freshPaneId, moveDivider, movePane, panesOf, shapeOf, splitPane, type Layout } from "../../src/state/layout.ts";

const leaf = (pane: string) => ({ pane, view: "x" });
const THREE: Layout = { split: "row", at: 0.4, first: leaf("p1"), second: { split: "column", at: 0.5, first: leaf("p2"), second: leaf("p3") } };

test("closing gives the place to the sibling, and keeps the last pane", () => {
  assert.equal(shapeOf(closePane(THREE, "p2")), "row(p1,p3)");
  assert.equal(shapeOf(closePane(THREE, "p1")), "column(p2,p3)");
  assert.equal(shapeOf(closePane(leaf("p1"), "p1")), "p1");
});

test("splitting and moving", () => {
  assert.equal(freshPaneId(THREE), "p4");
  assert.equal(shapeOf(splitPane(THREE, "p1", "column", leaf("p4"))), "row(column(p1,p4),column(p2,p3))");
  assert.equal(shapeOf(movePane(THREE, "p3", null, "left")), "row(p3,row(p1,p2))");
  assert.equal(shapeOf(movePane(THREE, "p3", "p1", "bottom")), "row(column(p1,p3),p2)");
  assert.equal(movePane(leaf("p1"), "p1", null, "left").hasOwnProperty("split"), false);
  assert.deepEqual(panesOf(THREE).map((l) => l.pane), ["p1", "p2", "p3"]);
});

test("dividers stay inside their limits", () => {
  const moved = moveDivider(THREE, "1", 2) as Extract<Layout, { split: string }>;
  assert.equal((moved.second as typeof moved).at, 0.95);
  assert.equal((moveDivider(THREE, "", -1) as typeof moved).at, 0.05);
  assert.deepEqual(moveDivider(leaf("p1"), "0", 0.5), leaf("p1"));
});
