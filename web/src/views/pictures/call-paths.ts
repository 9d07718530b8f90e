// The table beside the time-line: severities of a metric by call path, as a tree.

import type { Amount, CallPathTable, MetricRow, TimelineBar } from "../../api/types.ts";
import { button, fill, h } from "../../core/dom.ts";
import { type Signal, effect, untracked } from "../../core/signal.ts";
import { oneLine } from "../../derive/text.ts";
import { shownRows, subtreeSizes } from "../../derive/tree-table.ts";
import type { ViewContext } from "../view.ts";
import { amountText } from "./graph-text.ts";
import { type LoadingPlace, Loader } from "./loader.ts";

/** Rows with at least this share of the metric are open at first. */
const OPEN_FROM = 0.05;
const MOST_ROWS = 1000;
const INDENT = 12;

export class CallPaths implements LoadingPlace {
  readonly element: HTMLElement;
  private readonly loader = new Loader(this);
  private readonly metric: Signal<string>;
  private readonly body = h("tbody");
  private readonly message = h("p", { hidden: true });
  private readonly total = h("span");
  private readonly end: () => void;
  private table: CallPathTable | null = null;
  private sizes: Int32Array = new Int32Array(0);
  private open = new Set<number>();
  private limit = MOST_ROWS;
  /** The row with the focus. */
  private row = 0;

  constructor(
    private readonly context: ViewContext,
    private readonly metrics: readonly MetricRow[],
    private readonly showWindow: (window: [number, number], bar: TimelineBar | null) => void,
  ) {
    this.metric = context.option("metric", metrics[0]?.name ?? "");
    const head = h("tr", {}, ...["call path", "exclusive", "inclusive"].map((title, i) => h("th", { class: i > 0 ? "number" : "path", attrs: { scope: "col" } }, title)));
    const table = h("table", { role: "treegrid", attrs: { "aria-label": "severities by call path" } }, h("thead", {}, head), this.body);
    this.element = h("section", { class: "pic-paths", attrs: { "aria-label": "call paths" } }, this.header(), h("div", { class: "rows" }, this.message, table));
    this.body.addEventListener("focusin", ({ target }) => this.follow(target as HTMLElement));
    this.body.addEventListener("click", (event) => this.click(event));
    this.body.addEventListener("keydown", (event) => this.key(event));
    this.end = effect(() => this.load());
  }

  dispose(): void {
    this.end();
    this.loader.cancel();
  }

  busy(isBusy: boolean): void {
    this.element.setAttribute("aria-busy", String(isBusy));
  }

  say(text: string): void {
    this.message.hidden = text === "";
    fill(this.message, text);
  }

  fail(text: string, retry: (() => void) | null): void {
    this.message.hidden = false;
    fill(this.message, text, " ", retry && button("Try again", retry));
  }

  private header(): HTMLElement {
    // Non-breaking spaces show the tree of metrics; options cannot be indented otherwise.
    const options = this.metrics.map((metric) =>
      h("option", { attrs: { value: metric.name } }, `${"\u00a0\u00a0".repeat(Math.min(12, metric.depth))}${oneLine(metric.title, 80)}`),
    );
    const select = h("select", { attrs: { "aria-label": "metric" } }, ...options);
    select.addEventListener("change", () => this.metric.set(select.value));
    select.value = this.metric.peek();
    return h("header", {}, select, this.total);
  }

  private load(): void {
    const wanted = this.metric.get();
    const metric = this.metrics.find((row) => row.name === wanted) ?? this.metrics[0];
    if (!metric) {
      this.element.querySelector("select")?.toggleAttribute("hidden", true);
      this.say("No waits were found in this trace, so there is nothing to list by call path.");
      return;
    }
    const select = this.element.querySelector("select");
    if (select) Object.assign(select, { value: metric.name, title: metric.explanation });
    this.loader.load(
      (abort) => this.context.ask<CallPathTable>({ ask: "call_paths", metric: metric.name }, abort),
      (table) => untracked(() => this.take(table)),
    );
  }

  private take(table: CallPathTable): void {
    this.table = table;
    this.sizes = subtreeSizes(table.rows.map((row) => row.depth));
    this.open = new Set();
    this.limit = MOST_ROWS;
    this.row = 0;
    table.rows.forEach((row, i) => {
      if (row.depth === 0 || (row.inclusive.share ?? 0) >= OPEN_FROM) this.open.add(i);
    });
    fill(this.total, amountText(table.metric.total), table.metric.explanation === "" ? null : h("span", { class: "dim" }, ` ${oneLine(table.metric.explanation, 200)}`));
    this.say(table.rows.length === 0 ? `No call path has any “${oneLine(table.metric.title, 80)}”.` : "");
    this.show();
  }

  /** Builds the rows that are shown; `focus` moves the keyboard focus to the current row. */
  private show(focus = false): void {
    const rows = shownRows(this.sizes, (row) => this.open.has(row));
    const elements = rows.slice(0, this.limit).map((row) => this.rowElement(row));
    if (rows.length > this.limit) {
      const more = button(`show ${(rows.length - this.limit).toLocaleString("en")} more rows`, () => {
        this.row = rows[this.limit]!;
        this.limit = Infinity;
        this.show(true);
      });
      elements.push(h("tr", {}, h("td", { attrs: { colspan: 3 } }, more)));
    }
    fill(this.body, ...elements);
    if (focus) this.body.querySelector<HTMLElement>(`tr[data-row="${this.row}"]`)?.focus();
  }

  private rowElement(row: number): HTMLTableRowElement {
    const { name, depth, exclusive, inclusive, window } = this.table!.rows[row]!;
    const isInner = this.sizes[row]! > 0;
    const isOpen = this.open.has(row);
    const twist = h("span", { class: "twist", attrs: { "aria-hidden": "true" } }, isInner ? (isOpen ? "▾" : "▸") : "");
    const path = h("td", { class: "path", title: oneLine(name) }, twist, oneLine(name, 200));
    path.style.paddingLeft = `${8 + INDENT * Math.min(depth, 20)}px`;
    const number = (amount: Amount, text: string) => h("td", { class: "number", title: amountText(amount) }, amount.mark === "" ? text : `${amount.mark} ${text}`);
    return h(
      "tr",
      {
        role: "row",
        class: window ? "window" : "",
        tabindex: row === this.row ? 0 : -1,
        title: window ? "click: show the worst place in the time-line" : "",
        attrs: { "data-row": row, "aria-level": depth + 1, "aria-expanded": isInner ? String(isOpen) : null },
      },
      path,
      number(exclusive, exclusive.text),
      number(inclusive, inclusive.share_text === "" ? inclusive.text : `${inclusive.text} (${inclusive.share_text})`),
    );
  }

  private toggle(row: number, isOpen: boolean): void {
    if (isOpen) this.open.add(row);
    else this.open.delete(row);
    this.show(true);
  }

  private activate(row: number): void {
    const { window, bar } = this.table?.rows[row] ?? {};
    if (window) this.showWindow(window, bar ?? null);
    else this.toggle(row, !this.open.has(row));
    for (const element of this.body.children) element.setAttribute("aria-selected", String(element.getAttribute("data-row") === String(row)));
  }

  private click(event: MouseEvent): void {
    const target = event.target as HTMLElement;
    const row = Number(target.closest("tr")?.dataset["row"] ?? NaN);
    if (Number.isNaN(row)) return;
    this.row = row;
    if (target.classList.contains("twist")) this.toggle(row, !this.open.has(row));
    else this.activate(row);
  }

  /** The row that has the focus is the one that keys are about. */
  private follow(target: HTMLElement): void {
    const row = target.dataset["row"];
    if (row !== undefined) this.row = Number(row);
  }

  private key(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey || !this.table) return;
    const rows = shownRows(this.sizes, (row) => this.open.has(row));
    const at = rows.indexOf(this.row);
    const { depth } = this.table.rows[this.row] ?? { depth: 0 };
    const parent = () => rows.slice(0, at).reverse().find((row) => this.table!.rows[row]!.depth < depth);
    const moves: Record<string, () => void> = {
      ArrowDown: () => this.focusRow(rows[at + 1]),
      ArrowUp: () => this.focusRow(rows[at - 1]),
      ArrowRight: () => (this.open.has(this.row) ? this.focusRow(rows[at + 1]) : this.toggle(this.row, true)),
      ArrowLeft: () => (this.open.has(this.row) && this.sizes[this.row]! > 0 ? this.toggle(this.row, false) : this.focusRow(parent())),
      Home: () => this.focusRow(rows[0]),
      End: () => this.focusRow(rows[Math.min(rows.length, this.limit) - 1]),
      Enter: () => this.activate(this.row),
    };
    const move = moves[event.key];
    if (!move) return;
    event.preventDefault();
    event.stopPropagation();
    move();
  }

  private focusRow(row: number | undefined): void {
    const next = row === undefined ? null : this.body.querySelector<HTMLElement>(`tr[data-row="${row}"]`);
    if (!next) return;
    this.body.querySelector(`tr[data-row="${this.row}"]`)?.setAttribute("tabindex", "-1");
    this.row = row!;
    next.tabIndex = 0;
    next.focus();
  }
}
