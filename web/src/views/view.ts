// What a view is. A view is one file that exports a `View`, and one line in the list `VIEWS`
// (src/views/list.ts). A view gets everything it needs from its `ViewContext`: it never
// talks to the server or the address bar itself.

import type { About, DocumentState, EventType, FunctionName, Question, RunSelection, Scope, Stage } from "../api/types.ts";
import type { Signal } from "../core/signal.ts";
import type { Bar } from "../state/bar.ts";

export type ReadyDocument = DocumentState & { stage: Extract<Stage, { stage: "ready" }> };

export interface ViewContext {
  /** The document as it was when the view was mounted; a new revision mounts the view anew. */
  document: ReadyDocument;
  about: About;
  /** Whether the page was written by `lotse export`: only some questions have answers. */
  exported: boolean;
  /** What every question has in common: event type, definitions, parts, focus (tracked read). */
  scope: () => Scope;
  /** The active function. */
  active: Signal<number | null>;
  /** The selected functions. */
  selected: Signal<ReadonlySet<number>>;
  /** The function below the pointer; the only state that is not in the URL. */
  hover: Signal<number | null>;
  /** State of this pane, kept in the URL; `T` must survive JSON. */
  option<T>(name: string, initial: T): Signal<T>;
  /** State of the whole document, shared by all views (event columns, highlighted line,
   * time window); kept in the URL. */
  shared: SharedState;
  /** Asks the server. A question whose `signal` is aborted rejects with an AbortError. */
  ask<T>(question: Question, signal: AbortSignal): Promise<T>;
  /** The event types that the user defined, with their totals, by name (tracked read). */
  ownEvents(): ReadonlyMap<string, EventType>;
  /** The total of an event type in the scope; in a comparison "old → new" where both are known (tracked read). */
  totalsOf(event: EventType): string;
  /** Makes a function active (left click) and pushes a history entry. */
  activate(id: number, name: string): void;
  /** Changes state as one step that Back undoes. */
  navigate(change: () => void): void;
  /** Shows a view, in an existing pane of it, else in a new one, for a function. */
  open(view: string, id?: number): void;
  /** The menu of a function: copy name, show callers, focus, hide, open in editor. */
  menu(at: { x: number; y: number }, fn: FunctionName): void;
  /** What thresholds hide, for the pane's footer and the status line; "" for nothing. */
  hidden(text: string): void;
  /** Copies a text, and says so; `what` names it. */
  copy(text: string, what: string): void;
  /** The editor that the server can start; null if there is none. */
  editor(): string | null;
  /** Opens a source file that the page shows in the editor. */
  edit(path: string, line: number): void;
  /** Reads a text out (aria-live). */
  announce(text: string): void;
}

export interface FigurePlace {
  document: number;
  /** Counted from 0. */
  figure: number;
}

/** Runs of a measurement that are the evidence of a finding. */
export interface MarkedRuns {
  document: number;
  /** Their numbers, from 1. */
  runs: ReadonlySet<number>;
}

export interface SharedState {
  /** Event types of the columns. */
  events: Signal<readonly string[]>;
  /** The line of the active function that a finding points to. */
  line: Signal<number | null>;
  /** The file of that line, for code from several files; null if it does not matter. */
  lineFile: Signal<string | null>;
  /** The part of the time-line that is shown, in seconds; null for the whole run. */
  window: Signal<readonly [number, number] | null>;
  /** What is outlined on the time-line: location, lane, begin, end; null for nothing. */
  bar: Signal<Bar | null>;
  /** The figure of a document's report that a finding points to; not in the URL. */
  figure: Signal<FigurePlace | null>;
  /** The runs that a finding is about; not in the URL. */
  marked: Signal<MarkedRuns | null>;
  /** The selected runs of a measurement; null for none. */
  runs: Signal<RunSelection | null>;
  /** Text of the search box in the top bar. */
  search: Signal<string>;
  /** The pieces of the scope, for views that change it. */
  scope: {
    event: Signal<string | null>;
    define: Signal<readonly string[]>;
    parts: Signal<readonly number[] | null>;
  };
}

export interface MountedView {
  element: HTMLElement;
  /** Small controls in the header of the pane. */
  options?: HTMLElement;
  /** The same data as a table, shown by the pane's "table" button. */
  twin?: HTMLElement;
  resize?(): void;
  dispose(): void;
}

export interface View {
  /** Short and lower case; stands in the URL. */
  id: string;
  title: string;
  /** The key that shows the view; "" for none. */
  key: string;
  /** Whether a document can be shown by this view. */
  fits(about: About): boolean;
  mount(context: ViewContext): MountedView;
}
