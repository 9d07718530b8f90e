// Texts of frames and tiles: tooltip, twin, notes.

import type { FlamePicture, FunctionName, Remark, TreemapPicture } from "../../api/types.ts";
import { formatChange, formatShare, oneLine } from "../../derive/text.ts";
import type { Tip } from "./tooltip.ts";
import { type TwinTable, largestFirst, twinCaption } from "./twin.ts";

/** The columns that frames and tiles have in common. */
export interface CostItems {
  function: number[];
  share: number[];
  self: string[];
  inclusive: string[];
  change: number[];
}

type CostPicture = Pick<FlamePicture | TreemapPicture, "event" | "whole" | "functions" | "estimated">;

export function costTip(picture: CostPicture, items: CostItems, item: number): Tip {
  const fn = picture.functions[items.function[item]!];
  const mark = picture.estimated ? "≈ " : "";
  const rows: [string, string][] = [
    ["self", items.self[item] ?? ""],
    ["inclusive", items.inclusive[item] ?? ""],
    ["share", `${mark}${formatShare(items.share[item]!)} of ${picture.whole.text}`],
  ];
  if (items.change.length > 0) rows.push(["change", `${formatChange(items.change[item]!)} of the whole`]);
  const place = placeText(fn);
  if (place !== "") rows.push(["in", place]);
  return { title: fn?.name ?? "", rows, ...(picture.estimated ? { remark: ESTIMATED } : {}) };
}

const ESTIMATED = "≈ Costs are divided in proportion to the calls, because the file has calls and no stacks.";

function placeText(fn: FunctionName | undefined): string {
  const file = fn?.file ? oneLine(fn.line === null ? fn.file : `${fn.file}:${fn.line}`, 160) : "";
  return [fn?.object ? oneLine(fn.object, 160) : "", file].filter((text) => text !== "").join(", ");
}

/** The line below a picture: estimates and remarks. */
export function noteText(estimated: boolean, remarks: readonly Remark[]): string {
  const texts = remarks.map((remark) => oneLine(remark.message, 1000));
  return [...(estimated ? [ESTIMATED] : []), ...texts].join(" · ");
}

export function costTwin(title: string, items: string, picture: CostPicture, columns: CostItems, depth: ArrayLike<number>): TwinTable {
  const shown = largestFirst(columns.share);
  const hasChanges = columns.change.length > 0;
  return {
    caption: twinCaption(title, shown.length, columns.share.length, items),
    columns: ["self", "inclusive", `share of ${picture.whole.text}`, ...(hasChanges ? ["change"] : []), "depth"],
    rows: shown.map((i) => {
      const fn = picture.functions[columns.function[i]!] ?? null;
      const change = hasChanges ? [formatChange(columns.change[i]!)] : [];
      return {
        fn,
        name: fn?.name ?? "",
        cells: [columns.self[i] ?? "", columns.inclusive[i] ?? "", formatShare(columns.share[i]!), ...change, String(depth[i])],
      };
    }),
  };
}
