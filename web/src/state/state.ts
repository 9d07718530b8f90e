// Every piece of state of the page, in one place.
//
// What the server knows (documents, recent files, saved layout) is in `Client.session`. What the
// person has chosen is here. Everything but `hover` and what `Preferences` keeps on the server is
// in the URL (see url.ts), so that reload, back, forward and a second tab work. Each document has
// its own choices; those of documents in the background stay in memory.

import type { FunctionRename, RunSelection, Scope } from "../api/types.ts";
import { batch, computed, signal, type Signal } from "../core/signal.ts";
import type { Bar } from "./bar.ts";
import type { Layout } from "./layout.ts";
import { EMPTY, type Options, type UrlState } from "./url.ts";

export class State {
  /** The document that is shown; null shows the start page. */
  readonly document = signal<number | null>(null);
  /** The revision that `active` and `selected` belong to: their numbers change with it. */
  readonly revision = signal<number | null>(null);
  /** The active function: callers, source and pictures are about it. */
  readonly active = signal<number | null>(null);
  /** Its name, to find it again in another revision. */
  readonly activeName = signal("");
  /** Selected functions (ctrl-click). */
  readonly selected = signal<ReadonlySet<number>>(new Set());
  /** The event type that ranks and is drawn; null for the default. */
  readonly event = signal<string | null>(null);
  /** Event types of the columns; empty for the ranking one. */
  readonly columns = signal<readonly string[]>([]);
  /** The user's event types, "NAME = FORMULA". */
  readonly define = signal<readonly string[]>([]);
  /** Chosen parts; null for those the file chooses. */
  readonly parts = signal<readonly number[] | null>(null);
  /** Patterns that restrict, remove and merge functions. */
  readonly focus = signal<string | null>(null);
  readonly ignore = signal<string | null>(null);
  readonly hide = signal<string | null>(null);
  /** Which profile of a comparison pictures show; null for the difference. */
  readonly side = signal<Scope["side"]>(null);
  /** Functions of the old profile that have another name in the new one, as the user says. */
  readonly renames = signal<readonly FunctionRename[]>([]);
  /** Proposed renames that the user has rejected. */
  readonly rejected = signal<readonly FunctionRename[]>([]);
  /** The line that a finding or a click points to. */
  readonly line = signal<number | null>(null);
  /** The file of that line, since a function may have code of several; null if it does not matter. */
  readonly lineFile = signal<string | null>(null);
  /** The shown part of the time-line in seconds. */
  readonly window = signal<readonly [number, number] | null>(null);
  /** What is outlined on the time-line: location, lane, begin, end. */
  readonly bar = signal<Bar | null>(null);
  /** The selected runs of a measurement. */
  readonly runs = signal<RunSelection | null>(null);
  /** Text of the search box. */
  readonly search = signal("");
  /** Filters of the list of findings. */
  readonly findings = signal(EMPTY.findings);
  /** Panes; null for the default of the kind of document. */
  readonly layout = signal<Layout | null>(null);
  /** Filter texts, sort order, grouping, direction and so on of each pane. */
  readonly options = signal<Options>({});
  /** The function below the pointer; not in the URL. */
  readonly hover = signal<number | null>(null);

  /** What every question has in common. */
  readonly scope = computed<Scope>(() => ({
    event: this.event.get(),
    define: [...this.define.get()],
    parts: copyOf(this.parts.get()),
    focus: this.focus.get(),
    ignore: this.ignore.get(),
    hide: this.hide.get(),
    side: this.side.get(),
    renames: [...this.renames.get()],
  }));

  /** Everything that goes into the URL (tracked read). */
  snapshot(): UrlState {
    return {
      document: this.document.get(),
      revision: this.revision.get(),
      active: this.active.get(),
      activeName: this.activeName.get(),
      selected: [...this.selected.get()],
      event: this.event.get(),
      columns: this.columns.get(),
      define: this.define.get(),
      parts: this.parts.get(),
      focus: this.focus.get(),
      ignore: this.ignore.get(),
      hide: this.hide.get(),
      side: this.side.get(),
      renames: this.renames.get(),
      rejected: this.rejected.get(),
      line: this.line.get(),
      lineFile: this.lineFile.get(),
      window: this.window.get(),
      bar: this.bar.get(),
      runs: this.runs.get(),
      search: this.search.get(),
      findings: this.findings.get(),
      layout: this.layout.get(),
      options: this.options.get(),
    };
  }

  /** Takes a state over. Values that are equal keep their identity, so that what does not change
   * is not asked for again. */
  restore(state: UrlState): void {
    batch(() => {
      this.document.set(state.document);
      this.revision.set(state.revision);
      this.active.set(state.active);
      this.activeName.set(state.activeName);
      if (!sameJson([...this.selected.peek()], state.selected)) this.selected.set(new Set(state.selected));
      this.event.set(state.event);
      setJson(this.columns, state.columns);
      setJson(this.define, state.define);
      setJson(this.parts, state.parts);
      this.focus.set(state.focus);
      this.ignore.set(state.ignore);
      this.hide.set(state.hide);
      this.side.set(state.side);
      setJson(this.renames, state.renames);
      setJson(this.rejected, state.rejected);
      this.line.set(state.line);
      this.lineFile.set(state.lineFile);
      setJson(this.window, state.window);
      setJson(this.bar, state.bar);
      setJson(this.runs, state.runs);
      this.search.set(state.search);
      setJson(this.findings, state.findings);
      setJson(this.layout, state.layout);
      setJson(this.options, state.options);
    });
  }

  /** Makes another document the shown one; its earlier choices come back. */
  show(document: number | null): void {
    const now = this.snapshot();
    if (now.document === document) return;
    if (now.document !== null) this.background.set(now.document, now);
    const before = document === null ? undefined : this.background.get(document);
    // The filters of the findings are about all documents.
    this.restore({ ...(before ?? EMPTY), document, findings: now.findings });
  }

  /** A setting of one pane as a signal. A value of another type than `initial` (from an old or
   * hostile URL) is ignored. */
  option<T>(pane: string, name: string, initial: T): Signal<T> {
    const read = (options: Options): T => {
      const value = options[pane]?.[name];
      return value !== undefined && sameType(value, initial) ? (value as T) : initial;
    };
    const value = computed(() => read(this.options.get()));
    return {
      get: () => value.get(),
      peek: () => value.peek(),
      set: (next) => {
        if (sameJson(next, value.peek())) return;
        const all = this.options.peek();
        const { [name]: _, ...others } = all[pane] ?? {};
        const own = sameJson(next, initial) ? others : { ...others, [name]: next };
        this.options.set({ ...all, [pane]: own });
      },
    };
  }

  /** Forgets the settings of panes that are closed. */
  keepOptions(panes: ReadonlySet<string>): void {
    const kept = Object.entries(this.options.peek()).filter(([pane]) => panes.has(pane));
    setJson(this.options, Object.fromEntries(kept));
  }

  /** Forgets a setting in all panes. */
  forgetOption(name: string): void {
    const panes = Object.entries(this.options.peek()).map(([pane, { [name]: _, ...others }]) => [pane, others]);
    setJson(this.options, Object.fromEntries(panes) as Options);
  }

  /** Sets an option to a value in the panes that it concerns, or forgets it there. */
  replaceOption(name: string, value: unknown, concerns: (options: Readonly<Record<string, unknown>>) => boolean): void {
    const panes = Object.entries(this.options.peek()).map(([pane, options]) => {
      const { [name]: _, ...others } = options;
      return [pane, !concerns(options) ? options : value === null ? others : { ...others, [name]: value }];
    });
    setJson(this.options, Object.fromEntries(panes) as Options);
  }

  /** Forgets the choices of documents that are closed. */
  keepDocuments(documents: ReadonlySet<number>): void {
    for (const id of this.background.keys()) if (!documents.has(id)) this.background.delete(id);
  }

  private readonly background = new Map<number, UrlState>();
}

function copyOf<T>(values: readonly T[] | null): T[] | null {
  return values ? [...values] : null;
}

function sameJson(a: unknown, b: unknown): boolean {
  return Object.is(a, b) || JSON.stringify(a) === JSON.stringify(b);
}

function setJson<T>(target: Signal<T>, value: T): void {
  if (!sameJson(target.peek(), value)) target.set(value);
}

/** Whether a value can stand for `initial`. An initial null accepts anything that is not an
 * object, because it says nothing about the type. */
function sameType(value: unknown, initial: unknown): boolean {
  if (initial === null) return value === null || typeof value !== "object" || isTuple(value);
  if (typeof value !== typeof initial || value === null) return false;
  return Array.isArray(value) === Array.isArray(initial);
}

function isTuple(value: unknown): boolean {
  return Array.isArray(value) && value.length <= 4 && value.every((v) => typeof v === "number");
}
