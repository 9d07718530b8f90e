// The columns of the function table.

import type { About, CostPair, EventType, FunctionRow } from "../../api/types.ts";
import { cut, h } from "../../core/dom.ts";
import { amountCell, baseOf, differenceCell, differenceHint, nameCell, ratioCell, totalText } from "../shared/amount.ts";
import type { Column } from "../shared/table.ts";

/** Which cost the columns of a comparison show. */
export type Which = "self" | "inclusive";

export interface ColumnStyle {
  share: boolean;
  which: Which;
  grouped: boolean;
}

type FunctionColumn = Column<FunctionRow>;

/** A row with one pair of costs for each event type. */
interface CostRow {
  costs: readonly CostPair[];
}

export function functionColumns(events: readonly EventType[], about: About, style: ColumnStyle): FunctionColumn[] {
  const several = events.length > 1;
  const costs = events.flatMap((event, index) =>
    about.kind === "comparison" ? comparisonColumns(event, index, several, style) : costColumns(event, index, several, about, style),
  );
  // The number of calls is only known for the new profile of a comparison, so it is left out there.
  const calls: FunctionColumn[] = about.profile?.has_counts && about.kind !== "comparison"
    ? [{ id: "calls", title: "Calls", align: "right", width: 48, sortable: true, cell: (row) => amountCell(row.calls, { share: false }) }]
    : [];
  return [...costs, ...calls, nameColumn(style.grouped)];
}

function nameColumn(grouped: boolean): FunctionColumn {
  return {
    id: "name",
    title: grouped ? "Group" : "Function",
    width: 140,
    grow: true,
    pinned: true,
    sortable: true,
    cell: (row) => (row.function ? nameCell(row.function) : groupCell(row)),
  };
}

function groupCell(row: FunctionRow): HTMLElement {
  const size = row.size === null ? "" : ` ${row.size} ${row.size === 1 ? "function" : "functions"}`;
  return h("span", { class: "name", title: `${cut(row.name, 1000)}\nEnter or double click shows its functions` }, h("bdi", {}, cut(row.name)), h("span", { class: "tag" }, size));
}

function titleOf(what: string, event: EventType, several: boolean): string {
  return several ? `${event.name} ${what.toLowerCase()}` : what;
}

function unitHint(event: EventType): string {
  return `${event.title ?? event.name}${event.unit ? ` in ${event.unit}` : ""}, ${totalText(event, event.total)}`;
}

function costColumns(event: EventType, index: number, several: boolean, about: About, style: ColumnStyle): FunctionColumn[] {
  const column = (which: Which): FunctionColumn => ({
    id: `${which} ${event.name}`,
    title: titleOf(which === "self" ? "Self" : "Inclusive", event, several),
    hint: `${which === "self" ? "cost of the function itself" : "cost with all it calls"}: ${unitHint(event)}`,
    align: "right",
    width: 56,
    sortable: true,
    cell: (row) => amountCell(row.costs[index]?.[which] ?? null, { share: style.share, bar: true, of: event.total }),
  });
  return about.profile?.has_inclusive ? [column("self"), column("inclusive")] : [column("self")];
}

/** Old, new, difference and ratio of an event type. */
export function comparisonColumns<Row extends CostRow>(event: EventType, index: number, several: boolean, style: Pick<ColumnStyle, "which" | "share">): Column<Row>[] {
  const { which, share } = style;
  const pair = (row: Row): CostPair | undefined => row.costs[index];
  const change = (row: Row) => (which === "self" ? pair(row)?.self_change : pair(row)?.inclusive_change) ?? null;
  // Old costs and differences are shares of the old total, new costs of the new one.
  const oldTotal = !event.old_total ? "the old total" : `the old total ${event.old_total}`;
  const newTotal = `the new total ${event.total}`;
  const name = `${event.title ?? event.name}${event.unit ? ` in ${event.unit}` : ""}`;
  const base = (what: string, column?: "old" | "new" | "difference") => ({
    align: "right" as const,
    hint: `${what}: ${which} cost, ${name}`,
    ...(column ? baseOf(event, column, share) : {}),
  });
  return [
    { ...base(`cost in the old profile, % of ${oldTotal}`, "old"), id: `old ${event.name}`, title: titleOf("Old", event, several), width: 56, sortable: true, cell: (row) => amountCell(change(row)?.old ?? null, { share, of: oldTotal }) },
    { ...base(`cost in the new profile, % of ${newTotal}`, "new"), id: `${which} ${event.name}`, title: titleOf("New", event, several), width: 56, sortable: true, cell: (row) => amountCell(pair(row)?.[which] ?? null, { share, of: newTotal }) },
    { ...base(differenceHint(event, oldTotal), "difference"), id: `difference ${event.name}`, title: titleOf("Difference", event, several), width: 64, sortable: true, cell: (row) => differenceCell(change(row), { share, bar: true, of: oldTotal }) },
    { ...base("new cost by old cost"), id: `ratio ${event.name}`, title: titleOf("Ratio", event, several), width: 64, sortable: true, cell: (row) => ratioCell(change(row)) },
  ];
}
