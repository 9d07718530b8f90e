// The costliest source lines of the whole program; in a comparison with their old cost, difference and ratio. A click or
// Enter shows the source at the line.

import type { EventType, LineRow, LineTable, Question } from "../../api/types.ts";
import { cut, h } from "../../core/dom.ts";
import { effect } from "../../core/signal.ts";
import { amountCell, nameCell, totalText } from "../shared/amount.ts";
import { asking } from "../shared/asking.ts";
import { choice, disposeAll, toggle } from "../shared/controls.ts";
import { fitColumns } from "../shared/fit.ts";
import { rowsOf, Table, type Column } from "../shared/table.ts";
import type { MountedView, View, ViewContext } from "../view.ts";
import { comparisonColumns, type Which } from "./columns.ts";

type Sort = Extract<Question, { ask: "lines" }>["sort"];

/** The server has a limit of its own; what is beyond it is said. */
const MOST_LINES = 2000;

export const linesView: View = {
  id: "lines",
  title: "Lines",
  key: "n",
  fits: (about) => about.profile !== null,
  mount,
};

function mount(context: ViewContext): MountedView {
  const isComparison = context.about.kind === "comparison";
  const share = context.option("share", !isComparison);
  const sort = context.option<Sort>("sort", isComparison ? "difference" : "self");
  const which = context.option<Which>("which", "self");
  const widths = context.option<Record<string, number>>("widths", {});
  let shown: LineTable | null = null;
  const table = new Table<LineRow>("source lines of the program", {
    sort: (column) => sortBy(context, sort, column),
    choose: (row) => openLine(context, row),
    menu: (row, _, at) => context.menu(at, row.function),
    hover: (row) => context.hover.set(row?.function.id ?? null),
    classes: (row) => `${isActive(context, row) ? "active" : context.selected.peek().has(row.function.id) ? "selected" : ""} ${row.costs[0]?.self_change?.noise ? "noise" : ""}`,
    open: (row) => openLine(context, row),
    resized: (column, width) => widths.set({ ...widths.peek(), [column]: width }),
  });
  const content = h("div", { class: "fill-column" }, table.element);
  const draw = () => {
    // Read before the return: an effect follows only what it has read.
    const style = { share: share.get(), which: which.get() };
    if (!shown) return;
    const hasInclusive = context.about.profile?.has_inclusive ?? false;
    const columns = isPaired(shown) ? pairedColumns(shown.events, style) : lineColumns(shown.events, style.share, hasInclusive);
    table.setColumns(fitColumns(columns, shown.rows), widths.peek());
  };
  const view = asking<LineTable>(
    context,
    content,
    () => ({ ask: "lines", scope: context.scope(), events: [...context.shared.events.get()], sort: sort.get(), inclusive: isComparison && which.get() === "inclusive", limit: MOST_LINES }),
    (answer) => {
      shown = answer;
      const remarks = answer.remarks.map((remark) => remark.message).join("; ");
      draw();
      table.setRows(rowsOf(answer.rows), remarks);
      table.toStart();
      // An empty table says it itself.
      context.hidden(answer.rows.length > 0 ? remarks : "");
    },
  );
  const controls = [toggle("%", "shares of the total instead of amounts", share)];
  const costs: [Which, string][] = [["self", "self"], ["inclusive", "inclusive"]];
  if (isComparison && context.about.profile?.has_inclusive) controls.push(choice("which cost of lines", which, costs));
  const stops = [
    effect(draw),
    effect(() => table.setSort({ column: sortColumn(context, sort.get(), which.get()), ascending: false })),
    effect(() => {
      context.active.get();
      context.shared.line.get();
      context.shared.lineFile.get();
      context.selected.get();
      table.redecorate();
    }),
  ];
  return {
    element: view.element,
    options: h("div", { class: "options" }, ...controls.map((control) => control.element)),
    resize: () => table.resize(),
    dispose: () => disposeAll([view, ...controls, ...stops]),
  };
}

/** Whether the rows have the costs of both profiles. */
function isPaired(table: LineTable): boolean {
  return table.rows.some((row) => row.pairing !== null);
}

/** The column that is sorted by: that of the new cost has the name of the cost that is shown. */
function sortColumn(context: ViewContext, sort: Sort, which: Which): string {
  const isCost = sort === "self" || sort === "inclusive";
  const shown = context.about.kind === "comparison" && context.scope().side !== "old" && context.scope().side !== "new";
  return `${isCost && shown ? which : sort} ${rankingEvent(context)}`;
}

/** Shows the source of the function with the greatest cost at the line, at the line. */
function openLine(context: ViewContext, row: LineRow): void {
  context.navigate(() => {
    context.active.set(row.function.id);
    // A line of the old profile only is none of those of the new source, by whose numbers lines are marked.
    const isGone = row.pairing === "gone";
    context.shared.line.set(isGone ? null : row.line);
    context.shared.lineFile.set(isGone ? null : row.file || null);
  });
  context.open("source", row.function.id);
  context.announce(`source of ${cut(row.function.name, 200)}, line ${row.line}`);
}

function isActive(context: ViewContext, row: LineRow): boolean {
  const { line, lineFile } = context.shared;
  return context.active.peek() === row.function.id && line.peek() === row.line && (lineFile.peek() ?? row.file) === row.file;
}

/** Column ids are "self EVENT" and "inclusive EVENT". */
function sortBy(context: ViewContext, sort: { set(value: Sort): void }, column: string): void {
  const space = column.indexOf(" ");
  const event = column.slice(space + 1);
  context.navigate(() => {
    sort.set(column.slice(0, space) as Sort);
    if (event !== rankingEvent(context)) context.shared.scope.event.set(event);
  });
}

function rankingEvent(context: ViewContext): string {
  return context.scope().event ?? context.about.profile!.default_event;
}

function lineColumns(events: readonly EventType[], share: boolean, hasInclusive: boolean): Column<LineRow>[] {
  const several = events.length > 1;
  const costs = events.flatMap((event, index) => {
    const column = (which: Which): Column<LineRow> => ({
      id: `${which} ${event.name}`,
      title: several ? `${event.name} ${which}` : which === "self" ? "Self" : "Inclusive",
      hint: `${which === "self" ? "cost of the line itself" : "cost with the calls from the line, where it is known exactly"}: ${event.title ?? event.name}${event.unit ? ` in ${event.unit}` : ""}, ${totalText(event, event.total)}`,
      align: "right",
      width: 56,
      sortable: true,
      cell: (row) => amountCell(row.costs[index]?.[which] ?? null, { share, bar: true, of: event.total }),
    });
    return hasInclusive ? [column("self"), column("inclusive")] : [column("self")];
  });
  return [...costs, FUNCTION, { id: "line", title: "Line", width: 130, grow: true, pinned: true, cell: placeCell }];
}

const FUNCTION: Column<LineRow> = { id: "function", title: "Function", hint: "the function with the greatest self cost at the line", width: 110, grow: true, cell: functionCell };

function pairedColumns(events: readonly EventType[], style: { share: boolean; which: Which }): Column<LineRow>[] {
  const costs = events.flatMap((event, index) => comparisonColumns<LineRow>(event, index, events.length > 1, style));
  return [
    ...costs,
    FUNCTION,
    { id: "was", title: "Was", hint: "the line in the old profile, and how it was found", width: 64, cell: wasCell },
    { id: "line", title: "Line", width: 130, grow: true, pinned: true, cell: placeCell },
  ];
}

const PAIRINGS: Record<NonNullable<LineRow["pairing"]>, string> = {
  text: "both sources have a line with this text",
  unchanged: "by number: the source or library is the same build, or was last changed before both profiles were recorded",
  number: "matched by number and function: it is not known whether lines moved",
  new: "only the new profile has this line",
  gone: "only the old profile has this line",
};

/** The line in the old profile; ≈ where lines may have moved. */
function wasCell(row: LineRow): HTMLElement {
  const hint = row.pairing === null ? "" : PAIRINGS[row.pairing];
  const moved = row.old_file === null || fileName(row.old_file) === fileName(row.file) ? "" : fileName(row.old_file);
  const text = row.old_line === null ? "–" : `${row.pairing === "number" ? "≈ " : ""}${cut(moved, 60)}:${row.old_line}`;
  return h("span", { class: "dim", title: row.old_file === null ? hint : `${cut(row.old_file, 1000)}:${row.old_line}\n${hint}` }, text);
}

function fileName(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1) || "???";
}

/** The line with the name of its file; the tooltip has the whole path. */
function placeCell(row: LineRow): HTMLElement {
  const name = fileName(row.file);
  const line = `:${row.line}`;
  return h("span", { class: "name place", title: `${cut(row.file || "file unknown", 1000)}${line}\nclick or Enter: the source at this line` }, h("bdi", { class: "place-file" }, cut(name, 200)), h("span", {}, line));
}

function functionCell(row: LineRow): HTMLElement {
  const name = nameCell(row.function);
  if (row.functions === 1) return name;
  name.classList.add("place-file");
  return h("span", { class: "place" }, name, h("span", { class: "tag", title: "the line is part of several functions, since it was inlined" }, `and ${row.functions - 1} more`));
}
