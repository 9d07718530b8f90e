// Keyed lists: the children of an element follow an array, and a child whose key stays is
// kept (with its focus, scroll position and listeners) and only updated.

import { owned, signal, type Signal } from "./signal.ts";

interface Entry<T> {
  element: HTMLElement;
  item: Signal<T>;
  dispose(): void;
}

/** Gives back a function that makes the children of `parent` follow a list of items. `make` is
 * called once for each new key and reads later states of its item from the signal. Of items
 * with equal keys only the first is shown. */
export function keyedList<T>(
  parent: HTMLElement,
  key: (item: T) => string | number,
  make: (item: Signal<T>) => HTMLElement,
): (items: readonly T[]) => void {
  const entries = new Map<string | number, Entry<T>>();
  return (items) => {
    const seen = new Set<string | number>();
    let next: ChildNode | null = parent.firstChild;
    for (const item of items) {
      const k = key(item);
      if (seen.has(k)) continue;
      seen.add(k);
      const entry = entries.get(k) ?? add(entries, k, item, make);
      entry.item.set(item);
      // Elements that are in place are not moved: moving loses focus and scroll position.
      if (entry.element === next) next = next.nextSibling;
      else parent.insertBefore(entry.element, next);
    }
    for (const [k, entry] of entries) {
      if (seen.has(k)) continue;
      entry.element.remove();
      entry.dispose();
      entries.delete(k);
    }
  };
}

function add<T>(
  entries: Map<string | number, Entry<T>>,
  key: string | number,
  item: T,
  make: (item: Signal<T>) => HTMLElement,
): Entry<T> {
  const state = signal(item);
  const { value: element, dispose } = owned(() => make(state));
  const entry = { element, item: state, dispose };
  entries.set(key, entry);
  return entry;
}
