import assert from "node:assert/strict";
import { test } from "node:test";
import { CHANGE_STEPS, HUES, NO_HUE, Palette, changeStep, contrast, keyHash, parseColour, rankColour, RANKS } from "../../src/derive/colour.ts";
import { emptyReason } from "../../src/derive/empty.ts";
import { fitText, formatShare, oneLine } from "../../src/derive/text.ts";
import { makeTheme } from "../../src/derive/theme.ts";
import { childList, childrenOf, depths, followPath, pathOf, sibling } from "../../src/derive/tree.ts";
import { shownRows, subtreeSizes } from "../../src/derive/tree-table.ts";

test("the hash is that of the SVG reports", () => {
  // The numbers of the test in crates/lotse-report/src/svg/key_colour.rs.
  assert.equal(keyHash("a"), (0xaf63dc4c ^ 0x8601ec8c) >>> 0);
  assert.equal(keyHash("x".repeat(1_000_000)), keyHash("x".repeat(1024)));
});

test("keys have different hues as long as there are any, and keep them", () => {
  const keys = Array.from({ length: 200 }, (_, i) => `lib${i}.so`);
  const palette = new Palette();
  palette.add(keys.slice(0, 12));
  const hues = keys.slice(0, 12).map((key) => palette.hue(key));
  assert.equal(new Set(hues).size, HUES.length);
  palette.add(keys);
  assert.deepEqual(keys.slice(0, 12).map((key) => palette.hue(key)), hues);
  assert.equal(palette.hue(""), NO_HUE);
  const limited = new Palette();
  limited.add(keys, 3);
  assert.equal(keys.filter((key) => limited.hue(key) !== NO_HUE).length, 3);
});

/** A colour in OKLab, where distances are as the eye sees them (https://bottosson.github.io/posts/oklab/). */
function oklab(colour: string): [number, number, number] {
  const [r, g, b] = parseColour(colour).map((part) => (part <= 10.31475 ? part / 255 / 12.92 : ((part / 255 + 0.055) / 1.055) ** 2.4)) as [number, number, number];
  const l = Math.cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b);
  const m = Math.cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b);
  const s = Math.cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b);
  return [0.2104542553 * l + 0.793617785 * m - 0.0040720468 * s, 1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s, 0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s];
}

test("regions with the most time have clearly different colours, with readable labels in both themes", () => {
  for (const dark of [false, true]) {
    const theme = makeTheme(() => "", dark, "sans-serif");
    const colours = Array.from({ length: RANKS }, (_, rank) => rankColour(rank, theme.hues, theme.dark));
    for (const colour of colours) assert.ok(contrast(parseColour(theme.ink), parseColour(colour)) >= 4.5, colour);
    const nearest = (count: number) => {
      const points = colours.slice(0, count).map(oklab);
      return Math.min(...points.flatMap((a, i) => points.slice(0, i).map((b) => Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]))));
    };
    // A difference of 0.02 can just be seen side by side.
    for (const [count, least] of [[2, 0.14], [4, 0.11], [12, 0.06], [RANKS, 0.04]] as const) assert.ok(nearest(count) >= least, `${count}: ${nearest(count)}`);
    assert.equal(rankColour(RANKS, theme.hues, dark), colours[0]);
  }
});

test("text on all fills has a contrast of at least 4.5 in both themes", () => {
  for (const dark of [false, true]) {
    const theme = makeTheme(() => "", dark, "sans-serif");
    assert.equal(theme.dark, dark);
    for (const fill of [...theme.hues, ...theme.changes]) {
      assert.ok(contrast(parseColour(theme.ink), parseColour(fill)) >= 4.5, `${theme.ink} on ${fill}`);
    }
    for (const share of [0, 0.5, 1]) {
      assert.ok(contrast(parseColour(theme.fg), parseColour(theme.heat(share))) >= 4.5);
      assert.ok(contrast(parseColour(theme.fg), parseColour(theme.greyHeat(share))) >= 4.5);
    }
  }
});

test("changes have steps on both sides of zero", () => {
  assert.equal(changeStep(0, 1), 0);
  assert.equal(changeStep(-1, 1), -CHANGE_STEPS);
  assert.equal(changeStep(0.25, 1), CHANGE_STEPS / 2);
  assert.equal(changeStep(1, 0), 0);
});

test("texts are cut to the room they have", () => {
  const width = () => 10;
  assert.equal(fitText("parse", 50, width), "parse");
  assert.equal(fitText("parser", 50, width), "pars…");
  assert.equal(fitText("parser", 30, width), "");
  assert.equal(fitText("a\u202eb\nc", 50, width), "a b c");
  // A surrogate pair is not divided.
  assert.equal(fitText("abc😀def", 50, width), "abc…");
  const began = performance.now();
  fitText("x".repeat(1_000_000), 200, width);
  oneLine("\u0000".repeat(1_000_000));
  assert.ok(performance.now() - began < 50);
  assert.equal(formatShare(0.1234), "12.3 %");
  assert.equal(formatShare(0.01234), "1.23 %");
});

//        0     5
//       / \
//      1   3
//      2   4
const PARENT = [-1, 0, 1, 0, 3, -1];

test("trees as columns", () => {
  const children = childrenOf(PARENT);
  assert.deepEqual([...childList(children, -1)], [0, 5]);
  assert.deepEqual([...childList(children, 0)], [1, 3]);
  assert.deepEqual([...childList(children, 4)], []);
  assert.deepEqual([...depths(PARENT)], [0, 1, 2, 1, 2, 0]);
  assert.equal(sibling(children, PARENT, 1, 1, (node) => node), 3);
  assert.equal(sibling(children, PARENT, 3, 1, (node) => node), -1);
  const key = (node: number) => node * 10;
  assert.deepEqual(pathOf(PARENT, 4, key), [0, 30, 40]);
  assert.equal(followPath(children, [0, 30, 40], key), 4);
  assert.equal(followPath(children, [0, 30, 99], key), 3);
  assert.equal(followPath(children, [99], key), -1);
});

test("a chain of 200,000 nodes needs no recursion", () => {
  const parent = Array.from({ length: 200_000 }, (_, i) => i - 1);
  const children = childrenOf(parent);
  assert.equal(depths(parent)[199_999], 199_999);
  assert.equal(followPath(children, pathOf(parent, 199_999, (n) => n), (n) => n), 199_999);
});

test("rows below closed rows are not shown", () => {
  const sizes = subtreeSizes([0, 1, 2, 1, 0]);
  assert.deepEqual([...sizes], [3, 1, 0, 0, 0]);
  assert.deepEqual(shownRows(sizes, () => false), [0, 4]);
  assert.deepEqual(shownRows(sizes, (row) => row === 0), [0, 1, 3, 4]);
  assert.deepEqual(shownRows(sizes, () => true), [0, 1, 2, 3, 4]);
});

test("an empty picture says why", () => {
  const scope = { event: null, define: [], parts: null, focus: null, ignore: null, hide: null, side: null };
  const profile = { command: null, events: [], default_event: "Ir", parts: [], function_count: 3, has_calls: false, has_counts: false, has_inclusive: false, has_data: false, groupings: [] };
  const about = { kind: "profile" as const, format: "callgrind", sentence: "", findings: [], remarks: [], profile, trace: null };
  assert.match(emptyReason(about, scope, "call graph"), /no calls/);
  assert.match(emptyReason(about, { ...scope, focus: "x".repeat(1000) }, "flame graph"), /filter focus on “x+…”/);
});
