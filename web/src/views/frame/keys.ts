// Keys that work everywhere but in text fields.

import { batch } from "../../core/signal.ts";
import { panesOf } from "../../state/layout.ts";
import { showHelp } from "../shared/help.ts";
import { closeMenu } from "../shared/menu.ts";
import type { App } from "./app.ts";

export function listenToKeys(app: App, jumpToFinding: (position: number) => void): void {
  leaveControls(app);
  document.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    if (document.querySelector("dialog[open]")) return;
    if (event.key === "Escape") return escape(app, event);
    if (isTyping(event.target)) return;
    const action = actionOf(app, event.key, jumpToFinding);
    if (!action) return;
    event.preventDefault();
    action();
  });
}

function actionOf(app: App, key: string, jump: (position: number) => void): (() => void) | null {
  if (/^[1-9]$/.test(key)) return () => jump(Number(key));
  if (key === "/") return () => document.querySelector<HTMLElement>("input.search")?.focus();
  if (key === "?") return () => showHelp(app.views.peek(), () => app.resetPanes());
  if (key === "Backspace") return () => app.address.back() || app.announce("there is nothing to go back to");
  if (key === "w") return () => nextPane(app);
  if (key === "[" || key === "]") return () => nextDocument(app, key === "]" ? 1 : -1);
  const view = app.views.peek().find((v) => v.key === key);
  return view ? () => app.openView(view.id) : null;
}

/** Moves the focus from a select, or from an option of a picture, into the pane when the pointer has chosen: there the keys
 * work. A choice by keys leaves the focus where it is, since more may follow. */
function leaveControls(app: App): void {
  let pointed: Element | null = null;
  document.addEventListener("pointerdown", ({ target }) => (pointed = target instanceof Element ? target.closest("select, .pic-options label, .pic-options button") : null), true);
  document.addEventListener("keydown", () => (pointed = null), true);
  const leave = ({ target }: Event) => {
    if (!pointed || !(target instanceof Element) || !pointed.contains(target) || target.closest("dialog")) return;
    const pane = target.closest<HTMLElement>("[data-pane]")?.dataset["pane"];
    if (pane) app.focusedPane.set(pane);
    app.focusPane();
    pointed = null;
  };
  document.addEventListener("change", leave);
  document.addEventListener("click", (event) => event.target instanceof Element && event.target.matches(".pic-options button") && leave(event));
}

function nextPane(app: App): void {
  const panes = panesOf(app.layout.peek() ?? { pane: "", view: "" });
  const at = panes.findIndex((leaf) => leaf.pane === app.focusedPane.peek());
  app.focusedPane.set(panes[(at + 1) % panes.length]!.pane);
  app.focusPane();
}

function nextDocument(app: App, step: number): void {
  const ids = app.client.session.peek()?.documents.map((d) => d.id) ?? [];
  if (ids.length === 0) return;
  const at = ids.indexOf(app.state.document.peek() ?? ids[0]!);
  app.showDocument(ids[(at + step + ids.length) % ids.length]!);
}

/** One thing for each press: menu, explanation, search, selection. */
function escape(app: App, event: KeyboardEvent): void {
  closeMenu();
  if (app.explain.peek()) app.explain.set(false);
  else if (app.state.search.peek() !== "") app.state.search.set("");
  else batch(() => app.state.selected.set(new Set()));
  if (isTyping(event.target)) (event.target as HTMLElement).blur();
}

function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && (target.matches("input:not([type=checkbox]):not([type=radio]), textarea, select") || target.isContentEditable);
}
