import assert from "node:assert/strict";
import { test } from "node:test";
import { cursorAfter, LIMIT, lastPosition, pageSize, positionAt, reveal, scrollHeight, scrollTopAt, visibleRows } from "../../src/views/shared/rows.ts";

const small = { count: 1000, rowHeight: 20, viewport: 210 };
const big = { count: 2_000_000, rowHeight: 20, viewport: 210 };

test("scroll positions are exact up to the limit", () => {
  assert.equal(scrollHeight(small), 20_000);
  assert.equal(positionAt(small, 130), 6.5);
  assert.equal(scrollTopAt(small, 6.5), 130);
  assert.equal(positionAt(small, 1e9), lastPosition(small));
});

test("above the limit the height is constant, and the ends are reached", () => {
  assert.equal(scrollHeight(big), LIMIT * 20);
  assert.equal(positionAt(big, 0), 0);
  assert.equal(positionAt(big, scrollHeight(big) - big.viewport), lastPosition(big));
  assert.ok(Math.abs(positionAt(big, scrollTopAt(big, 1_234_567)) - 1_234_567) < 1e-3);
});

test("visible rows with a margin", () => {
  assert.deepEqual(visibleRows(small, 6.5, 0), { from: 6, to: 17 });
  assert.deepEqual(visibleRows(small, 0, 5), { from: 0, to: 16 });
  assert.deepEqual(visibleRows({ ...small, count: 0 }, 0, 5), { from: 0, to: 0 });
});

test("a row is revealed by the smallest movement", () => {
  assert.equal(reveal(small, 100, 105), 100);
  assert.equal(reveal(small, 100, 50), 50);
  assert.equal(reveal(small, 0, 20), 10.5);
});

test("keys move the cursor and stop at the ends", () => {
  assert.equal(cursorAfter("ArrowDown", 999, small), 999);
  assert.equal(cursorAfter("PageDown", 0, small), pageSize(small));
  assert.equal(cursorAfter("End", 0, big), 1_999_999);
  assert.equal(cursorAfter("x", 0, small), null);
  assert.equal(cursorAfter("ArrowDown", 0, { ...small, count: 0 }), null);
});
