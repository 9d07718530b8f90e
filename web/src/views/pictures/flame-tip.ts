// Texts of frames and tiles: tooltip, twin, notes.

import type { FlamePicture, FunctionName, Remark, TreemapPicture } from "../../api/types.ts";
import { formatChange, formatShare, oneLine } from "../../derive/text.ts";
import { changeText, changeTitle } from "../shared/amount.ts";
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
  const rows: [string, string][] = [];
  // Towards callers, only the first level has costs of its own.
  const self = items.self[item] ?? "";
  if (self !== "") rows.push(["self", self]);
  rows.push(["inclusive", items.inclusive[item] ?? ""]);
  const share = shareOfTotal(picture, items.share[item]!);
  if (share !== "") rows.push(["share", `${mark}${share} of the total`]);
  if (items.change.length > 0) rows.push(["change", changeText(picture.event, items.change[item]!)]);
  const place = placeText(fn);
  if (place !== "") rows.push(["in", place]);
  return { title: fn?.name ?? "", rows, ...(picture.estimated ? { remark: ESTIMATED } : {}) };
}

/** Frames and tiles have shares of what is drawn; tables show shares of the total, and so do texts. */
export function shareOfTotal(picture: Pick<CostPicture, "whole">, share: number): string {
  const whole = picture.whole.share;
  return whole === null ? "" : formatShare(share * whole);
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
  const hasShares = picture.whole.share !== null;
  return {
    caption: twinCaption(title, shown.length, columns.share.length, items),
    columns: ["self", "inclusive", ...(hasShares ? ["share of the total"] : []), ...(hasChanges ? [changeTitle(picture.event)] : []), "depth"],
    rows: shown.map((i) => {
      const fn = picture.functions[columns.function[i]!] ?? null;
      const share = hasShares ? [shareOfTotal(picture, columns.share[i]!)] : [];
      const change = hasChanges ? [formatChange(columns.change[i]!)] : [];
      return {
        fn,
        name: fn?.name ?? "",
        cells: [columns.self[i] ?? "", columns.inclusive[i] ?? "", ...share, ...change, String(depth[i])],
      };
    }),
  };
}
