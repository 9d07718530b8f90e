// The flame graph: top-down, bottom-up, or callers and callees of the active function (sandwich).

import type { FlamePicture, Question, Scope } from "../../api/types.ts";
import { computed, signal, untracked } from "../../core/signal.ts";
import {
  type FlameIndex, type FlameLayer, type FlameViewport, type FramePlace,
  firstFrame, flameIndex, frameAt, lineOf, moveFrame, rowCount, shownSpan,
} from "../../derive/flame.ts";
import { emptyReason } from "../../derive/empty.ts";
import { followPath, pathOf } from "../../derive/tree.ts";
import { drawFlame } from "../../draw/flame.ts";
import type { Theme } from "../../derive/theme.ts";
import type { View, ViewContext } from "../view.ts";
import { differenceScale } from "./controls.ts";
import { costTip, costTwin, noteText } from "./flame-tip.ts";
import { paletteOf } from "./palettes.ts";
import { PictureMount } from "./picture.ts";
import { announceItem, arrowMove, itemKey } from "./pointer.ts";
import type { SurfaceSize } from "./surface.ts";

const ROW_HEIGHT = 19;

type Mode = "callees" | "callers" | "sandwich";

export const flameView: View = {
  id: "flame",
  title: "Flame graph",
  key: "f",
  fits: (about) => about.kind === "profile" || about.kind === "comparison",
  mount: (context) => new FlameMount(context),
};

class FlameMount extends PictureMount<FramePlace> {
  private readonly mode;
  private readonly growsUp;
  /** The zoomed frame: number of the layer, then the ids of the functions from the root to it. */
  private readonly zoom;
  /** One picture, or those of callers and callees. */
  private readonly pictures = signal<FlameIndex[]>([]);
  private readonly layers = computed(() => this.makeLayers());
  private place: FramePlace | null = null;

  constructor(context: ViewContext) {
    super(context, {
      label: "Flame graph",
      keys: "Arrow keys move between frames, Enter zooms in, Escape zooms out, m shows the menu. The table button shows the same data as a table.",
      scrolls: true,
    });
    this.mode = context.option<Mode>("mode", "callees");
    this.growsUp = context.option("up", false);
    this.zoom = context.option<number[]>("zoom", []);
    this.addControls();
    this.start(
      () => {
        this.layers.get();
        untracked(() => this.layOut());
      },
      () => {
        // The roots are what to see first.
        const up = this.growsUp.get();
        untracked(() => (this.surface.scrollTop = up ? rowCount(this.layers.peek()) * ROW_HEIGHT : 0));
      },
    );
  }

  protected paint(canvas: CanvasRenderingContext2D, size: SurfaceSize, theme: Theme): void {
    const layers = this.layers.peek();
    const difference = layers.some((layer) => layer.index.picture.frames.change.length > 0);
    const cursor = this.hasFocus() ? this.place : null;
    drawFlame(canvas, { layers, view: { ...this.viewport(), ratio: size.ratio }, marks: this.marks(), palette: paletteOf(this.context), cursor, difference }, theme);
  }

  protected override resized(): void {
    this.layOut();
  }

  itemAt(x: number, y: number): FramePlace | null {
    return frameAt(this.layers.peek(), this.viewport(), x, y);
  }

  functionOf({ layer, frame }: FramePlace) {
    const picture = this.layers.peek()[layer]?.index.picture;
    return picture?.functions[picture.frames.function[frame]!] ?? null;
  }

  tipOf({ layer, frame }: FramePlace) {
    const { picture } = this.layers.peek()[layer]!.index;
    return costTip(picture, picture.frames, frame);
  }

  /** Zooms into a frame; the zoomed frame itself zooms out to its parent. */
  open({ layer, frame }: FramePlace): void {
    const at = this.layers.peek()[layer]!;
    const { parent } = at.index.picture.frames;
    const next = at.zoom === frame ? parent[frame]! : frame;
    const path = pathOf(parent, next, (node) => this.idOf(at.index, node));
    // The whole and a root that is as wide as the whole look the same.
    const isWhole = next < 0 || (path.length === 1 && at.index.rows[0]!.length === 1);
    this.place = { layer, frame };
    this.zoom.set(isWhole ? [] : [layer, ...path]);
    this.context.announce(isWhole ? "the whole picture" : `zoomed, ${path.length} levels deep`);
  }

  placeOf(place: FramePlace): { x: number; y: number } {
    const layer = this.layers.peek()[place.layer]!;
    const span = shownSpan(layer);
    const start = (layer.index.picture.frames.start[place.frame]! - span.start) / span.share;
    const view = this.viewport();
    return { x: Math.max(0, start * view.width) + 8, y: (lineOf(this.layers.peek(), place) + 1) * ROW_HEIGHT - view.scrollTop };
  }

  cursor(): FramePlace | null {
    return this.place;
  }

  setCursor(place: FramePlace | null): void {
    this.place = place;
    this.surface.repaint();
  }

  private addControls(): void {
    const { controls } = this;
    controls.choice<Mode>("show", this.mode, [["callees", "top-down"], ["callers", "bottom-up"], ["sandwich", "callers and callees (sandwich)"]])
      .addEventListener("change", () => this.zoom.set([]));
    controls.toggle("grow upwards", this.growsUp);
    const scale = differenceScale();
    controls.add(scale);
    controls.run(() => {
      scale.hidden = !this.pictures.get().some((index) => index.picture.frames.change.length > 0);
    });
  }

  /** Asks for the pictures; tracks what they depend on. */
  protected load(): void {
    const { context } = this;
    const scope = context.scope();
    const mode = this.mode.get();
    const root = mode === "sandwich" ? context.active.get() : null;
    if (mode === "sandwich" && root === null) {
      this.loader.cancel();
      untracked(() => this.show([], scope, "Choose a function: a sandwich shows the callers and callees of the active function."));
      return;
    }
    const question = (direction: "callees" | "callers"): Question => ({ ask: "flame", scope, direction, root });
    const directions: ("callees" | "callers")[] = mode === "sandwich" ? ["callers", "callees"] : [mode];
    this.loader.load(
      (abort) => Promise.all(directions.map((direction) => context.ask<FlamePicture>(question(direction), abort))),
      (pictures) => this.show(pictures, scope, emptyReason(context.about, scope, "flame graph")),
    );
  }

  /** Shows the pictures; `reason` says why there is nothing if they are empty. */
  private show(pictures: FlamePicture[], scope: Scope, reason: string): void {
    paletteOf(this.context).add(pictures.flatMap((picture) => picture.functions.map((fn) => fn.colour_key)));
    this.place = null;
    const isEmpty = pictures.every((picture) => picture.frames.function.length === 0);
    this.pictures.set(pictures.map(flameIndex));
    const known = pictures.map((picture) => picture.empty).find((text) => text !== "");
    this.surface.say(isEmpty ? (known ?? reason) : "");
    const remarks = pictures.flatMap((picture) => picture.remarks);
    const isFlat = this.context.about.profile?.has_calls === false && !isEmpty;
    const flat = isFlat ? "This profile has no calls, so all frames are on one level." : "";
    const note = noteText(pictures.some((picture) => picture.estimated), remarks);
    this.surface.note([flat, note].filter((text) => text !== "").join(" · "));
    const hidden = new Set(pictures.map((picture) => picture.hidden).filter((text) => text !== ""));
    this.context.hidden([...hidden].join("; "));
    const last = pictures[pictures.length - 1];
    if (last) this.table.update(() => costTwin(`Flame graph of ${scope.event ?? last.event.title ?? last.event.name}`, "frames", last, last.frames, last.frames.depth));
    if (this.growsUp.peek()) this.surface.scrollTop = rowCount(this.layers.peek()) * ROW_HEIGHT;
  }

  private makeLayers(): FlameLayer[] {
    const pictures = this.pictures.get();
    const [zoomed = -1, ...path] = this.zoom.get().filter((id) => typeof id === "number");
    const zoomOf = (layer: number) => {
      const index = pictures[layer]!;
      return zoomed === layer ? followPath(index.children, path, (node) => this.idOf(index, node)) : -1;
    };
    const [first, second] = pictures;
    if (first && second) {
      // The callers are above the line of the active function, the callees below it.
      const base = Math.max(0, first.rows.length - 1);
      return [
        { index: first, base, sign: -1, from: 1, zoom: zoomOf(0) },
        { index: second, base, sign: 1, from: 0, zoom: zoomOf(1) },
      ];
    }
    if (!first) return [];
    const up = this.growsUp.get();
    return [{ index: first, base: up ? Math.max(0, first.rows.length - 1) : 0, sign: up ? -1 : 1, from: 0, zoom: zoomOf(0) }];
  }

  private idOf(index: FlameIndex, frame: number): number {
    const { functions, frames } = index.picture;
    return functions[frames.function[frame]!]?.id ?? -1;
  }

  private viewport(): FlameViewport {
    const { width, height } = this.surface.size;
    // Flames that grow up stand on the lower edge.
    const layers = this.layers.peek();
    const space = layers.length === 1 && layers[0]!.sign < 0 ? Math.max(0, height - rowCount(layers) * ROW_HEIGHT) : 0;
    return { width, height, scrollTop: Math.round(this.surface.scrollTop) - space, rowHeight: ROW_HEIGHT };
  }

  /** Brings scroll height and position up to date with the layers. */
  private layOut(): void {
    const layers = this.layers.peek();
    this.surface.setContentHeight(rowCount(layers) * ROW_HEIGHT);
    const zoomed = layers.findIndex((layer) => layer.zoom >= 0);
    if (zoomed >= 0) this.reveal({ layer: zoomed, frame: layers[zoomed]!.zoom }, this.surface.size.height / 3);
    this.surface.repaint();
  }

  /** Scrolls if a frame is not visible, so that `room` pixels are between it and the edge. */
  private reveal(place: FramePlace, room: number = ROW_HEIGHT): void {
    const top = lineOf(this.layers.peek(), place) * ROW_HEIGHT;
    const { height } = this.surface.size;
    if (top < this.surface.scrollTop) this.surface.scrollTop = top - room;
    else if (top + ROW_HEIGHT > this.surface.scrollTop + height) this.surface.scrollTop = top + ROW_HEIGHT + room - height;
  }

  protected key(event: KeyboardEvent): boolean {
    const move = arrowMove(event);
    if (move) {
      const next = this.place ? moveFrame(this.layers.peek(), this.place, move) : firstFrame(this.layers.peek());
      if (next) {
        this.setCursor(next);
        this.reveal(next);
        announceItem(this.context, this, next);
      }
      return true;
    }
    if (event.key === "Escape" && this.zoom.peek().length > 0) {
      this.zoom.set([]);
      this.context.announce("the whole picture");
      return true;
    }
    return itemKey(event, this.surface, this.context, this);
  }
}
