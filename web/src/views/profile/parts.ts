// The parts of a run (threads, phases, dumps): a table, and a bar for each part of the ranking
// event type. Chosen parts restrict every view.

import type { PartRow, ProfileAbout } from "../../api/types.ts";
import { button, cut, fill, h } from "../../core/dom.ts";
import { effect } from "../../core/signal.ts";
import { amountCell } from "../shared/amount.ts";
import { disposeAll, toggle } from "../shared/controls.ts";
import { fitColumns } from "../shared/fit.ts";
import { rowsOf, Table, type Column } from "../shared/table.ts";
import type { MountedView, View, ViewContext } from "../view.ts";

/** More bars than this are thinner than a pixel on most panes. */
const BARS = 400;

export const partsView: View = {
  id: "parts",
  title: "Parts over time",
  key: "p",
  fits: (about) => (about.profile?.parts.length ?? 0) > 0,
  mount,
};

function mount(context: ViewContext): MountedView {
  const profile = context.about.profile!;
  const share = context.option("share", false);
  const table = new Table<PartRow>("parts", {
    choose: (row, _, how) => choose(context, profile, row.number, how.add),
    open: (row) => choose(context, profile, row.number, false),
    classes: (row) => (chosenParts(context, profile).has(row.number) ? "selected" : ""),
  });
  const bars = h("div", { class: "part-bars", attrs: { "aria-hidden": "true" } });
  const summary = h("p", { class: "part-summary" });
  const stops = [
    effect(() => {
      table.setColumns(fitColumns(partColumns(profile, share.get()), profile.parts));
      table.setRows(rowsOf(profile.parts), "The file has no parts.");
    }),
    effect(() => {
      const chosen = chosenParts(context, profile);
      summary.textContent = `${chosen.size} of ${profile.parts.length} parts are shown in all views. Click: only this part; Ctrl+click or Space: add or remove.`;
      fill(bars, ...makeBars(context, profile, chosen));
      table.redecorate();
    }),
  ];
  const control = toggle("%", "shares of the total instead of amounts", share);
  const all = button("All", () => context.shared.scope.parts.set(profile.parts.map((part) => part.number)), { title: "show all parts" });
  const usual = button("Default", () => context.shared.scope.parts.set(null), { title: "show the parts that the file chooses" });
  return {
    element: h("div", { class: "fill-column" }, summary, bars, table.element),
    options: h("div", { class: "options" }, control.element, all, usual),
    resize: () => table.resize(),
    dispose: () => disposeAll([control, ...stops]),
  };
}

function chosenParts(context: ViewContext, profile: ProfileAbout): ReadonlySet<number> {
  const parts = context.shared.scope.parts.get();
  return new Set(parts ?? profile.parts.filter((part) => part.chosen).map((part) => part.number));
}

function choose(context: ViewContext, profile: ProfileAbout, number: number, add: boolean): void {
  const chosen = new Set(add ? chosenParts(context, profile) : []);
  if (!chosen.delete(number)) chosen.add(number);
  // No part at all would be nothing to show: back to the default.
  context.shared.scope.parts.set(chosen.size === 0 ? null : [...chosen].sort((a, b) => a - b));
}

/** The event types that `PartRow.totals` has: those of the file, not derived ones. */
function partEvents(profile: ProfileAbout): string[] {
  return profile.events.filter((event) => event.formula === null).map((event) => event.name);
}

function partColumns(profile: ProfileAbout, share: boolean): Column<PartRow>[] {
  const has = (test: (part: PartRow) => boolean) => profile.parts.some(test);
  const columns: Column<PartRow>[] = [
    { id: "number", title: "Part", align: "right", width: 52, cell: (row) => String(row.number) },
    { id: "name", title: "Name", width: 140, grow: true, cell: (row) => h("span", { title: cut(row.name, 1000) }, cut(row.name)) },
  ];
  if (has((part) => part.process !== null)) columns.push({ id: "process", title: "Process", align: "right", width: 72, cell: (row) => String(row.process ?? "") });
  if (has((part) => part.thread !== null)) columns.push({ id: "thread", title: "Thread", align: "right", width: 64, cell: (row) => String(row.thread ?? "") });
  if (has((part) => part.trigger !== null)) columns.push({ id: "trigger", title: "Trigger", width: 120, cell: (row) => cut(row.trigger ?? "") });
  if (has((part) => part.samples !== null)) columns.push({ id: "samples", title: "Samples", align: "right", width: 80, cell: (row) => (row.samples ?? 0).toLocaleString("en") });
  partEvents(profile).forEach((name, index) =>
    columns.push({ id: `total ${name}`, title: name, align: "right", width: 96, cell: (row) => amountCell(row.totals[index] ?? null, { share, bar: true }) }),
  );
  return columns;
}

function makeBars(context: ViewContext, profile: ProfileAbout, chosen: ReadonlySet<number>): HTMLElement[] {
  const events = partEvents(profile);
  const wanted = context.scope().event ?? profile.default_event;
  const index = Math.max(0, events.indexOf(wanted));
  const parts = profile.parts.slice(0, BARS);
  const most = Math.max(...parts.map((part) => part.totals[index]?.value ?? 0));
  return parts.map((part) => {
    const total = part.totals[index];
    const bar = h("div", { class: chosen.has(part.number) ? "part-bar chosen" : "part-bar", title: `${cut(part.name, 200)}: ${total?.text ?? "?"} ${events[index] ?? ""}` });
    bar.style.height = `${most > 0 ? (100 * (total?.value ?? 0)) / most : 0}%`;
    bar.addEventListener("click", (event) => choose(context, profile, part.number, event.ctrlKey || event.metaKey));
    return bar;
  });
}
