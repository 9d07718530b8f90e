// A page with one picture and generated data, for pictures.test.ts. The address says what it shows:
// ?view=flame&count=2000&option.zoom=[0,1]

import type { About, Question, Scope } from "../../../src/api/types.ts";
import { signal, type Signal } from "../../../src/core/signal.ts";
import { flameView } from "../../../src/views/pictures/flame.ts";
import { graphView } from "../../../src/views/pictures/graph.ts";
import { timelineView } from "../../../src/views/pictures/timeline.ts";
import { treemapView } from "../../../src/views/pictures/treemap.ts";
import type { ViewContext } from "../../../src/views/view.ts";
import { EVENT, amount, flame, fullFlame, graph, timeline, treemap } from "../sample.ts";

const RUNTIME = 100;
const LANES = 64;

const address = new URLSearchParams(location.search);
const name = address.get("view") ?? "flame";
const count = Number(address.get("count") ?? 300);
/** What the picture called: [function, argument]. */
const calls: [string, unknown][] = [];
const options = new Map<string, Signal<unknown>>();
/** With ?hold each answer waits until the test releases it. */
const held: (() => void)[] = [];
let failures = Number(address.get("failures") ?? 0);

const metrics = ["time", "waiting"].map((title, depth) => ({ name: title, title, unit: "s", depth, total: amount(0.5), explanation: title }));
const about: About = {
  kind: name === "timeline" ? "trace" : "profile", format: "test", sentence: "", findings: [], remarks: [],
  profile: { command: null, events: [EVENT], default_event: "Ir", parts: [], function_count: 300, has_calls: !address.has("flat"), has_counts: true, has_inclusive: true, has_data: false, groupings: [] },
  trace: { runtime: RUNTIME, ticks_per_second: 1e9, locations: Array.from({ length: LANES }, (_, i) => `rank ${i}`), metrics },
};
const scope = signal<Scope>({ event: null, define: [], parts: null, focus: null, ignore: null, hide: null, side: address.has("difference") ? "difference" : null });

const exact = (seconds: number) => ({ seconds, text: `${seconds.toFixed(9)} s` });

function answer(question: Question): unknown {
  const difference = address.has("difference");
  switch (question.ask) {
    case "flame":
      if (address.has("full")) return fullFlame(60, count / 60);
      return renamed(flame(count, difference, question.direction === "callers" ? 7 : 1));
    case "treemap":
      return renamed(treemap(count, question.width, question.height, difference));
    case "graph":
      return graph(count, difference);
    case "timeline":
      return timeline(LANES, question.columns, question.from ?? 0, question.to ?? RUNTIME, RUNTIME, question.first_lane, Math.min(question.lanes, LANES - question.first_lane));
    case "moment":
      return { location: question.location, name: `rank ${question.location}`, at: exact(question.at), stack: [{ name: "main", class: "user", entered: exact(0), left: exact(RUNTIME), duration: exact(RUNTIME) }], events: [], waits: [] };
    case "next_wait":
      return { wait: { bar: { location: 50, lane: 50, begin: question.begin + 1, end: question.begin + 2 }, name: "rank 50", metric: "late", title: "Late sender", path: "main", begin: exact(question.begin + 1), end: exact(question.begin + 2), duration: exact(1), mark: "", cause: null }, window: [question.begin, question.begin + 3], number: 3, count: 9 };
    case "functions":
      return { events: [EVENT], count: 1, all: 1, rows: address.has("nothing") ? [] : [{ function: null, name: "", size: null, calls: null, costs: [{ self: amount(0.005), inclusive: null, self_change: null, inclusive_change: null }] }], remarks: [] };
    case "call_paths":
      return { metric: metrics[0], rows: [0, 1, 1].map((depth, i) => ({ name: `path ${i}`, depth, exclusive: amount(0.1), inclusive: amount(0.5), window: i === 2 ? [20, 30] : null, bar: i === 2 ? { location: 40, lane: 40, begin: 24, end: 26 } : null })) };
    default:
      throw new Error(`unexpected question ${question.ask}`);
  }
}

/** With ?hostile all names are a megabyte of markup. */
function renamed<T extends { functions: { name: string; label: string }[] }>(picture: T): T {
  if (address.has("hostile")) for (const fn of picture.functions) fn.name = fn.label = `<img src=x>\u202e${"x".repeat(1_000_000)}`;
  return picture;
}

const note = (what: string) => (...values: unknown[]) => void calls.push([what, values[0]]);
const active = signal<number | null>(null);
const bar = signal<readonly [number, number, number, number] | null>(null);
const shownWindow = signal<readonly [number, number] | null>(null);
const context = {
  document: { id: 1, name: "", paths: [], outdated: false, stage: { stage: "ready", revision: 1, about } },
  about,
  scope: () => scope.get(),
  active,
  selected: signal<ReadonlySet<number>>(new Set()),
  hover: signal<number | null>(null),
  option: (option: string, initial: unknown) => {
    const value = address.get(`option.${option}`);
    if (!options.has(option)) options.set(option, signal(value === null ? initial : JSON.parse(value)));
    return options.get(option)!;
  },
  shared: { window: shownWindow, bar },
  navigate(change: () => void) {
    calls.push(["navigate", null]);
    change();
  },
  async ask(question: Question) {
    calls.push(["ask", question]);
    if (address.has("hold")) await new Promise<void>((resolve) => held.push(resolve));
    if (failures-- > 0) throw new Error("the file is damaged");
    return answer(question);
  },
  activate(id: number) {
    calls.push(["activate", id]);
    active.set(id);
  },
  open: note("open"),
  menu: note("menu"),
  hidden: note("hidden"),
  announce: note("announce"),
} as unknown as ViewContext;

const view = [flameView, treemapView, graphView, timelineView].find(({ id }) => id === name)!;
document.documentElement.dataset["theme"] = address.get("theme") ?? "light";
const mounted = view.mount(context);
document.querySelector("header")!.append(mounted.options!);
document.querySelector("main")!.append(address.has("twin") ? mounted.twin! : mounted.element);
Object.assign(window, {
  test: { release: () => held.splice(0).forEach((answer) => answer()), calls, context, scope, window: shownWindow, bar, option: (option: string) => options.get(option)!.peek(), mounted },
});
