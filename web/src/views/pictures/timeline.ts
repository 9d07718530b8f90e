// The time-line of a trace: locations as lanes, regions, waits, messages, the critical path; beside
// it the severities of a metric by call path, the statistics of the window, or the call stack at a point.

import { NO_STACKS } from "../../api/exported.ts";
import type { MomentAnswer, Timeline, TimelineBar, TraceAbout, WaitRow } from "../../api/types.ts";
import { h } from "../../core/dom.ts";
import { effect, signal, untracked } from "../../core/signal.ts";
import { type TimeWindow, limitWindow } from "../../derive/time-window.ts";
import { type RegionPlace, type TimelineViewport, hasVisibleLanes, keptRegion, laneHeight, laneOfLocation, lanesToAsk, yOfLane } from "../../derive/timeline.ts";
import { AXIS_HEIGHT, drawTimeline } from "../../draw/timeline.ts";
import { type Bar, barOf } from "../../state/bar.ts";
import type { MountedView, View, ViewContext } from "../view.ts";
import { CallPaths } from "./call-paths.ts";
import { Controls } from "./controls.ts";
import { Loader, debounced } from "./loader.ts";
import { MomentPanel, type Point } from "./moment.ts";
import { StatisticsPanel } from "./statistics.ts";
import { Surface } from "./surface.ts";
import { TimelineInput } from "./timeline-input.ts";
import { timelineTables } from "./timeline-table.ts";
import { legendEntries, regionTip } from "./timeline-text.ts";
import { Twin } from "./twin.ts";
import { WaitJump } from "./wait-jump.ts";

/** A question that takes longer than this is dropped when the window moves on. */
const STALE = 400;
const COMMIT = 250;
/** Zooming and moving that goes on within this time is one step of Back. */
const ONE_STEP = 1500;
/** More locations than this can be merged into fewer lanes. */
const FEW = 24;
const NARROW = 900;
/** The size for which the table asks while the picture is hidden. */
const HIDDEN_SIZE = { width: 1000, height: 600 };

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
  private readonly statistics: StatisticsPanel;
  private readonly moment: MomentPanel;
  readonly waits: WaitJump;
  /** The chosen point. */
  private readonly point;
  /** The bar that was outlined when the point was chosen: another one is newer than the point. */
  private readonly pointOver;
  /** Names of the locations whose lanes have been shown. */
  private readonly names = new Map<number, string>();
  private readonly controls = new Controls();
  private readonly legend = h("div", { class: "pic-legend" });
  readonly messages;
  private readonly merge;
  /** Whether the pane shows the tables. */
  private readonly isTable;
  private readonly beside;
  private readonly commit = debounced(() => this.commitWindow(), COMMIT);
  private readonly ends: (() => void)[] = [];
  private isOutdated = false;
  /** What the picture is an answer to, but for the lanes. */
  private asked = "";
  private committedAt = -Infinity;

  constructor(readonly context: ViewContext) {
    this.trace = context.about.trace ?? { runtime: 0, ticks_per_second: 1e9, locations: [], metrics: [] };
    this.messages = context.option("messages", true);
    this.merge = context.option("merge", false);
    this.isTable = context.option("twin", false);
    this.beside = context.option<string>("beside", "paths");
    this.point = context.option<Point | null>("point", null);
    this.pointOver = context.option<Bar | null>("pointOver", null);
    this.surface = new Surface({
      label: "Time-line",
      keys: "Left and right move in time, up and down scroll the locations, plus and minus zoom, 0 shows the whole run; with shift the arrows move between regions, Enter zooms into a region, Escape goes back to the window before, space shows the call stack of a region; n and shift n lead to the next and previous wait. The table button shows the same data as a table.",
      scrolls: true,
      paint: (canvas, size, theme) => {
        const picture = this.picture.peek();
        if (!picture) return canvas.clearRect(0, 0, size.width, size.height);
        const cursor = document.activeElement === this.surface.canvas ? this.cursor : null;
        const { selection } = this;
        const bar = context.shared.bar.peek();
        const point = this.point.peek();
        drawTimeline(canvas, { picture, view: this.viewport(), cursor, selection, bar, point, showMessages: this.messages.peek() }, theme);
      },
      resized: () => this.layOut(),
      scrolled: () => this.refresh(),
      themeChanged: () => this.showLegend(),
    });
    this.loader = new Loader(this.surface);
    this.surface.element.append(this.legend);
    this.paths = new CallPaths(context, this.trace.metrics, (window, bar) => this.showPlace(window, bar));
    this.statistics = new StatisticsPanel(context, this.window, this.trace.runtime, () => this.locations());
    this.moment = new MomentPanel(context, this.point);
    this.element = h("div", { class: "pic-split" }, this.surface.element, this.paths.element, this.statistics.element, this.moment.element);
    this.table = new Twin(() => undefined);
    this.twin = this.table.element;
    this.options = this.controls.element;
    this.controls.toggle("messages", this.messages);
    if (this.trace.locations.length > FEW) this.controls.toggle("merge lanes", this.merge);
    this.controls.choice("beside", this.beside, [["paths", "call paths"], ["statistics", "statistics"], ["moment", "call stack"], ["nothing", "nothing"]]);
    this.waits = new WaitJump(context, this.trace.runtime, this.waitPlace(), this.controls);
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
    this.statistics.dispose();
    this.moment.dispose();
    this.waits.dispose();
    this.table.dispose();
    this.controls.dispose();
    this.surface.dispose();
  }

  viewport(): TimelineViewport {
    const { width, height } = this.surface.size.width > 0 ? this.surface.size : HIDDEN_SIZE;
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

  /** Shows another window; the history follows when it stands still. */
  show(window: TimeWindow): void {
    this.setWindow(window);
    this.commit.call();
  }

  /** Shows another window at once, as a step of its own. */
  showNow(window: TimeWindow): void {
    this.setWindow(window);
    this.commit.cancel();
    this.committedAt = -Infinity;
    this.commitWindow();
    this.committedAt = -Infinity;
  }

  /** Shows a window with an outlined bar, as a step of its own. The call stack follows if it is shown and `point` is given. */
  private showPlace([from, to]: [number, number], bar: TimelineBar | null, point: Point | null = null): void {
    this.context.navigate(() => {
      if (point && this.beside.peek() === "moment") this.point.set(point);
      this.pointOver.set(null);
      this.context.shared.bar.set(bar ? barOf(bar) : null);
      this.context.shared.window.set([from, to]);
    });
  }

  /** Chooses a point. Its call stack takes the place of the call paths; statistics stay, and those of one location become
   * those of this one. */
  choosePoint(location: number, at: number): void {
    const { exported } = this.context;
    this.context.navigate(() => {
      this.point.set([location, at]);
      this.pointOver.set(this.context.shared.bar.peek());
      if (this.beside.peek() === "paths" && !exported) this.beside.set("moment");
      if (this.beside.peek() === "statistics") this.statistics.follow(location);
    });
    if (exported) this.remark(NO_STACKS);
    else if (this.beside.peek() !== "moment") this.remark(`${this.nameOf(location)} is chosen. Choose “call stack” at “beside” to see its calls at this time.`);
    else this.surface.note("");
  }

  /** Says why a lane of several locations has no call stack. */
  refuseMerged(count: number): void {
    this.remark(`This lane is merged from ${count} locations, so it has no call stack. Turn “merge lanes” off for a lane of each location.`);
  }

  /** Shows a text below the picture, and reads it out. */
  private remark(text: string): void {
    this.surface.note(text);
    this.context.announce(text);
  }

  private nameOf(location: number): string {
    return this.names.get(location) ?? `location ${location}`;
  }

  clearMarks(): boolean {
    const { bar } = this.context.shared;
    if (bar.peek() === null && this.point.peek() === null) return false;
    bar.set(null);
    this.point.set(null);
    return true;
  }

  /** What happens at a point, exactly. */
  askMoment(location: number, at: number, abort: AbortSignal): Promise<MomentAnswer> {
    return this.context.ask<MomentAnswer>({ ask: "moment", location, at }, abort);
  }

  /** Locations whose lanes have been shown, and that of the chosen point. */
  private locations(): (readonly [number, string])[] {
    const ids = new Set(this.names.keys());
    const point = this.point.peek();
    if (point) ids.add(point[0]);
    return [...ids].sort((a, b) => a - b).map((id) => [id, this.nameOf(id)] as const);
  }

  private waitPlace() {
    const { surface } = this;
    return {
      busy: (isBusy: boolean) => surface.busy(isBusy),
      say: (text: string) => surface.say(text),
      fail: (text: string, retry: (() => void) | null) => (retry ? surface.fail(text, retry) : this.remark(text)),
      remark: (text: string) => surface.note(text),
      choice: () => {
        const [bar, over] = [this.context.shared.bar.peek(), this.pointOver.peek()];
        return { bar, point: this.point.peek(), isPointNewer: bar !== null && over !== null && bar.every((part, i) => part === over[i]), window: this.window.peek() };
      },
      location: () => this.point.peek()?.[0] ?? null,
      found: (wait: WaitRow, window: [number, number], text: string) => {
        this.showPlace(window, wait.bar, [wait.bar.location, wait.begin.seconds]);
        this.context.announce(text);
        surface.note(text);
      },
    };
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
        const beside = this.beside.get();
        this.paths.element.hidden = beside !== "paths";
        this.statistics.element.hidden = beside !== "statistics";
        this.moment.element.hidden = beside !== "moment";
        if (beside === "statistics") untracked(() => this.statistics.refresh());
      }),
      ...[this.messages, this.point].map((drawn) => effect(() => {
        drawn.get();
        this.surface.repaint();
      })),
      effect(() => {
        const bar = context.shared.bar.get();
        const picture = this.picture.get();
        untracked(() => this.revealBar(bar, picture));
      }),
      effect(() => {
        // A text about what was outlined before is not about what is outlined now.
        context.shared.bar.get();
        this.surface.note("");
      }),
      ...[this.isTable, this.merge].map((option) => effect(() => {
        option.get();
        this.surface.note("");
        untracked(() => this.refresh());
      })),
    ];
  }

  /** Takes the window over into the address. Changes that follow each other closely are one step that Back undoes. */
  private commitWindow(): void {
    const { from, to } = this.window.peek();
    const isWhole = from === 0 && to >= this.trace.runtime;
    const set = () => this.context.shared.window.set(isWhole ? null : [from, to]);
    const now = performance.now();
    if (now - this.committedAt < ONE_STEP) set();
    else this.context.navigate(set);
    this.committedAt = now;
  }

  private revealed: unknown = null;

  /** Scrolls to the outlined bar once. */
  private revealBar(bar: readonly [number, number, number, number] | null, picture: Timeline | null): void {
    this.surface.repaint();
    if (!bar || !picture || this.revealed === bar) return;
    this.revealed = bar;
    this.revealLane(laneOfLocation(picture, bar[0], bar[1]));
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
    const { from, to } = view.window;
    const merge = this.merge.peek();
    const table = this.isTable.peek();
    const asked = [from, to, columns, merge, table].join(" ");
    const picture = this.picture.peek();
    if (picture && asked === this.asked && (merge || hasVisibleLanes(picture, view))) return this.settle();
    const { askedAt } = this.loader;
    if (askedAt !== null && performance.now() - askedAt < STALE) {
      this.isOutdated = true;
      return;
    }
    const lanes = lanesToAsk(view, this.laneCount(), merge);
    this.isOutdated = false;
    this.loader.load(
      (abort) => this.context.ask<Timeline>({ ask: "timeline", from, to, columns, lanes: lanes.count, first_lane: lanes.first, merge, table }, abort),
      (picture) => {
        this.asked = asked;
        this.take(picture);
      },
    );
  }

  /** The picture is that of the window: what was asked for or missing meanwhile does not matter. */
  private settle(): void {
    this.isOutdated = false;
    if (this.loader.askedAt !== null) this.loader.cancel();
    this.surface.clearMissing();
  }

  private take(picture: Timeline): void {
    const before = this.picture.peek();
    this.cursor = this.cursor && before && keptRegion(before, picture, this.cursor);
    const isRelaid = picture.lane_count !== this.laneCount();
    for (const lane of picture.lanes) if (lane.locations.length === 1) this.names.set(lane.locations[0]!, lane.name);
    this.picture.set(picture);
    if (isRelaid) this.surface.setContentHeight(AXIS_HEIGHT + picture.lane_count * this.viewport().laneHeight);
    const isEmpty = picture.lanes.every((lane) => lane.from.length === 0);
    this.surface.say(isEmpty ? "No region is active in this part of the run. Press 0 to see the whole run." : "");
    this.context.hidden(picture.hidden);
    this.table.updateAll(() => timelineTables(picture));
    this.showLegend();
    this.surface.repaint();
    if (this.isOutdated) this.refresh();
  }

  private showLegend(): void {
    const picture = this.picture.peek();
    if (picture) this.legend.replaceChildren(...legendEntries(picture, this.surface.currentTheme()));
  }
}
