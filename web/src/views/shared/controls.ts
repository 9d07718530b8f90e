// Small controls whose value is a signal.

import { button, h } from "../../core/dom.ts";
import { effect, type Signal } from "../../core/signal.ts";

export interface Control {
  element: HTMLElement;
  dispose(): void;
}

/** A select box. `choices` are pairs of value and text. */
export function choice<T extends string>(label: string, value: Signal<T>, choices: readonly (readonly [T, string])[]): Control {
  const options = choices.map(([id, text]) => h("option", { attrs: { value: id } }, text));
  const element = h("select", { attrs: { "aria-label": label }, title: label }, ...options);
  element.addEventListener("change", () => value.set(element.value as T));
  return { element, dispose: effect(() => void (element.value = value.get())) };
}

/** A button that is pressed or not. */
export function toggle(label: string, hint: string, value: Signal<boolean>): Control {
  const element = button(label, () => value.set(!value.peek()), { class: "toggle", title: hint });
  return { element, dispose: effect(() => element.setAttribute("aria-pressed", String(value.get()))) };
}

/** A text field that writes its value after a pause in typing, and at once on Enter. */
export function textField(label: string, placeholder: string, value: Signal<string>, className = ""): Control & { element: HTMLInputElement } {
  const element = h("input", { class: className, attrs: { type: "search", "aria-label": label, placeholder, spellcheck: "false", autocomplete: "off" } });
  let timer: ReturnType<typeof setTimeout> | undefined;
  const write = () => {
    clearTimeout(timer);
    value.set(element.value);
  };
  element.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(write, 150);
  });
  element.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && element.value !== "") {
      element.value = "";
      write();
      event.stopPropagation();
    } else if (event.key === "Enter") write();
  });
  const stop = effect(() => {
    const text = value.get();
    // While someone types, the field is ahead of the signal.
    if (document.activeElement !== element || text === "") element.value = text;
  });
  return {
    element,
    dispose: () => {
      clearTimeout(timer);
      stop();
    },
  };
}

/** Ends several things at once. */
export function disposeAll(things: readonly ({ dispose(): void } | (() => void))[]): void {
  for (const thing of things) typeof thing === "function" ? thing() : thing.dispose();
}
