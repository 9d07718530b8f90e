// The status line: the event type and its total, the selection, what is hidden, the server.

import type { CallsAnswer, SideChoice } from "../../api/types.ts";
import { cut, fill, h } from "../../core/dom.ts";
import { effect, untracked } from "../../core/signal.ts";
import { totalText } from "../shared/amount.ts";
import { sideCosts } from "../shared/sides.ts";
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
  effect(() => fill(total, eventText(app)));
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

function eventText(app: App): string {
  const profile = app.about.get()?.profile;
  if (!profile) return "";
  const name = app.state.event.get() ?? profile.default_event;
  const event = profile.events.find((e) => e.name === name) ?? app.ownEvents.get().get(name);
  const parts = app.state.parts.get();
  const chosen = parts ? `, ${parts.length} of ${profile.parts.length} parts` : "";
  // The totals of the user's event types arrive later.
  if (!event) return `${name}${chosen}`;
  const totals = app.totalsOf(event);
  const sides = sideOf(app) === null || totals === "" ? "" : totals.includes("→") ? " (old → new)" : " (new)";
  return `${event.title ?? name}: ${totalText(event, totals)}${sides}${chosen}`;
}

/** What a comparison shows; null for other documents. */
function sideOf(app: App): SideChoice | null {
  return app.about.get()?.kind === "comparison" ? (app.state.side.get() ?? "difference") : null;
}

/** Shows self and inclusive cost of the active function. */
function followActive(app: App, target: HTMLElement): void {
  effect(() => {
    const id = app.state.active.get();
    if (id === null || !app.ready.get()?.stage.about.profile) return fill(target);
    const shown = sideOf(app);
    return askCosts(app, [id], ([answer]) => {
      const pair = answer?.function.costs[0];
      if (!answer || !pair) return fill(target);
      const { side, self, inclusive } = sideCosts(pair, shown);
      target.title = target.textContent = `${cut(answer.function.name, 40)}${side === "" ? "" : `, ${side}`}: self ${self}${inclusive === "" ? "" : `, inclusive ${inclusive}`}`;
    });
  });
}

function followSelection(app: App, target: HTMLElement): void {
  effect(() => {
    const ids = [...app.state.selected.get()];
    if (ids.length === 0 || !app.ready.get()?.stage.about.profile) return fill(target);
    fill(target, `${ids.length} selected`);
    if (ids.length > SUMMED) return;
    const isOld = sideOf(app) === "old";
    const side = sideOf(app) === null ? "" : isOld ? ", old" : ", new";
    return askCosts(app, ids, (answers) => {
      const pairs = answers.map((answer) => answer.function.costs[0]);
      const shares = pairs.map((pair) => (isOld ? pair?.self_change?.old : pair?.self)?.share ?? 0);
      const sum = shares.reduce((a, b) => a + b, 0);
      fill(target, `${ids.length} selected${side}: self ${(sum * 100).toFixed(1)} % together`);
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
