// The table twin of a picture: what is drawn, as a plain table that screen readers can walk.

import { button, fill, h } from "../../core/dom.ts";
import type { FunctionName } from "../../api/types.ts";
import { oneLine } from "../../derive/text.ts";
import { installStyles } from "./style.ts";

export interface TwinRow {
  /** The function that the name makes active; null if it is none. */
  fn: FunctionName | null;
  name: string;
  cells: string[];
}

export interface TwinTable {
  /** What leads to the table where there are several. */
  title?: string;
  caption: string;
  /** The title of the first column, "name" unless given. */
  name?: string;
  /** Titles of the columns after the first. */
  columns: string[];
  /** So many of them are texts, which are aligned to the left; none unless given. */
  texts?: number;
  rows: TwinRow[];
}

/** More rows than this are not useful to read; the caption says how many there are. */
export const TWIN_ROWS = 500;

export class Twin {
  readonly element = h("div", { class: "pic-twin", tabindex: 0, role: "region", attrs: { "aria-label": "table of the picture" } });
  private make: (() => readonly TwinTable[]) | null = null;
  private readonly observer: IntersectionObserver;

  constructor(private readonly activate: (fn: FunctionName) => void) {
    installStyles();
    fill(this.element, h("p", {}, "loading"));
    // The table is built only while it is on the screen.
    this.observer = new IntersectionObserver(() => this.show());
    this.observer.observe(this.element);
  }

  /** Sets the function that makes the table; it runs when the table is shown. */
  update(make: () => TwinTable): void {
    this.updateAll(() => [make()]);
  }

  /** The same for a picture that is several tables. */
  updateAll(make: () => readonly TwinTable[]): void {
    this.make = make;
    this.show();
  }

  /** Says why there is no table. */
  fail(text: string): void {
    this.make = null;
    fill(this.element, h("p", {}, text));
  }

  dispose(): void {
    this.observer.disconnect();
  }

  private show(): void {
    if (!this.make || !this.element.isConnected || this.element.offsetParent === null) return;
    const all = this.make();
    this.make = null;
    const tables = all.map((table) => this.tableElement(table));
    const links = all.map(({ title }, i) => button(title ?? "table", () => this.goTo(tables[i]!)));
    const had = this.element.contains(document.activeElement);
    fill(this.element, all.length > 1 ? h("nav", { attrs: { "aria-label": "tables" } }, ...links) : null, ...tables);
    if (had) this.element.focus({ preventScroll: true });
  }

  private tableElement({ caption, name, columns, texts = 0, rows }: TwinTable): HTMLElement {
    const kind = (column: number) => (column < texts ? "" : "number");
    const head = [h("th", { attrs: { scope: "col" } }, name ?? "name"), ...columns.map((title, i) => h("th", { class: kind(i), attrs: { scope: "col" } }, title))];
    const body = rows.map((row) => h("tr", {}, this.nameCell(row), ...row.cells.map((cell, i) => h("td", { class: kind(i) }, cell))));
    return h("table", { tabindex: -1 }, h("caption", {}, caption), h("thead", {}, h("tr", {}, ...head)), h("tbody", {}, ...body));
  }

  private goTo(table: HTMLElement): void {
    table.focus({ preventScroll: true });
    table.scrollIntoView({ block: "start" });
  }

  private nameCell({ fn, name }: TwinRow): HTMLElement {
    const text = oneLine(name);
    const activate = () => fn && this.activate(fn);
    const content = fn ? h("button", { on: { click: activate } }, text) : text;
    return h("th", { class: "name", attrs: { scope: "row" } }, content);
  }
}

/** The positions of the largest values, in their own order, and whether some are left out. */
export function largestFirst(values: readonly number[], limit: number = TWIN_ROWS): number[] {
  const all = values.map((_, i) => i);
  if (all.length <= limit) return all;
  return all.sort((a, b) => values[b]! - values[a]!).slice(0, limit).sort((a, b) => a - b);
}

/** "flame graph, 312 frames" or "flame graph, the 500 largest of 20,000 frames". */
export function twinCaption(title: string, shown: number, all: number, items: string): string {
  const count = all.toLocaleString("en");
  return shown === all ? `${title}, ${count} ${items}` : `${title}, the ${shown} largest of ${count} ${items}`;
}
