// The event types that the user defined, with their totals in the scope.

import type { EventCheck } from "../../api/types.ts";
import { effect, untracked } from "../../core/signal.ts";
import type { App } from "./app.ts";

export function nameOfDefinition(definition: string): string {
  return definition.split("=")[0]!.trim();
}

/** Keeps `App.ownEvents`; they are asked for again when the scope changes. */
export function followOwnEvents(app: App): void {
  const events = app.ownEvents;
  effect(() => {
    const scope = app.state.scope.get();
    const { define } = scope;
    if (!app.ready.get()?.stage.about.profile || define.length === 0) return events.set(new Map());
    const controller = new AbortController();
    // A definition may use those before it.
    const ask = (definition: string, at: number) =>
      app.ask<EventCheck>({ ask: "event", scope: { ...scope, event: null, define: define.slice(0, at) }, definition }, controller.signal);
    untracked(() => Promise.all(define.map(ask))).then(
      (checks) => events.set(new Map(checks.flatMap(({ event }) => (event ? [[event.name, event] as const] : [])))),
      // The box then has the names without totals; the tables show the problem.
      () => events.set(new Map()),
    );
    return () => controller.abort();
  });
}
