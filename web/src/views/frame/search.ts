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
  /** Enter was pressed before the suggestions were there. */
  let isAwaited = false;
  let isPending = false;
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
    if (!row?.function) return;
    app.activate(row.function.id, row.function.name);
    // The search is over: keys are for the table again.
    field.value = "";
    app.state.search.set("");
    const table = document.querySelector<HTMLElement>('[data-view="functions"] .table');
    if (table) table.focus();
    else field.blur();
  };
  const mark = () => {
    [...list.children].forEach((child, index) => child.setAttribute("aria-selected", String(index === at)));
    if (list.children[at]) field.setAttribute("aria-activedescendant", `suggestion${at}`);
  };
  const show = (answer: FunctionTable) => {
    rows = exactFirst(answer.rows, app.state.search.peek());
    at = 0;
    if (isAwaited) {
      isAwaited = false;
      if (rows.length > 0) return take(rows[0]);
    }
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
    isPending = text !== "";
    const ready = app.ready.get();
    if (text === "" || !ready?.stage.about.profile) return close();
    const controller = new AbortController();
    untracked(() => suggest(app, text, controller.signal)).then(
      (answer) => {
        if (controller.signal.aborted) return;
        isPending = false;
        show(answer);
      },
      () => {
        if (controller.signal.aborted) return;
        isPending = isAwaited = false;
        close();
      },
    );
    return () => controller.abort();
  });
  field.addEventListener("input", () => void (isAwaited = false));
  field.addEventListener("blur", () => setTimeout(close, 150));
  field.addEventListener("keydown", (event) => {
    // The field has written its text by now: if that is another one, the list is outdated.
    if (event.key === "Enter" && isPending && field.value !== "") {
      isAwaited = true;
      return event.preventDefault();
    }
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

/** Functions whose name or label is the text, then those that have it in another case, then the others. */
export function exactFirst<R extends Pick<FunctionRow, "name" | "function">>(rows: readonly R[], text: string): R[] {
  const small = text.toLowerCase();
  const rank = ({ name, function: fn }: R) => {
    const names = [name, fn?.label ?? name, name.replace(/\(.*$/s, "")];
    if (names.includes(text)) return 0;
    return names.some((each) => each.toLowerCase() === small) ? 1 : 2;
  };
  return rows.map((row) => [rank(row), row] as const).sort((a, b) => a[0] - b[0]).map(([, row]) => row);
}

/** The costliest functions that match, and those that have exactly this name though they cost little. */
async function suggest(app: App, text: string, abort: AbortSignal): Promise<FunctionTable> {
  const isExpression = text.length > 1 && text.startsWith("/") && text.endsWith("/");
  const escaped = text.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&");
  const exact = isExpression ? null : askFunctions(app, `/^${escaped}(\\(.*)?$/`, abort).catch(() => null);
  const answer = await askFunctions(app, text, abort);
  const ids = new Set(answer.rows.map((row) => row.function?.id));
  const added = answer.count > answer.rows.length ? ((await exact)?.rows ?? []).filter((row) => !ids.has(row.function?.id)) : [];
  return { ...answer, rows: [...added, ...answer.rows].slice(0, SUGGESTIONS) };
}

function askFunctions(app: App, text: string, abort: AbortSignal): Promise<FunctionTable> {
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
    { role: "option", id: `suggestion${index}`, class: "suggestion", on: { mousedown: (event) => { event.preventDefault(); take(); } } },
    h("bdi", {}, cut(row.name, 120)),
    h("span", { class: "dim" }, cost ? amountText(cost, true) : ""),
  );
}
