// The call graph: the costliest functions and calls, or those around one function.

import type { FunctionTable, GraphPicture, Question, Scope } from "../../api/types.ts";
import { button } from "../../core/dom.ts";
import { signal, untracked } from "../../core/signal.ts";
import { type Box, type Camera, boxOf, edgeAt, firstCamera, fitCamera, keepInView, moveNode, nodeAt, revealBox, zoomAt } from "../../derive/graph.ts";
import { emptyReason } from "../../derive/empty.ts";
import { formatShare, oneLine } from "../../derive/text.ts";
import { drawGraph } from "../../draw/graph.ts";
import type { Theme } from "../../derive/theme.ts";
import type { View, ViewContext } from "../view.ts";
import { differenceScale } from "./controls.ts";
import { noteText } from "./flame-tip.ts";
import { type GraphItem, graphTip, graphTwin } from "./graph-text.ts";
import { paletteOf } from "./palettes.ts";
import { PictureMount } from "./picture.ts";
import { announceItem, arrowMove, itemKey } from "./pointer.ts";
import type { SurfaceSize } from "./surface.ts";

/** Pixels that the pointer may move during a click. */
const CLICK = 4;
const STEP = 1.25;
const SHARES: [number, string][] = [[0, "0 %"], [0.001, "0.1 %"], [0.005, "0.5 %"], [0.01, "1 %"], [0.02, "2 %"], [0.05, "5 %"], [0.1, "10 %"]];
const COUNTS: [number, string][] = [20, 40, 80, 120, 200].map((count) => [count, String(count)]);

export const graphView: View = {
  id: "graph",
  title: "Call graph",
  key: "g",
  fits: (about) => about.kind === "profile" || about.kind === "comparison",
  mount: (context) => new GraphMount(context),
};

class GraphMount extends PictureMount<GraphItem> {
  /** The id of the function in the centre; -1 for the whole program. */
  private readonly centre;
  private readonly minShare;
  private readonly count;
  private readonly picture = signal<GraphPicture | null>(null);
  /** Null until the user moves the picture. */
  private camera: Camera | null = null;
  /** Whether the user asked to see the whole graph. */
  private isFitted = false;
  private node = -1;
  private edge = -1;
  private drag: { x: number; y: number; from: Camera; moved: boolean } | null = null;

  constructor(context: ViewContext) {
    super(context, {
      label: "Call graph",
      keys: "Down and up go to the costliest callee and caller, left and right to neighbours; Enter shows the graph around a function, plus, minus and 0 zoom, m shows the menu. The table button shows the same data as a table.",
      scrolls: false,
    });
    this.centre = context.option("function", -1);
    this.minShare = context.option("share", 0.01);
    this.count = context.option("nodes", 80);
    this.addControls();
    this.listenToDrag();
    this.start(
      () => {
        const active = context.active.get();
        untracked(() => this.revealFunction(active));
      },
      () => {
        const [picture, active] = [this.picture.get(), context.active.get()];
        const isShown = active === null || !picture || picture.nodes.some((node) => node.function?.id === active);
        const hint = isShown ? "" : "The active function is not among the functions shown.";
        this.surface.note([hint, noteText(false, picture?.remarks ?? [])].filter((text) => text !== "").join(" · "));
      },
      () => {
        this.picture.get();
        this.surface.repaint();
      },
    );
  }

  protected paint(canvas: CanvasRenderingContext2D, size: SurfaceSize, theme: Theme): void {
    const picture = this.picture.peek();
    if (!picture) return canvas.clearRect(0, 0, size.width, size.height);
    const cursor = this.hasFocus() ? this.node : -1;
    const comparison = this.context.about.kind === "comparison";
    drawGraph(canvas, { picture, camera: this.cameraNow(picture), size, ratio: size.ratio, marks: this.marks(), palette: paletteOf(this.context), cursor, edge: this.edge, comparison }, theme);
  }

  itemAt(x: number, y: number): GraphItem | null {
    const picture = this.picture.peek();
    if (!picture) return null;
    const node = nodeAt(picture, this.cameraNow(picture), x, y);
    if (node >= 0) return { node };
    const edge = edgeAt(picture, this.cameraNow(picture), x, y);
    return edge >= 0 ? { edge } : null;
  }

  functionOf(item: GraphItem) {
    return "node" in item ? (this.picture.peek()?.nodes[item.node]?.function ?? null) : null;
  }

  tipOf(item: GraphItem) {
    return graphTip(this.picture.peek()!, item);
  }

  /** Shows the graph around a function. */
  open(item: GraphItem): void {
    const fn = this.functionOf(item);
    if (!fn || fn.id === this.centre.peek()) return;
    this.centre.set(fn.id);
    this.context.announce(`call graph around ${oneLine(fn.label, 80)}`);
  }

  placeOf(item: GraphItem): { x: number; y: number } {
    const picture = this.picture.peek()!;
    const { x, y, scale } = this.cameraNow(picture);
    const box = boxOf(picture.nodes["node" in item ? item.node : 0]!);
    return { x: box.x * scale + x + 8, y: (box.y + box.height) * scale + y };
  }

  cursor(): GraphItem | null {
    return this.node < 0 ? null : { node: this.node };
  }

  setCursor(item: GraphItem | null): void {
    this.node = item && "node" in item ? item.node : -1;
    this.surface.repaint();
  }

  hovered(item: GraphItem | null): void {
    const edge = item && "edge" in item ? item.edge : -1;
    if (edge === this.edge) return;
    this.edge = edge;
    this.surface.repaint();
  }

  private addControls(): void {
    const { controls } = this;
    controls.choice("calls from", this.minShare, SHARES).title = "calls and functions below this share of the whole are hidden";
    controls.choice("at most", this.count, COUNTS).title = "number of functions";
    const around = button("around the active function", () => this.centre.set(this.context.active.peek() ?? -1));
    const whole = button("whole program", () => this.centre.set(-1));
    const fit = button("fit", () => this.setCamera(null), { title: "show the whole graph (0)" });
    const scale = differenceScale();
    for (const element of [around, whole, fit, scale]) controls.add(element);
    controls.run(() => {
      scale.hidden = !this.picture.get()?.nodes.some((node) => node.change !== null);
    });
    controls.run(() => {
      const [centre, active] = [this.centre.get(), this.context.active.get()];
      whole.disabled = centre < 0;
      around.disabled = active === null || active === centre;
    });
  }

  /** Asks for the graph; tracks what it depends on. */
  protected load(): void {
    const { context } = this;
    const scope = context.scope();
    const centre = this.centre.get();
    const [min_share, nodes] = [this.minShare.get(), this.count.get()];
    this.loader.load(
      async (abort) => {
        const picture = await context.ask<GraphPicture>({ ask: "graph", scope, function: centre < 0 ? null : centre, min_share, nodes }, abort);
        const reason = picture.nodes.length > 0 ? "" : picture.empty || (await this.emptyText(scope, min_share, abort));
        return { picture, reason };
      },
      ({ picture, reason }) => untracked(() => {
        paletteOf(context).add(picture.nodes.map((node) => node.function?.colour_key ?? ""));
        this.camera = null;
        this.isFitted = false;
        this.edge = -1;
        this.picture.set(picture);
        const wanted = centre < 0 ? context.active.peek() : centre;
        this.node = picture.nodes.findIndex((node) => node.function?.id === wanted);
        this.surface.say(reason);
        context.hidden(picture.hidden);
        this.table.update(() => graphTwin(picture));
        this.revealFunction(context.active.peek());
      }),
    );
  }

  /** Why there are no boxes: the threshold, if there are functions at all. */
  private async emptyText(scope: Scope, share: number, abort: AbortSignal): Promise<string> {
    const { about } = this.context;
    const reason = emptyReason(about, scope, "call graph");
    const { profile } = about;
    const event = scope.event ?? profile?.default_event ?? "";
    const addsUp = profile?.events.find((type) => type.name === event)?.adds_up ?? true;
    if (share === 0 || !profile?.has_calls || !addsUp) return reason;
    const question: Question = { ask: "functions", scope, events: [event], sort: "self", ascending: false, filter: "", group: null, within: null, offset: 0, limit: 1 };
    const table = await this.context.ask<FunctionTable>(question, abort).catch(() => null);
    if (!table?.rows.some((row) => row.costs[0] && (row.costs[0].inclusive ?? row.costs[0].self).value !== 0)) return reason;
    return `No function has at least ${SHARES.find(([value]) => value === share)?.[1] ?? formatShare(share)} of the whole; lower the threshold.`;
  }

  private cameraNow(picture: GraphPicture): Camera {
    if (this.camera) return this.camera;
    if (this.isFitted) return fitCamera(picture, this.surface.size);
    const main = picture.nodes[this.node] ?? picture.nodes[moveNode(picture, -1, "home")];
    return firstCamera(picture, this.surface.size, main ? boxOf(main) : null);
  }

  /** Null fits the whole graph, also after a resize. */
  private setCamera(camera: Camera | null): void {
    const picture = this.picture.peek();
    this.isFitted = camera === null;
    this.camera = camera && picture ? keepInView(camera, picture, this.surface.size) : camera;
    this.surface.repaint();
  }

  private revealFunction(id: number | null): void {
    const picture = this.picture.peek();
    const node = picture?.nodes.find((other) => id !== null && other.function?.id === id);
    if (picture && node && this.surface.size.width > 0) this.camera = this.revealed(picture, boxOf(node));
    this.surface.repaint();
  }

  /** The camera that shows a box; null, as before, if the picture need not move. */
  private revealed(picture: GraphPicture, box: Box): Camera | null {
    const camera = this.cameraNow(picture);
    const next = revealBox(camera, box, this.surface.size, 4);
    return next.x === camera.x && next.y === camera.y ? this.camera : next;
  }

  private listenToDrag(): void {
    const { canvas } = this.surface;
    canvas.addEventListener("pointerdown", (event) => {
      const picture = this.picture.peek();
      if (event.button !== 0 || !picture) return;
      this.drag = { x: event.clientX, y: event.clientY, from: this.cameraNow(picture), moved: false };
    });
    canvas.addEventListener("pointermove", (event) => {
      const { drag } = this;
      if (!drag || event.buttons !== 1) return;
      const [dx, dy] = [event.clientX - drag.x, event.clientY - drag.y];
      if (!drag.moved && Math.hypot(dx, dy) > CLICK) {
        drag.moved = true;
        canvas.setPointerCapture(event.pointerId);
      }
      if (drag.moved) this.setCamera({ ...drag.from, x: drag.from.x + dx, y: drag.from.y + dy });
    });
    // The end of a drag is no click.
    canvas.addEventListener("click", (event) => {
      if (this.drag?.moved) event.stopImmediatePropagation();
      this.drag = null;
    });
    canvas.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
  }

  private wheel(event: WheelEvent): void {
    const picture = this.picture.peek();
    if (!picture) return;
    event.preventDefault();
    const camera = this.cameraNow(picture);
    const unit = event.deltaMode === 1 ? 20 : 1;
    if (event.ctrlKey || event.metaKey) {
      this.setCamera(zoomAt(camera, event.offsetX, event.offsetY, Math.exp(-event.deltaY * unit * 0.004)));
    } else {
      const [dx, dy] = event.shiftKey && event.deltaX === 0 ? [event.deltaY, 0] : [event.deltaX, event.deltaY];
      this.setCamera({ ...camera, x: camera.x - dx * unit, y: camera.y - dy * unit });
    }
  }

  protected key(event: KeyboardEvent): boolean {
    const picture = this.picture.peek();
    if (!picture) return false;
    const move = arrowMove(event);
    if (move) {
      const next = moveNode(picture, this.node, move);
      if (next >= 0) this.moveTo(picture, next);
      return true;
    }
    if (event.ctrlKey || event.metaKey || event.altKey) return itemKey(event, this.surface, this.context, this);
    const { width, height } = this.surface.size;
    const zoom = (factor: number) => this.setCamera(zoomAt(this.cameraNow(picture), width / 2, height / 2, factor));
    if (event.key === "+" || event.key === "=") zoom(STEP);
    else if (event.key === "-") zoom(1 / STEP);
    else if (event.key === "0") this.setCamera(null);
    else if (event.key === "Escape" && this.centre.peek() >= 0) this.centre.set(-1);
    else return itemKey(event, this.surface, this.context, this);
    return true;
  }

  private moveTo(picture: GraphPicture, node: number): void {
    this.node = node;
    this.camera = this.revealed(picture, boxOf(picture.nodes[node]!));
    this.surface.repaint();
    announceItem(this.context, this, { node });
  }
}
