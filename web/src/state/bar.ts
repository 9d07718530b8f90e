// What is outlined on the time-line.

import type { TimelineBar } from "../api/types.ts";

export type Bar = readonly [location: number, lane: number, begin: number, end: number];

/** A bar as the state keeps it. */
export function barOf({ location, lane, begin, end }: TimelineBar): Bar {
  return [location, lane, begin, end];
}
