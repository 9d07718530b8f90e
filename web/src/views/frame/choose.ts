// What is shown before anybody has chosen: a document, and the function that matters most.

import type { FunctionTable } from "../../api/types.ts";
import { effect, untracked } from "../../core/signal.ts";
import { findingKey, type App } from "./app.ts";

/** Keeps the shown document one that is open. */
export function chooseDocument(app: App): void {
  let first = true;
  effect(() => {
    const session = app.client.session.get();
    const id = app.state.document.get();
    if (!session) return;
    untracked(() => {
      const ids = session.documents.map((document) => document.id);
      app.state.keepDocuments(new Set(ids));
      // Later on, no document means the start page.
      if (id !== null && id === app.expected) {
        if (!ids.includes(id)) return;
        app.expected = null;
      }
      const missing = id === null ? first : !ids.includes(id);
      if (missing) app.state.show(ids.at(id === null ? 0 : -1) ?? null);
      if (ids.length > 0 || id !== null) first = false;
    });
  });
}

/** Makes the function of the first finding active, else the one that costs or changed most. In a
 * new revision of the document the active function is found again by its name. */
export function chooseFunction(app: App): void {
  effect(() => {
    const document = app.ready.get();
    const shown = app.state.document.get();
    if (!document || document.id !== shown || !document.stage.about.profile) return;
    const { revision } = document.stage;
    const controller = new AbortController();
    // Going back in the history restores the numbers of an earlier revision, too.
    const before = app.state.revision.get();
    untracked(() => {
      const { state } = app;
      const name = state.activeName.peek();
      if (before !== revision) {
        if (before !== null) {
          state.selected.set(new Set());
          app.setActive(null, name, null);
        }
        // This effect runs again.
        return state.revision.set(revision);
      }
      if (state.active.peek() === null) void choose(app, name, controller.signal);
    });
    return () => controller.abort();
  });
}

async function choose(app: App, name: string, abort: AbortSignal): Promise<void> {
  const found = name === "" ? null : await find(app, name, abort);
  const document = app.ready.peek();
  const findings = document?.stage.about.findings ?? [];
  const index = findings.findIndex((finding) => finding.function !== null);
  const evidence = findings[index];
  if (abort.aborted || app.state.active.peek() !== null) return;
  if (found) return app.setActive(found.id, found.name, null);
  if (document && evidence) {
    app.finding.set(findingKey(document, index));
    return app.setActive(evidence.function, "", evidence.line);
  }
  const first = await find(app, "", abort);
  if (first && !abort.aborted && app.state.active.peek() === null) app.setActive(first.id, first.name, null);
}

/** The function with this name; if the name is empty, the most expensive one, or the one that
 * changed most in a comparison. */
async function find(app: App, name: string, abort: AbortSignal): Promise<{ id: number; name: string } | null> {
  const scope = app.state.scope.peek();
  const about = app.about.peek()!;
  const event = scope.event ?? about.profile!.default_event;
  const sort = about.kind === "comparison" ? "difference" : "self";
  try {
    const answer = await app.ask<FunctionTable>(
      { ask: "functions", scope, events: [event], sort, ascending: false, filter: name, group: null, within: null, offset: 0, limit: name === "" ? 1 : 50 },
      abort,
    );
    const row = name === "" ? answer.rows[0] : answer.rows.find((r) => r.name === name);
    return row?.function ?? null;
  } catch {
    // Views show the error in place; here it only means that nothing is chosen.
    return null;
  }
}
