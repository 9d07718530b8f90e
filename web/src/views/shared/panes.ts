// The area of panes: follows the layout in the state. Elements of panes are kept when the layout
// changes; only their frame is built anew.

import { fill, h } from "../../core/dom.ts";
import { effect, untracked } from "../../core/signal.ts";
import { isSplit, moveDivider, panesOf, shapeOf, type Layout, type Split } from "../../state/layout.ts";
import type { App } from "../frame/app.ts";
import { makeDivider } from "./divider.ts";
import { Pane } from "./pane.ts";

interface DrawnSplit {
  path: string;
  first: HTMLElement;
  second: HTMLElement;
  divider: HTMLElement;
}

export class Panes {
  readonly element = h("main", { class: "panes", attrs: { "aria-label": "views" } });
  private readonly panes = new Map<string, Pane>();
  private splits: DrawnSplit[] = [];
  private shape = "";
  private frame = 0;

  constructor(private readonly app: App) {
    effect(() => {
      const document = app.ready.get();
      const layout = document ? app.layout.get() : null;
      untracked(() => this.follow(layout));
    });
    new ResizeObserver(() => this.resizeSoon()).observe(this.element);
  }

  /** Canvases and tables measure themselves anew, at most once for each frame. */
  resizeSoon(): void {
    cancelAnimationFrame(this.frame);
    this.frame = requestAnimationFrame(() => {
      for (const pane of this.panes.values()) pane.resize();
    });
  }

  private follow(layout: Layout | null): void {
    const leaves = layout ? panesOf(layout) : [];
    const shape = layout ? shapeOf(layout) : "";
    this.removeClosed(new Set(leaves.map((leaf) => leaf.pane)));
    for (const leaf of leaves) {
      const pane = this.panes.get(leaf.pane) ?? new Pane(this.app, leaf.pane);
      this.panes.set(leaf.pane, pane);
      pane.setSiblings(leaves.length - 1);
    }
    if (shape !== this.shape) {
      this.shape = shape;
      this.splits = [];
      fill(this.element, layout ? this.build(layout, "") : null);
    }
    if (layout) this.setSizes(layout, "");
    // A view measures its element when it is mounted, so that comes after attaching.
    for (const leaf of leaves) this.panes.get(leaf.pane)!.show(leaf.view);
    this.resizeSoon();
  }

  private removeClosed(open: ReadonlySet<string>): void {
    for (const [id, pane] of this.panes) {
      if (open.has(id)) continue;
      pane.dispose();
      this.panes.delete(id);
    }
  }

  private build(layout: Layout, path: string): HTMLElement {
    if (!isSplit(layout)) return this.panes.get(layout.pane)!.element;
    const first = h("div", { class: "split-side" }, this.build(layout.first, `${path}0`));
    const second = h("div", { class: "split-side" }, this.build(layout.second, `${path}1`));
    const divider = makeDivider(layout.split, () => this.shareOf(path), (share) => this.move(path, share));
    this.splits.push({ path, first, second, divider });
    return h("div", { class: `split split-${layout.split}` }, first, divider, second);
  }

  private setSizes(layout: Layout, path: string): void {
    if (!isSplit(layout)) return;
    const drawn = this.splits.find((split) => split.path === path);
    if (drawn) setShares(drawn, layout);
    this.setSizes(layout.first, `${path}0`);
    this.setSizes(layout.second, `${path}1`);
  }

  private shareOf(path: string): number {
    let node = this.app.layout.peek();
    for (const step of path) node = node && isSplit(node) ? (step === "0" ? node.first : node.second) : null;
    return node && isSplit(node) ? node.at : 0.5;
  }

  private move(path: string, share: number): void {
    const layout = this.app.layout.peek();
    if (layout) this.app.setLayout(moveDivider(layout, path, share));
  }
}

function setShares(drawn: DrawnSplit, split: Split): void {
  drawn.first.style.flexGrow = String(split.at);
  drawn.second.style.flexGrow = String(1 - split.at);
  drawn.divider.setAttribute("aria-valuenow", String(Math.round(split.at * 100)));
}
