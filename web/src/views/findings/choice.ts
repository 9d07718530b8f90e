// A select box whose choices change; the empty value stands for all.

import { fill, h } from "../../core/dom.ts";
import { effect, type Signal } from "../../core/signal.ts";

export function choiceOf(label: string, value: Signal<string>, all: string, choices: () => readonly string[]): HTMLElement {
  const select = h("select", { attrs: { "aria-label": label } });
  effect(() => {
    const options = choices().map((text) => h("option", { attrs: { value: text } }, text));
    fill(select, h("option", { attrs: { value: "" } }, all), ...options);
    select.value = value.get();
  });
  select.addEventListener("change", () => value.set(select.value));
  return select;
}
