// Layout and hit tests of time-lines. A picture covers a window of time and some of the lanes; it
// is drawn for whatever window is shown, stretched if that is another one.

import type { Timeline } from "../api/types.ts";
import type { TimeWindow } from "./time-window.ts";

/** Where lanes and times are on the screen. */
export interface TimelineViewport {
  width: number;
  height: number;
  /** The left side of the lanes; names are left of it. */
  left: number;
  /** The upper side of the lanes; the axis is above it. */
  top: number;
  laneHeight: number;
  scrollTop: number;
  window: TimeWindow;
}

export const LANE_HEIGHTS: readonly [least: number, most: number] = [9, 26];

/** The height of lanes: all of them on the screen if they stay high enough. */
export function laneHeight(room: number, lanes: number): number {
  return Math.min(LANE_HEIGHTS[1], Math.max(LANE_HEIGHTS[0], Math.floor(room / Math.max(1, lanes))));
}

/** Lanes above and below the visible ones that are asked for too, so that scrolling a little shows them at once. */
const BEYOND = 8;

/** Which lanes to ask for: the visible ones of all locations, or all of them merged into as many as fit. */
export function lanesToAsk(view: TimelineViewport, lanes: number, merge: boolean): { first: number; count: number } {
  if (merge) return { first: 0, count: Math.max(1, Math.floor((view.height - view.top) / LANE_HEIGHTS[0])) };
  const visible = visibleLanes(view, lanes);
  const first = Math.max(0, visible.first - BEYOND);
  return { first, count: visible.first + visible.count + BEYOND - first };
}

/** Whether a picture has all visible lanes. */
export function hasVisibleLanes(picture: Timeline, view: TimelineViewport): boolean {
  const { first, count } = visibleLanes(view, picture.lane_count);
  const end = Math.min(first + count, picture.lane_count);
  return picture.first_lane <= first && picture.first_lane + picture.lanes.length >= end;
}

/** The lane of a location: where the picture has it, or where it is if lanes are not merged. */
export function laneOfLocation(picture: Timeline, location: number, lane: number): number {
  const at = picture.lanes.findIndex((row) => row.locations.includes(location));
  return at < 0 ? lane : at + picture.first_lane;
}

/** The locations of the lane at a height of the screen. */
export function locationsAt(view: TimelineViewport, picture: Timeline, y: number): readonly number[] {
  const lane = Math.floor((y - view.top + view.scrollTop) / view.laneHeight);
  return (y < view.top ? undefined : picture.lanes[lane - picture.first_lane]?.locations) ?? [];
}

/** The location at a height of the screen; null if there is none, or if its lane has several. */
export function locationAt(view: TimelineViewport, picture: Timeline, y: number): number | null {
  const locations = locationsAt(view, picture, y);
  return locations.length === 1 ? locations[0]! : null;
}

/** The message whose line is a few pixels away from a point, less where there are many; null if there is none. `middle` is the
 * distance of the lines' ends from the upper side of their lanes. */
export function messageAt(view: TimelineViewport, picture: Timeline, [x, y]: readonly [number, number], middle: number): Timeline["messages"][number] | null {
  const reach = picture.messages.length > PLAIN_MESSAGES ? 1 : 4;
  let [nearest, found]: [number, Timeline["messages"][number] | null] = [reach, null];
  if (x < view.left || y < view.top) return null;
  for (const message of picture.messages) {
    const [x0, y0] = [xOfTime(view, message.sent), yOfLane(view, message.from_lane) + middle];
    const [dx, dy] = [xOfTime(view, message.received) - x0, yOfLane(view, message.to_lane) + middle - y0];
    const length = dx * dx + dy * dy;
    const along = length === 0 ? 0 : Math.min(1, Math.max(0, ((x - x0) * dx + (y - y0) * dy) / length));
    const away = Math.hypot(x - x0 - along * dx, y - y0 - along * dy);
    if (away < nearest) [nearest, found] = [away, message];
  }
  return found;
}

/** First lane and number of lanes that are at least partly visible. */
export function visibleLanes(view: TimelineViewport, lanes: number): { first: number; count: number } {
  const first = Math.max(0, Math.min(lanes - 1, Math.floor(view.scrollTop / view.laneHeight)));
  const room = Math.max(0, view.height - view.top);
  const last = Math.ceil((view.scrollTop + room) / view.laneHeight);
  return { first, count: Math.max(1, Math.min(lanes, last) - first) };
}

export function xOfTime(view: TimelineViewport, time: number): number {
  const { from, to } = view.window;
  return view.left + ((time - from) / (to - from)) * (view.width - view.left);
}

export function timeOfX(view: TimelineViewport, x: number): number {
  const { from, to } = view.window;
  return from + ((x - view.left) / (view.width - view.left)) * (to - from);
}

/** The upper side of a lane. */
export function yOfLane(view: TimelineViewport, lane: number): number {
  return view.top + lane * view.laneHeight - view.scrollTop;
}

/** Left side and width of a column, as a linear function: x = at + column * step. */
export function columnScale(view: TimelineViewport, picture: Timeline): { at: number; step: number } {
  const at = xOfTime(view, picture.begin);
  return { at, step: (xOfTime(view, picture.end) - at) / Math.max(1, picture.columns) };
}

export function timeOfColumn(picture: Timeline, column: number): number {
  return picture.begin + ((picture.end - picture.begin) * column) / Math.max(1, picture.columns);
}

/** A region of a lane. */
export interface RegionPlace {
  /** The number of the lane in the trace. */
  lane: number;
  /** The position in the lane's columns. */
  item: number;
}

/** The region at a point of the screen; null if there is none. */
export function regionAt(view: TimelineViewport, picture: Timeline, x: number, y: number): RegionPlace | null {
  if (x < view.left || y < view.top) return null;
  const lane = Math.floor((y - view.top + view.scrollTop) / view.laneHeight);
  const item = itemAt(picture, lane, timeOfX(view, x));
  return item < 0 ? null : { lane, item };
}

/** The region that a lane shows at a time; -1 if there is none. */
export function itemAt(picture: Timeline, lane: number, time: number): number {
  const row = picture.lanes[lane - picture.first_lane];
  if (!row) return -1;
  const column = ((time - picture.begin) / (picture.end - picture.begin)) * picture.columns;
  const item = lastNotAbove(row.from, column);
  return item >= 0 && column < row.to[item]! ? item : -1;
}

/** The position of the last value that is not above `limit`, in ascending values; -1 if all are. */
export function lastNotAbove(values: readonly number[], limit: number): number {
  let [low, high] = [0, values.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (values[middle]! <= limit) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/** Where a region of one picture is in another picture of the same lanes; null if that does not show it. */
export function keptRegion(before: Timeline, after: Timeline, { lane, item }: RegionPlace): RegionPlace | null {
  const row = before.lanes[lane - before.first_lane];
  if (!row || before.lane_count !== after.lane_count) return null;
  const [from, to] = [row.from[item]!, row.to[item]!].map((column) => timeOfColumn(before, column)) as [number, number];
  const [begin, end] = [Math.max(from, after.begin), Math.min(to, after.end)];
  const kept = begin < end ? itemAt(after, lane, (begin + end) / 2) : -1;
  return kept < 0 ? null : { lane, item: kept };
}

/** The waits of a lane that overlap a region, in seconds. */
export function waitWithin(picture: Timeline, { lane, item }: RegionPlace): number {
  const row = picture.lanes[lane - picture.first_lane];
  if (!row) return 0;
  const [from, to] = [row.from[item]!, row.to[item]!];
  let columns = 0;
  for (const [a, b] of row.waits) columns += Math.max(0, Math.min(b, to) - Math.max(a, from));
  return timeOfColumn(picture, columns) - picture.begin;
}

/** The region that a key leads to: left and right in the lane, up and down to the lane beside. */
export function moveRegion(
  picture: Timeline,
  from: RegionPlace | null,
  move: "up" | "down" | "left" | "right" | "home",
): RegionPlace | null {
  if (!from || move === "home") {
    const lane = picture.lanes.findIndex((row) => row.from.length > 0);
    return lane < 0 ? null : { lane: lane + picture.first_lane, item: 0 };
  }
  const row = picture.lanes[from.lane - picture.first_lane];
  if (!row) return null;
  if (move === "left" || move === "right") {
    const item = from.item + (move === "left" ? -1 : 1);
    return item >= 0 && item < row.from.length ? { lane: from.lane, item } : null;
  }
  const time = timeOfColumn(picture, (row.from[from.item]! + row.to[from.item]!) / 2);
  const step = move === "up" ? -1 : 1;
  for (let lane = from.lane + step; picture.lanes[lane - picture.first_lane]; lane += step) {
    const item = itemAt(picture, lane, time);
    if (item >= 0) return { lane, item };
  }
  return null;
}

/** More messages than this are drawn thinner and fainter, so that they do not look like hatching. */
const PLAIN_MESSAGES = 60;

/** How so many messages are drawn; `thickness` is a factor. */
export function messageStyle(count: number): { alpha: number; thickness: number } {
  const crowd = Math.min(1, PLAIN_MESSAGES / Math.max(1, count));
  return { alpha: Math.max(0.15, 0.55 * crowd), thickness: Math.max(0.5, Math.sqrt(crowd)) };
}

/** The regions of a picture by the columns that they cover, most first: [region, columns]. */
export function regionsByTime(picture: Timeline): [number, number][] {
  const columns = new Float64Array(picture.regions.length);
  for (const lane of picture.lanes) {
    lane.region.forEach((region, i) => {
      if (region < columns.length) columns[region]! += lane.to[i]! - lane.from[i]!;
    });
  }
  const rows: [number, number][] = Array.from(columns, (count, region) => [region, count]);
  return rows.filter(([, count]) => count > 0).sort((a, b) => b[1] - a[1]);
}
