// Callers and callees of the active function: two tables in one pane. Enter or a double click
// moves on to the caller or callee.

import type { CallRow, CallsAnswer, EventType } from "../../api/types.ts";
import { cut, fill, h } from "../../core/dom.ts";
import { effect } from "../../core/signal.ts";
import { amountCell, baseOf, cycleMark, differenceCell, differenceHint, isRecursive, nameCell, ratioCell, remarkList, timesText } from "../shared/amount.ts";
import { asking } from "../shared/asking.ts";
import { disposeAll, toggle } from "../shared/controls.ts";
import { sideCosts } from "../shared/sides.ts";
import { fitColumns } from "../shared/fit.ts";
import { rowsOf, Table, type Column } from "../shared/table.ts";
import type { MountedView, View, ViewContext } from "../view.ts";
import { toggleSelected } from "./functions.ts";

export const callsView: View = {
  id: "calls",
  title: "Callers and callees",
  key: "c",
  fits: (about) => about.profile?.has_calls ?? false,
  mount,
};

function mount(context: ViewContext): MountedView {
  const share = context.option("share", true);
  const title = h("div", { class: "calls-title" });
  const callers = makeTable(context, "callers");
  const callees = makeTable(context, "callees");
  const side = (table: Table<CallRow>) => h("div", { class: "calls-side" }, table.element);
  const content = h("div", { class: "fill-column" }, title, h("div", { class: "calls-sides" }, side(callers), side(callees)));
  let shown: CallsAnswer | null = null;

  const draw = () => {
    // Read before the return: an effect follows only what it has read.
    const asShare = share.get();
    if (!shown) return;
    showTitle(context, title, shown);
    callers.setColumns(fitColumns(callColumns(context, asShare, shown, "Caller"), shown.callers));
    callees.setColumns(fitColumns(callColumns(context, asShare, shown, "Callee"), shown.callees));
    callers.setRows(rowsOf(shown.callers), "no callers: it is called by nothing in this profile");
    callees.setRows(rowsOf(shown.callees), "no callees: it calls nothing");
    context.hidden(shown.remarks.map((remark) => remark.message).join("; "));
  };
  const view = asking<CallsAnswer>(
    context,
    content,
    () => {
      const id = context.active.get();
      return id === null ? null : { ask: "calls", scope: context.scope(), function: id, events: [...context.shared.events.get()] };
    },
    (answer) => {
      shown = answer;
      draw();
      callers.toStart();
      callees.toStart();
    },
    "Click a function to see who calls it and what it calls.",
  );
  const control = toggle("%", context.about.kind === "comparison" ? "shares of the total instead of amounts" : "shares of the function's inclusive cost instead of amounts", share);
  const stops = [
    effect(draw),
    effect(() => {
      context.selected.get();
      callers.redecorate();
      callees.redecorate();
    }),
  ];
  return {
    element: view.element,
    options: h("div", { class: "options" }, control.element),
    resize: () => {
      callers.resize();
      callees.resize();
    },
    dispose: () => disposeAll([view, control, ...stops]),
  };
}

function showTitle(context: ViewContext, target: HTMLElement, answer: CallsAnswer): void {
  const { function: row } = answer;
  const events = context.shared.events.peek();
  const ranking = context.scope().event ?? context.about.profile!.default_event;
  const pair = row.costs[Math.max(0, events.indexOf(ranking))];
  const compared = context.about.kind === "comparison";
  const costs = pair ? sideCosts(pair, compared ? (context.scope().side ?? "difference") : null) : null;
  const texts = [
    costs && events.length > 1 ? cut(ranking, 60) : "",
    costs ? `${costs.side === "" ? "" : `${costs.side}: `}self ${costs.self}` : "",
    costs?.inclusive ? `inclusive ${costs.inclusive}` : "",
    // The number of calls is only known for the new profile of a comparison.
    row.calls && !compared ? `called ${timesText(row.calls)}` : "",
  ];
  const numbers = texts.filter(Boolean).join(" · ");
  fill(target, h("strong", { title: cut(row.name, 1000) }, row.function ? nameCell(row.function) : cut(row.name)), h("span", { class: "dim calls-numbers", title: numbers }, numbers), remarkList(answer.remarks.filter((remark) => remark.loss)));
}

function makeTable(context: ViewContext, label: string): Table<CallRow> {
  return new Table<CallRow>(label, {
    choose: (row, _, how) => {
      if (how.add) toggleSelected(context, row.function.id);
      else if (how.key) context.activate(row.function.id, row.function.name);
    },
    open: (row) => context.activate(row.function.id, row.function.name),
    menu: (row, _, at) => context.menu(at, row.function),
    hover: (row) => context.hover.set(row?.function.id ?? null),
    classes: (row) => (context.selected.peek().has(row.function.id) ? "selected" : ""),
  });
}

function callColumns(context: ViewContext, share: boolean, answer: CallsAnswer, title: string): Column<CallRow>[] {
  const events = context.shared.events.peek().map((name) => eventNamed(context, name));
  const changes = answer.callers.concat(answer.callees).some((row) => row.changes !== null);
  const costs = events.flatMap((event, index) => costColumns(event, index, events.length > 1, share, changes));
  const calls: Column<CallRow>[] = context.about.profile!.has_counts && !changes
    ? [{ id: "calls", title: "Calls", align: "right", width: 48, cell: (row) => amountCell(row.calls, { share: false }) }]
    : [];
  return [...costs, ...calls, { id: "name", title, width: 110, grow: true, pinned: true, cell: (row) => callName(answer, row) }];
}

/** Event types of the user are not in the document's list. */
function eventNamed(context: ViewContext, name: string): Pick<EventType, "name" | "title" | "total" | "old_total" | "by_share" | "adds_up"> {
  return context.about.profile!.events.find((event) => event.name === name) ?? context.ownEvents().get(name) ?? { name, title: null, total: "", old_total: null, by_share: false, adds_up: true };
}

function costColumns(event: Pick<EventType, "name" | "title" | "total" | "old_total" | "by_share" | "adds_up">, index: number, several: boolean, share: boolean, changes: boolean): Column<CallRow>[] {
  const name = event.title ?? event.name;
  const title = (what: string) => (several ? `${event.name} ${what.toLowerCase()}` : what);
  if (!changes) {
    const hint = `${name}: cost of these calls, share of the function's inclusive cost`;
    return [{ id: `cost ${event.name}`, title: several ? event.name : "Inclusive", hint, align: "right", width: 56, cell: (row) => amountCell(row.costs[index] ?? null, { share, bar: true, of: "the function's inclusive cost" }) }];
  }
  const [oldTotal, newTotal] = [`the old total ${event.old_total ?? ""}`.trim(), `the new total ${event.total}`.trim()];
  return [
    { ...baseOf(event, "new", share), id: `cost ${event.name}`, title: title("New"), hint: `${name}: cost of these calls in the new profile, % of ${newTotal}`, align: "right", width: 56, cell: (row) => amountCell(row.costs[index] ?? null, { share, bar: true, of: newTotal }) },
    { ...baseOf(event, "difference", share), id: `difference ${event.name}`, title: title("Difference"), hint: `${name}: cost of these calls, ${differenceHint(event, oldTotal)}`, align: "right", width: 56, cell: (row) => differenceCell(row.changes?.[index] ?? null, { share, of: oldTotal }) },
    { id: `ratio ${event.name}`, title: title("Ratio"), align: "right", width: 56, cell: (row) => ratioCell(row.changes?.[index] ?? null) },
  ];
}

function callName(answer: CallsAnswer, row: CallRow): HTMLElement {
  const name = nameCell(row.function);
  if (row.inside_cycle || isRecursive(answer.function.function, row.function)) name.prepend(cycleMark());
  return name;
}
