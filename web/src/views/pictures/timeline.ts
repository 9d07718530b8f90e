// The time-line of a trace: locations as lanes, regions, waits, messages, the critical path; beside
// it the severities of a metric by call path.

import type { Timeline, TraceAbout } from "../../api/types.ts";
import { h } from "../../core/dom.ts";
import { effect, signal, untracked } from "../../core/signal.ts";
import { type TimeWindow, limitWindow } from "../../derive/time-window.ts";
import { type RegionPlace, type TimelineViewport, laneHeight, lanesToAsk, yOfLane } from "../../derive/timeline.ts";
import { AXIS_HEIGHT, drawTimeline } from "../../draw/timeline.ts";
import type { MountedView, View, ViewContext } from "../view.ts";
import { CallPaths } from "./call-paths.ts";
import { Controls } from "./controls.ts";
import { Loader, debounced } from "./loader.ts";
import { Surface } from "./surface.ts";
import { TimelineInput } from "./timeline-input.ts";
import { legendEntries, regionTip, timelineTwin } from "./timeline-text.ts";
import { Twin } from "./twin.ts";

/** A question that takes longer than this is dropped when the window moves on. */
const STALE = 400;
const COMMIT = 250;
const NARROW = 900;

export const timelineView: View = {
  id: "timeline",
  title: "Time-line",
  key: "l",
  fits: (about) => about.kind === "trace",
  mount: (context) => new TimelineMount(context),
};

export class TimelineMount implements MountedView {
  readonly element: HTMLElement;
  readonly options: HTMLElement;
  readonly twin: HTMLElement;
  readonly surface: Surface;
  readonly trace: TraceAbout;
  /** The window that is shown; the shared one follows when it stands still. */
  readonly window = signal<TimeWindow>({ from: 0, to: 1 });
  readonly picture = signal<Timeline | null>(null);
  cursor: RegionPlace | null = null;
  /** Sides of the span that is being selected, in pixels. */
  selection: readonly [number, number] | null = null;
  private readonly loader: Loader;
  private readonly table: Twin;
  private readonly paths: CallPaths;
  private readonly controls = new Controls();
  private readonly legend = h("div", { class: "pic-legend" });
  private readonly messages;
  private readonly showPaths;
  private readonly commit = debounced(() => this.commitWindow(), COMMIT);
  private readonly ends: (() => void)[] = [];
  private isOutdated = false;

  constructor(readonly context: ViewContext) {
    this.trace = context.about.trace ?? { runtime: 0, locations: [], metrics: [] };
    this.messages = context.option("messages", true);
    this.showPaths = context.option("paths", true);
    this.surface = new Surface({
      label: "Time-line",
      keys: "Left and right move in time, up and down scroll the locations, plus and minus zoom, 0 shows the whole run; with shift the arrows move between regions, Enter zooms into a region. The table button shows the same data as a table.",
      scrolls: true,
      paint: (canvas, size, theme) => {
        const picture = this.picture.peek();
        if (!picture) return canvas.clearRect(0, 0, size.width, size.height);
        const cursor = document.activeElement === this.surface.canvas ? this.cursor : null;
        const { selection } = this;
        drawTimeline(canvas, { picture, view: this.viewport(), cursor, selection, showMessages: this.messages.peek() }, theme);
      },
      resized: () => this.layOut(),
      scrolled: () => this.refresh(),
      themeChanged: () => this.showLegend(),
    });
    this.loader = new Loader(this.surface);
    this.surface.element.append(this.legend);
    this.paths = new CallPaths(context, this.trace.metrics, (window) => this.show({ from: window[0], to: window[1] }));
    this.element = h("div", { class: "pic-split" }, this.surface.element, this.paths.element);
    this.table = new Twin(() => undefined);
    this.twin = this.table.element;
    this.options = this.controls.element;
    this.controls.toggle("messages", this.messages);
    this.controls.toggle("call paths", this.showPaths);
    new TimelineInput(this);
    const split = new ResizeObserver(() => this.element.classList.toggle("narrow", this.element.clientWidth < NARROW));
    split.observe(this.element);
    this.ends.push(() => split.disconnect());
    this.ends.push(...this.effects());
  }

  resize(): void {
    this.surface.measure();
  }

  dispose(): void {
    for (const end of this.ends) end();
    this.commit.cancel();
    this.loader.cancel();
    this.paths.dispose();
    this.table.dispose();
    this.controls.dispose();
    this.surface.dispose();
  }

  viewport(): TimelineViewport {
    const { width, height } = this.surface.size;
    const lanes = this.laneCount();
    const names = this.picture.peek()?.lanes.map((lane) => lane.name) ?? this.trace.locations;
    const longest = names.reduce((most, name) => Math.max(most, Math.min(30, name.length)), 0);
    const left = Math.min(Math.round(width / 4), longest * 7 + 12);
    const room = height - AXIS_HEIGHT;
    return { width, height, left, top: AXIS_HEIGHT, laneHeight: laneHeight(room, lanes), scrollTop: this.surface.scrollTop, window: this.window.peek() };
  }

  /** The number of lanes, of which the picture has some; fewer than locations if the server merges them. */
  private laneCount(): number {
    return this.picture.peek()?.lane_count ?? this.trace.locations.length;
  }

  /** Shows another window. */
  show(window: TimeWindow): void {
    this.setWindow(window);
    this.commit.call();
  }

  private setWindow(window: TimeWindow): void {
    const now = this.window.peek();
    const next = limitWindow(window, this.trace.runtime);
    if (next.from !== now.from || next.to !== now.to) this.window.set(next);
  }

  /** Scrolls as little as shows a lane. */
  revealLane(lane: number): void {
    const view = this.viewport();
    const y = yOfLane(view, lane);
    if (y < view.top) this.surface.scrollTop -= view.top - y;
    else if (y + view.laneHeight > view.height) this.surface.scrollTop += y + view.laneHeight - view.height;
  }

  tip(place: RegionPlace) {
    return regionTip(this.picture.peek()!, place, this.window.peek());
  }

  private effects(): (() => void)[] {
    const { context } = this;
    return [
      effect(() => {
        const [from, to] = context.shared.window.get() ?? [0, this.trace.runtime];
        untracked(() => {
          // A window that this pane has moved on from is not taken over.
          this.commit.cancel();
          this.setWindow({ from, to });
        });
      }),
      effect(() => {
        this.window.get();
        untracked(() => this.refresh());
      }),
      effect(() => {
        this.messages.get();
        this.surface.repaint();
      }),
      effect(() => {
        this.paths.element.hidden = !this.showPaths.get();
      }),
    ];
  }

  private commitWindow(): void {
    const { from, to } = this.window.peek();
    const isWhole = from === 0 && to >= this.trace.runtime;
    this.context.shared.window.set(isWhole ? null : [from, to]);
  }

  private layOut(): void {
    const view = this.viewport();
    this.surface.setContentHeight(AXIS_HEIGHT + this.laneCount() * view.laneHeight);
    this.refresh();
  }

  /** Asks for the picture of the window. While an answer is awaited, the next question waits for it,
   * unless it takes long: a wheel that turns must not abort every question. */
  private refresh(): void {
    this.surface.repaint();
    const view = this.viewport();
    const columns = Math.round(view.width - view.left);
    if (columns < 1 || this.trace.locations.length === 0) return;
    const { askedAt } = this.loader;
    if (askedAt !== null && performance.now() - askedAt < STALE) {
      this.isOutdated = true;
      return;
    }
    const { from, to } = view.window;
    const lanes = lanesToAsk(view, this.trace.locations.length, this.laneCount());
    this.isOutdated = false;
    this.loader.load(
      (abort) => this.context.ask<Timeline>({ ask: "timeline", from, to, columns, lanes: lanes.count, first_lane: lanes.first }, abort),
      (picture) => this.take(picture),
    );
  }

  private take(picture: Timeline): void {
    if (this.cursor && !sameExtent(this.picture.peek(), picture)) this.cursor = null;
    const isRelaid = picture.lane_count !== this.laneCount();
    this.picture.set(picture);
    if (isRelaid) this.surface.setContentHeight(AXIS_HEIGHT + picture.lane_count * this.viewport().laneHeight);
    const isEmpty = picture.lanes.every((lane) => lane.from.length === 0);
    this.surface.say(isEmpty ? "No region is active in this part of the run. Press 0 to see the whole run." : "");
    this.context.hidden(picture.hidden);
    this.table.update(() => timelineTwin(picture));
    this.showLegend();
    this.surface.repaint();
    if (this.isOutdated) this.refresh();
  }

  private showLegend(): void {
    const picture = this.picture.peek();
    if (picture) this.legend.replaceChildren(...legendEntries(picture, this.surface.currentTheme()));
  }
}

/** Whether places in one picture are places in the other. */
function sameExtent(a: Timeline | null, b: Timeline): boolean {
  return a !== null && a.begin === b.begin && a.end === b.end && a.columns === b.columns;
}
