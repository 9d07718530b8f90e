// What the server keeps for the next start: theme, width of the findings strip, and the pane
// layout for each kind of document.

import type { Client } from "../api/client.ts";
import { effect, signal, untracked } from "../core/signal.ts";
import { checkLayout, type Layout } from "./layout.ts";

export type Theme = "auto" | "light" | "dark";

export class Preferences {
  readonly theme = signal<Theme>("auto");
  /** Whether the strip of findings is open. */
  readonly strip = signal(true);
  private readonly layouts = new Map<string, Layout>();
  private loaded = false;
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly client: Client) {
    effect(() => {
      this.theme.get();
      this.strip.get();
      untracked(() => this.schedule());
    });
  }

  /** Takes over what the server has saved; only the first session counts, because later changes
   * come from this or another tab, and tabs are independent. */
  load(saved: unknown): void {
    if (this.loaded) return;
    const fields = (typeof saved === "object" && saved !== null ? saved : {}) as Record<string, unknown>;
    const { theme, strip, layouts } = fields;
    if (theme === "light" || theme === "dark" || theme === "auto") this.theme.set(theme);
    if (typeof strip === "boolean") this.strip.set(strip);
    for (const [kind, value] of Object.entries(typeof layouts === "object" && layouts ? layouts : {})) {
      const layout = checkLayout(value);
      if (layout) this.layouts.set(kind, layout);
    }
    this.loaded = true;
  }

  layoutFor(kind: string): Layout | null {
    return this.layouts.get(kind) ?? null;
  }

  rememberLayout(kind: string, layout: Layout | null): void {
    if (layout) this.layouts.set(kind, layout);
    else this.layouts.delete(kind);
    this.schedule();
  }

  private schedule(): void {
    if (!this.loaded) return;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.save(), 1000);
  }

  private save(): void {
    const saved = {
      theme: this.theme.peek(),
      strip: this.strip.peek(),
      layouts: Object.fromEntries(this.layouts),
    };
    // A lost layout is no reason to disturb: the next change saves it again.
    this.client.saveLayout(saved).catch(() => undefined);
  }
}
