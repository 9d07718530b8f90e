// What is marked in pictures of functions.

import { CHANGE_STEPS, type Palette, changeStep } from "../derive/colour.ts";
import type { Theme } from "../derive/theme.ts";
import type { FunctionName } from "../api/types.ts";

export interface Marks {
  /** Ids of functions. */
  active: number | null;
  hover: number | null;
  selected: ReadonlySet<number>;
}

/** The fill colours of a picture's functions, or null where each item has one by its change. */
export function functionColours(functions: readonly FunctionName[], palette: Palette, theme: Theme): string[] {
  return functions.map((fn) => theme.hues[palette.hue(fn.colour_key)]!);
}

export function changeColour(theme: Theme, change: number, largest: number): string {
  return theme.changes[changeStep(change, largest) + CHANGE_STEPS]!;
}

/** 1 for marked functions of the picture, by index; null if none is marked, which is the usual case. */
export function markedFunctions(functions: readonly FunctionName[], marks: Marks): Uint8Array | null {
  if (marks.active === null && marks.hover === null && marks.selected.size === 0) return null;
  const marked = new Uint8Array(functions.length);
  let some = false;
  functions.forEach((fn, i) => {
    const mark = fn.id === marks.active ? ACTIVE : marks.selected.has(fn.id) ? SELECTED : fn.id === marks.hover ? HOVER : 0;
    marked[i] = mark;
    some ||= mark > 0;
  });
  return some ? marked : null;
}

export const HOVER = 1;
export const SELECTED = 2;
export const ACTIVE = 3;

/** Colour and width of the outline of a mark. */
export function markLine(mark: number, theme: Theme): readonly [colour: string, width: number] {
  if (mark === ACTIVE) return [theme.accent, 2];
  if (mark === SELECTED) return [theme.fg, 2];
  return [theme.muted, 1];
}
