import assert from "node:assert/strict";
import { test } from "node:test";
import { type WaitChoice, waitStart } from "../../src/derive/wait-start.ts";

const window = { from: 10, to: 20 };
const choice = (fields: Partial<WaitChoice>): WaitChoice => ({ bar: null, point: null, isPointNewer: false, window, ...fields });
const time = (begin: number) => ({ begin, end: null, at: null });

test("without a choice the search begins at the side of the window", () => {
  assert.deepEqual(waitStart(choice({}), null, false), time(10));
  assert.deepEqual(waitStart(choice({}), null, true), time(20));
});

test("what was chosen last counts: the bar or the clicked time", () => {
  const both = { bar: [5, 5, 2, 3], point: [7, 15] } as const;
  assert.deepEqual(waitStart(choice({ point: [7, 15] }), null, false), time(15));
  assert.deepEqual(waitStart(choice(both), null, false), { begin: 2, end: 3, at: 5 });
  assert.deepEqual(waitStart(choice({ ...both, isPointNewer: true }), null, true), time(15));
  assert.deepEqual(waitStart(choice({ bar: [5, 5, 2, 3], isPointNewer: true }), null, false), { begin: 2, end: 3, at: 5 });
});

test("for one location, the bar of another one does not count", () => {
  const both = { bar: [5, 5, 2, 3], point: [7, 15] } as const;
  assert.deepEqual(waitStart(choice(both), 7, false), time(15));
  assert.deepEqual(waitStart(choice(both), 5, false), { begin: 2, end: 3, at: 5 });
});
