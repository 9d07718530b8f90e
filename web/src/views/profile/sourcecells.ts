// The cells of source lines and instructions.

import type { Amount, CallSite, EventType, FunctionName, SourceFile, SourceLine } from "../../api/types.ts";
import { button, cut, h } from "../../core/dom.ts";
import { amountCell, amountText, baseOf, cycleMark, differenceCell, differenceHint, isRecursive, timesText } from "../shared/amount.ts";
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

/** Old cost, new cost and difference of lines and of the calls below them. */
function comparedCosts(events: readonly EventType[], share: boolean): Column<SourceRow>[] {
  return events.flatMap((event, index) => {
    const title = (what: string) => (events.length > 1 ? `${event.name} ${what.toLowerCase()}` : what);
    const name = event.title ?? event.name;
    const [oldTotal, newTotal] = [`the old total ${event.old_total ?? ""}`, `the new total ${event.total}`];
    const change = (row: SourceRow) => (row.kind === "line" ? row.line.changes : row.kind === "call" ? row.call.changes : null)?.[index] ?? null;
    const cost = (row: SourceRow) => (row.kind === "line" ? row.line.self[index] : row.kind === "call" ? row.call.costs?.[index] : undefined);
    const shown = (amount: Amount | undefined, of: string) => (amount && amount.value !== 0 ? amountCell(amount, { share, of }) : "");
    const column = (what: string, of: "old" | "new" | "difference", hint: string, cell: Column<SourceRow>["cell"]): Column<SourceRow> => ({ ...baseOf(event, of, share), id: `${what} ${event.name}`, title: title(what), hint: `${name}: ${hint}`, align: "right", width: 60, cell });
    return [
      column("Old", "old", `cost of the line in the old profile, % of ${oldTotal}`, (row) => shown(change(row)?.old, oldTotal)),
      column("New", "new", `cost of the line in the new profile, % of ${newTotal}`, (row) => shown(cost(row), newTotal)),
      column("Difference", "difference", differenceHint(event, oldTotal), (row) => (change(row)?.difference.value ? differenceCell(change(row), { share, of: oldTotal }) : "")),
    ];
  });
}

/** What a table of source lines or instructions shows. */
export interface CostStyle {
  share: boolean;
  /** Whether rows have the costs of two profiles. */
  compared: boolean;
  /** The profile of a comparison that costs without a change are of; "" outside of comparisons. */
  side: "old" | "new" | "";
  /** The function that is shown, to find recursive calls. */
  caller: FunctionName | null;
}

/** "Self", or the event type where there are several; below it the side of a comparison. */
function selfHead(events: readonly EventType[], event: EventType, side: CostStyle["side"]): Pick<Column<never>, "title" | "base"> {
  return { title: events.length > 1 ? event.name : "Self", ...(side === "" ? {} : { base: side }) };
}

export function sourceColumns(context: ViewContext, events: readonly EventType[], style: CostStyle): Column<SourceRow>[] {
  const { share, compared } = style;
  const costs = events.map((event, index): Column<SourceRow> => ({
    id: `self ${event.name}`,
    ...selfHead(events, event, style.side),
    hint: `${event.title ?? event.name}: cost of the line itself, share of the total`,
    align: "right",
    width: 60,
    cell: (row) => (row.kind === "line" ? costCell(row.line.self[index], share, event) : row.kind === "call" ? siteCost(row.call, index, share) : ""),
  }));
  const number = (row: SourceRow, line: "line" | "old_line") => {
    if (row.kind !== "line") return "";
    return row.line[line] === null ? (row.line.line === null && row.line.old_line === null ? "?" : "") : String(row.line[line]);
  };
  const line: Column<SourceRow> = { id: "line", title: compared ? "New line" : "Line", align: "right", width: 52, cell: (row) => number(row, "line") };
  const old: Column<SourceRow>[] = compared ? [{ id: "old line", title: "Old line", align: "right", width: 52, cell: (row) => number(row, "old_line") }] : [];
  return [
    ...(compared ? comparedCosts(events, share) : costs),
    ...old,
    line,
    { id: "text", title: "Source", width: 200, grow: true, ...(compared ? { pinned: true } : {}), cell: (row) => sourceText(context, row, style.caller) },
  ];
}

export function codeColumns(context: ViewContext, events: readonly EventType[], style: CostStyle, jumps: readonly RowJump[]): Column<CodeRow>[] {
  const { share } = style;
  const costs = events.map((event, index): Column<CodeRow> => ({
    id: `self ${event.name}`,
    ...selfHead(events, event, style.side),
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
    { id: "text", title: "Instruction", width: 160, grow: true, cell: (row) => (row.kind === "call" ? callSite(context, row.call, style.caller) : h("code", {}, cut(row.instruction.text, LINE_LIMIT))) },
  ];
}

function siteCost(call: CallSite, index: number, share: boolean): Node | string {
  const amount = call.costs?.[index];
  return amount ? h("span", { class: "dim" }, amountText(amount, share)) : "";
}

function sourceText(context: ViewContext, row: SourceRow, caller: FunctionName | null): Node {
  if (row.kind === "call") return callSite(context, row.call, caller);
  if (row.kind === "file") return fileHead(row.file);
  if (row.line.text === null) return h("span", { class: "dim" }, row.line.line === null && row.line.old_line === null ? "costs whose line is unknown" : "text not available");
  if (row.line.status === "") return tokens(row.line);
  const signs = { added: ["+", "only in the new source"], removed: ["−", "only in the old source"], both: ["", ""] } as const;
  const [sign, title] = signs[row.line.status];
  return h("span", {}, h("span", { class: "source-sign", title, attrs: { "aria-label": title || null } }, sign), tokens(row.line));
}

function fileHead({ path, found, old_path, old_found }: SourceFile): HTMLElement {
  if (old_path !== null && old_path !== path) {
    const title = `old: ${old_found ?? `${old_path}, not found`}\nnew: ${found ?? `${path ?? "none"}, not found`}`;
    return h("span", { class: "file-head", title: cut(title, 2000) }, `${cut(old_path, 150)} → ${cut(path ?? "not in the new profile", 150)}`);
  }
  if (path === null && found === null) return h("span", { class: "file-head", title: "the profile names no source file here: the code was stripped, or built without debug information" }, "file unknown");
  const missing = found === null ? " – file not found: name its folder with --source-dir DIR" : "";
  return h("span", { class: "file-head", title: cut(found ?? path ?? "", 1000) }, cut(path ?? "file unknown", 300), missing);
}

/** Where a call goes, as a link that makes that function active. */
function callSite(context: ViewContext, call: CallSite, caller: FunctionName | null): HTMLElement {
  const times = call.calls ? ` ${timesText(call.calls)}` : "";
  const link = button(cut(call.function.label, 120), () => context.activate(call.function.id, call.function.name), { class: "link", title: cut(call.function.name, 1000), tabindex: -1 });
  return h("span", { class: "call-site" }, isRecursive(caller, call.function) ? cycleMark() : null, call.inlined ? "↳ inlined " : "↳ calls ", link, h("span", { class: "dim" }, times));
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
