// A table of texts that sorts itself: numbers by value where there is one, else texts.

import type { ReportColumn } from "../../api/types.ts";
import { cut, h } from "../../core/dom.ts";
import { rowsOf, Table, type Column, type SortOrder } from "./table.ts";

export interface TextCell {
  text: string;
  role?: string;
  value?: number | null;
}

/** The least and greatest width of a column, in pixels; about 7 for a character. */
const WIDTHS = { least: 64, most: 420, character: 7.9 };

export function textTable(label: string, columns: readonly ReportColumn[], rows: readonly (readonly TextCell[])[]): Table<readonly TextCell[]> {
  let order: SortOrder | null = null;
  const table: Table<readonly TextCell[]> = new Table(label, {
    sort: (column) => {
      order = { column, ascending: order?.column === column ? !order.ascending : true };
      table.setSort(order);
      table.setRows(rowsOf(sorted(rows, Number(column), order.ascending)));
    },
  });
  table.setColumns(columns.map((column, index) => textColumn(column, index, rows)));
  table.setRows(rowsOf(rows));
  return table;
}

function textColumn(column: ReportColumn, index: number, rows: readonly (readonly TextCell[])[]): Column<readonly TextCell[]> {
  const longest = rows.slice(0, 200).reduce((most, row) => Math.max(most, row[index]?.text.length ?? 0), column.title.length + 2);
  return {
    id: String(index),
    title: column.title,
    align: column.align === "right" ? "right" : "left",
    width: Math.min(WIDTHS.most, Math.max(WIDTHS.least, Math.ceil(longest * WIDTHS.character) + 16)),
    grow: column.align !== "right",
    sortable: true,
    cell: (row) => {
      const cell = row[index];
      return cell ? h("span", { class: roleClass(cell.role), title: cell.text.length > 40 ? cut(cell.text, 1000) : "" }, cut(cell.text)) : "";
    },
  };
}

const ROLES = new Set(["code", "good", "bad", "dim", "strong"]);

/** The class of a role; roles that we do not know look like text. */
export function roleClass(role: string | undefined): string {
  return role !== undefined && ROLES.has(role) ? `role-${role}` : "";
}

export function sorted(rows: readonly (readonly TextCell[])[], column: number, ascending: boolean): (readonly TextCell[])[] {
  const sign = ascending ? 1 : -1;
  return [...rows].sort((a, b) => sign * compare(a[column], b[column]));
}

function compare(a: TextCell | undefined, b: TextCell | undefined): number {
  const [x, y] = [numberOf(a), numberOf(b)];
  if (x !== null && y !== null) return x - y;
  return (a?.text ?? "").localeCompare(b?.text ?? "", "en", { numeric: true });
}

/** The value of a cell, or of its text if that is a plain number with separators. */
function numberOf(cell: TextCell | undefined): number | null {
  if (typeof cell?.value === "number") return cell.value;
  const text = (cell?.text ?? "").replace(/[\s,']/g, "").replace(/%$/, "");
  return /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : null;
}
