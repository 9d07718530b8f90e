// The patterns that restrict all views: focus, ignore and hide. Visible while one is set, or when
// the button in the top bar asks for them.

import { button, h } from "../../core/dom.ts";
import { effect, type Signal } from "../../core/signal.ts";
import { textField } from "../shared/controls.ts";
import type { App } from "./app.ts";

type Kind = "focus" | "ignore" | "hide";

const FIELDS: readonly (readonly [Kind, string, string])[] = [
  ["focus", "Focus", "only stacks with a function that matches"],
  ["ignore", "Ignore", "without stacks that have a function that matches"],
  ["hide", "Hide", "costs of functions that match go to their callers"],
];

export function makeFilters(app: App): HTMLElement {
  const fields = FIELDS.map(([kind, label, hint]) => {
    const { element } = textField(label, "text or /regex/", patternSignal(app, kind));
    return h("label", { title: hint }, label, element);
  });
  const clear = button("Clear all", () => clearAll(app));
  const element = h("div", { class: "banner note filters" }, ...fields, clear);
  effect(() => {
    const set = FIELDS.some(([kind]) => app.state[kind].get() !== null);
    element.hidden = !app.about.get()?.profile || !(set || app.filtersOpen.get());
    element.classList.toggle("warning", set);
  });
  return element;
}

function clearAll(app: App): void {
  app.address.navigate(() => FIELDS.forEach(([kind]) => app.state[kind].set(null)));
  app.filtersOpen.set(false);
}

/** The field has an empty text where the state has none. */
function patternSignal(app: App, kind: Kind): Signal<string> {
  const value = app.state[kind];
  return {
    get: () => value.get() ?? "",
    peek: () => value.peek() ?? "",
    set: (text) => {
      if (text !== (value.peek() ?? "")) app.setPattern(kind, text === "" ? null : text);
    },
  };
}
