// A document that cannot be shown yet or at all: opening with progress, or failed.

import type { DocumentState, Stage } from "../../api/types.ts";
import { button, cut, h } from "../../core/dom.ts";
import { problemBox, skeleton } from "../shared/asking.ts";
import { ServerError } from "../../core/errors.ts";
import type { App } from "./app.ts";

/** Numbers are shown after this time; shorter loading does not need them. */
const NUMBERS_AFTER = 1000;

export function stageBox(app: App, document: DocumentState): HTMLElement {
  const { stage } = document;
  if (stage.stage === "failed") return failedBox(app, document, stage);
  const progress = h("div", { class: "progress late" });
  if (stage.stage === "opening") progress.append(...progressLines(app, document, stage));
  // The box is made anew with each report of progress; the time counts from the first.
  const age = performance.now() - startOf(document.id);
  if (age >= NUMBERS_AFTER) progress.classList.remove("late");
  else setTimeout(() => progress.classList.remove("late"), NUMBERS_AFTER - age);
  return h("div", { class: "stage" }, progress, skeleton());
}

const starts = new Map<number, number>();

function startOf(id: number): number {
  const start = starts.get(id) ?? performance.now();
  starts.set(id, start);
  return start;
}

function progressLines(app: App, document: DocumentState, stage: Extract<Stage, { stage: "opening" }>): HTMLElement[] {
  const bar = h("progress", { attrs: { "aria-label": `opening ${cut(document.name, 60)}` } });
  if (stage.total) {
    bar.max = stage.total;
    bar.value = stage.done;
  }
  const of = stage.total ? ` of ${stage.total.toLocaleString("en")} (${Math.floor((100 * stage.done) / stage.total)} %)` : "";
  return [
    h("p", {}, `Opening ${cut(document.name, 60)}: ${stage.phase}, ${stage.done.toLocaleString("en")}${of}`),
    bar,
    button("Cancel", () => void app.client.cancel(document.id)),
  ];
}

function failedBox(app: App, document: DocumentState, stage: Extract<Stage, { stage: "failed" }>): HTMLElement {
  return h(
    "div",
    { class: "stage" },
    h("h2", {}, `${cut(document.name, 80)} could not be opened`),
    problemBox(new ServerError(0, stage.problem), () => void app.client.reload(document.id)),
    h("p", { class: "dim" }, ...document.paths.map((path) => h("code", {}, cut(path)))),
    button("Close", () => void app.client.close(document.id)),
  );
}
