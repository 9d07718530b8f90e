import assert from "node:assert/strict";
import { test } from "node:test";
import { leastWidth } from "../../src/derive/svg-size.ts";

test("a drawing is as wide as its smallest text needs", () => {
  const svg = (inside: string) => `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1200 300" width="600" font-size="12">${inside}</svg>`;
  assert.equal(leastWidth(svg("")), 1100);
  assert.equal(leastWidth(svg('<text font-size="11">a</text>')), 1200);
  assert.equal(leastWidth(svg('<text font-size="5.5">a</text>')), 2400);
  assert.equal(leastWidth('<svg width="10"/>'), null);
  assert.equal(leastWidth(""), null);
});
