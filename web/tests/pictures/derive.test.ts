import assert from "node:assert/strict";
import { test } from "node:test";
import { CHANGE_STEPS, HUES, NO_HUE, Palette, changeStep, contrast, keyHash, parseColour, REGION_COLOURS, regionLook, RANKS } from "../../src/derive/colour.ts";
import { emptyReason } from "../../src/derive/empty.ts";
import { LONGEST, fitText, formatShare, oneLine } from "../../src/derive/text.ts";
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

type Triple = readonly [number, number, number];

/** The parts of a colour without the gamma of sRGB. */
const linear = (colour: string): Triple => parseColour(colour).map((part) => (part <= 10.31475 ? part / 255 / 12.92 : ((part / 255 + 0.055) / 1.055) ** 2.4)) as unknown as Triple;

/** A linear colour in OKLab, where distances are as the eye sees them (https://bottosson.github.io/posts/oklab/). */
function oklab([r, g, b]: Triple): Triple {
  const l = Math.cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b);
  const m = Math.cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b);
  const s = Math.cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b);
  return [0.2104542553 * l + 0.793617785 * m - 0.0040720468 * s, 1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s, 0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s];
}

/** How a linear colour looks without one kind of cones (Machado, Oliveira and Fernandes 2009, severity 1). */
const LACKING: Record<string, readonly [Triple, Triple, Triple]> = {
  protanopia: [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
  deuteranopia: [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.01182, 0.04294, 0.968881]],
  tritanopia: [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.3039]],
};

/** The distance of the nearest two of some colours, as everybody sees them or without one kind of cones. */
function nearest(colours: readonly string[], lacking?: string): number {
  const clamp = (part: number) => Math.min(1, Math.max(0, part));
  const seen = (colour: Triple): Triple => (lacking ? (LACKING[lacking]!.map((row) => clamp(row[0] * colour[0] + row[1] * colour[1] + row[2] * colour[2])) as unknown as Triple) : colour);
  const points = colours.map((colour) => oklab(seen(linear(colour))));
  return Math.min(...points.flatMap((a, i) => points.slice(0, i).map((b) => Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]))));
}

test("the nearest two colours of regions are clearly different, those with the most time most, with readable labels", () => {
  for (const dark of [false, true]) {
    const theme = makeTheme(() => "", dark, "sans-serif");
    const colours = REGION_COLOURS.map((_, rank) => regionLook(rank, dark).colour);
    for (const colour of colours) assert.ok(contrast(parseColour(theme.ink), parseColour(colour)) >= 4.5, colour);
    // A difference of 0.02 can just be seen side by side.
    for (const [count, least] of [[2, 0.3], [3, 0.2], [4, 0.2], [6, 0.12], [10, 0.1]] as const) assert.ok(nearest(colours.slice(0, count)) >= least, `${count}: ${nearest(colours.slice(0, count))}`);
    for (const lacking of Object.keys(LACKING)) {
      for (const [count, least] of [[4, 0.12], [10, 0.065]] as const) assert.ok(nearest(colours.slice(0, count), lacking) >= least, `${lacking} ${count}: ${nearest(colours.slice(0, count), lacking)}`);
    }
  }
});

test("regions of one colour have different patterns, and those after them are grey", () => {
  for (const dark of [false, true]) {
    const looks = Array.from({ length: RANKS }, (_, rank) => JSON.stringify(regionLook(rank, dark)));
    assert.equal(new Set(looks).size, RANKS);
    const grey = regionLook(RANKS, dark);
    assert.deepEqual(grey, regionLook(RANKS + 1000, dark));
    assert.ok(nearest([grey.colour, ...REGION_COLOURS.map((_, rank) => regionLook(rank, dark).colour)]) >= 0.06);
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
  // Of a long text only the characters that fit are looked at.
  let measured = 0;
  fitText("x".repeat(1_000_000), 200, () => (measured++, 10));
  assert.ok(measured < 30, `${measured} characters measured`);
  assert.equal(oneLine("\u0000".repeat(1_000_000)).length, LONGEST);
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
