// The status line: the event type and its total, the selection, what is hidden, the server.

import type { CallsAnswer } from "../../api/types.ts";
import { cut, fill, h } from "../../core/dom.ts";
import { effect, untracked } from "../../core/signal.ts";
import { amountText } from "../shared/amount.ts";
import type { App } from "./app.ts";

/** More selected functions than this are only counted: each costs a question. */
const SUMMED = 20;

export function makeStatus(app: App): HTMLElement {
  const total = h("span", {});
  const selection = h("span", {});
  const active = h("span", { class: "status-active" });
  const hidden = h("span", { class: "status-hidden" });
  const server = h("span", { class: "server" });
  const live = h("div", { class: "offscreen", attrs: { "aria-live": "polite" } });
  effect(() => fill(total, totalText(app)));
  effect(() => {
    const all = [...app.hidden.get().values()];
    hidden.textContent = all.join("; ");
    hidden.title = all.join("\n");
  });
  effect(() => {
    const connection = app.client.connection.get();
    const session = app.client.session.get();
    server.textContent = app.client.exported ? "exported page" : connection === "connected" ? `connected${session?.read_only ? ", read-only" : ""}` : connection;
    server.dataset["state"] = connection;
    server.title = session ? `lotse ${session.version}` : "";
  });
  effect(() => void (live.textContent = app.announcement.get()));
  followSelection(app, selection);
  followActive(app, active);
  return h("footer", { class: "status" }, total, active, selection, hidden, h("span", { class: "spring" }), server, live);
}

function totalText(app: App): string {
  const profile = app.about.get()?.profile;
  if (!profile) return "";
  const name = app.state.event.get() ?? profile.default_event;
  const event = profile.events.find((e) => e.name === name);
  const parts = app.state.parts.get();
  const chosen = parts ? `, ${parts.length} of ${profile.parts.length} parts` : "";
  const total = event ? app.totalOf(event) : null;
  const old = event?.old_total && app.wholeOf() === "" ? `, ${event.old_total} before` : "";
  // The total of an event type of one's own is in the table.
  return `${event?.title ?? name}${total === null ? "" : `: ${total} in total`}${old}${chosen}`;
}

/** Shows self and inclusive cost of the active function. */
function followActive(app: App, target: HTMLElement): void {
  effect(() => {
    const id = app.state.active.get();
    if (id === null || !app.ready.get()?.stage.about.profile) return fill(target);
    return askCosts(app, [id], ([answer]) => {
      const pair = answer?.function.costs[0];
      const inclusive = pair?.inclusive ? `, inclusive ${amountText(pair.inclusive, true)}` : "";
      fill(target, answer && pair ? `${cut(answer.function.name, 40)}: self ${amountText(pair.self, true)}${inclusive}` : "");
    });
  });
}

function followSelection(app: App, target: HTMLElement): void {
  effect(() => {
    const ids = [...app.state.selected.get()];
    if (ids.length === 0 || !app.ready.get()?.stage.about.profile) return fill(target);
    fill(target, `${ids.length} selected`);
    if (ids.length > SUMMED) return;
    return askCosts(app, ids, (answers) => {
      const shares = answers.map((answer) => answer.function.costs[0]?.self.share ?? 0);
      const sum = shares.reduce((a, b) => a + b, 0);
      fill(target, `${ids.length} selected: self ${(sum * 100).toFixed(1)} % together`);
    });
  });
}

/** Asks for the costs of functions once the selection rests; gives back how to stop. */
function askCosts(app: App, ids: readonly number[], show: (answers: CallsAnswer[]) => void): () => void {
  const controller = new AbortController();
  const scope = app.state.scope.get();
  const event = scope.event ?? app.about.peek()?.profile?.default_event;
  const timer = setTimeout(() => {
    const ask = (id: number) => app.ask<CallsAnswer>({ ask: "calls", scope, function: id, events: event ? [event] : [] }, controller.signal);
    untracked(() => Promise.all(ids.map(ask))).then(show, () => show([]));
  }, 150);
  return () => {
    clearTimeout(timer);
    controller.abort();
  };
}
