// Where the search for the next or previous wait begins.

import type { TimeWindow } from "./time-window.ts";

export interface WaitChoice {
  /** The outlined bar: location, lane, begin, end. */
  bar: readonly [number, number, number, number] | null;
  /** The clicked place: location and time. */
  point: readonly [number, number] | null;
  /** Whether the place was clicked after the bar was outlined. */
  isPointNewer: boolean;
  /** The window that is shown. */
  window: TimeWindow;
}

export interface WaitStart {
  begin: number;
  /** End and location of the wait to start from; null if the search starts from a time only. */
  end: number | null;
  at: number | null;
}

/** The outlined bar if it was chosen last and is on `location` (null for all); else the clicked time; else the side of the
 * window from which all waits in it are ahead. */
export function waitStart({ bar, point, isPointNewer, window }: WaitChoice, location: number | null, backward: boolean): WaitStart {
  const isLast = !point || !isPointNewer;
  if (bar && isLast && (location === null || bar[0] === location)) return { begin: bar[2], end: bar[3], at: bar[0] };
  return { begin: point ? point[1] : backward ? window.to : window.from, end: null, at: null };
}
