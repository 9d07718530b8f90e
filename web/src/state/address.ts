// Keeps the address bar and the state equal. Small changes (a filter text, a divider) replace the
// current history entry; `navigate` makes a new one, so that Back undoes it.

import { splitToken } from "../api/token.ts";
import { batch, effect, untracked } from "../core/signal.ts";
import type { State } from "./state.ts";
import { fromFragment, toFragment } from "./url.ts";

/** Browsers refuse more than about 100 history changes in 10 seconds. */
const DELAY = 200;

export class Address {
  private timer: ReturnType<typeof setTimeout> | undefined;
  private written = "";
  /** How many entries of this page are before the present one in the history; kept in the entry, so that it survives a reload. */
  private depth = depthOf(history.state);

  constructor(private readonly state: State) {
    this.written = splitToken(location.hash).rest;
    state.restore(fromFragment(this.written));
    effect(() => {
      state.snapshot();
      untracked(() => this.schedule());
    });
    addEventListener("popstate", () => this.read());
    addEventListener("pagehide", () => this.write("replace"));
  }

  /** Changes the state as one step that Back undoes. */
  navigate(change: () => void): void {
    this.write("replace");
    batch(change);
    this.write("push");
  }

  /** Goes back unless that would leave the page; gives back whether it did. */
  back(): boolean {
    if (this.depth === 0) return false;
    history.back();
    return true;
  }

  private schedule(): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.write("replace"), DELAY);
  }

  private write(how: "replace" | "push"): void {
    clearTimeout(this.timer);
    const fragment = untracked(() => toFragment(this.state.snapshot()));
    if (fragment === this.written) return;
    this.written = fragment;
    const url = `${location.pathname}${location.search}#${fragment}`;
    if (how === "push") this.depth++;
    const entry = { depth: this.depth };
    if (how === "push") history.pushState(entry, "", url);
    else history.replaceState(entry, "", url);
  }

  private read(): void {
    clearTimeout(this.timer);
    const fragment = splitToken(location.hash).rest;
    this.written = fragment;
    // An entry without a depth is an address that was typed in.
    this.depth = depthOf(history.state);
    this.state.restore(fromFragment(fragment));
  }
}

function depthOf(entry: unknown): number {
  const depth = (entry as { depth?: unknown } | null)?.depth;
  return typeof depth === "number" && depth > 0 ? depth : 0;
}
