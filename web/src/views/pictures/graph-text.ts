// Texts of a call graph: tooltip and twin.

import type { Amount, GraphPicture } from "../../api/types.ts";
import { formatChange, oneLine } from "../../derive/text.ts";
import { changeText, changeTitle } from "../shared/amount.ts";
import type { Tip } from "./tooltip.ts";
import { type TwinTable, largestFirst, twinCaption } from "./twin.ts";

/** What the pointer or the keyboard is at. */
export type GraphItem = { node: number } | { edge: number };

export function amountText(amount: Amount): string {
  const mark = amount.mark === "" ? "" : `${amount.mark} `;
  return amount.share_text === "" ? mark + amount.text : `${mark}${amount.text} (${amount.share_text})`;
}

export function graphTip(picture: GraphPicture, item: GraphItem): Tip {
  if ("edge" in item) {
    const edge = picture.edges[item.edge]!;
    const name = (node: number) => oneLine(picture.nodes[node]?.label ?? "", 120);
    const course = edge.course === "up" ? "closes a cycle" : edge.course === "loop" ? "calls itself" : "";
    return {
      title: `${name(edge.from)} → ${name(edge.to)}`,
      rows: edge.label.map((line, i) => [i === 0 ? "cost" : "calls", line] as const),
      ...(course === "" ? {} : { remark: course }),
    };
  }
  const node = picture.nodes[item.node]!;
  const { function: fn } = node;
  const rows: [string, string][] = [["self", amountText(node.self)], ["inclusive", amountText(node.inclusive)]];
  if (node.change !== null) rows.push(["change", changeText(picture.event, node.change)]);
  if (fn?.object) rows.push(["object", fn.object]);
  if (fn?.file) rows.push(["file", fn.line === null ? fn.file : `${fn.file}:${fn.line}`]);
  const inCycle = node.is_cycle || (fn?.cycle ?? null) !== null;
  const remark = node.is_cycle ? "functions that call each other" : "member of a cycle of functions that call each other";
  return { title: fn?.name ?? node.label, rows, ...(inCycle ? { remark } : {}) };
}

export function graphTwin(picture: GraphPicture): TwinTable {
  const shown = largestFirst(picture.nodes.map((node) => node.inclusive.value));
  const names = (nodes: number[]) => nodes.slice(0, 5).map((node) => oneLine(picture.nodes[node]?.label ?? "", 40)).join(", ");
  const callers = picture.nodes.map((): number[] => []);
  const callees = picture.nodes.map((): number[] => []);
  for (const edge of [...picture.edges].sort((a, b) => b.share - a.share)) {
    callers[edge.to]?.push(edge.from);
    callees[edge.from]?.push(edge.to);
  }
  const hasChanges = picture.nodes.some((node) => node.change !== null);
  return {
    caption: twinCaption(`Call graph of ${picture.event.title ?? picture.event.name}`, shown.length, picture.nodes.length, "functions"),
    columns: ["self", "inclusive", "share", ...(hasChanges ? [changeTitle(picture.event)] : []), "callers", "callees"],
    rows: shown.map((i) => {
      const node = picture.nodes[i]!;
      return {
        fn: node.function,
        name: node.function?.name ?? node.label,
        cells: [amountText(node.self), node.inclusive.text, node.inclusive.share_text, ...(hasChanges ? [node.change === null ? "" : formatChange(node.change)] : []), names(callers[i]!), names(callees[i]!)],
      };
    }),
  };
}
