// Pointer and keys that are the same in all pictures of functions.

import type { FunctionName } from "../../api/types.ts";
import { oneLine } from "../../derive/text.ts";
import type { ViewContext } from "../view.ts";
import type { Surface } from "./surface.ts";
import { type Tip, tipText } from "./tooltip.ts";

/** What a picture knows about its items; `T` is a place in it. */
export interface FunctionPicture<T> {
  itemAt(x: number, y: number): T | null;
  functionOf(item: T): FunctionName | null;
  tipOf(item: T): Tip;
  /** Double click or Enter. */
  open(item: T): void;
  /** Where the item is on the canvas, for the menu of the keyboard. */
  placeOf(item: T): { x: number; y: number };
  cursor(): T | null;
  setCursor(item: T | null): void;
  /** The pointer is over an item without a function, or over another part of the picture. */
  hovered?(item: T | null, x: number, y: number): void;
}

export function listenToPointer<T>(surface: Surface, context: ViewContext, picture: FunctionPicture<T>): void {
  const { canvas } = surface;
  const at = (event: MouseEvent) => picture.itemAt(event.offsetX, event.offsetY);
  const leave = () => {
    surface.tooltip.show(null);
    context.hover.set(null);
    picture.hovered?.(null, -1, -1);
  };
  canvas.addEventListener("pointermove", (event) => {
    const item = event.buttons === 0 ? at(event) : null;
    picture.hovered?.(item, event.offsetX, event.offsetY);
    context.hover.set(item === null ? null : (picture.functionOf(item)?.id ?? null));
    surface.tooltip.show(item === null ? null : picture.tipOf(item), event.clientX, event.clientY);
    canvas.style.cursor = item === null ? "" : "pointer";
  });
  canvas.addEventListener("pointerleave", leave);
  canvas.addEventListener("click", (event) => {
    const item = at(event);
    // The second click of a double click is part of that.
    if (item === null || event.detail > 1) return;
    picture.setCursor(item);
    choose(context, picture.functionOf(item), event.ctrlKey || event.metaKey);
  });
  canvas.addEventListener("dblclick", (event) => {
    const item = at(event);
    if (item === null) return;
    surface.tooltip.show(null);
    picture.open(item);
  });
  canvas.addEventListener("contextmenu", (event) => {
    const item = at(event);
    const fn = item === null ? null : picture.functionOf(item);
    if (!fn) return;
    event.preventDefault();
    surface.tooltip.show(null);
    context.menu({ x: event.clientX, y: event.clientY }, fn);
  });
}

/** Makes a function active, or adds it to or removes it from the selected ones. */
export function choose(context: ViewContext, fn: FunctionName | null, select: boolean): void {
  if (!fn) return;
  if (!select) return context.activate(fn.id, fn.name);
  const selected = new Set(context.selected.peek());
  if (!selected.delete(fn.id)) selected.add(fn.id);
  context.selected.set(selected);
  context.announce(`${selected.has(fn.id) ? "selected" : "no longer selected"}: ${oneLine(fn.label, 80)}`);
}

/** Keys of the item with the focus: Enter opens, space makes active, `m` shows the menu. Gives back
 * whether the key was one of them. */
export function itemKey<T>(event: KeyboardEvent, surface: Surface, context: ViewContext, picture: FunctionPicture<T>): boolean {
  const item = picture.cursor();
  if (item === null || event.altKey) return false;
  const fn = picture.functionOf(item);
  switch (event.key) {
    case "Enter":
      if (event.ctrlKey || event.metaKey) choose(context, fn, true);
      else picture.open(item);
      return true;
    case " ":
      choose(context, fn, event.ctrlKey || event.metaKey);
      return true;
    case "m":
    case "ContextMenu": {
      if (!fn || event.ctrlKey || event.metaKey) return false;
      const { left, top } = surface.canvas.getBoundingClientRect();
      const { x, y } = picture.placeOf(item);
      context.menu({ x: left + x, y: top + y }, fn);
      return true;
    }
    default:
      return false;
  }
}

/** Reads out where the keyboard focus is. */
export function announceItem<T>(context: ViewContext, picture: FunctionPicture<T>, item: T): void {
  context.announce(tipText(picture.tipOf(item)));
}

const ARROWS: Record<string, "up" | "down" | "left" | "right" | "home"> = {
  ArrowUp: "up",
  ArrowDown: "down",
  ArrowLeft: "left",
  ArrowRight: "right",
  Home: "home",
};

/** The move of an arrow key without modifiers; null for other keys. */
export function arrowMove(event: KeyboardEvent): "up" | "down" | "left" | "right" | "home" | null {
  if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return null;
  return ARROWS[event.key] ?? null;
}

/** Listens to keys; a key that `handle` takes reaches nobody else. */
export function listenToKeys(canvas: HTMLCanvasElement, handle: (event: KeyboardEvent) => boolean): void {
  canvas.addEventListener("keydown", (event) => {
    if (!handle(event)) return;
    event.preventDefault();
    event.stopPropagation();
  });
}
