// The search box: suggests functions while one types, Enter makes one active. Pictures highlight
// what matches.

import type { FunctionRow, FunctionTable } from "../../api/types.ts";
import { cut, fill, h } from "../../core/dom.ts";
import { effect, untracked } from "../../core/signal.ts";
import { amountText } from "../shared/amount.ts";
import { textField } from "../shared/controls.ts";
import type { App } from "./app.ts";

const SUGGESTIONS = 12;

export function makeSearch(app: App): HTMLElement {
  const field = textField("search a function", "Search  /", app.state.search, "search").element;
  const list = h("div", { class: "suggestions", role: "listbox", id: "suggestions", attrs: { "aria-label": "functions found" } });
  const box = h("div", { class: "search-box", hidden: true }, field, list);
  let rows: readonly FunctionRow[] = [];
  let at = 0;
  field.setAttribute("role", "combobox");
  field.setAttribute("aria-controls", "suggestions");
  field.setAttribute("aria-autocomplete", "list");

  const close = () => {
    list.hidden = true;
    field.setAttribute("aria-expanded", "false");
    field.removeAttribute("aria-activedescendant");
  };
  const take = (row: FunctionRow | undefined) => {
    close();
    if (row?.function) app.activate(row.function.id, row.function.name);
  };
  const mark = () => {
    [...list.children].forEach((child, index) => child.setAttribute("aria-selected", String(index === at)));
    if (list.children[at]) field.setAttribute("aria-activedescendant", `suggestion${at}`);
  };
  const show = (answer: FunctionTable) => {
    rows = answer.rows;
    at = 0;
    const items = rows.map((row, index) => suggestion(row, index, () => take(row)));
    fill(list, ...(items.length > 0 ? items : [h("div", { class: "empty", role: "option", attrs: { "aria-disabled": "true" } }, "no function matches")]));
    list.hidden = document.activeElement !== field;
    field.setAttribute("aria-expanded", String(!list.hidden));
    mark();
  };

  close();
  effect(() => void (box.hidden = !app.about.get()?.profile));
  effect(() => {
    const text = app.state.search.get();
    const ready = app.ready.get();
    if (text === "" || !ready?.stage.about.profile) return close();
    const controller = new AbortController();
    untracked(() => suggest(app, text, controller.signal)).then(show, () => close());
    return () => controller.abort();
  });
  field.addEventListener("blur", () => setTimeout(close, 150));
  field.addEventListener("keydown", (event) => {
    if (list.hidden) return;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined && rows.length > 0) at = (at + step + rows.length) % rows.length;
    else if (event.key === "Enter") take(rows[at]);
    else return;
    event.preventDefault();
    mark();
  });
  return box;
}

function suggest(app: App, text: string, abort: AbortSignal): Promise<FunctionTable> {
  const scope = app.state.scope.peek();
  const event = scope.event ?? app.about.peek()?.profile?.default_event;
  const events = event ? [event] : [];
  return app.ask<FunctionTable>(
    { ask: "functions", scope, events, sort: "self", ascending: false, filter: text, group: null, within: null, offset: 0, limit: SUGGESTIONS },
    abort,
  );
}

function suggestion(row: FunctionRow, index: number, take: () => void): HTMLElement {
  const cost = row.costs[0]?.self;
  return h(
    "div",
    { role: "option", id: `suggestion${index}`, class: "suggestion", on: { mousedown: take } },
    h("bdi", {}, cut(row.name, 120)),
    h("span", { class: "dim" }, cost ? amountText(cost, true) : ""),
  );
}
