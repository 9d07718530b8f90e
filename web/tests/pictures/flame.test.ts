import assert from "node:assert/strict";
import { test } from "node:test";
import { type FlameLayer, firstFrame, flameIndex, frameAt, isWithin, lineOf, moveFrame, rowCount, visibleFrames } from "../../src/derive/flame.ts";
import { flame } from "./sample.ts";

// |        0        |
// |   1   |  2  |
// | 3 |
const small = flame(1);
small.frames = {
  function: [0, 1, 2, 3],
  parent: [-1, 0, 0, 1],
  depth: [0, 1, 1, 2],
  start: [0, 0, 0.5, 0],
  share: [1, 0.5, 0.25, 0.25],
  self: ["", "", "", ""],
  inclusive: ["", "", "", ""],
  change: [],
};
const index = flameIndex(small);
const down: FlameLayer = { index, base: 0, sign: 1, from: 0, zoom: -1 };
const view = { width: 100, height: 60, scrollTop: 0, rowHeight: 20 };

function rectangles(layer: FlameLayer, at = view): number[][] {
  const all: number[][] = [];
  visibleFrames(layer, at, (...rectangle) => all.push(rectangle));
  return all;
}

test("frames grow down, or up from the last row", () => {
  assert.deepEqual(rectangles(down), [[0, 0, 0, 100], [1, 0, 20, 50], [2, 50, 20, 25], [3, 0, 40, 25]]);
  const up: FlameLayer = { ...down, base: 2, sign: -1 };
  assert.deepEqual(rectangles(up), [[3, 0, 0, 25], [1, 0, 20, 50], [2, 50, 20, 25], [0, 0, 40, 100]]);
  assert.equal(rowCount([down]), 3);
  assert.equal(rowCount([up]), 3);
});

test("only rows on the screen are drawn", () => {
  assert.deepEqual(rectangles(down, { ...view, scrollTop: 20, height: 20 }), [[1, 0, 0, 50], [2, 50, 0, 25]]);
});

test("the zoomed frame and its ancestors fill the width", () => {
  assert.deepEqual(rectangles({ ...down, zoom: 2 }), [[0, 0, 0, 100], [2, 0, 20, 100]]);
  assert.deepEqual(rectangles({ ...down, zoom: 1 }), [[0, 0, 0, 100], [1, 0, 20, 100], [3, 0, 40, 50]]);
});

test("a point leads to its frame", () => {
  assert.deepEqual(frameAt([down], view, 60, 25), { layer: 0, frame: 2 });
  assert.equal(frameAt([down], view, 90, 25), null);
  assert.equal(frameAt([down], view, 10, 70), null);
  assert.deepEqual(frameAt([{ ...down, zoom: 2 }], view, 5, 25), { layer: 0, frame: 2 });
  assert.deepEqual(frameAt([down], { ...view, scrollTop: 40 }, 10, 5), { layer: 0, frame: 3 });
});

test("arrow keys move between parent, child and siblings", () => {
  const at = (frame: number) => ({ layer: 0, frame });
  assert.deepEqual(firstFrame([down]), at(0));
  assert.deepEqual(moveFrame([down], at(0), "down"), at(1));
  assert.deepEqual(moveFrame([down], at(1), "right"), at(2));
  assert.equal(moveFrame([down], at(2), "right"), null);
  assert.deepEqual(moveFrame([down], at(3), "up"), at(1));
  assert.equal(moveFrame([down], at(0), "up"), null);
  assert.deepEqual(moveFrame([{ ...down, base: 2, sign: -1 }], at(0), "up"), at(1));
});

test("a sandwich continues from callees to callers", () => {
  const layers: FlameLayer[] = [{ ...down, base: 2, sign: -1, from: 1 }, { ...down, base: 2 }];
  assert.equal(rowCount(layers), 5);
  assert.deepEqual(moveFrame(layers, { layer: 1, frame: 0 }, "up"), { layer: 0, frame: 1 });
  assert.deepEqual(moveFrame(layers, { layer: 0, frame: 1 }, "down"), { layer: 1, frame: 0 });
  assert.equal(lineOf(layers, { layer: 0, frame: 1 }), 1);
  assert.deepEqual(frameAt(layers, { ...view, height: 100 }, 10, 45), { layer: 1, frame: 0 });
});

test("20,000 frames give at most two rectangles for each pixel and row", () => {
  const layer = { ...down, index: flameIndex(flame(20_000)) };
  const large = { width: 1600, height: 900, scrollTop: 0, rowHeight: 19 };
  const found = rectangles(layer, large);
  const rows = new Map<number, number>();
  for (const [, , y] of found) rows.set(y!, (rows.get(y!) ?? 0) + 1);
  for (const count of rows.values()) assert.ok(count <= 3200);
});

test("ancestors", () => {
  assert.ok(isWithin(small.frames.parent, 3, 0));
  assert.ok(isWithin(small.frames.parent, 3, 3));
  assert.ok(!isWithin(small.frames.parent, 3, 2));
});
