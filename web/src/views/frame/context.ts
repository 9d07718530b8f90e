// The context of a pane: what a view may know and do.

import type { FunctionName } from "../../api/types.ts";
import { computed } from "../../core/signal.ts";
import { showMenu, type MenuItem } from "../shared/menu.ts";
import type { ReadyDocument, ViewContext } from "../view.ts";
import { patternOf, type App } from "./app.ts";

export function makeContext(app: App, document: ReadyDocument, pane: string): ViewContext {
  const { state } = app;
  const { about } = document.stage;
  const events = computed<readonly string[]>(() => {
    const columns = state.columns.get();
    const event = state.event.get() ?? about.profile?.default_event;
    // What ranks is the first column: rows in the order of a number that is not in sight look unordered.
    return event && columns[0] !== event ? [event, ...columns.filter((column) => column !== event)] : columns;
  });
  return {
    document,
    about,
    exported: app.client.exported,
    scope: () => {
      const scope = state.scope.get();
      // The default of a comparison is what comparisons are for.
      return about.kind === "comparison" && scope.side === null ? { ...scope, side: "difference" } : scope;
    },
    active: state.active,
    selected: state.selected,
    hover: state.hover,
    option: (name, initial) => state.option(pane, name, initial),
    shared: {
      events: { get: () => events.get(), peek: () => events.peek(), set: (value) => state.columns.set(value) },
      line: state.line,
      lineFile: state.lineFile,
      window: state.window,
      bar: state.bar,
      figure: app.figure,
      marked: app.marked,
      runs: state.runs,
      search: state.search,
      scope: state,
    },
    ask: (question, signal) => app.ask(question, signal),
    navigate: (change) => app.address.navigate(change),
    ownEvents: () => app.ownEvents.get(),
    totalsOf: (event) => app.totalsOf(event),
    activate: (id, name) => app.activate(id, name),
    open: (view, id) => app.openView(view, id),
    menu: (at, fn) => showMenu(at, "function", functionMenu(app, fn)),
    copy: (text, what) => void app.copy(text, what),
    editor: () => app.client.session.get()?.editor ?? null,
    edit: (path, line) => void app.edit(document, path, line),
    hidden: (text) => app.setHidden(pane, text),
    announce: (text) => app.announce(text),
  };
}

function functionMenu(app: App, fn: FunctionName): (MenuItem | null)[] {
  const fitting = new Set(app.views.peek().map((view) => view.id));
  const show = (view: string, label: string, key: string): MenuItem => ({
    label,
    key,
    disabled: !fitting.has(view),
    run: () => app.openView(view, fn.id, fn.name),
  });
  const { exported } = app.client;
  const pattern = patternOf(fn);
  const place = fn.file ? `${fn.file}${fn.line ? `:${fn.line}` : ""}` : null;
  const selected = app.state.selected.peek().has(fn.id);
  return [
    { label: "Make active", key: "Enter", run: () => app.activate(fn.id, fn.name) },
    { label: selected ? "Remove from selection" : "Add to selection", key: "Space", run: () => app.toggleSelected(fn.id) },
    null,
    show("calls", "Show callers and callees", "c"),
    show("source", "Show source", "s"),
    show("flame", "Show in flame graph", "f"),
    show("graph", "Show in call graph", "g"),
    null,
    { label: "Focus: only stacks with it", disabled: exported, run: () => app.setPattern("focus", pattern) },
    { label: "Ignore: leave out stacks with it", disabled: exported, run: () => app.setPattern("ignore", pattern) },
    { label: "Hide: give its cost to its callers", disabled: exported, run: () => app.setPattern("hide", pattern) },
    null,
    { label: "Copy name", run: () => void app.copy(fn.name, "name") },
    { label: "Copy file:line for the editor", disabled: place === null, run: () => void app.copy(place ?? "", "place") },
  ];
}
