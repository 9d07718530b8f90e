// Small controls of pane options, bound to signals.

import { h } from "../../core/dom.ts";
import { type Signal, effect } from "../../core/signal.ts";
import { installStyles } from "./style.ts";

/** Controls and what ends them. */
export class Controls {
  readonly element: HTMLElement;
  private readonly ends: (() => void)[] = [];

  constructor() {
    installStyles();
    this.element = h("span", { class: "pic-options" });
  }

  /** A list to choose from. */
  choice<T extends string | number>(label: string, state: Signal<T>, choices: readonly (readonly [T, string])[]): HTMLSelectElement {
    const options = choices.map(([value, text]) => h("option", { attrs: { value: String(value) } }, text));
    const select = h("select", { attrs: { "aria-label": label } }, ...options);
    select.addEventListener("change", () => {
      const chosen = choices[select.selectedIndex];
      if (chosen) state.set(chosen[0]);
    });
    this.run(() => {
      select.selectedIndex = choices.findIndex(([value]) => value === state.get());
    });
    this.element.append(h("label", {}, label, select));
    return select;
  }

  toggle(label: string, state: Signal<boolean>): void {
    const box = h("input", { attrs: { type: "checkbox" } });
    box.addEventListener("change", () => state.set(box.checked));
    this.run(() => {
      box.checked = state.get();
    });
    this.element.append(h("label", {}, box, label));
  }

  add(element: HTMLElement): void {
    this.element.append(element);
  }

  run(f: () => void): void {
    this.ends.push(effect(f));
  }

  dispose(): void {
    for (const end of this.ends) end();
  }
}

/** The key of the colours of a difference. */
export function differenceScale(): HTMLElement {
  return h("span", { class: "pic-scale" }, h("i", { class: "less" }), "less", h("i", { class: "more" }), "more");
}
