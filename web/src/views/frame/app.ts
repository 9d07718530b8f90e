// What the parts of the frame share: the client, the state, and what one can do. The parts
// (top bar, panes, findings, status line) know `App` and not each other.

import type { Client } from "../../api/client.ts";
import type { About, DocumentState, EventType, FindingRow, FunctionName, FunctionTable, Question, Restated, Scope } from "../../api/types.ts";
import { ConnectionError, describe, isOutdated } from "../../core/errors.ts";
import { computed, effect, signal, type Signal } from "../../core/signal.ts";
import type { Address } from "../../state/address.ts";
import { barOf } from "../../state/bar.ts";
import { defaultLayout } from "../../state/defaults.ts";
import { closePane, freshPaneId, MAX_PANES, panesOf, replacePane, splitPane, type Layout } from "../../state/layout.ts";
import type { Preferences } from "../../state/preferences.ts";
import type { State } from "../../state/state.ts";
import { VIEWS } from "../list.ts";
import { copyText } from "../shared/clipboard.ts";
import type { FigurePlace, MarkedRuns, ReadyDocument, View } from "../view.ts";

/** Why there are no answers until the user reads the file again. */
const CHANGED = "the file has changed since it was read, so nothing more can be answered about what is shown: Reload reads it again";

/** Views that choose event types and parts; an exported page has one choice only. */
const CHOOSING: ReadonlySet<string> = new Set(["events", "parts"]);

export class App {
  /** The text that is read out next. */
  readonly announcement = signal("");
  /** What thresholds hide, by pane. */
  readonly hidden = signal<ReadonlyMap<string, string>>(new Map());
  /** The pane that had the focus last; new panes open beside it. */
  readonly focusedPane = signal<string | null>(null);
  /** The key of the finding whose evidence is shown. */
  readonly finding = signal<string | null>(null);
  /** The figure with its evidence. */
  readonly figure = signal<FigurePlace | null>(null);
  /** The runs that are its evidence. */
  readonly marked = signal<MarkedRuns | null>(null);
  /** Whether its explanation is open. */
  readonly explain = signal(false);

  /** Whether the fields for focus, ignore and hide are shown though none is set. */
  readonly filtersOpen = signal(false);
  /** The totals of event types in the last scope that a table of functions was asked for. */
  private readonly totals = signal<{ key: string; totals: ReadonlyMap<string, string> }>({ key: "", totals: new Map() });
  /** The event types that the user defined, with their totals in the scope, by name. */
  readonly ownEvents = signal<ReadonlyMap<string, EventType>>(new Map());
  /** What comparisons say with the renames that the user accepted, instead of what they said without; by document. */
  readonly restated = signal<ReadonlyMap<number, RestatedDocument>>(new Map());
  /** The pane that was opened last for a view that no pane had. */
  private opened: string | null = null;
  /** A document that was asked for and is not in the session yet. */
  expected: number | null = null;

  constructor(
    readonly client: Client,
    readonly state: State,
    readonly address: Address,
    readonly preferences: Preferences,
  ) {}

  /** All documents, with what they say now. */
  readonly documents = computed<readonly DocumentState[]>(() => {
    const documents = this.client.session.get()?.documents ?? [];
    const restated = this.restated.get();
    return documents.map((document) => restate(document, restated.get(document.id)));
  });

  /** The shown document in any stage. */
  readonly document = computed(() => {
    const id = this.state.document.get();
    return this.documents.get().find((d) => d.id === id) ?? null;
  });

  /** The shown document if it is ready. */
  readonly ready = computed<ReadyDocument | null>(() => {
    const document = this.document.get();
    return document?.stage.stage === "ready" ? (document as ReadyDocument) : null;
  });

  readonly about = computed<About | null>(() => this.ready.get()?.stage.about ?? null);

  /** The views that can show the document. */
  readonly views = computed<readonly View[]>(() => {
    const about = this.about.get();
    return about ? VIEWS.filter((view) => view.fits(about) && !(this.client.exported && CHOOSING.has(view.id))) : [];
  });

  readonly layout = computed<Layout | null>(() => {
    const about = this.about.get();
    if (!about) return null;
    const chosen = this.state.layout.get();
    if (chosen) return chosen;
    // A layout saved with another file may have views that this one has no data for.
    const fitting = new Set(this.views.get().map((view) => view.id));
    const saved = this.preferences.layoutFor(about.kind);
    return saved && panesOf(saved).every((leaf) => fitting.has(leaf.view)) ? saved : defaultLayout(about);
  });

  /** Asks about the shown document. Without a connection the question waits for it. */
  async ask<T>(question: Question, abort: AbortSignal): Promise<T> {
    const document = this.ready.peek();
    if (!document) throw new Error("no document is open");
    for (;;) {
      try {
        const answer = await this.client.ask<T>(document.id, document.stage.revision, question, abort);
        if (question.ask === "functions") this.keepTotals(document, question.scope, answer as FunctionTable);
        return answer;
      } catch (error) {
        if (isOutdated(error) && this.ready.peek()?.outdated) throw new Error(CHANGED);
        if (!(error instanceof ConnectionError)) throw error;
        await connected(this.client.connection, abort);
      }
    }
  }

  /** What the numbers of the document are about, if the scope is another one: "all parts, no filter"; else "" (tracked
   * read). */
  wholeOf(): string {
    const { parts, focus, ignore, hide } = this.state.scope.get();
    const profile = this.about.get()?.profile;
    if (!profile || [parts, focus, ignore, hide].every((choice) => choice === null)) return "";
    return profile.parts.every((part) => part.chosen) ? "all parts, no filter" : "default parts, no filter";
  }

  /** The total of an event type in the scope, or that of the whole profile with a mark (tracked read). */
  totalOf(event: EventType): string {
    const whole = this.wholeOf();
    const { key, totals } = this.totals.get();
    const document = this.ready.get();
    if (whole === "") return event.total;
    const own = document && key === totalsKey(document, this.state.scope.get()) ? totals.get(event.name) : undefined;
    return own ?? (event.total === "" ? "" : `${event.total} (${whole})`);
  }

  /** The total in the scope; in a comparison "old → new" where both are known (tracked read). */
  totalsOf(event: EventType): string {
    const isOwn = this.ownEvents.get().get(event.name) === event;
    const total = isOwn ? event.total : this.totalOf(event);
    // Old totals of the file's event types are those of the whole profile.
    const old = isOwn || this.wholeOf() === "" ? event.old_total : null;
    return old && total !== "" ? `${old} → ${total}` : total;
  }

  private keepTotals(document: ReadyDocument, scope: Scope, answer: FunctionTable): void {
    const key = totalsKey(document, scope);
    const before = this.totals.peek();
    const known = before.key === key ? before.totals : new Map<string, string>();
    if (before.key === key && answer.events.every((event) => known.get(event.name) === event.total)) return;
    this.totals.set({ key, totals: new Map([...known, ...answer.events.map((event) => [event.name, event.total] as const)]) });
  }

  /** Opens files and shows them. */
  async openFiles(paths: string[], compare: boolean): Promise<void> {
    const { document } = await this.client.open(paths, compare);
    this.expected = document;
    this.showDocument(document);
  }

  showDocument(id: number | null): void {
    this.finding.set(null);
    this.address.navigate(() => this.state.show(id));
  }

  activate(id: number, name: string): void {
    if (this.state.active.peek() === id) return;
    this.address.navigate(() => this.setActive(id, name, null));
    this.announce(`active function: ${name.slice(0, 200)}`);
  }

  setActive(id: number | null, name: string, line: number | null): void {
    this.state.active.set(id);
    this.state.activeName.set(name);
    this.state.line.set(line);
    this.state.lineFile.set(null);
  }

  toggleSelected(id: number): void {
    const selected = new Set(this.state.selected.peek());
    if (!selected.delete(id)) selected.add(id);
    this.state.selected.set(selected);
  }

  /** Shows a view in a pane that has it, else in a new pane; the pane gets the focus. */
  openView(view: string, id?: number, name = ""): void {
    const layout = this.layout.peek();
    if (!layout || !this.views.peek().some((v) => v.id === view)) return;
    this.address.navigate(() => {
      if (id !== undefined && id !== this.state.active.peek()) this.setActive(id, name, null);
      const there = panesOf(layout).find((leaf) => leaf.view === view);
      this.focusedPane.set(there ? there.pane : this.paneFor(view));
    });
    this.focusPane();
  }

  /** A new pane while there is room for one; then the one that was opened last shows the view instead. */
  private paneFor(view: string): string {
    const last = panesOf(this.layout.peek()!).find((leaf) => leaf.pane === this.opened);
    if (last && largestPane()?.hasRoom === false) {
      this.changeView(last.pane, view);
      return last.pane;
    }
    return (this.opened = this.addPane(view));
  }

  /** Splits a pane, by default the largest one across its longer side, and gives back the new
   * pane's id. */
  addPane(view: string, beside?: string, how?: "row" | "column"): string {
    const layout = this.layout.peek()!;
    const panes = panesOf(layout);
    const largest = largestPane();
    const base = panes.find((leaf) => leaf.pane === (beside ?? largest?.pane)) ?? panes.at(-1)!;
    const split = how ?? largest?.split ?? "row";
    if (panes.length >= MAX_PANES) {
      this.setLayout(replacePane(layout, base.pane, (leaf) => ({ ...leaf, view })));
      return base.pane;
    }
    const added = { pane: freshPaneId(layout), view };
    this.setLayout(splitPane(layout, base.pane, split, added));
    return added.pane;
  }

  setView(pane: string, view: string): void {
    this.address.navigate(() => this.changeView(pane, view));
  }

  private changeView(pane: string, view: string): void {
    const { [pane]: _, ...others } = this.state.options.peek();
    this.state.options.set(others);
    this.setLayout(replacePane(this.layout.peek()!, pane, (leaf) => ({ ...leaf, view })));
  }

  closePane(pane: string): void {
    this.address.navigate(() => this.setLayout(closePane(this.layout.peek()!, pane)));
  }

  setLayout(layout: Layout | null): void {
    this.state.layout.set(layout);
    const kind = this.about.peek()?.kind;
    if (kind) this.preferences.rememberLayout(kind, layout);
    if (layout) this.state.keepOptions(new Set(panesOf(layout).map((leaf) => leaf.pane)));
  }

  /** Back to the panes that a document of this kind has at first. */
  resetPanes(): void {
    this.address.navigate(() => this.setLayout(null));
    this.announce("panes reset");
  }

  focusPane(): void {
    const id = this.focusedPane.peek();
    const pane = document.querySelector<HTMLElement>(`[data-pane="${id}"] .pane-body`);
    const targets = [...(pane?.querySelectorAll<HTMLElement>("[tabindex='0']:not(.source-remarks), canvas") ?? [])];
    // The picture is there but hidden while its table is shown.
    (targets.find((target) => target.checkVisibility()) ?? pane)?.focus();
  }

  /** Shows the evidence of a finding: its function with the line, or its part of the time-line. */
  showFinding(document: ReadyDocument, finding: FindingRow, key: string): void {
    this.address.navigate(() => {
      this.state.show(document.id);
      if (finding.window) this.state.window.set(finding.window);
      // What another finding outlined is not the place of this one.
      this.state.bar.set(finding.window && finding.bar ? barOf(finding.bar) : null);
      this.state.forgetOption("pointOver");
      // A call stack that is shown is that of what is outlined, or none.
      const stack = finding.window && finding.bar ? [finding.bar.location, finding.bar.begin] : null;
      this.state.replaceOption("point", stack, ({ beside }) => beside === "moment");
      if (finding.function !== null) this.setActive(finding.function, "", finding.line);
    });
    this.finding.set(key);
    this.figure.set(finding.figure === null ? null : { document: document.id, figure: finding.figure });
    this.marked.set(finding.runs.length === 0 ? null : { document: document.id, runs: new Set(finding.runs) });
    if (finding.window) this.openView("timeline");
    else if (finding.function !== null && finding.line !== null) this.openView("source");
    else if (finding.function !== null) this.openView("calls");
    else if (finding.runs.length > 0) this.openView("runs");
    else if (finding.figure !== null) this.openView("report");
    this.announce(`${finding.rule}: ${finding.reason}`);
  }

  setPattern(kind: "focus" | "ignore" | "hide", pattern: string | null): void {
    this.address.navigate(() => this.state[kind].set(pattern));
  }

  async copy(text: string, what: string): Promise<void> {
    this.announce((await copyText(text)) ? `${what} copied` : `${what} could not be copied`);
  }

  /** Opens a source file in the editor, and says what was started, or why it was not. */
  async edit(document: ReadyDocument, path: string, line: number): Promise<void> {
    try {
      this.announce(`started ${await this.client.edit(document.id, document.stage.revision, path, line)}`);
    } catch (error) {
      this.announce(`not opened: ${describe(error).message}`);
    }
  }

  announce(text: string): void {
    this.announcement.set(text);
  }

  setHidden(pane: string, text: string): void {
    const hidden = new Map(this.hidden.peek());
    if (text === "") hidden.delete(pane);
    else hidden.set(pane, text);
    this.hidden.set(hidden);
  }
}

/** What the reading of a document says with the renames that the user accepted. */
export interface RestatedDocument {
  revision: number;
  restated: Restated;
}

/** The last result for each document, so that nothing is drawn anew where nothing changed. */
const restatedBefore = new WeakMap<DocumentState, { known: RestatedDocument; result: DocumentState }>();

function restate(document: DocumentState, known: RestatedDocument | undefined): DocumentState {
  const { stage } = document;
  if (known === undefined || stage.stage !== "ready" || stage.revision !== known.revision) return document;
  const before = restatedBefore.get(document);
  if (before?.known === known) return before.result;
  const result = withRestated(document, known.restated);
  restatedBefore.set(document, { known, result });
  return result;
}

function withRestated(document: DocumentState, restated: Restated): DocumentState {
  const { stage } = document;
  if (stage.stage !== "ready") return document;
  const before = new Map(stage.about.findings.map((finding) => [finding.rule, finding.explanation]));
  const explained = (finding: FindingRow) => ({ ...finding, explanation: before.get(finding.rule) ?? finding.explanation });
  const findings = restated.findings?.map(explained) ?? stage.about.findings;
  return { ...document, stage: { ...stage, about: { ...stage.about, remarks: restated.remarks, findings } } };
}

/** Identifies what totals depend on: the scope without the choice of what is ranked and drawn. */
function totalsKey(document: ReadyDocument, scope: Scope): string {
  const { event: _, side: __, ...rest } = scope;
  return JSON.stringify([document.id, document.stage.revision, rest]);
}

/** Identifies a finding across sessions: documents are parsed anew with each change. */
export function findingKey(document: ReadyDocument, index: number): string {
  return `${document.id} ${document.stage.revision} ${index}`;
}

interface PaneBox {
  pane: string;
  /** How it is divided: a pane needs about twice as much width as height. */
  split: "row" | "column";
  /** Whether each half is of use. */
  hasRoom: boolean;
}

/** Halves of panes below this width and height, in pixels, show hardly anything. */
const LEAST_HALF = { width: 300, height: 150 };

function largestPane(): PaneBox | null {
  const boxes = [...document.querySelectorAll<HTMLElement>("[data-pane]")].map((element) => {
    const { width, height } = element.getBoundingClientRect();
    const isWide = width > 2 * height;
    const hasRoom = isWide ? width / 2 >= LEAST_HALF.width : height / 2 >= LEAST_HALF.height;
    return { pane: element.dataset["pane"]!, area: width * height, split: isWide ? ("row" as const) : ("column" as const), hasRoom };
  });
  return boxes.sort((a, b) => b.area - a.area)[0] ?? null;
}

/** A pattern that matches exactly one function: its name, and its place if others have the same name. */
export function patternOf(fn: FunctionName): string {
  const shown = fn.place === null ? fn.name : `${fn.name} [${fn.place}]`;
  return `/^${shown.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&")}$/`;
}

/** Resolves when there is a connection again; rejects when aborted. */
function connected(connection: Signal<string>, abort: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    abort.addEventListener("abort", () => reject(abort.reason), { once: true });
    // The failed request may be ahead of the stream, which then still counts as connected.
    setTimeout(() => {
      const stop = effect(() => {
        if (connection.get() !== "connected") return;
        resolve();
        queueMicrotask(() => stop());
      });
    }, 300);
  });
}
