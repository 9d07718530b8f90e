// The head of a table: titles that sort, and edges that resize a column by pointer, or by
// Alt+Left and Alt+Right on the title.

import { fill, h } from "../../core/dom.ts";

export interface Column<R> {
  id: string;
  title: string;
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

export class TableHead<R> {
  readonly element = h("div", { class: "row table-head", role: "row", attrs: { "aria-rowindex": 1 } });
  private columns: readonly Column<R>[] = [];
  private widths: Record<string, number> = {};
  private order: SortOrder | null = null;
  private readonly cells = new Map<string, HTMLElement>();

  constructor(private readonly actions: HeadActions) {}

  setColumns(columns: readonly Column<R>[], widths: Readonly<Record<string, number>>): void {
    this.columns = columns;
    this.widths = { ...widths };
    this.cells.clear();
    fill(this.element, ...columns.map((column) => this.makeCell(column)));
    this.setSort(this.order);
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
        const width = this.widthOf(column);
        return column.grow && this.widths[column.id] === undefined ? `minmax(${width}px, 1fr)` : `${width}px`;
      })
      .join(" ");
  }

  minimumWidth(): number {
    return this.columns.reduce((sum, column) => sum + this.widthOf(column), 0);
  }

  private widthOf(column: Column<R>): number {
    const own = this.widths[column.id];
    return typeof own === "number" && Number.isFinite(own) ? Math.max(MIN_WIDTH, own) : column.width;
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
