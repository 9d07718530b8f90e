// The runs of a measurement as a plot: in the order in which they were made, or as a distribution. Dragging selects
// runs; what is selected is described below, and is never a verdict.

import type { Question, RunSelection, RunsAnswer } from "../../api/types.ts";
import { button, fill, h } from "../../core/dom.ts";
import { effect, signal, untracked } from "../../core/signal.ts";
import { type Brush, type RunPlot, type RunPlotKind, nearestPoint, runPlot, runText, selectionOf } from "../../derive/runs.ts";
import { drawRuns } from "../../draw/runs.ts";
import { Controls } from "../pictures/controls.ts";
import { Loader } from "../pictures/loader.ts";
import { listenToKeys } from "../pictures/pointer.ts";
import { Surface } from "../pictures/surface.ts";
import { tipText } from "../pictures/tooltip.ts";
import { Twin } from "../pictures/twin.ts";
import { textTable } from "../shared/stringtable.ts";
import { ROW_HEIGHT } from "../shared/table.ts";
import type { MountedView, View, ViewContext } from "../view.ts";
import { programLegend, runsTwin } from "./runs-text.ts";

export const runsView: View = {
  id: "runs",
  title: "Runs",
  key: "u",
  fits: (about) => about.kind === "bench",
  mount: (context) => new RunsMount(context),
};

const NONE: ReadonlySet<number> = new Set();

class RunsMount implements MountedView {
  readonly element: HTMLElement;
  readonly options: HTMLElement;
  readonly twin: HTMLElement;
  private readonly surface: Surface;
  private readonly loader: Loader;
  private readonly table = new Twin(() => undefined);
  private readonly controls = new Controls();
  private readonly legend = h("div", { class: "runs-legend" });
  private readonly statistics = h("div", { class: "runs-statistics" });
  private readonly kind;
  private readonly metric;
  /** The selected runs, the same in all panes. */
  private readonly selection;
  private readonly metrics = signal<readonly string[]>([]);
  private readonly ends: (() => void)[] = [];
  private answer: RunsAnswer | null = null;
  private plot: RunPlot | null = null;
  private cursor = -1;
  private hover = -1;
  private brush: Brush | null = null;
  /** Whether the last drag caught no run. */
  private isNothingCaught = false;
  /** The run at which a selection by keys began. */
  private anchor = -1;

  constructor(private readonly context: ViewContext) {
    this.kind = context.option<RunPlotKind>("plot", "order");
    this.metric = context.option("metric", "");
    this.selection = context.shared.runs;
    this.surface = new Surface({
      label: "Runs",
      keys: "Left and right move between runs, up and down between programs, Home goes to the first; Shift with left or right selects runs, Escape clears the selection. The table button shows the same data as a table.",
      scrolls: false,
      paint: (canvas, { width, height }, theme) => {
        if (!this.answer || !this.plot) return canvas.clearRect(0, 0, width, height);
        const cursor = document.activeElement === this.surface.canvas ? this.cursor : -1;
        drawRuns(canvas, { plot: this.plot, answer: this.answer, width, height, cursor, hover: this.hover, brush: this.brush, marked: this.marked() }, theme);
      },
      resized: () => this.place(),
    });
    this.loader = new Loader(this.surface);
    this.element = h("div", { class: "runs" }, this.legend, this.surface.element, this.statistics);
    this.twin = this.table.element;
    this.options = this.controls.element;
    this.controls.choice<RunPlotKind>("plot", this.kind, [["order", "in run order"], ["distribution", "distribution"]]);
    this.addMetrics();
    this.listen();
    this.ends.push(
      effect(() => this.load()),
      effect(() => {
        this.kind.get();
        this.place();
      }),
      effect(() => {
        this.context.shared.marked.get();
        untracked(() => this.showMarked());
      }),
    );
  }

  resize(): void {
    this.surface.measure();
  }

  dispose(): void {
    for (const end of this.ends) end();
    this.loader.cancel();
    this.table.dispose();
    this.controls.dispose();
    this.surface.dispose();
  }

  private addMetrics(): void {
    const select = h("select", { attrs: { "aria-label": "metric" } });
    select.addEventListener("change", () => this.metric.set(select.value));
    this.controls.add(h("label", {}, "metric", select));
    this.controls.run(() => {
      fill(select, ...this.metrics.get().map((name) => h("option", { attrs: { value: name } }, name)));
      select.value = this.metric.get() || (this.answer?.metric ?? "");
    });
  }

  /** Asks for the runs; tracks what they depend on. */
  private load(): void {
    const question: Question = { ask: "runs", metric: this.metric.get() || null, selection: this.selection.get() };
    this.loader.load((abort) => this.context.ask<RunsAnswer>(question, abort), (answer) => this.show(answer));
  }

  private show(answer: RunsAnswer): void {
    this.answer = answer;
    this.metrics.set(answer.metrics);
    this.surface.note(answer.remarks.map((remark) => remark.message).join(" · "));
    this.surface.say(answer.ticks.length === 0 ? `No run has a value of ${answer.metric}.` : "");
    this.showStatistics(answer);
    this.showMarked();
    this.place();
  }

  /** Statistics of the selection if there is one, else of all runs; the caption says which. */
  private showStatistics(answer: RunsAnswer): void {
    const shown = answer.selected ?? answer.all;
    const table = textTable(shown.caption, shown.columns, shown.rows);
    table.element.style.height = `${Math.min(shown.rows.length, 8) * ROW_HEIGHT + 26}px`;
    table.element.hidden = shown.rows.length === 0;
    const clear = answer.selected ? button("Clear selection", () => this.clear(), { title: "Esc" }) : null;
    this.statistics.classList.toggle("selection", answer.selected !== null);
    const nothing = this.isNothingCaught ? h("strong", {}, "No run is in the selection.") : null;
    fill(this.statistics, h("div", { class: "runs-caption", role: "status" }, nothing, h("span", {}, shown.caption), clear), table.element);
    table.resize();
  }

  /** The runs that the finding is about which was chosen last. */
  private marked(): ReadonlySet<number> {
    const place = this.context.shared.marked.peek();
    return place?.document === this.context.document.id ? place.runs : NONE;
  }

  /** Legend, table and picture say which runs a finding is about. */
  private showMarked(): void {
    const { answer } = this;
    if (!answer) return;
    const marked = this.marked();
    fill(this.legend, ...programLegend(answer, this.surface.currentTheme(), marked.size));
    this.table.update(() => runsTwin(answer, marked));
    this.surface.repaint();
  }

  private place(): void {
    const { width, height } = this.surface.size;
    this.plot = this.answer ? runPlot(this.answer, this.kind.peek(), width, height) : null;
    this.hover = -1;
    if (this.plot && this.cursor >= this.plot.points.length) this.cursor = -1;
    this.surface.repaint();
  }

  /** Says that a drag caught nothing, until the next choice. */
  private caught(isSome: boolean): void {
    const isNothing = !isSome;
    if (this.isNothingCaught === isNothing) return;
    this.isNothingCaught = isNothing;
    if (this.answer) this.showStatistics(this.answer);
  }

  private clear(): void {
    this.anchor = -1;
    if (this.selection.peek() !== null) this.context.announce("selection cleared");
    this.selection.set(null);
  }

  private select(selection: RunSelection | null): void {
    this.caught(selection !== null);
    if (!selection) {
      this.clear();
      this.context.announce("no run is in the selection");
      return;
    }
    this.selection.set(selection);
    this.context.announce(`selected runs ${selection.first} to ${selection.last}${selection.low === null ? "" : ", by value"}`);
  }

  private listen(): void {
    const { canvas } = this.surface;
    canvas.addEventListener("pointerdown", (event) => {
      if (event.button !== 0 || !this.plot) return;
      canvas.setPointerCapture(event.pointerId);
      this.brush = { x0: event.offsetX, y0: event.offsetY, x1: event.offsetX, y1: event.offsetY };
      this.surface.tooltip.show(null);
    });
    canvas.addEventListener("pointermove", (event) => this.pointed(event));
    canvas.addEventListener("pointerup", () => this.dropped());
    canvas.addEventListener("pointercancel", () => {
      this.brush = null;
      this.surface.repaint();
    });
    canvas.addEventListener("pointerleave", () => {
      this.hover = -1;
      this.surface.tooltip.show(null);
      this.surface.repaint();
    });
    for (const name of ["focus", "blur"] as const) canvas.addEventListener(name, () => this.surface.repaint());
    listenToKeys(canvas, (event) => this.key(event));
  }

  private pointed(event: PointerEvent): void {
    if (!this.plot || !this.answer) return;
    if (this.brush && event.buttons > 0) {
      this.brush = { ...this.brush, x1: event.offsetX, y1: event.offsetY };
      return this.surface.repaint();
    }
    this.hover = nearestPoint(this.plot, event.offsetX, event.offsetY);
    const point = this.plot.points[this.hover];
    this.surface.tooltip.show(point ? runText(this.answer, this.answer.runs[point.run]!) : null, event.clientX, event.clientY);
    this.surface.repaint();
  }

  /** A drag selects; a click moves the cursor, and beside all runs clears the selection. */
  private dropped(): void {
    const { brush, plot, answer } = this;
    this.brush = null;
    if (!brush || !plot || !answer) return;
    if (Math.abs(brush.x1 - brush.x0) >= 4) this.select(selectionOf(plot, answer, brush));
    else {
      const at = nearestPoint(plot, brush.x0, brush.y0);
      this.caught(true);
      if (at < 0) this.clear();
      else this.moveTo(at);
    }
    this.surface.repaint();
  }

  private key(event: KeyboardEvent): boolean {
    if (event.ctrlKey || event.metaKey || event.altKey || !this.plot) return false;
    if (event.key === "Escape" && this.isNothingCaught) {
      this.caught(true);
      return true;
    }
    if (event.key === "Escape" && this.selection.peek() !== null) {
      this.clear();
      return true;
    }
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (step !== undefined) this.step(step, event.shiftKey);
    else if (event.key === "ArrowUp" || event.key === "ArrowDown") this.otherProgram();
    else if (event.key === "Home" || event.key === "End") this.moveTo(event.key === "Home" ? 0 : this.plot.points.length - 1);
    else return false;
    return true;
  }

  private step(step: number, extends_: boolean): void {
    const { points } = this.plot!;
    const next = this.cursor < 0 ? 0 : Math.min(points.length - 1, Math.max(0, this.cursor + step));
    if (extends_ && this.anchor < 0) this.anchor = Math.max(0, this.cursor);
    this.moveTo(next);
    if (!extends_) {
      this.anchor = -1;
      return;
    }
    const [from, to] = [points[this.anchor]!, points[next]!];
    const y = this.plot!.area.top;
    this.select(selectionOf(this.plot!, this.answer!, { x0: from.x, y0: y, x1: to.x, y1: y }));
  }

  /** Goes to the nearest run of the next program. */
  private otherProgram(): void {
    const { points } = this.plot!;
    const { runs, programs } = this.answer!;
    const here = points[Math.max(0, this.cursor)];
    if (!here) return;
    const program = (runs[here.run]!.program + 1) % programs.length;
    let best = -1;
    points.forEach((point, index) => {
      const isNearer = best < 0 || Math.abs(point.x - here.x) < Math.abs(points[best]!.x - here.x);
      if (runs[point.run]!.program === program && isNearer) best = index;
    });
    if (best >= 0) this.moveTo(best);
  }

  private moveTo(point: number): void {
    this.cursor = point;
    const run = this.answer?.runs[this.plot?.points[point]?.run ?? -1];
    if (this.answer && run) this.context.announce(tipText(runText(this.answer, run)));
    this.surface.repaint();
  }
}
