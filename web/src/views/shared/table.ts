// A virtual table: only visible rows are elements. The table has one tab stop; the cursor is the
// row that `aria-activedescendant` names, and moves with the arrow keys.

import { fill, h } from "../../core/dom.ts";
import { clamp, cursorAfter, isScaled, positionAt, reveal, scrollHeight, scrollTopAt, visibleRows, type Geometry } from "./rows.ts";
import { textLength, widthOfText } from "./fit.ts";
import { cellClass, TableHead, type Column, type SortOrder } from "./tablehead.ts";

export type { Column, SortOrder } from "./tablehead.ts";

/** The rows of a table. `row` gives undefined for a row that is not loaded yet; the table calls
 * `need` for what it shows, and the owner calls `refresh` when rows have arrived. */
export interface RowSource<R> {
  count: number;
  row(index: number): R | undefined;
  need?(from: number, to: number): void;
}

export interface TableActions<R> {
  sort?(column: string): void;
  /** Click or Enter or Space on a row. */
  choose?(row: R, index: number, how: { add: boolean; key: boolean }): void;
  /** Double click, or Enter on the row that is already chosen. */
  open?(row: R, index: number): void;
  menu?(row: R, index: number, at: { x: number; y: number }): void;
  hover?(row: R | null): void;
  /** Classes of a row; called again by `redecorate`. */
  classes?(row: R, index: number): string;
  resized?(column: string, width: number): void;
}

export const ROW_HEIGHT = 22;
/** With a second line below titles it is higher, as in table.css. */
const HEAD_HEIGHT = 24;
const HIGH_HEAD = 38;
const MARGIN = 6;
let tables = 0;

export function rowsOf<R>(rows: readonly R[]): RowSource<R> {
  return { count: rows.length, row: (index) => rows[index] };
}

export class Table<R> {
  readonly element: HTMLElement;
  cursor = 0;
  private readonly head: TableHead<R>;
  private readonly space = h("div", { class: "table-space", role: "rowgroup" });
  private readonly none = h("div", { class: "table-none" });
  private readonly drawn = new Map<number, HTMLElement>();
  private readonly number = ++tables;
  private rows: RowSource<R> = { count: 0, row: () => undefined };
  private columns: readonly Column<R>[] = [];
  /** The row (with fraction) at the upper edge; kept because scaled scrolling rounds. */
  private position = 0;
  private lastScrollTop = 0;
  /** Whether a drawn cell needs a wider column. */
  private isTooNarrow = false;

  constructor(
    label: string,
    private readonly actions: TableActions<R> = {},
  ) {
    this.head = new TableHead({
      sort: (column) => actions.sort?.(column),
      resize: (column, width) => {
        this.layOut();
        actions.resized?.(column, width);
      },
    });
    this.element = h(
      "div",
      { class: "table", role: "grid", tabindex: 0, attrs: { "aria-label": label } },
      h("div", { role: "rowgroup", class: "table-headgroup" }, this.head.element),
      this.space,
      this.none,
    );
    this.element.addEventListener("pointerover", showWhole);
    this.listen();
  }

  setColumns(columns: readonly Column<R>[], widths: Readonly<Record<string, number>> = {}): void {
    this.columns = columns;
    this.head.setColumns(columns, widths);
    this.element.setAttribute("aria-colcount", String(columns.length));
    this.layOut();
    this.refresh();
  }

  setSort(order: SortOrder | null): void {
    this.head.setSort(order);
  }

  /** Shows other rows; `none` is the text for an empty table. */
  setRows(rows: RowSource<R>, none = "no rows"): void {
    this.rows = rows;
    this.cursor = clamp(this.cursor, 0, Math.max(0, rows.count - 1));
    this.element.setAttribute("aria-rowcount", String(rows.count + 1));
    this.none.textContent = rows.count === 0 ? none : "";
    this.space.style.height = `${scrollHeight(this.geometry())}px`;
    this.refresh();
  }

  /** Scrolls to the first row and puts the cursor there. */
  toStart(): void {
    this.cursor = 0;
    this.scrollTo(0);
  }

  /** Draws all visible rows anew. */
  refresh(): void {
    for (const element of this.drawn.values()) element.remove();
    this.drawn.clear();
    this.draw();
  }

  /** Sets the classes of visible rows anew; elements stay, so that a double click is not lost. */
  redecorate(): void {
    for (const [index, element] of this.drawn) this.decorate(element, index);
  }

  /** Moves the cursor to a row and makes it visible, in the middle if it was not visible. */
  show(index: number, place: "nearest" | "middle" = "nearest"): void {
    this.cursor = clamp(index, 0, Math.max(0, this.rows.count - 1));
    const g = this.geometry();
    const nearest = reveal(g, this.position, this.cursor);
    const middle = this.cursor - g.viewport / g.rowHeight / 2;
    const unchanged = Math.abs(nearest - this.position) < 0.01;
    this.scrollTo(place === "middle" && !unchanged ? middle : nearest);
    this.redecorate();
  }

  /** The width at which no column is wider than it needs. */
  width(): number {
    return this.head.minimumWidth();
  }

  /** Call when the table has a new size, or was attached anew (which resets its scroll position). */
  resize(): void {
    this.layOut();
    this.scrollTo(this.position);
    this.draw();
  }

  private geometry(): Geometry {
    return { count: this.rows.count, rowHeight: ROW_HEIGHT, viewport: Math.max(0, this.element.clientHeight - (this.columns.some((column) => column.base !== undefined) ? HIGH_HEAD : HEAD_HEIGHT)) };
  }

  private layOut(): void {
    this.isTooNarrow = false;
    this.element.classList.toggle("sideways", this.head.fitInto(this.element.clientWidth));
    this.element.style.setProperty("--columns", this.head.template());
    this.element.style.setProperty("--table-width", `${this.head.minimumWidth()}px`);
  }

  private scrollTo(position: number): void {
    const top = scrollTopAt(this.geometry(), position);
    this.position = positionAt(this.geometry(), top);
    this.lastScrollTop = top;
    this.element.scrollTop = top;
    this.draw();
  }

  private draw(): void {
    const g = this.geometry();
    const { from, to } = visibleRows(g, this.position, MARGIN);
    this.rows.need?.(from, to);
    for (const [index, element] of this.drawn) {
      if (index >= from && index < to) continue;
      element.remove();
      this.drawn.delete(index);
    }
    const focused = this.drawn.size;
    for (let index = from; index < to; index++) {
      const element = this.drawn.get(index) ?? this.makeRow(index);
      const top = isScaled(g) ? this.element.scrollTop + (index - this.position) * ROW_HEIGHT : index * ROW_HEIGHT;
      element.style.transform = `translateY(${top}px)`;
    }
    if (this.drawn.size !== focused) this.sortElements();
    if (this.isTooNarrow) this.layOut();
    this.nameCursor();
  }

  /** Screen readers read rows in the order of elements. */
  private sortElements(): void {
    const ordered = [...this.drawn.keys()].sort((a, b) => a - b);
    let next = this.space.firstChild;
    for (const index of ordered) {
      const element = this.drawn.get(index)!;
      if (element === next) next = next.nextSibling;
      else this.space.insertBefore(element, next);
    }
  }

  private makeRow(index: number): HTMLElement {
    const row = this.rows.row(index);
    const element = h("div", {
      role: "row",
      id: this.rowId(index),
      attrs: { "aria-rowindex": index + 2, "data-index": index },
    });
    for (const column of this.columns) {
      const cell = h("div", { role: "gridcell", class: cellClass(column) });
      if (row !== undefined) {
        const content = column.cell(row, index);
        fill(cell, content);
        if (column.align === "right" && this.head.widen(column, widthOfText(textLength(content)))) this.isTooNarrow = true;
      }
      element.append(cell);
    }
    this.drawn.set(index, element);
    this.decorate(element, index);
    this.space.append(element);
    return element;
  }

  private decorate(element: HTMLElement, index: number): void {
    const row = this.rows.row(index);
    const own = row === undefined ? "waiting" : (this.actions.classes?.(row, index) ?? "");
    const at = index === this.cursor ? "cursor" : "";
    element.className = `row ${own} ${at}`;
    element.setAttribute("aria-selected", String(/\b(active|selected)\b/.test(own)));
  }

  private rowId(index: number): string {
    return `t${this.number}r${index}`;
  }

  private nameCursor(): void {
    if (this.drawn.has(this.cursor)) this.element.setAttribute("aria-activedescendant", this.rowId(this.cursor));
    else this.element.removeAttribute("aria-activedescendant");
  }

  private listen(): void {
    const { element } = this;
    element.addEventListener("scroll", () => this.onScroll(), { passive: true });
    element.addEventListener("wheel", (event) => this.onWheel(event), { passive: false });
    element.addEventListener("keydown", (event) => this.onKey(event));
    element.addEventListener("click", (event) => this.onClick(event));
    element.addEventListener("dblclick", (event) => this.withRow(event, (row, index) => this.actions.open?.(row, index)));
    element.addEventListener("contextmenu", (event) => this.onMenu(event));
    element.addEventListener("pointerover", (event) => this.withRow(event, (row) => this.actions.hover?.(row)));
    element.addEventListener("pointerleave", () => this.actions.hover?.(null));
  }

  private onScroll(): void {
    const top = this.element.scrollTop;
    // Our own scrolling comes back as an event; its exact position is known already.
    if (Math.abs(top - this.lastScrollTop) < 1) return;
    this.lastScrollTop = top;
    this.position = positionAt(this.geometry(), top);
    this.draw();
  }

  /** With scaled height, a turn of the wheel must move by rows and not by a share of the file. */
  private onWheel(event: WheelEvent): void {
    const g = this.geometry();
    if (!isScaled(g) || event.deltaY === 0 || event.ctrlKey) return;
    event.preventDefault();
    const pixels = event.deltaMode === 1 ? event.deltaY * ROW_HEIGHT : event.deltaY;
    const wanted = this.position + pixels / ROW_HEIGHT;
    this.scrollTo(wanted);
    // Rounding to pixels loses rows when one pixel stands for several.
    this.position = clamp(wanted, 0, g.count);
    this.draw();
  }

  private onKey(event: KeyboardEvent): void {
    if (event.target !== this.element || event.ctrlKey || event.altKey || event.metaKey) return;
    const row = this.rows.row(this.cursor);
    const to = cursorAfter(event.key, this.cursor, this.geometry());
    if (to !== null) this.show(to);
    else if (event.key === "Enter" && row !== undefined) this.enter(row);
    else if (event.key === " " && row !== undefined) this.actions.choose?.(row, this.cursor, { add: true, key: true });
    else if (isMenuKey(event) && row !== undefined && this.actions.menu) this.actions.menu(row, this.cursor, this.cursorPlace());
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  private enter(row: R): void {
    const chosen = this.actions.classes?.(row, this.cursor).includes("active") ?? true;
    if (chosen || !this.actions.choose) this.actions.open?.(row, this.cursor);
    else this.actions.choose(row, this.cursor, { add: false, key: true });
  }

  private cursorPlace(): { x: number; y: number } {
    const box = (this.drawn.get(this.cursor) ?? this.element).getBoundingClientRect();
    return { x: box.left + 40, y: box.bottom };
  }

  private onClick(event: MouseEvent): void {
    this.withRow(event, (row, index) => {
      this.cursor = index;
      this.nameCursor();
      if (!isControl(event.target)) this.actions.choose?.(row, index, { add: event.ctrlKey || event.metaKey, key: false });
      this.redecorate();
    });
  }

  private onMenu(event: MouseEvent): void {
    if (!this.actions.menu) return;
    this.withRow(event, (row, index) => {
      event.preventDefault();
      this.cursor = index;
      this.redecorate();
      this.actions.menu?.(row, index, { x: event.clientX, y: event.clientY });
    });
  }

  private withRow(event: Event, f: (row: R, index: number) => void): void {
    const element = event.target instanceof Element ? event.target.closest<HTMLElement>("[data-index]") : null;
    if (!element || !this.space.contains(element)) return;
    const index = Number(element.dataset["index"]);
    const row = this.rows.row(index);
    if (row !== undefined) f(row, index);
  }
}

function isMenuKey(event: KeyboardEvent): boolean {
  return event.key === "m" || event.key === "ContextMenu" || (event.key === "F10" && event.shiftKey);
}

/** Links and boxes inside a cell have an action of their own. */
function isControl(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest("button, a, input, select") !== null;
}

/** A cell that is cut says its whole text. */
function showWhole({ target }: Event): void {
  const cell = target instanceof HTMLElement ? target.closest<HTMLElement>(".cell") : null;
  if (!cell || cell.querySelector("[title]:not([title=''])")) return;
  cell.title = cell.scrollWidth > cell.clientWidth ? (cell.textContent ?? "").slice(0, 2000) : "";
}
