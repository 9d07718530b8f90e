// The selected runs of a measurement in the address: first, last, least and greatest value, and the metric of the plot in
// which they were marked, as `5_8___wall`. A name may have any characters, so it comes last.

import type { RunSelection } from "../api/types.ts";

const SHAPE = /^(\d{1,9})_(\d{1,9})_([^_]*)_([^_]*)_(.{0,200})$/su;

export function selectionText({ first, last, low, high, metric }: RunSelection): string {
  return [first, last, low ?? "", high ?? "", metric ?? ""].join("_");
}

/** The selection of a text; null if the text is none. */
export function parsedSelection(text: string | null): RunSelection | null {
  const [, first, last, low, high, metric] = SHAPE.exec(text ?? "") ?? [];
  if (first === undefined || last === undefined || low === undefined || high === undefined) return null;
  const selection = { first: Number(first), last: Number(last), low: bound(low), high: bound(high), metric: metric || null };
  const isOrdered = selection.first <= selection.last && (selection.low === null || selection.high === null || selection.low <= selection.high);
  return Number.isNaN(selection.low) || Number.isNaN(selection.high) || !isOrdered ? null : selection;
}

/** NaN for a text that is no number. */
function bound(text: string): number | null {
  if (text === "") return null;
  const number = text.trim() === "" ? NaN : Number(text);
  return Number.isFinite(number) ? number : NaN;
}
