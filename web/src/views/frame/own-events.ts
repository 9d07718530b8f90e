// The event types that the user defined, with their totals in the scope.

import type { EventCheck, EventType } from "../../api/types.ts";
import { effect, signal, untracked, type Signal } from "../../core/signal.ts";
import type { App } from "./app.ts";

export function nameOfDefinition(definition: string): string {
  return definition.split("=")[0]!.trim();
}

/** The user's event types by name; asked for again when the scope changes. */
export function followOwnEvents(app: App): Signal<ReadonlyMap<string, EventType>> {
  const events = signal<ReadonlyMap<string, EventType>>(new Map());
  effect(() => {
    const scope = app.state.scope.get();
    const { define } = scope;
    if (!app.ready.get()?.stage.about.profile || define.length === 0) return;
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
  return events;
}
