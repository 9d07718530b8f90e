// Texts of a time-line: tooltip and legend. Those of its tables are in timeline-table.ts.

import type { Timeline } from "../../api/types.ts";
import { h } from "../../core/dom.ts";
import { RANKS, regionLook } from "../../derive/colour.ts";
import { oneLine } from "../../derive/text.ts";
import type { Theme } from "../../derive/theme.ts";
import { type TimeWindow, formatTime } from "../../derive/time-window.ts";
import { type RegionPlace, regionsByTime, timeOfColumn, waitWithin } from "../../derive/timeline.ts";
import type { Tip } from "./tooltip.ts";

/** The number of regions in the legend. */
const LISTED = 16;
/** A span may be one call, or several one after the other without a gap. */
export const SPAN = "one or several calls";

export function regionTip(picture: Timeline, place: RegionPlace, window: TimeWindow): Tip {
  const lane = picture.lanes[place.lane - picture.first_lane];
  const region = picture.regions[lane?.region[place.item] ?? -1];
  if (!lane || !region) return { title: "", rows: [] };
  // Times are as exact as the columns of the picture.
  const resolution = (picture.end - picture.begin) / picture.columns;
  const [from, to] = [timeOfColumn(picture, lane.from[place.item]!), timeOfColumn(picture, lane.to[place.item]!)];
  const wait = waitWithin(picture, place);
  const { isCut, isCutBefore } = cutOf(picture, lane, place.item);
  const rows: [string, string][] = [
    ["location", lane.name],
    ["begin", isCutBefore ? `before ${formatTime(from, resolution)}` : beginText(from, window, resolution)],
    ["drawn", `${isCut ? "≥" : "≈"} ${formatTime(to - from, resolution)} (${SPAN})`],
  ];
  if (region.class !== "") rows.splice(1, 0, ["class", region.class]);
  if (wait > 0) rows.push(["waiting", `≈ ${formatTime(wait, resolution)}`]);
  return { title: region.name, rows };
}

/** A line of messages; that of several shows the first. */
export function messageTip(picture: Timeline, message: Timeline["messages"][number], ticksPerSecond: number): Tip {
  const name = (lane: number) => picture.lanes[lane - picture.first_lane]?.name ?? `lane ${lane + 1}`;
  const exact = (seconds: number) => `${seconds.toFixed(Math.max(0, Math.ceil(Math.log10(ticksPerSecond) - 1e-9)))} s`;
  const rows: [string, string][] = [
    ["from", name(message.from_lane)],
    ["to", name(message.to_lane)],
    ["send", exact(message.sent)],
    ["receive", exact(message.received)],
    ["duration", exact(message.received - message.sent)],
  ];
  const count = message.count.toLocaleString("en");
  return { title: message.count === 1 ? "message" : `${count} messages`, rows, ...(message.count > 1 ? { remark: "times are those of the first; zoom in to see the others" } : {}) };
}

/** Of regions that the window cuts, only the part in it is known. */
export function cutOf(picture: Timeline, lane: Timeline["lanes"][number], item: number): { isCut: boolean; isCutBefore: boolean } {
  const isCutBefore = lane.from[item] === 0 && picture.begin > 0;
  return { isCutBefore, isCut: isCutBefore || (lane.to[item] === picture.columns && picture.end < picture.runtime) };
}

/** The time as an offset from the window where the window does not begin with the run. */
function beginText(time: number, window: TimeWindow, resolution: number): string {
  const whole = `≈ ${formatTime(time, resolution)}`;
  const offset = time - window.from;
  if (window.from === 0 || offset === 0) return whole;
  const sign = offset < 0 ? "−" : "+";
  return `${whole} (window ${sign} ${formatTime(Math.abs(offset), resolution)})`;
}

/** The entries of the legend: the regions with most time, waits, messages, critical path. */
export function legendEntries(picture: Timeline, theme: Theme): HTMLElement[] {
  const entry = (mark: HTMLElement, text: string) => h("span", { title: oneLine(text) }, mark, oneLine(text, 40));
  const swatch = (rank: number) => {
    const { colour, pattern } = regionLook(rank, theme.dark);
    const mark = h("i", { class: `region ${pattern}` });
    mark.style.backgroundColor = colour;
    return mark;
  };
  const regions = regionsByTime(picture).map(([region]) => picture.regions[region]!);
  const others = regions.length - LISTED;
  const entries = regions.slice(0, LISTED).map(({ name, rank }) => entry(swatch(rank), name));
  const grey = regions.filter(({ rank }) => rank >= RANKS).length;
  if (others > 0) entries.push(h("span", {}, `and ${others} others`));
  if (grey > 0) entries.push(entry(swatch(RANKS), `${grey} after the first ${RANKS} regions of the run`));
  if (picture.lanes.some((lane) => lane.waits.length > 0)) entries.push(entry(h("i", { class: "wait" }), "waiting"));
  if (picture.messages.length > 0) {
    const count = picture.message_count.toLocaleString("en");
    entries.push(entry(h("i", { class: "message" }), `${count} ${picture.message_count === 1 ? "message" : "messages"}`));
  }
  if (picture.critical_path.length > 0) entries.push(entry(h("i", { class: "path" }), "critical path"));
  return entries;
}
