// The costliest source lines of the whole program. A click or Enter shows the source at the line.

import type { EventType, LineRow, LineTable, Question } from "../../api/types.ts";
import { cut, h } from "../../core/dom.ts";
import { effect } from "../../core/signal.ts";
import { amountCell, nameCell, totalText } from "../shared/amount.ts";
import { asking } from "../shared/asking.ts";
import { disposeAll, toggle } from "../shared/controls.ts";
import { fitColumns } from "../shared/fit.ts";
import { rowsOf, Table, type Column } from "../shared/table.ts";
import type { MountedView, View, ViewContext } from "../view.ts";

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
  const share = context.option("share", true);
  const sort = context.option<Sort>("sort", "self");
  const widths = context.option<Record<string, number>>("widths", {});
  let shown: LineTable | null = null;
  const table = new Table<LineRow>("source lines of the program", {
    sort: (column) => sortBy(context, sort, column),
    choose: (row) => openLine(context, row),
    menu: (row, _, at) => context.menu(at, row.function),
    hover: (row) => context.hover.set(row?.function.id ?? null),
    classes: (row) => (isActive(context, row) ? "active" : context.selected.peek().has(row.function.id) ? "selected" : ""),
    open: (row) => openLine(context, row),
    resized: (column, width) => widths.set({ ...widths.peek(), [column]: width }),
  });
  const content = h("div", { class: "fill-column" }, table.element);
  const draw = () => {
    // Read before the return: an effect follows only what it has read.
    const asShare = share.get();
    if (!shown) return;
    const hasInclusive = context.about.profile?.has_inclusive ?? false;
    table.setColumns(fitColumns(lineColumns(shown.events, asShare, hasInclusive), shown.rows), widths.peek());
  };
  const view = asking<LineTable>(
    context,
    content,
    () => ({ ask: "lines", scope: context.scope(), events: [...context.shared.events.get()], sort: sort.get(), limit: MOST_LINES }),
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
  const control = toggle("%", "shares of the total instead of amounts", share);
  const stops = [
    effect(draw),
    effect(() => table.setSort({ column: `${sort.get()} ${rankingEvent(context)}`, ascending: false })),
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
    options: h("div", { class: "options" }, control.element),
    resize: () => table.resize(),
    dispose: () => disposeAll([view, control, ...stops]),
  };
}

/** Shows the source of the function with the greatest cost at the line, at the line. */
function openLine(context: ViewContext, row: LineRow): void {
  context.navigate(() => {
    context.active.set(row.function.id);
    context.shared.line.set(row.line);
    context.shared.lineFile.set(row.file || null);
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
    const column = (which: Sort): Column<LineRow> => ({
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
  return [
    ...costs,
    { id: "function", title: "Function", hint: "the function with the greatest self cost at the line", width: 110, grow: true, cell: functionCell },
    { id: "line", title: "Line", width: 130, grow: true, pinned: true, cell: placeCell },
  ];
}

/** The line with the name of its file; the tooltip has the whole path. */
function placeCell(row: LineRow): HTMLElement {
  const name = row.file.slice(row.file.lastIndexOf("/") + 1) || "???";
  const line = `:${row.line}`;
  return h("span", { class: "name place", title: `${cut(row.file || "file unknown", 1000)}${line}\nclick or Enter: the source at this line` }, h("bdi", { class: "place-file" }, cut(name, 200)), h("span", {}, line));
}

function functionCell(row: LineRow): HTMLElement {
  const name = nameCell(row.function);
  if (row.functions === 1) return name;
  name.classList.add("place-file");
  return h("span", { class: "place" }, name, h("span", { class: "tag", title: "the line is part of several functions, since it was inlined" }, `and ${row.functions - 1} more`));
}
