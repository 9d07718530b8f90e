import assert from "node:assert/strict";
import { test } from "node:test";
import { edgeAt, fitCamera, keepInView, moveNode, nodeAt, revealBox, zoomAt } from "../../src/derive/graph.ts";
import { axisTicks, formatTime, limitWindow, panWindow, roundStep, zoomWindow } from "../../src/derive/time-window.ts";
import { hasVisibleLanes, itemAt, laneHeight, laneOfLocation, lanesToAsk, locationAt, messageAt, messageStyle, moveRegion, regionAt, regionsByTime, timeOfX, visibleLanes, waitWithin, xOfTime } from "../../src/derive/timeline.ts";
import { moveTile, tileAt, treemapIndex } from "../../src/derive/treemap.ts";
import { graph, timeline, treemap } from "./sample.ts";

const near = (a: number, b: number) => assert.ok(Math.abs(a - b) <= 1e-9 * Math.max(1, Math.abs(b)), `${a} is not ${b}`);

test("the innermost tile is at a point", () => {
  const picture = treemap(400, 800, 600);
  const index = treemapIndex(picture, 800, 600);
  const { x, y, width, height, parent } = picture.tiles;
  const inner = parent.lastIndexOf(parent[parent.length - 1]!);
  assert.equal(tileAt(index, x[inner]! + width[inner]! / 2, y[inner]! + height[inner]! / 2), inner);
  assert.equal(tileAt(index, 1, 1), 0);
  assert.equal(tileAt(index, -5, 1), -1);
  const child = moveTile(index, 0, "down");
  assert.equal(parent[child], 0);
  assert.equal(moveTile(index, child, "up"), 0);
  assert.equal(moveTile(index, child, "left"), -1);
  assert.equal(parent[moveTile(index, child, "right")], 0);
  assert.equal(moveTile(index, -1, "left"), 0);
});

test("a graph fits, zooms around a point and stays in view", () => {
  const picture = { width: 1000, height: 500 };
  const size = { width: 524, height: 400 };
  const camera = fitCamera(picture, size);
  assert.equal(camera.scale, 0.5);
  assert.equal(camera.x, 12);
  const zoomed = zoomAt(camera, 100, 50, 2);
  near((100 - zoomed.x) / zoomed.scale, (100 - camera.x) / camera.scale);
  assert.ok(keepInView({ x: -9999, y: 0, scale: 1 }, picture, size).x >= -1000);
  const shown = revealBox({ x: 0, y: 0, scale: 1 }, { x: 900, y: 10, width: 50, height: 20 }, size);
  assert.equal(900 + shown.x + 50 + 24, 524);
});

test("keys walk along calls", () => {
  const picture = graph(20);
  const camera = { x: 0, y: 0, scale: 1 };
  const box = picture.nodes[3]!;
  assert.equal(nodeAt(picture, camera, box.x + 5, box.y + 5), 3);
  assert.equal(nodeAt(picture, camera, 1, 1), -1);
  assert.equal(moveNode(picture, -1, "down"), 0);
  assert.equal(moveNode(picture, 0, "down"), 1);
  assert.equal(moveNode(picture, 1, "up"), 0);
  assert.equal(moveNode(picture, 1, "right"), 2);
  assert.equal(moveNode(picture, 1, "left"), -1);
  const [x, y] = picture.edges[0]!.points[1]!;
  assert.equal(edgeAt(picture, camera, x, y), 0);
});

test("a window zooms at a point and stays in the run", () => {
  assert.deepEqual(zoomWindow({ from: 0, to: 10 }, 0.5, 2, 10), { from: 2.5, to: 7.5 });
  assert.deepEqual(zoomWindow({ from: 2, to: 4 }, 0, 0.01, 10), { from: 0, to: 10 });
  assert.deepEqual(panWindow({ from: 8, to: 10 }, 1, 10), { from: 8, to: 10 });
  assert.deepEqual(panWindow({ from: 4, to: 6 }, -0.5, 10), { from: 3, to: 5 });
  assert.deepEqual(limitWindow({ from: NaN, to: 3 }, 10), { from: 0, to: 10 });
  const narrow = limitWindow({ from: 5, to: 5 }, 10);
  assert.ok(narrow.to > narrow.from);
});

test("ticks are at round times, and offsets where the window is narrow", () => {
  assert.equal(roundStep(0.03), 0.05);
  assert.equal(roundStep(2), 2);
  const whole = axisTicks({ from: 0, to: 10 }, 900);
  assert.equal(whole.base, "0 s");
  assert.equal(axisTicks({ from: 3.2168, to: 13.2168 }, 900).base, "3.2 s");
  assert.deepEqual(whole.ticks.map((tick) => tick.text).slice(0, 3), ["0 s", "1 s", "2 s"]);
  const part = axisTicks({ from: 12.345678, to: 12.345698 }, 900);
  assert.match(part.base, /^12\.345678\d* s$/);
  assert.ok(part.ticks.every((tick) => /^\+\d+(\.\d+)? µs$/.test(tick.text)), JSON.stringify(part.ticks));
  assert.ok(Math.abs(part.ticks[1]!.time - 12.345678 - 2e-6) < 1e-9, "offsets are from the left edge");
  assert.equal(formatTime(0.01234, 1e-6), "12.340 ms");
  assert.equal(formatTime(0, 1), "0 s");
});

test("places of a time-line", () => {
  const picture = timeline(64, 1600, 0, 100, 100);
  const view = { width: 1700, height: 626, left: 100, top: 26, laneHeight: laneHeight(600, 64), scrollTop: 0, window: { from: 0, to: 100 } };
  assert.equal(view.laneHeight, 9);
  near(timeOfX(view, xOfTime(view, 33.3)), 33.3);
  assert.deepEqual(visibleLanes({ ...view, height: 26 + 90, scrollTop: 45 }, 64), { first: 5, count: 10 });
  assert.deepEqual(visibleLanes(view, 3), { first: 0, count: 3 });
  // 66 lanes have room: of 200 the visible ones with eight above and below; merged ones at once.
  assert.deepEqual(lanesToAsk(view, 64, false), { first: 0, count: 72 });
  assert.deepEqual(lanesToAsk({ ...view, scrollTop: 180 }, 200, false), { first: 12, count: 83 });
  assert.deepEqual(lanesToAsk({ ...view, scrollTop: 3 }, 200, true), { first: 0, count: 66 });
  const some = timeline(200, 1600, 0, 100, 100, 12, 83);
  for (const [scrollTop, isThere] of [[180, true], [108, true], [99, false], [252, true], [270, false]] as const) {
    assert.equal(hasVisibleLanes(some, { ...view, scrollTop }), isThere, String(scrollTop));
  }
  assert.deepEqual([laneOfLocation(some, 20, 20), laneOfLocation(some, 150, 150)], [20, 150]);
  assert.deepEqual([locationAt(view, picture, 26 + 10 * 9 + 4), locationAt(view, picture, 10), locationAt(view, picture, 9999)], [10, null, null]);
  const line = picture.messages[0]!;
  const [x0, x1] = [xOfTime(view, line.sent), xOfTime(view, line.received)];
  const point = [(x0 + x1) / 2, 26 + ((line.from_lane + line.to_lane) / 2) * 9 + 3] as const;
  assert.equal(messageAt(view, { ...picture, messages: [line] }, point, 3), line);
  assert.equal(messageAt(view, { ...picture, messages: [line] }, [point[0] + 300, point[1]], 3), null);
  const lane = picture.lanes[10]!;
  const x = 100 + (lane.from[7]! + lane.to[7]!) / 2;
  assert.deepEqual(regionAt(view, picture, x, 26 + 10 * 9 + 4), { lane: 10, item: 7 });
  assert.equal(regionAt(view, picture, 50, 200), null);
  assert.equal(itemAt(picture, 64, 1), -1);
  assert.deepEqual(moveRegion(picture, { lane: 10, item: 7 }, "right"), { lane: 10, item: 8 });
  assert.equal(moveRegion(picture, { lane: 10, item: 7 }, "down")?.lane, 11);
  assert.equal(moveRegion(picture, { lane: 0, item: 0 }, "up"), null);
  const waiting = picture.lanes.findIndex((row) => row.waits.length > 0);
  const item = itemAt(picture, waiting, picture.lanes[waiting]!.waits[0]![0] * 0.0625 + 1e-6);
  assert.ok(waitWithin(picture, { lane: waiting, item }) > 0);
  assert.deepEqual(messageStyle(60), { alpha: 0.55, thickness: 1 });
  assert.deepEqual(messageStyle(10_000), { alpha: 0.15, thickness: 0.5 });
  const byTime = regionsByTime(picture);
  assert.ok(byTime[0]![1] >= byTime[1]![1]);
});
