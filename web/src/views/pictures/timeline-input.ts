// Pointer, wheel and keys of a time-line.

import { type TimeWindow, isSameWindow, panWindow, zoomWindow } from "../../derive/time-window.ts";
import { locationAt, locationsAt, messageAt, moveRegion, regionAt, timeOfColumn, timeOfX } from "../../derive/timeline.ts";
import { barHeight } from "../../draw/timeline.ts";
import { momentTip } from "./moment.ts";
import { arrowMove, listenToKeys } from "./pointer.ts";
import type { TimelineMount } from "./timeline.ts";
import { messageTip } from "./timeline-text.ts";
import { tipText } from "./tooltip.ts";

const STEP = 1.5;
/** Shorter drags are clicks. */
const CLICK = 4;
/** The pointer rests so long before exact times are asked for, in milliseconds. */
const REST = 120;
/** The height of the overview bar that can be dragged. */
const OVERVIEW = 10;

type Drag = { kind: "select" | "pan" | "overview"; x: number; from: number };

export class TimelineInput {
  private drag: Drag | null = null;
  private rest = 0;
  private question: AbortController | null = null;
  /** The windows before and after each zoom into a region, for the way back. */
  private zooms: { before: TimeWindow; after: TimeWindow }[] = [];

  constructor(private readonly view: TimelineMount) {
    const { canvas } = view.surface;
    canvas.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
    canvas.addEventListener("pointerdown", (event) => this.down(event));
    canvas.addEventListener("pointermove", (event) => this.move(event));
    canvas.addEventListener("pointerup", (event) => this.up(event));
    canvas.addEventListener("pointercancel", () => this.stop());
    canvas.addEventListener("pointerleave", () => this.leave());
    canvas.addEventListener("dblclick", (event) => this.zoomToRegion(event.offsetX, event.offsetY));
    for (const name of ["focus", "blur"] as const) canvas.addEventListener(name, () => view.surface.repaint());
    listenToKeys(canvas, (event) => this.key(event));
    for (const beside of [view.options, view.element]) beside.addEventListener("keydown", (event) => this.keyBeside(event));
  }

  private get runtime(): number {
    return this.view.trace.runtime;
  }

  /** Zooms at the pointer; sideways and with shift it pans. Over the names the lanes scroll. */
  private wheel(event: WheelEvent): void {
    const view = this.view.viewport();
    if (event.offsetX < view.left || event.altKey) return;
    event.preventDefault();
    // What the tooltip is about moves away below it.
    this.view.surface.tooltip.show(null);
    const unit = event.deltaMode === 1 ? 20 : 1;
    const window = this.view.window.peek();
    const sideways = event.shiftKey && event.deltaX === 0 ? event.deltaY : event.deltaX;
    if (Math.abs(sideways) > Math.abs(event.deltaY) || event.shiftKey) {
      this.view.show(panWindow(window, (sideways * unit) / (view.width - view.left), this.runtime));
      return;
    }
    const share = (event.offsetX - view.left) / (view.width - view.left);
    this.view.show(zoomWindow(window, share, Math.exp(-event.deltaY * unit * 0.003), this.runtime));
  }

  /** Hides the tooltip, and forgets what was asked for it. */
  private leave(): void {
    clearTimeout(this.rest);
    this.question?.abort();
    this.view.surface.tooltip.show(null);
  }

  /** Shows what the picture knows about a point, and the exact times when the pointer rests. */
  private hover(event: PointerEvent): void {
    const { view: mount } = this;
    const { surface } = mount;
    const [view, picture] = [mount.viewport(), mount.picture.peek()];
    this.leave();
    surface.canvas.style.cursor = event.offsetX < view.left ? "" : event.offsetY < OVERVIEW ? "grab" : "crosshair";
    if (!picture) return;
    const message = mount.messages.peek() ? messageAt(view, picture, [event.offsetX, event.offsetY], barHeight(view) / 2) : null;
    if (message) return surface.tooltip.show(messageTip(picture, message, mount.trace.ticks_per_second), event.clientX, event.clientY);
    const place = regionAt(view, picture, event.offsetX, event.offsetY);
    if (place) surface.tooltip.show(mount.tip(place), event.clientX, event.clientY);
    const location = locationAt(view, picture, event.offsetY);
    if (location === null || event.offsetX < view.left) return;
    const at = timeOfX(view, event.offsetX);
    this.rest = window.setTimeout(() => void this.askExact(location, at, event), REST);
  }

  private async askExact(location: number, at: number, { clientX, clientY }: PointerEvent): Promise<void> {
    const question = new AbortController();
    this.question = question;
    try {
      const tip = momentTip(await this.view.askMoment(location, at, question.signal));
      if (tip && !question.signal.aborted) this.view.surface.tooltip.show(tip, clientX, clientY);
    } catch {
      // The tip of the picture stays; the panel shows why there is no exact answer.
    }
  }

  private down(event: PointerEvent): void {
    this.leave();
    const view = this.view.viewport();
    if (event.button > 1 || event.offsetX < view.left) return;
    const kind = event.offsetY < OVERVIEW ? "overview" : event.shiftKey || event.button === 1 ? "pan" : "select";
    this.drag = { kind, x: event.offsetX, from: this.view.window.peek().from };
    this.view.surface.canvas.setPointerCapture(event.pointerId);
    if (kind === "overview") this.move(event);
  }

  private move(event: PointerEvent): void {
    const { drag, view: mount } = this;
    const { surface } = mount;
    const view = mount.viewport();
    if (!drag) return this.hover(event);
    surface.tooltip.show(null);
    const length = view.window.to - view.window.from;
    const room = view.width - view.left;
    const x = Math.min(view.width, Math.max(view.left, event.offsetX));
    if (drag.kind === "select") {
      mount.selection = Math.abs(x - drag.x) > CLICK ? [drag.x, x] : null;
      surface.repaint();
    } else if (drag.kind === "pan") {
      const from = drag.from - ((event.offsetX - drag.x) / room) * length;
      mount.show(panWindow({ from, to: from + length }, 0, this.runtime));
    } else {
      const from = ((event.offsetX - view.left) / room) * this.runtime - length / 2;
      mount.show(panWindow({ from, to: from + length }, 0, this.runtime));
    }
  }

  private up(event: PointerEvent): void {
    const { selection } = this.view;
    const view = this.view.viewport();
    if (selection) {
      const times = selection.map((x) => timeOfX(view, x)).sort((a, b) => a - b);
      this.view.showNow({ from: times[0]!, to: times[1]! });
    } else if (this.drag?.kind === "select") {
      const picture = this.view.picture.peek();
      this.view.cursor = picture && regionAt(view, picture, event.offsetX, event.offsetY);
      const locations = picture ? locationsAt(view, picture, event.offsetY) : [];
      if (locations.length === 1) this.view.choosePoint(locations[0]!, timeOfX(view, event.offsetX));
      else if (locations.length > 1) this.view.refuseMerged(locations.length);
    }
    this.stop();
  }

  private stop(): void {
    this.drag = null;
    this.view.selection = null;
    this.view.surface.repaint();
  }

  private zoomToRegion(x: number, y: number): void {
    const picture = this.view.picture.peek();
    this.view.cursor = picture && regionAt(this.view.viewport(), picture, x, y);
    this.zoomToCursor();
  }

  /** Shows the region with the focus, with a tenth of its length on both sides. */
  private zoomToCursor(): void {
    const { cursor } = this.view;
    const picture = this.view.picture.peek();
    const lane = cursor && picture ? picture.lanes[cursor.lane - picture.first_lane] : undefined;
    if (!cursor || !picture || !lane) return;
    const [from, to] = [lane.from[cursor.item]!, lane.to[cursor.item]!].map((column) => timeOfColumn(picture, column)) as [number, number];
    const margin = (to - from) / 10;
    const before = this.view.window.peek();
    this.view.showNow({ from: from - margin, to: to + margin });
    const after = this.view.window.peek();
    if (!isSameWindow(before, after)) this.zooms.push({ before, after });
  }

  /** Goes back from the last zoom into a region, if its window is still shown. */
  private zoomBack(): boolean {
    const last = this.zooms.pop();
    if (last && isSameWindow(last.after, this.view.window.peek())) {
      this.view.showNow(last.before);
      return true;
    }
    this.zooms = [];
    return false;
  }

  /** Keys of the time-line also work where its buttons and tables have the focus, unless they mean something there. */
  private keyBeside(event: KeyboardEvent): void {
    const { target } = event;
    if (event.defaultPrevented || target === this.view.surface.canvas || !(target instanceof HTMLElement)) return;
    if (target.matches("select, input:not([type=checkbox])") || event.key === "Enter" || event.key === " ") return;
    // Arrows move in tables and scroll them.
    if (event.key.startsWith("Arrow") && !target.matches("button, input")) return;
    if (!this.key(event)) return;
    event.preventDefault();
    event.stopPropagation();
  }

  private key(event: KeyboardEvent): boolean {
    if (event.ctrlKey || event.metaKey || event.altKey) return false;
    const { view } = this;
    const window = view.window.peek();
    this.leave();
    if (event.shiftKey && event.key.startsWith("Arrow")) return this.moveCursor(event.key.slice(5).toLowerCase() as "up");
    const move = arrowMove(event);
    if (move === "left" || move === "right") view.show(panWindow(window, move === "left" ? -0.2 : 0.2, this.runtime));
    else if (move === "up" || move === "down") view.surface.scrollTop += (move === "up" ? -2 : 2) * view.viewport().laneHeight;
    else if (event.key === "+" || event.key === "=") view.show(zoomWindow(window, 0.5, STEP, this.runtime));
    else if (event.key === "-") view.show(zoomWindow(window, 0.5, 1 / STEP, this.runtime));
    else if (event.key === "0") view.show({ from: 0, to: this.runtime });
    else if (event.key === "n" || event.key === "N") view.waits.go(event.key === "N");
    else if (event.key === "Enter" && view.cursor) this.zoomToCursor();
    else if (event.key === " ") this.pointAtCursor();
    else return event.key === "Escape" && this.escape();
    return true;
  }

  /** Takes back one thing: a span that is being selected, a zoom into a region, the focus of a region, marks. */
  private escape(): boolean {
    const { view } = this;
    if (view.selection || this.zoomBack()) {
      this.stop();
      return true;
    }
    if (!view.cursor && !view.clearMarks()) return false;
    view.cursor = null;
    this.stop();
    return true;
  }

  /** Shows the call stack in the middle of the region with the focus. */
  private pointAtCursor(): void {
    const { cursor } = this.view;
    const picture = this.view.picture.peek();
    const lane = cursor && picture ? picture.lanes[cursor.lane - picture.first_lane] : undefined;
    if (!cursor || !picture || !lane) return this.view.context.announce("no region has the focus: shift and an arrow key choose one");
    if (lane.locations.length !== 1) return this.view.refuseMerged(lane.locations.length);
    this.view.choosePoint(lane.locations[0]!, timeOfColumn(picture, (lane.from[cursor.item]! + lane.to[cursor.item]!) / 2));
  }

  private moveCursor(move: "up" | "down" | "left" | "right"): boolean {
    const { view } = this;
    const picture = view.picture.peek();
    const next = picture && moveRegion(picture, view.cursor, move);
    if (next) {
      view.cursor = next;
      view.revealLane(next.lane);
      view.context.announce(tipText(view.tip(next)));
      view.surface.repaint();
    }
    return true;
  }
}
