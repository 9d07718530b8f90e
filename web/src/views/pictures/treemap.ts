// The treemap: areas by cost, callees inside their callers.

import type { TreemapPicture } from "../../api/types.ts";
import { signal, untracked } from "../../core/signal.ts";
import { button } from "../../core/dom.ts";
import { emptyReason } from "../../derive/empty.ts";
import { oneLine } from "../../derive/text.ts";
import { type TreemapIndex, moveTile, tileAt, treemapIndex } from "../../derive/treemap.ts";
import { drawTreemap } from "../../draw/treemap.ts";
import type { Theme } from "../../derive/theme.ts";
import type { View, ViewContext } from "../view.ts";
import { differenceScale } from "./controls.ts";
import { costTip, costTwin, noteText } from "./flame-tip.ts";
import { debounced } from "./loader.ts";
import { paletteOf } from "./palettes.ts";
import { PictureMount } from "./picture.ts";
import { announceItem, arrowMove, itemKey } from "./pointer.ts";
import type { SurfaceSize } from "./surface.ts";

const AFTER_RESIZE = 150;

export const treemapView: View = {
  id: "treemap",
  title: "Treemap",
  key: "r",
  fits: (about) => about.kind === "profile" || about.kind === "comparison",
  mount: (context) => new TreemapMount(context),
};

class TreemapMount extends PictureMount<number> {
  private readonly direction;
  /** Ids of the functions that were opened one in the other; the last one is the root. */
  private readonly roots;
  /** The size that tiles are asked for. */
  private readonly size = signal("");
  private readonly index = signal<TreemapIndex | null>(null);
  private readonly sized = debounced(() => this.takeSize(), AFTER_RESIZE);
  private tile = -1;

  constructor(context: ViewContext) {
    super(context, {
      label: "Treemap",
      keys: "Arrow keys move between tiles, Enter makes a tile the whole, Backspace and Escape go out, m shows the menu. The table button shows the same data as a table.",
      scrolls: false,
    });
    this.direction = context.option<"callees" | "callers">("direction", "callees");
    this.roots = context.option<number[]>("roots", []);
    this.addControls();
    this.start(() => {
      this.index.get();
      this.surface.repaint();
    });
    this.atEnd(() => this.sized.cancel());
  }

  protected paint(canvas: CanvasRenderingContext2D, size: SurfaceSize, theme: Theme): void {
    const index = this.index.peek();
    if (!index) return canvas.clearRect(0, 0, size.width, size.height);
    const cursor = this.hasFocus() ? this.tile : -1;
    const difference = index.picture.tiles.change.length > 0;
    drawTreemap(canvas, { index, width: size.width, height: size.height, marks: this.marks(), palette: paletteOf(this.context), cursor, difference }, theme);
  }

  /** The first size is taken at once. */
  protected override resized(): void {
    if (this.size.peek() === "") this.takeSize();
    else this.sized.call();
  }

  itemAt(x: number, y: number): number | null {
    const index = this.index.peek();
    if (!index) return null;
    const { width, height } = this.surface.size;
    const tile = tileAt(index, (x * index.width) / width, (y * index.height) / height);
    return tile < 0 ? null : tile;
  }

  functionOf(tile: number) {
    const picture = this.index.peek()?.picture;
    return picture?.functions[picture.tiles.function[tile]!] ?? null;
  }

  tipOf(tile: number) {
    const { picture } = this.index.peek()!;
    return costTip(picture, picture.tiles, tile);
  }

  /** Makes the function of a tile the root; a tile that is the root already goes out. */
  open(tile: number): void {
    const fn = this.functionOf(tile);
    const roots = this.roots.peek();
    if (!fn) return;
    if (roots[roots.length - 1] === fn.id) return this.goOut();
    this.roots.set([...roots, fn.id]);
    this.context.announce(`treemap of ${oneLine(fn.label, 80)}`);
  }

  placeOf(tile: number): { x: number; y: number } {
    const index = this.index.peek()!;
    const { x, y } = index.picture.tiles;
    const { width, height } = this.surface.size;
    return { x: (x[tile]! * width) / index.width + 12, y: (y[tile]! * height) / index.height + 12 };
  }

  cursor(): number | null {
    return this.tile < 0 ? null : this.tile;
  }

  setCursor(tile: number | null): void {
    this.tile = tile ?? -1;
    this.surface.repaint();
  }

  private addControls(): void {
    const { controls } = this;
    controls.choice("show", this.direction, [["callees", "callees inside callers"], ["callers", "callers inside callees"]]);
    const out = button("out", () => this.goOut(), { title: "one function out (Backspace)" });
    const whole = button("whole program", () => this.roots.set([]));
    const scale = differenceScale();
    controls.add(out);
    controls.add(whole);
    controls.add(scale);
    controls.run(() => {
      out.disabled = whole.disabled = this.roots.get().length === 0;
      scale.hidden = !this.index.get()?.picture.tiles.change.length;
    });
  }

  private goOut(): void {
    this.roots.set(this.roots.peek().slice(0, -1));
    this.context.announce("one function out");
  }

  private takeSize(): void {
    const { width, height } = this.surface.size;
    if (width > 0 && height > 0) this.size.set(`${width} ${height}`);
  }

  /** Asks for the tiles; tracks what they depend on. */
  protected load(): void {
    const { context } = this;
    const scope = context.scope();
    const direction = this.direction.get();
    const root = this.roots.get().filter((id) => typeof id === "number").pop() ?? null;
    const [width = 0, height = 0] = this.size.get().split(" ").map(Number);
    if (width === 0 || height === 0) return;
    this.loader.load(
      (abort) => context.ask<TreemapPicture>({ ask: "treemap", scope, direction, root, width, height }, abort),
      (picture) => untracked(() => {
        paletteOf(context).add(picture.functions.map((fn) => fn.colour_key));
        this.tile = -1;
        const index = treemapIndex(picture, width, height);
        this.index.set(index);
        this.surface.say(picture.tiles.function.length === 0 ? picture.empty || emptyReason(context.about, scope, "treemap") : "");
        this.surface.note(noteText(picture.estimated, picture.remarks));
        context.hidden(picture.hidden);
        this.table.update(() => costTwin(`Treemap of ${picture.event.title ?? picture.event.name}`, "tiles", picture, picture.tiles, index.depth));
      }),
    );
  }

  protected key(event: KeyboardEvent): boolean {
    const index = this.index.peek();
    if (!index) return false;
    const move = arrowMove(event);
    if (move) return this.moveTo(moveTile(index, this.tile, move));
    const isOut = event.key === "Backspace" || event.key === "Escape";
    const hasModifier = event.ctrlKey || event.altKey || event.metaKey || event.shiftKey;
    if (isOut && !hasModifier && this.roots.peek().length > 0) {
      this.goOut();
      return true;
    }
    return itemKey(event, this.surface, this.context, this);
  }

  private moveTo(tile: number): boolean {
    if (tile >= 0) {
      this.setCursor(tile);
      announceItem(this.context, this, tile);
    }
    return true;
  }
}
