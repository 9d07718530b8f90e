import assert from "node:assert/strict";
import { test } from "node:test";
import { BadPattern, matcher } from "../../src/core/pattern.ts";

const NAMES = ["malloc", "Malloc_hook", "free"];
const found = (filter: string) => NAMES.filter(matcher(filter));

test("a filter is a text, or an expression between slashes with flags inside", () => {
  assert.deepEqual(found("allo"), ["malloc", "Malloc_hook"]);
  assert.deepEqual(found("/^m/"), ["malloc"]);
  assert.deepEqual(found("/(?i)^MALLOC$/"), ["malloc"]);
  assert.deepEqual(found("/(?P<first>f)ree/"), ["free"]);
  assert.deepEqual(found("/"), []);
});

test("what the server refuses is refused with the reason", () => {
  for (const filter of ["/(?<!_)malloc/", "/a(?=b)/", "/(a)\\1/", "/[/"]) assert.throws(() => matcher(filter), BadPattern, filter);
  assert.deepEqual(found("/\\\\1|free/"), ["free"]);
});
