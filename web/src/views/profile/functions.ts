// The function table: any number of event types as columns, grouped or flat, filtered, fetched by
// page. In a comparison: old, new, difference and ratio.

import type { FunctionRow, FunctionTable, Question } from "../../api/types.ts";
import { button, cut, fill, h } from "../../core/dom.ts";
import { effect, untracked, type Signal } from "../../core/signal.ts";
import { asking } from "../shared/asking.ts";
import { choice, disposeAll, textField, toggle } from "../shared/controls.ts";
import { fitColumns } from "../shared/fit.ts";
import { PAGE, PagedRows } from "../shared/paged.ts";
import { Table } from "../shared/table.ts";
import type { MountedView, View, ViewContext } from "../view.ts";
import { functionColumns, type Which } from "./columns.ts";

type Sort = Extract<Question, { ask: "functions" }>["sort"];

interface TableState {
  filter: Signal<string>;
  group: Signal<string>;
  within: Signal<string[]>;
  sort: Signal<Sort>;
  ascending: Signal<boolean>;
  share: Signal<boolean>;
  which: Signal<Which>;
  widths: Signal<Record<string, number>>;
}

export const functionsView: View = {
  id: "functions",
  title: "Functions",
  key: "t",
  fits: (about) => about.profile !== null,
  mount,
};

function mount(context: ViewContext): MountedView {
  const state = stateOf(context);
  /** The group that was clicked. */
  let chosenGroup: string | null = null;
  const table = makeTable(context, state, {
    isChosen: (row) => row.function === null && row.name === chosenGroup,
    choose: (row) => {
      chosenGroup = row.name;
      table.redecorate();
      const hint = `“${cut(row.name, 40)}”: double click or Enter opens it`;
      context.hidden([hint, shown ? hiddenText(shown, state) : ""].filter(Boolean).join("; "));
      context.announce(hint);
    },
  });
  const crumb = h("div", { class: "crumb" });
  const content = h("div", { class: "fill-column" }, crumb, table.element);
  let rows: PagedRows<FunctionRow> | null = null;
  let shown: FunctionTable | null = null;

  const view = asking<FunctionTable>(context, content, () => questionOf(context, state), (answer) => {
    rows?.dispose();
    shown = answer;
    const base = untracked(() => questionOf(context, state));
    rows = new PagedRows(
      answer.count,
      answer.rows,
      async (offset, limit, signal) => (await context.ask<FunctionTable>({ ...base, offset, limit }, signal)).rows,
      (error) => (error ? view.fail(error) : table.refresh()),
    );
    setColumns();
    table.setRows(rows, noneText(state, answer));
    table.toStart();
    chosenGroup = null;
    context.hidden(hiddenText(answer, state));
  });
  const setColumns = () => {
    // Read before the return: an effect follows only what it has read.
    const style = { share: state.share.get(), which: state.which.get(), grouped: state.group.get() !== "" };
    if (!shown) return;
    const columns = functionColumns(shown.events, context.about, style);
    table.setColumns(fitColumns(columns, shown.rows), state.widths.peek());
  };
  const stops = [
    effect(setColumns),
    effect(() => table.setSort({ column: sortColumn(context, state), ascending: state.ascending.get() })),
    effect(() => {
      context.active.get();
      context.selected.get();
      context.hover.get();
      table.redecorate();
    }),
    effect(() => showCrumb(crumb, state)),
  ];
  const controls = makeControls(context, state);
  return {
    element: view.element,
    options: h("div", { class: "options" }, ...controls.map((control) => control.element)),
    resize: () => table.resize(),
    dispose: () => {
      rows?.dispose();
      disposeAll([view, ...stops, ...controls]);
    },
  };
}

function stateOf(context: ViewContext): TableState {
  const comparison = context.about.kind === "comparison";
  return {
    filter: context.option("filter", ""),
    group: context.option("group", ""),
    /** Kind and name of the group whose functions are shown; empty for all. */
    within: context.option<string[]>("within", []),
    sort: context.option<Sort>("sort", comparison ? "difference" : "self"),
    ascending: context.option("ascending", false),
    share: context.option("share", !comparison),
    which: context.option<Which>("which", "self"),
    widths: context.option<Record<string, number>>("widths", {}),
  };
}

function questionOf(context: ViewContext, state: TableState): Extract<Question, { ask: "functions" }> {
  const [group, name] = state.within.get();
  return {
    ask: "functions",
    scope: context.scope(),
    events: [...context.shared.events.get()],
    sort: state.sort.get(),
    ascending: state.ascending.get(),
    inclusive: context.about.kind === "comparison" && state.which.get() === "inclusive",
    filter: state.filter.get(),
    group: state.group.get() || null,
    within: group !== undefined && name !== undefined ? { group, name } : null,
    offset: 0,
    limit: PAGE,
  };
}

/** Groups that are selected by a click; a double click or Enter opens one. */
interface GroupChoice {
  isChosen(row: FunctionRow): boolean;
  choose(row: FunctionRow): void;
}

function makeTable(context: ViewContext, state: TableState, groups: GroupChoice): Table<FunctionRow> {
  return new Table<FunctionRow>("functions", {
    sort: (column) => sortBy(context, state, column),
    choose: (row, _, how) => {
      const fn = row.function;
      if (!fn) {
        if (how.key && !how.add) openGroup(state, row);
        else groups.choose(row);
      } else if (how.add) toggleSelected(context, fn.id);
      else context.activate(fn.id, fn.name);
    },
    open: (row) => (row.function ? context.open("source", row.function.id) : openGroup(state, row)),
    menu: (row, _, at) => row.function && context.menu(at, row.function),
    hover: (row) => context.hover.set(row?.function?.id ?? null),
    classes: (row) => `${rowClasses(context, row)}${groups.isChosen(row) ? " active" : ""}`,
    resized: (column, width) => state.widths.set({ ...state.widths.peek(), [column]: width }),
  });
}

export function toggleSelected(context: ViewContext, id: number): void {
  const selected = new Set(context.selected.peek());
  if (!selected.delete(id)) selected.add(id);
  context.selected.set(selected);
}

function rowClasses(context: ViewContext, row: FunctionRow): string {
  const id = row.function?.id;
  const active = id !== undefined && context.active.peek() === id ? "active" : "";
  const selected = id !== undefined && context.selected.peek().has(id) ? "selected" : "";
  const hovered = id !== undefined && context.hover.peek() === id ? "hovered" : "";
  const change = row.costs[0]?.self_change;
  return `${active} ${selected} ${hovered} ${change?.noise ? "noise" : ""}`;
}

/** Opening a group shows its functions. */
function openGroup(state: TableState, row: FunctionRow): void {
  state.within.set([state.group.peek(), row.name]);
  state.group.set("");
}

function showCrumb(crumb: HTMLElement, state: TableState): void {
  const [group, name] = state.within.get();
  crumb.hidden = group === undefined;
  const back = () => {
    state.within.set([]);
    state.group.set(group ?? "");
  };
  fill(crumb, button("‹ all groups", back, { class: "link" }), ` ${group ?? ""}: `, h("strong", {}, cut(name ?? "", 120)), " ", button("× all functions", () => state.within.set([]), { class: "link" }));
}

/** Column ids are "name", "calls", or "self EVENT" and the like. */
function sortBy(context: ViewContext, state: TableState, column: string): void {
  const space = column.indexOf(" ");
  const sort = (space < 0 ? column : column.slice(0, space)) as Sort;
  const event = space < 0 ? null : column.slice(space + 1);
  const same = sortColumn(context, state) === column;
  state.ascending.set(same ? !state.ascending.peek() : sort === "name");
  state.sort.set(sort);
  if (event !== null && event !== rankingEvent(context)) context.shared.scope.event.set(event);
}

function rankingEvent(context: ViewContext): string {
  return context.scope().event ?? context.about.profile!.default_event;
}

function sortColumn(context: ViewContext, state: TableState): string {
  const sort = state.sort.get();
  return sort === "name" || sort === "calls" ? sort : `${sort} ${rankingEvent(context)}`;
}

function makeControls(context: ViewContext, state: TableState) {
  const groupings = context.about.profile!.groupings.map((name) => [name, `by ${name}`] as const);
  const controls = [
    textField("filter functions", "text or /regex/", state.filter, "filter"),
    toggle("%", "shares of the total instead of amounts", state.share),
  ];
  if (groupings.length > 0) controls.splice(1, 0, choice("group functions", state.group, [["", "flat"], ...groupings]));
  const costs: [Which, string][] = [["self", "self"], ["inclusive", "inclusive"]];
  if (context.about.kind === "comparison" && context.about.profile!.has_inclusive) controls.push(choice("which cost", state.which, costs));
  return controls;
}

function noneText(state: TableState, answer: FunctionTable): string {
  if (state.filter.peek() !== "") return `No ${state.group.peek() || "function"} matches “${cut(state.filter.peek(), 80)}”; there are ${answer.all}.`;
  return "No samples in this selection: choose other parts or clear the filters.";
}

function hiddenText(answer: FunctionTable, state: TableState): string {
  const texts = answer.remarks.map((remark) => remark.message);
  if (state.group.peek() === "file") texts.push("the costs of a file are those of the functions that it defines, also of lines from other files in them");
  if (answer.count < answer.all && (state.filter.peek() !== "" || state.within.peek().length > 0)) texts.unshift(`${answer.count} of ${answer.all} match`);
  return texts.join("; ");
}
