// The head of a table: titles that sort, and edges that resize a column by pointer, or by
// Alt+Left and Alt+Right on the title.

import { fill, h } from "../../core/dom.ts";

export interface Column<R> {
  id: string;
  title: string;
  /** What the numbers are shares of, or whose they are: a second line below the title. */
  base?: string;
  /** Explains the column. */
  hint?: string;
  align?: "left" | "right";
  /** Pixels; the least width of a column that grows. */
  width: number;
  grow?: boolean;
  /** Stays at the right edge while the other columns scroll. */
  pinned?: boolean;
  sortable?: boolean;
  cell(row: R, index: number): Node | string;
}

export function cellClass(column: Pick<Column<never>, "align" | "pinned">): string {
  return `cell ${column.align ?? "left"}${column.pinned ? " pinned" : ""}`;
}

export interface SortOrder {
  column: string;
  ascending: boolean;
}

interface HeadActions {
  sort(column: string): void;
  resize(column: string, width: number): void;
}

const MIN_WIDTH = 36;
const KEY_STEP = 16;
/** A pinned column becomes as narrow as this before it covers others. */
const MIN_PINNED = 96;

export class TableHead<R> {
  readonly element = h("div", { class: "row table-head", role: "row", attrs: { "aria-rowindex": 1 } });
  private columns: readonly Column<R>[] = [];
  private widths: Record<string, number> = {};
  /** What the cells need that were drawn. */
  private readonly least = new Map<string, number>();
  /** What the pinned column has more than its own width, or less. */
  private extra = 0;
  private order: SortOrder | null = null;
  private readonly cells = new Map<string, HTMLElement>();

  constructor(private readonly actions: HeadActions) {}

  setColumns(columns: readonly Column<R>[], widths: Readonly<Record<string, number>>): void {
    this.columns = columns;
    this.widths = { ...widths };
    this.least.clear();
    const focused = [...this.cells].find(([, cell]) => cell.contains(document.activeElement))?.[0];
    this.cells.clear();
    fill(this.element, ...columns.map((column) => this.makeCell(column)));
    this.element.classList.toggle("two-lines", columns.some((column) => column.base !== undefined));
    this.setSort(this.order);
    // A head that sorts keeps the focus, though its table was made anew.
    if (focused !== undefined) this.cells.get(focused)?.querySelector("button")?.focus({ preventScroll: true });
  }

  setSort(order: SortOrder | null): void {
    this.order = order;
    for (const [id, cell] of this.cells) {
      const own = order?.column === id ? (order.ascending ? "ascending" : "descending") : null;
      if (own) cell.setAttribute("aria-sort", own);
      else cell.removeAttribute("aria-sort");
    }
  }

  /** The value of `grid-template-columns`. */
  template(): string {
    return this.columns
      .map((column) => {
        const width = this.widthOf(column) + (column.pinned ? this.extra : 0);
        return column.grow && this.widths[column.id] === undefined ? `minmax(${width}px, 1fr)` : `${width}px`;
      })
      .join(" ");
  }

  minimumWidth(): number {
    return this.columns.reduce((sum, column) => sum + this.widthOf(column), 0) + this.extra;
  }

  /** A number that is cut is a wrong number: a right-aligned column becomes at least as wide as
   * `width`. True if it was narrower. */
  widen(column: Column<R>, width: number): boolean {
    if (this.widthOf(column) >= width) return false;
    this.least.set(column.id, width);
    return true;
  }

  /** Where the columns are wider than `room`, the pinned one gets what whole columns beside it
   * leave, so that it does not cover a part of a number. True if they are wider. */
  fitInto(room: number): boolean {
    this.extra = 0;
    const pinned = this.columns.find((column) => column.pinned);
    if (room <= 0 || this.minimumWidth() <= room) return false;
    if (!pinned || this.widths[pinned.id] !== undefined) return true;
    const own = this.widthOf(pinned);
    const least = Math.min(own, MIN_PINNED);
    const others = this.columns.filter((column) => column !== pinned);
    let [used, shown] = [0, 0];
    for (const column of others) {
      if (used + this.widthOf(column) > room - least) break;
      used += this.widthOf(column);
      shown++;
    }
    if (shown > 0) this.extra = room - own - used;
    return shown < others.length;
  }

  private widthOf(column: Column<R>): number {
    const own = this.widths[column.id];
    const least = Math.max(column.width, this.least.get(column.id) ?? 0);
    if (typeof own !== "number" || !Number.isFinite(own)) return least;
    return Math.max(column.align === "right" ? least : MIN_WIDTH, own);
  }

  private makeCell(column: Column<R>): HTMLElement {
    const title = column.sortable
      ? h("button", { class: "sort", on: { click: () => this.actions.sort(column.id) } }, column.title)
      : h("span", {}, column.title);
    const cell = h(
      "div",
      {
        role: "columnheader",
        class: cellClass(column),
        ...(column.hint ? { title: column.hint } : {}),
        on: { keydown: (event) => this.onKey(event, column, cell) },
      },
      title,
      column.base === undefined ? null : h("span", { class: "head-base" }, column.base),
      h("span", { class: "edge", on: { pointerdown: (event) => this.onDrag(event, column, cell) } }),
    );
    this.cells.set(column.id, cell);
    return cell;
  }

  private onKey(event: KeyboardEvent, column: Column<R>, cell: HTMLElement): void {
    if (!event.altKey || (event.key !== "ArrowLeft" && event.key !== "ArrowRight")) return;
    event.preventDefault();
    event.stopPropagation();
    this.setWidth(column, cell.offsetWidth + (event.key === "ArrowLeft" ? -KEY_STEP : KEY_STEP));
  }

  private onDrag(event: PointerEvent, column: Column<R>, cell: HTMLElement): void {
    event.preventDefault();
    event.stopPropagation();
    const edge = event.currentTarget as HTMLElement;
    const start = event.clientX - cell.offsetWidth;
    const move = (e: PointerEvent) => this.setWidth(column, e.clientX - start);
    edge.setPointerCapture(event.pointerId);
    edge.addEventListener("pointermove", move);
    edge.addEventListener("lostpointercapture", () => edge.removeEventListener("pointermove", move), { once: true });
  }

  private setWidth(column: Column<R>, width: number): void {
    this.widths[column.id] = Math.max(MIN_WIDTH, Math.round(width));
    this.actions.resize(column.id, this.widths[column.id]!);
  }
}
