// Columns of numbers as wide as their numbers: a number that is cut is a wrong number.

import type { Column } from "./table.ts";

/** Digits of the system font at 13 px are at most this wide; titles are bold when sorted. */
const DIGIT = 7.6;
/** A character of the line below a title. */
const SMALL = 5.8;
const PADDING = 14;
const SORT_MARK = 16;
const MEASURED_ROWS = 300;
const WIDEST = 480;

/** Gives right-aligned columns the width of their longest text in `rows`; their own width is the
 * least. */
export function fitColumns<R>(columns: readonly Column<R>[], rows: readonly R[]): Column<R>[] {
  const measured = rows.slice(0, MEASURED_ROWS);
  return columns.map((column) => (column.align === "right" ? { ...column, width: fittingWidth(column, measured) } : column));
}

/** The width that a text of so many characters needs in a cell. */
export function widthOfText(characters: number): number {
  return Math.min(WIDEST, Math.ceil(characters * DIGIT + PADDING));
}

function fittingWidth<R>(column: Column<R>, rows: readonly R[]): number {
  const title = Math.max(column.title.length * DIGIT + (column.sortable ? SORT_MARK : 0), (column.base?.length ?? 0) * SMALL);
  const longest = rows.reduce((most, row, index) => Math.max(most, textLength(column.cell(row, index))), 0);
  return Math.min(WIDEST, Math.max(column.width, Math.ceil(Math.max(title, longest * DIGIT) + PADDING)));
}

export function textLength(cell: Node | string): number {
  return (typeof cell === "string" ? cell : (cell.textContent ?? "")).length;
}
