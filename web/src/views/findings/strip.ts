// The strip of findings: one ranked list over all open documents, with filters. Number keys show
// the evidence of the first nine.

import type { DocumentState, FindingRow } from "../../api/types.ts";
import { button, fill, h } from "../../core/dom.ts";
import { keyedList } from "../../core/list.ts";
import { computed, effect, type Signal } from "../../core/signal.ts";
import { findingKey, type App } from "../frame/app.ts";
import { choiceOf } from "./choice.ts";
import type { ReadyDocument } from "../view.ts";
import { textField } from "../shared/controls.ts";
import { explanationBox, findingItem, type ListedFinding } from "./finding.ts";

/** The list is for reading; more findings than this are counted. */
const LISTED = 200;

export class FindingsStrip {
  readonly element: HTMLElement;
  /** The findings that the filters leave. */
  readonly listed;

  constructor(private readonly app: App) {
    const all = computed(() => collect(app.documents.get()));
    this.listed = computed(() => number(all.get().filter((item) => matches(item, app.state.findings.get()))));
    const list = h("ol", { class: "findings-list" });
    const update = keyedList<ListedFinding>(list, (item) => item.key, (item) => this.makeItem(item));
    const count = h("span", { class: "dim" });
    const none = h("p", { class: "empty" });
    effect(() => {
      const shown = this.listed.get();
      update(shown.slice(0, LISTED));
      const total = all.get().length;
      count.textContent = shown.length === total ? String(total) : `${shown.length} of ${total}`;
      const rest = shown.length - LISTED;
      none.textContent = shown.length === 0 ? "No finding passes the filters." : rest > 0 ? `${rest} more: use the filters.` : "";
      none.hidden = none.textContent === "";
    });
    const collapse = button("‹", () => app.preferences.strip.set(!app.preferences.strip.peek()), { class: "icon" });
    const title = h("h2", {}, "Findings ", count);
    const head = h("div", { class: "findings-head" }, title, collapse);
    const filters = this.makeFilters(all);
    const strip = h("section", { class: "findings", attrs: { "aria-label": "findings" } }, head, filters, list, none);
    const beside = h("div", { class: "beside" });
    this.element = h("div", { class: "findings-area" }, strip, beside);
    effect(() => {
      const open = app.preferences.strip.get();
      strip.classList.toggle("closed", !open);
      collapse.textContent = open ? "‹" : "›";
      collapse.title = open ? "collapse the findings" : "show the findings";
      collapse.setAttribute("aria-label", collapse.title);
      collapse.setAttribute("aria-expanded", String(open));
    });
    // Without findings the room belongs to the panes; the answer then says that there are none.
    effect(() => void (this.element.hidden = all.get().length === 0));
    effect(() => {
      const finding = this.explained();
      fill(beside, finding ? explanationBox(finding, () => app.explain.set(false)) : null);
      beside.hidden = !finding;
    });
  }

  /** Shows the evidence of the finding with a number, from 1. */
  jump(position: number): void {
    const item = this.listed.peek()[position - 1];
    if (item) this.app.showFinding(item.document, item.finding, item.key);
  }

  private explained(): FindingRow | null {
    const key = this.app.finding.get();
    if (!this.app.explain.get()) return null;
    return this.listed.get().find((item) => item.key === key)?.finding ?? null;
  }

  private makeItem(item: Signal<ListedFinding>): HTMLElement {
    const element = h("li", { class: "finding" });
    effect(() => {
      const listed = item.get();
      element.className = `finding ${listed.finding.level}`;
      fill(element, findingItem(this.app, listed));
    });
    effect(() => void element.classList.toggle("current", this.app.finding.get() === item.get().key));
    return element;
  }

  private makeFilters(all: { get(): ListedFinding[] }): HTMLElement {
    const { findings } = this.app.state;
    const part = (name: "pillar" | "rule" | "file"): Signal<string> => ({
      get: () => findings.get()[name],
      peek: () => findings.peek()[name],
      set: (value) => findings.set({ ...findings.peek(), [name]: value }),
    });
    const pillars = () => unique(all.get().map(kindOf));
    const rules = () => unique(all.get().map((item) => item.finding.rule));
    const element = h(
      "div",
      { class: "findings-filters" },
      choiceOf("kind of finding", part("pillar"), "all kinds", pillars),
      choiceOf("rule", part("rule"), "all rules", rules),
      textField("file or place", "file or place", part("file")).element,
    );
    effect(() => void (element.hidden = all.get().length < 2));
    return element;
  }
}

/** The kind of a finding is that of its document. */
export function kindOf(item: Pick<ListedFinding, "document">): string {
  return item.document.stage.about.kind;
}

/** All findings by rank. Those of one document keep their order, and the order does not depend on
 * which document is shown, so that a finding keeps its number. */
export function collect(documents: readonly DocumentState[]): ListedFinding[] {
  const ready = documents.filter((d): d is ReadyDocument => d.stage.stage === "ready");
  const lists = ready.map((document) =>
    document.stage.about.findings.map((finding, index): ListedFinding => ({
      key: findingKey(document, index),
      finding,
      document,
      number: 0,
      several: ready.length > 1,
    })),
  );
  return lists.reduce(merged, []);
}

/** Two lists as one by rank; findings of equal rank stay in the order of the lists. */
function merged(first: ListedFinding[], second: ListedFinding[]): ListedFinding[] {
  const all: ListedFinding[] = [];
  let next = 0;
  for (const item of first) {
    while (next < second.length && outranks(second[next]!.finding, item.finding)) all.push(second[next++]!);
    all.push(item);
  }
  return [...all, ...second.slice(next)];
}

function outranks(a: FindingRow, b: FindingRow): boolean {
  const differing = a.rank.findIndex((number, index) => number !== b.rank[index]);
  return differing >= 0 && a.rank[differing]! > b.rank[differing]!;
}

function number(items: ListedFinding[]): ListedFinding[] {
  return items.map((item, index) => ({ ...item, number: index + 1 }));
}

export function matches(item: ListedFinding, filter: { pillar: string; rule: string; file: string }): boolean {
  const { finding } = item;
  if (filter.pillar !== "" && kindOf(item) !== filter.pillar) return false;
  if (filter.rule !== "" && finding.rule !== filter.rule) return false;
  const wanted = filter.file.toLowerCase();
  return [item.document.name, ...finding.places].some((place) => place.toLowerCase().includes(wanted));
}

function unique(values: string[]): string[] {
  return [...new Set(values)].sort();
}
