import assert from "node:assert/strict";
import { test } from "node:test";
import { ALL_LOCATIONS, locationEntries, withLocation } from "../../src/derive/location-choice.ts";

const locations = [[0, "rank 0"], [1, "rank 1"]] as const;

test("a location that is chosen in the picture is listed once", () => {
  const listed = locationEntries(locations);
  assert.deepEqual(listed, [ALL_LOCATIONS, ["0", "rank 0"], ["1", "rank 1"]]);
  assert.equal(withLocation(listed, 1, locations), listed);
  assert.equal(withLocation(listed, -1, locations), listed);
});

test("a location is listed before all names are known", () => {
  const once = withLocation([ALL_LOCATIONS], 1, locations);
  assert.deepEqual(once, [ALL_LOCATIONS, ["1", "rank 1"]]);
  assert.deepEqual(withLocation(once, 7, []), [...once, ["7", "location 7"]]);
});
