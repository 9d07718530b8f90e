// The divider between two panes: drag it, or focus it and press the arrow keys.

import { h } from "../../core/dom.ts";

const KEY_STEP = 0.02;

export function makeDivider(split: "row" | "column", get: () => number, set: (share: number) => void): HTMLElement {
  const element = h("div", {
    class: `divider divider-${split}`,
    role: "separator",
    tabindex: 0,
    attrs: {
      "aria-label": split === "row" ? "width of the panes" : "height of the panes",
      "aria-orientation": split === "row" ? "vertical" : "horizontal",
      "aria-valuemin": 5,
      "aria-valuemax": 95,
    },
  });
  element.addEventListener("keydown", (event) => {
    const step = { ArrowLeft: -KEY_STEP, ArrowUp: -KEY_STEP, ArrowRight: KEY_STEP, ArrowDown: KEY_STEP }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    set(get() + step);
  });
  element.addEventListener("pointerdown", (event) => {
    event.preventDefault();
    element.setPointerCapture(event.pointerId);
    const move = (e: PointerEvent) => set(shareAt(element.parentElement!, split, e));
    element.addEventListener("pointermove", move);
    element.addEventListener("lostpointercapture", () => element.removeEventListener("pointermove", move), { once: true });
  });
  element.addEventListener("dblclick", () => set(0.5));
  return element;
}

function shareAt(parent: HTMLElement, split: "row" | "column", event: PointerEvent): number {
  const box = parent.getBoundingClientRect();
  return split === "row" ? (event.clientX - box.left) / box.width : (event.clientY - box.top) / box.height;
}
