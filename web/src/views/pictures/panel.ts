// A panel beside the time-line: a header with controls, a message, tables, and a line with what is left out.

import { button, fill, h } from "../../core/dom.ts";
import { oneLine } from "../../derive/text.ts";
import { type LoadingPlace, Loader } from "./loader.ts";
import { installStyles } from "./style.ts";

export class Panel implements LoadingPlace {
  readonly element: HTMLElement;
  readonly header = h("header", {});
  readonly loader = new Loader(this);
  protected readonly content = h("div");
  /** What scrolls. */
  protected readonly rows: HTMLElement;
  private readonly foot = h("footer", {});
  private readonly message = h("p", { hidden: true });

  constructor(label: string) {
    installStyles();
    this.rows = h("div", { class: "rows", tabindex: 0, role: "region", attrs: { "aria-label": label } }, this.message, this.content);
    this.element = h("section", { class: "pic-paths", attrs: { "aria-label": `${label} of the time-line` } }, this.header, this.rows, this.foot);
  }

  busy(isBusy: boolean): void {
    this.element.setAttribute("aria-busy", String(isBusy));
  }

  say(text: string): void {
    this.message.hidden = text === "";
    fill(this.message, text);
  }

  fail(text: string, retry: (() => void) | null): void {
    fill(this.content);
    this.note("");
    this.message.hidden = false;
    fill(this.message, text, " ", retry && button("Try again", retry));
  }

  protected note(text: string): void {
    fill(this.foot, text);
  }
}

export type PanelCell = string | HTMLElement;

/** A table whose first column is text and whose other columns are numbers. */
export function panelTable(caption: string, columns: readonly string[], rows: readonly (readonly PanelCell[])[]): HTMLTableElement {
  const head = columns.map((title, i) => h("th", { class: i > 0 ? "number" : "path", attrs: { scope: "col" } }, title));
  const cell = (content: PanelCell, i: number) => {
    const title = typeof content === "string" ? oneLine(content) : "";
    const text = typeof content === "string" ? oneLine(content, 200) : content;
    return i === 0 ? h("th", { class: "path", title, attrs: { scope: "row" } }, text) : h("td", { class: "number", title }, text);
  };
  return h("table", { attrs: { "aria-label": caption } }, h("thead", {}, h("tr", {}, ...head)), h("tbody", {}, ...rows.map((row) => h("tr", {}, ...row.map(cell)))));
}

/** A button that looks like text. */
export function rowLink(text: string, title: string, click: () => void): HTMLElement {
  return button(oneLine(text, 200), click, { class: "row-link", title });
}
