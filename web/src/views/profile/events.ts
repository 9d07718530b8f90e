// Event types: which are columns, which one ranks, and own ones by formula.

import type { EventCheck, EventType } from "../../api/types.ts";
import { button, cut, fill, h } from "../../core/dom.ts";
import { isAbort } from "../../core/errors.ts";
import { batch, effect, signal, untracked } from "../../core/signal.ts";
import { totalText } from "../shared/amount.ts";
import { disposeAll } from "../shared/controls.ts";
import { problemBox } from "../shared/asking.ts";
import type { MountedView, View, ViewContext } from "../view.ts";

export const eventsView: View = {
  id: "events",
  title: "Event types",
  key: "e",
  fits: (about) => about.profile !== null,
  mount,
};

function mount(context: ViewContext): MountedView {
  const body = h("tbody", {});
  const heads = ["Column", "Ranks", "Name", context.about.kind === "comparison" ? "Total, old → new" : "Total", "Meaning"].map((text) => h("th", { attrs: { scope: "col" } }, text));
  const list = h("table", { class: "plain" }, h("thead", {}, h("tr", {}, ...heads)), body);
  const editor = makeEditor(context);
  const stops = [effect(() => fill(body, ...rowsOf(context)))];
  return {
    element: h("div", { class: "scroll events" }, editor.element, list),
    dispose: () => disposeAll([editor, ...stops]),
  };
}

function rowsOf(context: ViewContext): HTMLElement[] {
  const own = context.shared.scope.define.get();
  const known = context.ownEvents();
  const events = context.about.profile!.events;
  return [...own.map((definition) => eventRow(context, known.get(nameOf(definition)) ?? ownEvent(definition), definition)), ...events.map((event) => eventRow(context, event, null))];
}

export function nameOf(definition: string): string {
  return definition.split("=")[0]!.trim();
}

function ownEvent(definition: string): EventType {
  const formula = definition.slice(definition.indexOf("=") + 1).trim();
  return { name: nameOf(definition), unit: "", title: null, formula, total: "", old_total: null, by_share: false, adds_up: true };
}

function eventRow(context: ViewContext, event: EventType, definition: string | null): HTMLElement {
  const columns = context.shared.events.get();
  const ranking = context.scope().event ?? context.about.profile!.default_event;
  const column = h("input", { attrs: { type: "checkbox", "aria-label": `column ${cut(event.name, 60)}` } });
  column.checked = columns.includes(event.name);
  column.addEventListener("change", () => toggleColumn(context, event.name));
  if (ranking === event.name) {
    column.disabled = true;
    column.title = "what ranks is always a column";
  }
  const ranks = h("input", { attrs: { type: "radio", name: "ranking", "aria-label": `rank by ${cut(event.name, 60)}` } });
  ranks.checked = ranking === event.name;
  ranks.addEventListener("change", () => context.shared.scope.event.set(event.name));
  const totals = context.totalsOf(event);
  // An own event type whose total is not known (yet) has neither a total nor a reason.
  const isKnown = definition === null || context.ownEvents().has(event.name);
  const none = isKnown ? h("span", { class: "dim", title: totalText(event, "") }, "none") : null;
  const meaning = [event.title ?? "", event.formula ? `= ${event.formula}` : "", event.unit ? `(${event.unit})` : "", event.adds_up ? "" : "does not add up: no pictures"];
  const remove = definition === null ? null : button("Remove", () => removeDefinition(context, definition), { class: "link" });
  return h(
    "tr",
    {},
    h("td", {}, column),
    h("td", {}, ranks),
    h("td", {}, h("code", {}, cut(event.name, 80))),
    h("td", { class: "right" }, totals === "" ? none : totals),
    h("td", {}, cut(meaning.filter(Boolean).join(" ")), " ", remove),
  );
}

function toggleColumn(context: ViewContext, name: string): void {
  const columns = context.shared.events.peek();
  const next = columns.includes(name) ? columns.filter((other) => other !== name) : [...columns, name];
  context.shared.events.set(next);
}

function removeDefinition(context: ViewContext, definition: string): void {
  const { define, event } = context.shared.scope;
  const name = nameOf(definition);
  batch(() => {
    define.set(define.peek().filter((other) => other !== definition));
    context.shared.events.set(context.shared.events.peek().filter((other) => other !== name));
    if (event.peek() === name) event.set(null);
  });
}

function addDefinition(context: ViewContext, definition: string): void {
  const { define } = context.shared.scope;
  const name = nameOf(definition);
  batch(() => {
    const columns = context.shared.events.peek();
    define.set([...define.peek().filter((other) => nameOf(other) !== name), definition]);
    context.shared.events.set(columns.includes(name) ? columns : [...columns, name]);
  });
}

function makeEditor(context: ViewContext): { element: HTMLElement; dispose(): void } {
  const text = context.option("definition", "");
  const good = signal<EventType | null>(null);
  const field = h("input", { class: "definition", attrs: { type: "text", "aria-label": "definition of an event type", placeholder: "NAME = FORMULA, for example CPI = Cycles / Ir", spellcheck: "false", autocomplete: "off", "aria-describedby": "definition-check" } });
  const report = h("div", { id: "definition-check", class: "definition-check", attrs: { "aria-live": "polite" } });
  /** Whether the definition is to be added as soon as it is found to be right. */
  let isWanted = false;
  /** What is wrong, if that is known. */
  let problem = "";
  const submit = () => {
    isWanted = !good.peek();
    if (text.peek().trim() === "") fill(report, h("p", {}, "Write NAME = FORMULA first."));
    else if (problem !== "") context.announce(problem);
    if (isWanted) return;
    addDefinition(context, text.peek().trim());
    text.set("");
    field.value = "";
    context.announce("event type added");
  };
  const add = button("Add as a column", submit, { class: "primary" });
  field.value = text.peek();
  field.addEventListener("input", () => {
    isWanted = false;
    text.set(field.value);
  });
  field.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.isComposing) return;
    event.preventDefault();
    submit();
  });
  const stops = [
    effect(() => void (add.disabled = good.get() === null)),
    effect(() => check(context, text.get(), (answer) => {
      good.set(answer?.event ?? null);
      problem = answer?.problem?.message ?? "";
      fill(report, answer ? resultOf(text.peek(), answer) : null);
      if (answer && isWanted) submit();
      if (answer) isWanted = false;
    }, (error) => {
      isWanted = false;
      fill(report, problemBox(error, null));
    })),
  ];
  return { element: h("div", { class: "event-editor" }, h("h3", {}, "Own event type"), h("div", { class: "event-line" }, field, add), report), dispose: () => disposeAll(stops) };
}

/** Lets the engine check a definition after a pause in typing. */
function check(context: ViewContext, definition: string, show: (answer: EventCheck | null) => void, fail: (error: unknown) => void): () => void {
  const controller = new AbortController();
  show(null);
  const timer = setTimeout(() => {
    if (definition.trim() === "") return;
    const scope = untracked(() => context.scope());
    context.ask<EventCheck>({ ask: "event", scope, definition }, controller.signal).then(show, (error: unknown) => isAbort(error) || fail(error));
  }, 200);
  return () => {
    clearTimeout(timer);
    controller.abort();
  };
}

function previewText(event: EventType): string {
  const both = event.old_total && event.total !== "" ? `${event.old_total} → ${event.total} (old → new)` : event.total;
  return `${event.name}: ${totalText(event, both)}`;
}

/** The total of a good definition, or the message below the characters that it is about. */
function resultOf(definition: string, answer: EventCheck): HTMLElement {
  if (answer.problem) {
    const { message, from, to } = answer.problem;
    const end = Math.max(to, from + 1);
    const place = h("pre", {}, definition.slice(0, from), h("mark", {}, definition.slice(from, end) || " "), definition.slice(end));
    return h("div", { class: "definition-bad" }, place, h("p", {}, message));
  }
  return h("p", { class: "definition-good" }, answer.event ? previewText(answer.event) : "");
}
