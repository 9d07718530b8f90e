// The tables of a time-line: the regions as drawn, and the messages, the critical path and the waits behind the picture.

import type { MessageRow, PathRow, Timeline, WaitRow } from "../../api/types.ts";
import { oneLine } from "../../derive/text.ts";
import { formatTime } from "../../derive/time-window.ts";
import { timeOfColumn, waitWithin } from "../../derive/timeline.ts";
import { SPAN, cutOf } from "./timeline-text.ts";
import { TWIN_ROWS, type TwinRow, type TwinTable, twinCaption } from "./twin.ts";

/** All tables of a picture. Only a picture that was asked for as a table has more than the regions. */
export function timelineTables(picture: Timeline): TwinTable[] {
  const { table } = picture;
  if (!table) return [regionTable(picture)];
  const window = windowText(picture);
  return [
    regionTable(picture),
    {
      title: "Messages",
      caption: `Messages ${window}: ${table.messages_listed}. Of several in a row, times are those of the first.`,
      columns: ["sender", "receiver", "sent", "received", "late", "wait of the other end"],
      texts: 2,
      rows: table.messages.map(messageRow),
    },
    {
      title: "Critical path",
      caption: `Critical path ${window}: ${table.path_listed}, clipped to the window. Calls inside a region are rows of their own.`,
      name: "region",
      columns: ["location", "begin", "duration"],
      texts: 1,
      rows: table.path.map(pathRow),
    },
    {
      title: "Waits",
      caption: `Waits ${window}: ${table.waits_listed}. Times are those of the whole wait, also outside of the window.`,
      name: "kind of waiting",
      columns: ["location", "waits for", "call path", "begin", "duration"],
      texts: 3,
      rows: table.waits.map(waitRow),
    },
  ];
}

function windowText({ begin, end, columns }: Timeline): string {
  const resolution = (end - begin) / columns;
  return `from ${formatTime(begin, resolution)} to ${formatTime(end, resolution)}`;
}

function messageRow(row: MessageRow): TwinRow {
  const name = row.count === 1 ? "message" : `${row.count.toLocaleString("en")} messages`;
  const waited = row.waited ? `${row.mark}${row.mark && " "}${row.waited.text}` : "";
  return { fn: null, name, cells: [oneLine(row.sender, 60), oneLine(row.receiver, 60), row.sent.text, row.received.text, row.late || "–", waited] };
}

function pathRow(row: PathRow): TwinRow {
  return { fn: null, name: row.region, cells: [oneLine(row.location, 60), row.begin.text, row.duration.text] };
}

function waitRow(row: WaitRow): TwinRow {
  const duration = `${row.mark}${row.mark && " "}${row.duration.text}`;
  return { fn: null, name: row.title, cells: [oneLine(row.name, 60), oneLine(row.cause ?? "not known", 60), oneLine(row.path, 80), row.begin.text, duration] };
}

/** What the lanes show, as exact as their columns. */
function regionTable(picture: Timeline): TwinTable {
  const resolution = (picture.end - picture.begin) / picture.columns;
  const items: [lane: number, item: number, length: number][] = [];
  picture.lanes.forEach((lane, i) => lane.from.forEach((from, item) => items.push([i, item, lane.to[item]! - from])));
  const longest = [...items].sort((a, b) => b[2] - a[2]).slice(0, TWIN_ROWS);
  longest.sort((a, b) => a[0] - b[0] || a[1] - b[1]);
  return {
    title: "Regions",
    caption: twinCaption(`Time-line ${windowText(picture)}`, longest.length, items.length, "regions"),
    columns: ["class", "location", "begin", `drawn (${SPAN})`, "waiting"],
    texts: 2,
    rows: longest.map(([i, item]) => {
      const lane = picture.lanes[i]!;
      const region = picture.regions[lane.region[item]!];
      const wait = waitWithin(picture, { lane: i + picture.first_lane, item });
      const { isCut, isCutBefore } = cutOf(picture, lane, item);
      const length = timeOfColumn(picture, lane.to[item]!) - timeOfColumn(picture, lane.from[item]!);
      return {
        fn: null,
        name: region?.name ?? "",
        cells: [
          oneLine(region?.class ?? "", 60),
          oneLine(lane.name, 60),
          `${isCutBefore ? "before" : "≈"} ${formatTime(timeOfColumn(picture, lane.from[item]!), resolution)}`,
          `${isCut ? "≥" : "≈"} ${formatTime(length, resolution)}`,
          wait > 0 ? `≈ ${formatTime(wait, resolution)}` : "",
        ],
      };
    }),
  };
}
