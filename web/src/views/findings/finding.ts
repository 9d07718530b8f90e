// One finding of the list: where, why, how much, how sure, what to do.

import type { FindingRow } from "../../api/types.ts";
import { button, cut, h } from "../../core/dom.ts";
import { batch } from "../../core/signal.ts";
import type { App } from "../frame/app.ts";
import type { ReadyDocument } from "../view.ts";

export interface ListedFinding {
  key: string;
  finding: FindingRow;
  document: ReadyDocument;
  /** Position in the list, from 1. */
  number: number;
  /** Whether findings of several documents are listed. */
  several: boolean;
}

export function findingItem(app: App, item: ListedFinding): HTMLElement {
  const { finding, number } = item;
  const [place, ...others] = finding.places;
  const head = h(
    "button",
    { class: "finding-head", title: "show the evidence", on: { click: () => app.showFinding(item.document, finding, item.key) } },
    h("span", { class: "finding-number" }, String(number)),
    h("span", { class: "finding-severity" }, finding.severity || finding.level),
    h("span", { class: "finding-place", title: place ?? "" }, place ? h("bdi", {}, cut(place, 160)) : "whole run"),
    h("span", { class: "finding-reason", title: cut(finding.reason, 2000) }, cut(finding.reason, 2000)),
  );
  if (finding.share !== null) head.append(severityBar(finding));
  const unfold = button("Explain", () => toggleExplanation(app, item.key), { class: "link" });
  const verify = finding.verification;
  return h(
    "div",
    { class: "finding-content" },
    head,
    h("p", { class: "finding-advice", title: cut(finding.recommendation, 2000) }, cut(finding.recommendation, 2000)),
    finding.no_severity === null ? null : h("p", { class: "dim" }, `Has no share of the run time: ${cut(finding.no_severity, 200)}.`),
    others.length > 0 ? h("p", { class: "dim", title: others.slice(0, 20).join("\n") }, `and ${others.length} more ${others.length === 1 ? "place" : "places"}`) : null,
    h(
      "p",
      { class: "finding-foot dim" },
      h("span", {}, [finding.certainty, finding.rule, item.several ? cut(item.document.name, 30) : ""].filter(Boolean).join(" · ")),
    ),
    h(
      "p",
      { class: "finding-actions" },
      unfold,
      verify === null ? null : button("Copy verify command", () => void app.copy(verify, "command"), { class: "link", title: verify }),
    ),
  );
}

function toggleExplanation(app: App, key: string): void {
  const open = app.explain.peek() && app.finding.peek() === key;
  batch(() => {
    app.finding.set(key);
    app.explain.set(!open);
  });
}

function severityBar(finding: FindingRow): HTMLElement {
  const bar = h("span", { class: `finding-bar ${finding.level}`, attrs: { "aria-hidden": "true" } });
  bar.style.width = `${Math.min(100, (finding.share ?? 0) * 100).toFixed(1)}%`;
  return h("span", { class: "finding-track" }, bar);
}

/** The explanation of a rule, in paragraphs. */
export function explanationBox(finding: FindingRow, close: () => void): HTMLElement {
  const paragraphs = finding.explanation.split(/\n\s*\n/).map((text) => h("p", {}, text));
  return h(
    "aside",
    { class: "explanation", attrs: { "aria-label": `explanation of ${finding.rule}` } },
    h("div", { class: "explanation-head" }, h("h2", {}, finding.rule), button("×", close, { class: "icon", attrs: { "aria-label": "close the explanation" } })),
    h("p", {}, finding.reason),
    ...paragraphs,
    h("h3", {}, "What to do"),
    h("p", {}, finding.recommendation),
    finding.verification ? h("h3", {}, "How to check it") : null,
    finding.verification ? h("pre", {}, finding.verification) : null,
    finding.places.length > 0 ? h("h3", {}, "Places") : null,
    h("ul", {}, ...finding.places.slice(0, 50).map((place) => h("li", {}, cut(place)))),
  );
}
