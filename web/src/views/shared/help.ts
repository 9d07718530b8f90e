// The help dialog: all keys and what the mouse does.

import { button, h } from "../../core/dom.ts";
import type { View } from "../view.ts";

const KEYS: readonly (readonly [string, string])[] = [
  ["1 … 9", "show the evidence of a finding"],
  ["/", "search a function"],
  ["↑ ↓ PgUp PgDn Home End", "move in tables and pictures"],
  ["Enter", "make the row active; again: open it"],
  ["Space", "add the row to the selection, or remove it"],
  ["m", "menu of the function or line"],
  ["y", "source: copy path:line"],
  ["o", "source: open the line in the editor, if there is one"],
  ["Backspace, Alt+←", "back"],
  ["Alt+→", "forward; on a table head: wider or narrower"],
  ["w", "next pane"],
  ["[ ]", "previous or next document"],
  ["Esc", "close; clear the search; clear the selection"],
  ["?", "this help"],
];

const MOUSE: readonly (readonly [string, string])[] = [
  ["Click", "make a function active: all panes follow"],
  ["Ctrl+click", "select functions"],
  ["Double click", "open: source, or zoom in pictures"],
  ["Right click", "menu: copy, focus, hide, show elsewhere"],
  ["⋮ in the head of a pane", "split, move or close it; reset all panes"],
];

const TIMELINE: readonly (readonly [string, string])[] = [
  ["← →", "move in time"],
  ["↑ ↓", "scroll the locations"],
  ["+ − 0", "zoom in, zoom out, the whole run"],
  ["Shift+arrows", "move between regions"],
  ["Enter", "zoom to the region"],
  ["Esc", "back to the window before"],
  ["Space", "call stack and exact times at the region with the focus"],
  ["n N", "next or previous wait"],
  ["Click", "call stack and exact times at that point"],
  ["Wheel", "zoom at the pointer; with Shift: move in time; over the names: scroll"],
  ["Drag", "zoom to the span; with Shift or the middle button: move in time"],
  ["Drag the bar above", "move the window along the run"],
  ["Double click", "zoom to the region"],
];

const RUNS: readonly (readonly [string, string])[] = [
  ["← →", "move between runs"],
  ["↑ ↓", "the nearest run of another program"],
  ["Shift+← →", "select runs"],
  ["Esc", "clear the selection"],
  ["Drag", "select runs; high enough: by value, too"],
];

const MARKS: readonly (readonly [string, string])[] = [
  ["≈", "estimate: a cost divided in proportion; a time as exact as the picture"],
  ["≤", "at most"],
  ["≥", "at least: costs inside a cycle; a time that goes on outside of the window"],
  ["?", "a difference that is not known: both costs are bounds of the same kind"],
];

export function showHelp(views: readonly View[], resetPanes: () => void): void {
  if (document.querySelector("dialog[open]")) return;
  const before = document.activeElement;
  const own = views.filter((view) => view.key !== "").map((view) => [view.key, `show ${view.title}`] as const);
  const reset = () => {
    dialog.close();
    resetPanes();
  };
  const dialog = h(
    "dialog",
    { class: "help", attrs: { "aria-label": "help" } },
    h("div", { class: "help-head" }, h("h2", {}, "Help"), h("span", { class: "spring" }), views.length > 0 ? button("Reset panes", reset, { title: "back to the panes that were there at first; also in the menu ⋮ of each pane" }) : null, button("Close", () => dialog.close())),
    h("div", { class: "help-columns" }, section("Keys", KEYS), section("Views", own), section("Mouse", MOUSE), views.some((view) => view.id === "timeline") ? section("Time-line", TIMELINE) : null, views.some((view) => view.id === "runs") ? section("Runs", RUNS) : null, section("Marks before numbers", MARKS)),
  );
  dialog.addEventListener("close", () => {
    dialog.remove();
    if (before instanceof HTMLElement) before.focus();
  });
  dialog.addEventListener("click", (event) => {
    if (event.target === dialog) dialog.close();
  });
  document.body.append(dialog);
  dialog.showModal();
}

function section(title: string, rows: readonly (readonly [string, string])[]): HTMLElement {
  const items = rows.flatMap(([key, text]) => [h("dt", {}, h("kbd", {}, key)), h("dd", {}, text)]);
  return h("section", {}, h("h3", {}, title), h("dl", {}, ...items));
}
