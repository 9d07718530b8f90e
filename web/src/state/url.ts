// The view state as the fragment of the URL, and back. A URL may come from anyone, so every
// field is checked, and a field that does not pass is left out.
//
//   #v=1&d=3&r=1&fn=12&name=main&event=Ir&cols=Ir,Dr&panes={…}&opt={…}

import type { FunctionRename, RunSelection } from "../api/types.ts";
import type { Bar } from "./bar.ts";
import { checkLayout, type Layout } from "./layout.ts";
import { parsedSelection, selectionText } from "./run-selection.ts";

/** Version of the fragment; others are ignored as a whole. */
const VERSION = "1";
const MAX_TEXT = 4000;
const MAX_ITEMS = 1000;

export type Options = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/** What the URL holds. Fields with their defaults are left out of it. */
export interface UrlState {
  document: number | null;
  revision: number | null;
  active: number | null;
  activeName: string;
  selected: readonly number[];
  event: string | null;
  columns: readonly string[];
  define: readonly string[];
  parts: readonly number[] | null;
  focus: string | null;
  ignore: string | null;
  hide: string | null;
  side: "old" | "new" | "difference" | null;
  /** Accepted and rejected renames of a comparison. */
  renames: readonly FunctionRename[];
  rejected: readonly FunctionRename[];
  line: number | null;
  lineFile: string | null;
  window: readonly [number, number] | null;
  /** The outlined bar of the time-line: location, lane, begin, end. */
  bar: Bar | null;
  /** The selected runs of a measurement. */
  runs: RunSelection | null;
  search: string;
  findings: { pillar: string; rule: string; file: string };
  layout: Layout | null;
  /** State of panes: pane id, then name of the option. */
  options: Options;
}

export const EMPTY: UrlState = {
  document: null,
  revision: null,
  active: null,
  activeName: "",
  selected: [],
  event: null,
  columns: [],
  define: [],
  parts: null,
  focus: null,
  ignore: null,
  hide: null,
  side: null,
  renames: [],
  rejected: [],
  line: null,
  lineFile: null,
  window: null,
  bar: null,
  runs: null,
  search: "",
  findings: { pillar: "", rule: "", file: "" },
  layout: null,
  options: {},
};

export function toFragment(state: UrlState): string {
  const fields = new URLSearchParams();
  const put = (name: string, value: string | number | null) => {
    if (value !== null && value !== "") fields.append(name, String(value));
  };
  put("v", VERSION);
  put("d", state.document);
  put("r", state.revision);
  put("fn", state.active);
  put("name", state.activeName.length <= MAX_TEXT ? state.activeName : "");
  put("sel", state.selected.join("."));
  put("event", state.event);
  for (const name of state.columns) fields.append("col", name);
  for (const definition of state.define) fields.append("define", definition);
  put("parts", state.parts ? state.parts.join(".") : null);
  put("focus", state.focus);
  put("ignore", state.ignore);
  put("hide", state.hide);
  put("side", state.side);
  for (const rename of state.renames) fields.append("rename", JSON.stringify([rename.old, rename.new]));
  for (const rename of state.rejected) fields.append("norename", JSON.stringify([rename.old, rename.new]));
  put("line", state.line);
  put("linefile", state.line === null ? null : state.lineFile);
  put("window", state.window ? state.window.join("_") : null);
  put("bar", state.bar ? state.bar.join("_") : null);
  put("runs", state.runs ? selectionText(state.runs) : null);
  put("q", state.search);
  put("pillar", state.findings.pillar);
  put("rule", state.findings.rule);
  put("file", state.findings.file);
  put("panes", state.layout ? JSON.stringify(state.layout) : null);
  put("opt", Object.keys(state.options).length > 0 ? JSON.stringify(state.options) : null);
  return fields.toString();
}

export function fromFragment(fragment: string): UrlState {
  const fields = new URLSearchParams(fragment.replace(/^#/, ""));
  if (fields.get("v") !== VERSION) return EMPTY;
  const side = fields.get("side");
  return {
    document: integer(fields.get("d")),
    revision: integer(fields.get("r")),
    active: integer(fields.get("fn")),
    activeName: text(fields.get("name")) ?? "",
    selected: integers(fields.get("sel")) ?? [],
    event: text(fields.get("event")),
    columns: texts(fields.getAll("col")),
    define: texts(fields.getAll("define")),
    // An empty list of parts is not allowed: it would ask for nothing.
    parts: nonEmpty(integers(fields.get("parts"))),
    focus: text(fields.get("focus")),
    ignore: text(fields.get("ignore")),
    hide: text(fields.get("hide")),
    side: side === "old" || side === "new" || side === "difference" ? side : null,
    renames: renames(fields.getAll("rename")),
    rejected: renames(fields.getAll("norename")),
    line: integer(fields.get("line")),
    lineFile: text(fields.get("linefile")),
    window: interval(fields.get("window")),
    bar: bar(fields.get("bar")),
    runs: parsedSelection(fields.get("runs")),
    search: text(fields.get("q")) ?? "",
    findings: {
      pillar: text(fields.get("pillar")) ?? "",
      rule: text(fields.get("rule")) ?? "",
      file: text(fields.get("file")) ?? "",
    },
    layout: checkLayout(json(fields.get("panes"))),
    options: checkOptions(json(fields.get("opt"))),
  };
}

function integer(value: string | null): number | null {
  if (value === null || !/^\d{1,15}$/.test(value)) return null;
  return Number(value);
}

function integers(value: string | null): number[] | null {
  if (value === null) return null;
  const numbers = value.split(".").slice(0, MAX_ITEMS).map(integer);
  return numbers.every((n): n is number => n !== null) ? [...new Set(numbers)] : null;
}

function nonEmpty(values: number[] | null): number[] | null {
  return values && values.length > 0 ? values : null;
}

function text(value: string | null): string | null {
  return value === null || value === "" || value.length > MAX_TEXT ? null : value;
}

function texts(values: string[]): string[] {
  const good = values.slice(0, MAX_ITEMS).filter((value) => text(value) !== null);
  return [...new Set(good)];
}

/** Pairs of names as JSON; each old name once. */
function renames(values: string[]): FunctionRename[] {
  const found = new Map<string, FunctionRename>();
  for (const value of values.slice(0, MAX_ITEMS)) {
    const pair = json(text(value));
    if (!Array.isArray(pair) || pair.length !== 2) continue;
    const [old, name] = pair as unknown[];
    if (typeof old === "string" && typeof name === "string" && old !== "" && name !== "") found.set(old, { old, new: name });
  }
  return [...found.values()];
}

function interval(value: string | null): [number, number] | null {
  const [from, to, ...more] = (value ?? "").split("_").map((n) => (n === "" ? NaN : Number(n)));
  if (from === undefined || to === undefined || more.length > 0) return null;
  return Number.isFinite(from) && Number.isFinite(to) && from >= 0 && from < to ? [from, to] : null;
}

/** Location, lane, begin and end of a span. */
function bar(value: string | null): Bar | null {
  const [location, lane, ...times] = (value ?? "").split("_");
  const [place, row, span] = [integer(location ?? null), integer(lane ?? null), interval(times.join("_"))];
  return place === null || row === null || span === null ? null : [place, row, span[0], span[1]];
}

function json(value: string | null): unknown {
  if (value === null || value.length > 100_000) return null;
  try {
    return JSON.parse(value);
  } catch {
    return null;
  }
}

/** Keeps `{pane: {name: value}}` with plain names; `__proto__` and the like do not pass. */
function checkOptions(value: unknown): Options {
  const result: Record<string, Record<string, unknown>> = {};
  for (const [pane, options] of entriesOf(value)) {
    if (!/^[a-z0-9]{1,8}$/.test(pane)) continue;
    const checked: Record<string, unknown> = {};
    for (const [name, option] of entriesOf(options)) {
      if (/^[a-z][a-zA-Z0-9]{0,31}$/.test(name) && name !== "constructor") checked[name] = option;
    }
    result[pane] = checked;
  }
  return result;
}

function entriesOf(value: unknown): [string, unknown][] {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? Object.entries(value) : [];
}
