import assert from "node:assert/strict";
import { test } from "node:test";
import { enteredToken, splitToken } from "../../src/api/token.ts";
import { State } from "../../src/state/state.ts";
import { EMPTY, fromFragment, toFragment, type UrlState } from "../../src/state/url.ts";

const FULL: UrlState = {
  document: 3,
  revision: 2,
  active: 17,
  activeName: "operator<< & co = 100 % #1 “Ä”",
  selected: [1, 5, 9],
  event: "Ir",
  columns: ["Ir", "D,r"],
  define: ["CPI = Cycles / Ir", "X = Ir & 1"],
  parts: [1, 3],
  focus: "/^a|b$/",
  ignore: "x&y",
  hide: "z",
  side: "old",
  renames: [{ old: "A::operator==(B, C)", new: "A::equal(B) & co" }],
  rejected: [{ old: "f", new: "g" }, { old: "h", new: "g" }],
  line: 124,
  lineFile: "src/matrix.cpp",
  window: [1.5, 3.25],
  bar: [3, 2, 0.123456789, 0.2],
  runs: { first: 3, last: 12, low: -1.5e-7, high: null, metric: "L1_misses & co" },
  search: "mul",
  findings: { pillar: "profile", rule: "profile/x", file: "a.c" },
  layout: { split: "row", at: 0.4, first: { pane: "p1", view: "functions" }, second: { pane: "p2", view: "flame" } },
  options: { p1: { filter: "a b&c", sort: "self", widths: { name: 120 } }, p2: { zoom: [0, 0.5] } },
};

test("a state survives the URL", () => assert.deepEqual(fromFragment(toFragment(FULL)), FULL));

test("defaults are left out of the URL", () => {
  assert.equal(toFragment(EMPTY), "v=1");
  assert.deepEqual(fromFragment("v=1"), EMPTY);
});

const HOSTILE: [string, Partial<UrlState>][] = [
  ["v=2&d=3", EMPTY],
  ["", EMPTY],
  ["v=1&bar=1_2_3", EMPTY],
  ['v=1&rename=["a"]&rename=x&rename=[1,2]&rename=["","b"]&norename={}', EMPTY],
  ["v=1&runs=1_2", EMPTY],
  ["v=1&runs=5_2___wall", EMPTY],
  ["v=1&runs=-1_2___wall", EMPTY],
  ["v=1&runs=1_2_a__wall", EMPTY],
  ["v=1&runs=1_2_3_2_wall", EMPTY],
  ["v=1&runs=1_2_Infinity__wall", EMPTY],
  ["v=1&runs=1_2___", { runs: { first: 1, last: 2, low: null, high: null, metric: null } }],
  ["v=1&bar=-1_2_3_4", EMPTY],
  ["v=1&bar=1_2_5_4", EMPTY],
  ["v=1&bar=1_2_3_4_5", EMPTY],
  ["v=1&d=-1&fn=1e9&r=0x10&line=NaN", EMPTY],
  ["v=1&fn=99999999999999999999", { active: null }],
  ["v=1&parts=", { parts: null }],
  ["v=1&parts=1.x.3", { parts: null }],
  ["v=1&side=both", { side: null }],
  ["v=1&window=3_1", { window: null }],
  ["v=1&window=Infinity_NaN", { window: null }],
  ["v=1&focus=" + "x".repeat(5000), { focus: null }],
  ["v=1&panes=%7B%22pane%22%3A%22%3Cimg%3E%22%2C%22view%22%3A%22x%22%7D", { layout: null }],
  ["v=1&panes=[[[[", { layout: null }],
  ["v=1&opt=" + encodeURIComponent('{"__proto__":{"polluted":1},"p1":{"constructor":1,"__proto__":{"polluted":1},"ok":1}}'), { options: { p1: { ok: 1 } } }],
  ["v=1&opt=[1,2]", { options: {} }],
  ["v=1&%E0%A4%A=1&d=%zz", { document: null }],
];

test("hostile URLs give defaults", () => {
  for (const [fragment, expected] of HOSTILE) {
    const state = fromFragment(fragment);
    for (const [name, value] of Object.entries(expected)) assert.deepEqual(state[name as keyof UrlState], value, `${fragment.slice(0, 60)}: ${name}`);
  }
  assert.equal(({} as Record<string, unknown>)["polluted"], undefined);
});

test("a layout that is too deep or has a pane twice is refused", () => {
  let deep: unknown = { pane: "p0", view: "x" };
  for (let i = 1; i < 1000; i++) deep = { split: "row", at: 0.5, first: { pane: `p${i}`, view: "x" }, second: deep };
  assert.equal(fromFragment(`v=1&panes=${encodeURIComponent(JSON.stringify(deep))}`).layout, null);
  const twice = { split: "row", at: 0.5, first: { pane: "p1", view: "x" }, second: { pane: "p1", view: "x" } };
  assert.equal(fromFragment(`v=1&panes=${encodeURIComponent(JSON.stringify(twice))}`).layout, null);
});

test("what a user pastes is a token or an address with one", () => {
  const token = "ab".repeat(16);
  for (const text of [token, ` ${token}\n`, `#token=${token}`, `http://127.0.0.1:4711/#token=${token}`, `http://127.0.0.1:4711/#v=1&token=${token}`]) {
    assert.equal(enteredToken(text), token, text);
  }
  for (const text of ["", "http://127.0.0.1:4711/", "http://127.0.0.1:4711/#v=1", "token", `${token}x`]) assert.equal(enteredToken(text), null, text);
});

test("the token is taken out of the fragment", () => {
  const token = "ab".repeat(16);
  assert.deepEqual(splitToken(`#token=${token}&v=1&d=2`), { token, rest: "v=1&d=2" });
  assert.deepEqual(splitToken("#v=1"), { token: null, rest: "v=1" });
  assert.deepEqual(splitToken("#token=evil%0d%0aheader"), { token: null, rest: "" });
});

test("documents keep their own state", () => {
  const state = new State();
  state.restore({ ...EMPTY, document: 1, active: 7, findings: { pillar: "profile", rule: "", file: "" } });
  state.show(2);
  assert.equal(state.active.peek(), null);
  assert.equal(state.findings.peek().pillar, "profile");
  state.show(1);
  assert.equal(state.active.peek(), 7);
});

test("options of panes ignore values of another type and keep identity", () => {
  const state = new State();
  state.restore({ ...EMPTY, options: { p1: { filter: 5, list: [1], share: true } } });
  assert.equal(state.option("p1", "filter", "none").peek(), "none");
  assert.equal(state.option("p1", "share", false).peek(), true);
  const list = state.option<number[]>("p1", "list", []);
  const before = list.peek();
  state.restore({ ...EMPTY, options: { p1: { filter: 5, list: [1], share: true } } });
  assert.equal(list.peek(), before);
  list.set([]);
  assert.deepEqual(state.options.peek(), { p1: { filter: 5, share: true } });
});
