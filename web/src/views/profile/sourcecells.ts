// The cells of source lines and instructions.

import type { Amount, CallSite, EventType, SourceLine } from "../../api/types.ts";
import { button, cut, h } from "../../core/dom.ts";
import { amountCell, amountText, timesText } from "../shared/amount.ts";
import type { Column } from "../shared/table.ts";
import type { ViewContext } from "../view.ts";
import { arrowsCell, arrowsWidth } from "./arrows.ts";
import type { CodeRow, RowJump, SourceRow } from "./sourcerows.ts";

/** Longer lines are cut: nobody reads them, and browsers lay them out slowly. */
const LINE_LIMIT = 2000;
const KINDS = new Set(["keyword", "string", "comment", "number"]);

function costCell(amount: Amount | undefined, share: boolean, event: EventType): Node | string {
  return amount && amount.value !== 0 ? amountCell(amount, { share, bar: true, of: event.total }) : "";
}

export function sourceColumns(context: ViewContext, events: readonly EventType[], share: boolean): Column<SourceRow>[] {
  const costs = events.map((event, index): Column<SourceRow> => ({
    id: `self ${event.name}`,
    title: events.length > 1 ? event.name : "Self",
    hint: `${event.title ?? event.name}: cost of the line itself, share of the total`,
    align: "right",
    width: 60,
    cell: (row) => (row.kind === "line" ? costCell(row.line.self[index], share, event) : row.kind === "call" ? siteCost(row.call, index, share) : ""),
  }));
  return [
    ...costs,
    { id: "line", title: "Line", align: "right", width: 52, cell: (row) => (row.kind === "line" ? (row.line.line === null ? "?" : String(row.line.line)) : "") },
    { id: "text", title: "Source", width: 200, grow: true, cell: (row) => sourceText(context, row) },
  ];
}

export function codeColumns(context: ViewContext, events: readonly EventType[], share: boolean, jumps: readonly RowJump[]): Column<CodeRow>[] {
  const costs = events.map((event, index): Column<CodeRow> => ({
    id: `self ${event.name}`,
    title: events.length > 1 ? event.name : "Self",
    hint: `${event.title ?? event.name}: cost of the instruction, share of the total`,
    align: "right",
    width: 60,
    cell: (row) => (row.kind === "instruction" ? costCell(row.instruction.self[index], share, event) : siteCost(row.call, index, share)),
  }));
  const width = arrowsWidth(jumps);
  const arrows: Column<CodeRow>[] = width === 0 ? [] : [{ id: "jumps", title: "", hint: "jumps", width: width + 4, cell: (_, index) => arrowsCell(jumps, index, width) }];
  return [
    ...costs,
    { id: "address", title: "Address", align: "right", width: 64, cell: (row) => (row.kind === "instruction" ? h("span", { class: "mono dim", title: row.instruction.bytes }, row.instruction.address) : "") },
    { id: "line", title: "Line", align: "right", width: 52, cell: (row) => (row.kind === "instruction" && row.instruction.line !== null ? h("span", { class: "dim", title: row.instruction.file ?? "" }, String(row.instruction.line)) : "") },
    ...arrows,
    { id: "text", title: "Instruction", width: 160, grow: true, cell: (row) => (row.kind === "call" ? callSite(context, row.call) : h("code", {}, cut(row.instruction.text, LINE_LIMIT))) },
  ];
}

function siteCost(call: CallSite, index: number, share: boolean): Node | string {
  const amount = call.costs?.[index];
  return amount ? h("span", { class: "dim" }, amountText(amount, share)) : "";
}

function sourceText(context: ViewContext, row: SourceRow): Node {
  if (row.kind === "call") return callSite(context, row.call);
  if (row.kind === "file") return fileHead(row.file.path, row.file.found);
  if (row.line.text === null) return h("span", { class: "dim" }, row.line.line === null ? "costs whose line is unknown" : "text not available");
  return tokens(row.line);
}

function fileHead(path: string | null, found: string | null): HTMLElement {
  const missing = found === null ? " – file not found: name its folder with --source-dir DIR" : "";
  return h("span", { class: "file-head", title: cut(found ?? path ?? "", 1000) }, cut(path ?? "file unknown", 300), missing);
}

/** Where a call goes, as a link that makes that function active. */
function callSite(context: ViewContext, call: CallSite): HTMLElement {
  const times = call.calls ? ` ${timesText(call.calls)}` : "";
  const link = button(cut(call.function.label, 120), () => context.activate(call.function.id, call.function.name), { class: "link", title: cut(call.function.name, 1000), tabindex: -1 });
  return h("span", { class: "call-site" }, call.inlined ? "↳ inlined " : "↳ calls ", link, h("span", { class: "dim" }, times));
}

/** The text of a line with its tokens marked. Tokens that overlap or leave the text are ignored. */
export function tokens(line: SourceLine): HTMLElement {
  const text = (line.text ?? "").slice(0, LINE_LIMIT);
  const code = h("code", {});
  let done = 0;
  for (const [start, end, kind] of line.tokens) {
    if (start < done || end > text.length || start >= end || !KINDS.has(kind)) continue;
    code.append(text.slice(done, start), h("span", { class: `token-${kind}` }, text.slice(start, end)));
    done = end;
  }
  code.append(text.slice(done));
  return code;
}
