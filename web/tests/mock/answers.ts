// Answers of the mock server, one function for each kind of question.

import type {
  CallPathTable, CallsAnswer, DataTable, EventCheck, ExactTime, FindingRow, FlamePicture, FunctionRow, FunctionTable, GraphPicture, Headline, LineRow, LineTable, MomentAnswer, NextWaitAnswer, Question, Report, ReportBlock, RunsAnswer, Scope, SourceAnswer, SourceLine, StatisticsTable, Timeline, TimelineTable, TreemapPicture, WaitRow,
} from "../../src/api/types.ts";
import { amount, cost, EVENTS, functionRow, HOSTILE, nameOf, shareOf } from "./names.ts";

type Of<K extends Question["ask"]> = Extract<Question, { ask: K }>;

export interface MockDocument {
  functions: number;
  comparison: boolean;
  sentence?: string;
  findings: readonly FindingRow[];
}

const eventsNamed = (names: readonly string[], document?: MockDocument, scope?: Scope) =>
  names.map((name) => {
    const event = EVENTS.find((e) => e.name === name) ?? { ...EVENTS[0]!, name, title: null, formula: "own" };
    const total = scope?.parts ? "1.05 G" : event.total;
    return { ...event, total, old_total: document?.comparison ? "4.80 G" : null };
  });

export function functions(q: Of<"functions">, document: MockDocument): FunctionTable {
  const events = eventsNamed(q.events, document, q.scope);
  if (q.group) return groups(q, document);
  // A million rows are not made to be sorted: ids are in the order of self cost already.
  if (document.functions > 100_000) {
    const from = Math.min(q.offset, document.functions);
    const ids = Array.from({ length: Math.min(q.limit, document.functions - from) }, (_, i) => from + i);
    return { events, count: document.functions, all: document.functions, rows: ids.map((id) => functionRow(id, q.events, false)), remarks: [] };
  }
  let ids = Array.from({ length: document.functions }, (_, id) => id);
  if (q.within) ids = ids.filter((id) => nameOf(id)[q.within!.group as "object"] === q.within!.name);
  const all = ids.length;
  if (q.filter !== "") ids = ids.filter((id) => test(q.filter, nameOf(id).name));
  const rows = ids.map((id) => functionRow(id, q.events, document.comparison));
  const sorted = rows.sort((a, b) => compare(a, b, q) * (q.ascending ? 1 : -1));
  return { events, count: sorted.length, all, rows: sorted.slice(q.offset, q.offset + q.limit), remarks: [{ place: null, message: "12 functions without cost are not listed", loss: false }] };
}

function test(filter: string, name: string): boolean {
  if (filter.length > 1 && filter.startsWith("/") && filter.endsWith("/")) return new RegExp(filter.slice(1, -1)).test(name.slice(0, 1000));
  return name.toLowerCase().includes(filter.toLowerCase());
}

function compare(a: FunctionRow, b: FunctionRow, q: Of<"functions">): number {
  const key = (row: FunctionRow): number => {
    if (q.sort === "calls") return row.calls?.value ?? 0;
    const pair = row.costs[0];
    if (q.sort === "difference") return Math.abs(pair?.self_change?.difference.value ?? 0);
    if (q.sort === "ratio") return pair?.self_change?.ratio_value ?? 0;
    return (q.sort === "inclusive" ? pair?.inclusive?.value : pair?.self.value) ?? 0;
  };
  return q.sort === "name" ? (a.name < b.name ? -1 : 1) : key(a) - key(b);
}

function groups(q: Of<"functions">, document: MockDocument): FunctionTable {
  const byName = new Map<string, number[]>();
  for (let id = 0; id < Math.min(document.functions, 5000); id++) {
    const name = nameOf(id)[q.group as "object"] ?? "(unknown)";
    byName.set(name, [...(byName.get(name) ?? []), id]);
  }
  const rows = [...byName].map(([name, ids]): FunctionRow => {
    const self = ids.reduce((sum, id) => sum + shareOf(id).self, 0);
    return { function: null, name, size: ids.length, calls: null, costs: q.events.map((event) => ({ self: cost(event, self), inclusive: cost(event, Math.min(1, self * 1.4)), self_change: null, inclusive_change: null })) };
  });
  rows.sort((a, b) => compare(a, b, q) * (q.ascending ? 1 : -1));
  return { events: eventsNamed(q.events), count: rows.length, all: rows.length, rows: rows.slice(q.offset, q.offset + q.limit), remarks: [] };
}

const RENAMES = [
  { rename: { old: "parse_header", new: HOSTILE }, evidence: "78 %: similar name, same file" },
  { rename: { old: "lookup", new: "find_word" }, evidence: "61 %: same callers and callees" },
];

export function headline({ scope }: Of<"headline">, document: MockDocument): Headline {
  const accepted = new Set(scope.renames?.map(({ old }) => old));
  const chosen = [scope.event, scope.focus, scope.parts && `parts ${scope.parts.join(", ")}`].filter((text) => text !== null).map((text) => ` (${text})`);
  return {
    sentence: (document.sentence ?? "") + chosen.join(""),
    proposals: document.comparison ? RENAMES.filter(({ rename }) => !accepted.has(rename.old)) : [],
    restated: document.comparison ? restated(document, accepted) : null,
  };
}

/** The rename of `lookup` explains the finding and a note; one of the remarks is on a file. */
function restated(document: MockDocument, accepted: ReadonlySet<string>): Headline["restated"] {
  const remarks = [{ place: null, message: "new: perf lost 3 records while recording", loss: false }];
  const isExplained = accepted.has("lookup");
  return { remarks, findings: accepted.size === 0 ? null : document.findings.filter(({ reason }) => !isExplained || !reason.includes("lookup")).map((row) => ({ ...row, explanation: "" })) };
}

export function calls(q: Of<"calls">, document: MockDocument): CallsAnswer {
  const row = (id: number, share: number, mark = "") => ({
    function: nameOf(id),
    calls: amount(Math.round(share * 12345), null),
    costs: q.events.map((event) => ({ ...cost(event, share * 0.4), share, share_text: `${(share * 100).toFixed(1)} %`, mark })),
    changes: document.comparison ? functionRow(id, q.events, true).costs.map((pair) => pair.self_change!) : null,
    inside_cycle: nameOf(id).cycle !== null,
  });
  const others = [1, 2, 5, 6, 9, 10, 11, 20, 21].filter((id) => id !== q.function);
  return {
    function: functionRow(q.function, q.events, document.comparison),
    callers: q.function === 3 ? [] : [row(q.function === 4 ? 3 : 4, 0.8), row(q.function === 11 ? 4 : 11, 0.2, "≤")],
    callees: others.map((id, i) => row(id, 0.5 / (i + 1), i === 3 ? "≈" : "")),
    remarks: [],
  };
}

/** Line 27 of an inlined file is part of two functions. */
export function lines(q: Of<"lines">, document: MockDocument): LineTable {
  const row = (id: number, file: string, line: number, self: number, inclusive: number | null) => ({
    file, line, old_file: null, old_line: null, pairing: null, function: nameOf(id), functions: inclusive === null ? 2 : 1,
    costs: q.events.map((event) => ({ self: cost(event, self), inclusive: inclusive === null ? null : cost(event, inclusive), self_change: null, inclusive_change: null })),
  });
  const first = nameOf(0).line ?? 1;
  const paired = document.comparison && (q.scope.side ?? "difference") === "difference";
  if (paired) return pairedLines(q, document);
  const rows = [row(0, "src/matrix.cpp", first + 6, 0.22, 0.22), row(0, "/usr/include/c++/12/bits/stl_vector.h", 1121, 0.03, null), row(1, "src/solver.cpp", 31, 0.02, 0.83), row(3, HOSTILE, 7, 0, 0.99)];
  const rank = (it: (typeof rows)[number]) => (q.sort === "self" ? it.costs[0]?.self : it.costs[0]?.inclusive)?.value ?? -1;
  const which = document.comparison ? [{ place: null, message: `these are the lines of the ${q.scope.side === "old" ? "old" : "new"} profile`, loss: false }] : [];
  return { events: eventsNamed(q.events, document, q.scope), count: 4, rows: rows.sort((a, b) => rank(b) - rank(a)), remarks: [...which, { place: null, message: "2.1 % of Ir has no line", loss: false }] };
}

/** Lines with the text of both sources, one that moved, and lines of one profile only. */
function pairedLines(q: Of<"lines">, document: MockDocument): LineTable {
  const row = (id: number, line: number, old_line: number | null, pairing: LineRow["pairing"]): LineRow => ({
    file: "src/matrix.cpp", line, old_file: old_line === null ? null : "src/matrix.cpp", old_line, pairing, function: nameOf(id), functions: 1, costs: functionRow(id, q.events, true).costs,
  });
  const rows = [row(0, 130, 124, "text"), row(1, 140, 140, "number"), row(2, 150, null, "new"), row(3, 12, 12, "gone")];
  return { events: eventsNamed(q.events, document, q.scope), count: 4, rows, remarks: [{ place: null, message: "2 lines are matched by their text in both sources, 1 of them moved", loss: false }] };
}

const CODE = [
  "void Matrix::multiply(Matrix const& a, Matrix const& b) {",
  "  // The inner loop runs over rows of b, so each step misses the cache.",
  "  for (int i = 0; i < n; ++i) {",
  "    for (int j = 0; j < n; ++j) {",
  "      double sum = 0;",
  "      for (int k = 0; k < n; ++k)",
  "        sum += a.at(i, k) * b.at(k, j);",
  "      at(i, j) = sum;",
  "    }",
  "  }",
  `  log("done ${HOSTILE}");`,
  "}",
];

function tokensOf(text: string): [number, number, string][] {
  const kinds: [RegExp, string][] = [[/\/\/.*/g, "comment"], [/"[^"]*"/g, "string"], [/\b(void|for|int|double|const)\b/g, "keyword"], [/\b\d+\b/g, "number"]];
  const found = kinds.flatMap(([pattern, kind]) => [...text.matchAll(pattern)].map((m): [number, number, string] => [m.index, m.index + m[0].length, kind]));
  return found.sort((a, b) => a[0] - b[0]);
}

export function source(q: Of<"source">, document: MockDocument): SourceAnswer {
  const first = nameOf(q.function).line ?? 1;
  const compared = document.comparison && (q.scope.side ?? "difference") === "difference";
  const shares = [0, 0, 0.002, 0.01, 0.004, 0.08, 0.22, 0.02, 0, 0, 0, 0.001];
  const lines = Array.from({ length: 60 }, (_, i): SourceLine => {
    const text = CODE[i - 20] ?? (i < 20 ? `// line ${i} before the function` : "");
    const share = shares[i - 20] ?? 0;
    const call = { function: nameOf(q.function === 11 ? 11 : 8), calls: amount(4096, null), costs: q.events.map((e) => cost(e, 0.05)), changes: null, inlined: false };
    const changed = { old_line: compared ? (i === 27 ? null : first + i - (i > 27 ? 21 : 20)) : null, status: compared ? (i === 27 ? "added" : "both") : "", changes: compared ? functionRow(q.function, q.events, true).costs.map((pair) => pair.self_change!) : null } as const;
    return { ...changed, line: first + i - 20, text, tokens: tokensOf(text), self: q.events.map((e) => cost(e, share)), inclusive: q.events.map((e) => cost(e, share)), calls: i === 27 ? [call] : i === 30 ? [{ ...call, function: nameOf(9), inlined: true, costs: null }] : [] };
  });
  // Function 7 is in stripped code: its file is unknown.
  const inlined = { path: q.function === 7 ? null : "/usr/include/c++/12/bits/stl_vector.h", found: null, old_path: null, old_found: null, lines: [{ line: 1121, old_line: null, status: "" as const, changes: null, text: null, tokens: [], self: q.events.map((e) => cost(e, 0.03)), inclusive: [], calls: [] }] };
  const instructions = ["push rbp", "mov rbp, rsp", "xor eax, eax", "movsd xmm0, [rsi+rax*8]", "mulsd xmm0, [rdx+rcx]", "addsd xmm1, xmm0", "add rcx, r8", "inc rax", "cmp rax, rdi", "jl 401139", "movsd [r9], xmm1", "jmp 401130", "call memcpy", "ret"].map((text, i) => ({
    address: (0x401130 + i * 4).toString(16), bytes: "f2 0f 10 04 c6", text, file: "src/matrix.cpp", line: first + Math.min(11, Math.floor(i / 1.3)), self: q.events.map((e) => cost(e, i === 4 ? 0.18 : i === 3 ? 0.06 : i * 0.001)),
    calls: text.startsWith("call") ? [{ function: nameOf(8), calls: amount(4096, null), costs: q.events.map((e) => cost(e, 0.05)), changes: null, inlined: false }] : [],
  }));
  const hasCode = q.instructions && q.function !== 2;
  return {
    function: functionRow(q.function, q.events, document.comparison),
    events: eventsNamed(q.events),
    files: [{ path: "src/matrix.cpp", found: "/home/user/solver/src/matrix.cpp", old_path: compared ? "src/matrix.cpp" : null, old_found: compared ? "/home/user/old/src/matrix.cpp" : null, lines }, inlined],
    code: hasCode ? { binary: "/home/user/solver/solver", instructions, jumps: [{ from: 9, to: 3, lane: 0, text: "taken 12.3 M times" }, { from: 11, to: 0, lane: 1, text: "" }] } : null,
    no_code: "The binary libc.so.6 was not found, so there is no assembly.",
    remarks: [],
  };
}

export function flame(q: Of<"flame">): FlamePicture {
  const ids = [3, 4, 1, 0, 2, 6, 5, 9, 10];
  const frames = { function: [0, 1, 2, 3, 4, 5, 6, 7, 8], parent: [-1, 0, 1, 2, 3, 1, 5, 2, 3], depth: [0, 1, 2, 3, 4, 2, 3, 3, 4], start: [0, 0, 0, 0, 0, 0.84, 0.84, 0.42, 0.1], share: [0.99, 0.97, 0.83, 0.41, 0.1, 0.11, 0.09, 0.05, 0.03] };
  const change = q.scope.side === "difference" ? [-0.1, -0.1, -0.12, -0.2, 0.05, 0.02, 0, 0.01, 0] : [];
  return {
    event: EVENTS[0]!, direction: q.direction, estimated: true, whole: cost("Ir", 1), functions: ids.map(nameOf),
    frames: { ...frames, self: frames.share.map((s) => `${(s * 20).toFixed(1)} %`), inclusive: frames.share.map((s) => `${(s * 100).toFixed(1)} %`), change },
    hidden: "312 branches below 0.1 % (2.1 % together) are not shown", empty: "", remarks: [],
  };
}

export function treemap(q: Of<"treemap">): TreemapPicture {
  const picture = flame({ ask: "flame", scope: q.scope, direction: q.direction, root: q.root });
  const { width: w, height: t } = q;
  return {
    event: picture.event, estimated: true, whole: picture.whole, functions: picture.functions,
    tiles: { function: [0, 1, 2, 5], parent: [-1, 0, 1, 1], x: [0, 4, 8, w * 0.8], y: [0, 18, 36, 36], width: [w, w - 8, w * 0.78, w * 0.18], height: [t, t - 22, t - 44, t - 44], share: [0.99, 0.97, 0.83, 0.11], self: ["0.1 %", "0.4 %", "11.8 %", "5.2 %"], inclusive: ["99.4 %", "97.0 %", "83.1 %", "11.0 %"], change: q.scope.side === "difference" ? [-0.1, -0.1, -0.12, 0.02] : [] },
    hidden: "41 functions below 0.5 % are not shown", empty: "", remarks: [],
  };
}

export function graph(q: Of<"graph">, document: MockDocument): GraphPicture {
  const difference = document.comparison && q.scope.side === "difference";
  const ids = [3, 4, 1, 0, 6];
  const at: [number, number][] = [[150, 10], [150, 110], [60, 210], [60, 310], [260, 210]];
  const nodes = ids.map((id, i) => ({ function: nameOf(id), label: nameOf(id).label, details: [`self ${(shareOf(id).self * 100).toFixed(1)} %`], is_cycle: false, self: cost("Ir", shareOf(id).self), inclusive: cost("Ir", shareOf(id).inclusive), change: difference ? (i - 2) / 20 : null, x: at[i]![0], y: at[i]![1], width: 150, height: 44 }));
  const link = (from: number, to: number, share: number) => {
    const [a, b] = [nodes[from]!, nodes[to]!];
    const points: [number, number][] = [[a.x + 75, a.y + 44], [a.x + 75, a.y + 70], [b.x + 75, b.y - 26], [b.x + 75, b.y]];
    return { from, to, share, label: [`${(share * 100).toFixed(0)} %`, "12 calls"], points, label_at: [(a.x + b.x) / 2 + 85, (a.y + b.y) / 2 + 22] as [number, number], course: "down" as const };
  };
  return { event: EVENTS[0]!, width: 430, height: 370, nodes, edges: [link(0, 1, 0.97), link(1, 2, 0.83), link(2, 3, 0.41), link(1, 4, 0.11)], hidden: "22 functions below 5 % are not shown", empty: "", remarks: [] };
}

export function data(): DataTable {
  return { title: "Data structures by read misses", columns: [{ title: "Structure", align: "left" }, { title: "Misses", align: "right" }, { title: "Size", align: "right" }], rows: [["Matrix::values", "6,120,331", "8.0 MB"], [HOSTILE, "12,040", "64 B"], ["std::map nodes", "801,222", "1.2 MB"]], remarks: [] };
}

export function event(q: Of<"event">): EventCheck {
  const match = /^\s*([A-Za-z]\w*)\s*=\s*(.+)$/.exec(q.definition);
  if (!match) return { event: null, problem: { message: "expected NAME = FORMULA", from: 0, to: q.definition.length } };
  const unknown = [...match[2]!.matchAll(/[A-Za-z]\w*/g)].find((m) => !EVENTS.some((e) => e.name === m[0]));
  if (unknown) {
    const from = q.definition.indexOf(match[2]!) + unknown.index;
    return { event: null, problem: { message: `there is no event type “${unknown[0]}”`, from, to: from + unknown[0].length } };
  }
  return { event: { name: match[1]!, unit: "", title: null, formula: match[2]!, total: match[1] === "Per" ? "" : "1.23", old_total: null, by_share: false, adds_up: false }, problem: null };
}

/** What the figure of the report draws. */
const FIGURE_VALUES: ReportBlock = {
  block: "table", caption: "Accesses: all 2", columns: [{ title: "access", align: "right" }, { title: "kind", align: "left" }],
  rows: [["0", "insert"], ["1", HOSTILE]].map((row) => row.map((text) => ({ text, role: "text", value: null }))),
};

export function report(): Report {
  const text = (value: string, role = "text") => [{ text: value, role }];
  return {
    blocks: [
      { block: "heading", level: 1, text: "new is 2.2 times faster than old" },
      { block: "paragraph", text: [...text("The median of "), ...text("./new", "code"), ...text(" is 41.2 ms, "), ...text("55 % less", "good"), ...text(`. ${HOSTILE}`)] },
      { block: "list", items: [text("20 runs of each command, in random order"), text("no drift", "dim")] },
      { block: "table", caption: "Times", columns: [{ title: "Command", align: "left" }, { title: "Median", align: "right" }, { title: "Runs", align: "right" }], rows: [["./old", 91.3, 20], ["./new", 41.2, 20], ["./other", 120, 18]].map(([a, b, c]) => [{ text: String(a), role: "code", value: null }, { text: `${b} ms`, role: "text", value: Number(b) }, { text: String(c), role: "text", value: Number(c) }]) },
      { block: "figure", title: "Distribution", caption: "each dot is a run", alt: "old between 88 and 95 ms, new between 40 and 43 ms", svg: `<svg xmlns="http://www.w3.org/2000/svg" width="1200" height="240" viewBox="0 0 1200 240" font-size="12"><script>window.broken=1</script><circle cx="60" cy="40" r="6" fill="#0072b2"/><circle cx="300" cy="40" r="6" fill="#c24e00"/><text x="60" y="70">old</text></svg>`, tables: [FIGURE_VALUES] },
      { block: "definitions", items: [{ term: "median", text: text("half of the runs took less") }] },
      { block: "code", text: "lotse bench './old' './new'" },
    ],
  };
}

/** Two programs in turn, 20 runs each; the last one failed. */
export function runs(q: Of<"runs">): RunsAnswer {
  const value = (i: number) => (i === 39 ? null : (i % 2 === 0 ? 91 : 41) + ((i * 7) % 5) - (i === 12 ? -20 : 0));
  const inside = (number: number, v: number | null) => {
    const s = q.selection;
    return s !== null && v !== null && number >= s.first && number <= s.last && (s.low === null || v / 1000 >= s.low) && (s.high === null || v / 1000 <= s.high);
  };
  const rows = Array.from({ length: 40 }, (_, i) => {
    const v = value(i);
    return { number: i + 1, program: i % 2, round: Math.floor(i / 2) + 1, place: (i % 2) + 1, value: v === null ? null : v / 1000, text: v === null ? "exit code 1" : `${v} ms`, contended: i === 12, selected: inside(i + 1, v) };
  });
  const columns = ["Program", "Runs", "Mean"].map((title, i) => ({ title, align: i === 0 ? ("left" as const) : ("right" as const) }));
  const table = (caption: string, kept: typeof rows) => ({
    caption, columns,
    rows: ["./old", "./new"].map((name, program) => {
      const own = kept.filter((r) => r.program === program && r.value !== null);
      const mean = own.reduce((sum, r) => sum + r.value!, 0) / own.length;
      return [name, String(own.length), own.length === 0 ? "–" : `${(mean * 1000).toFixed(1)} ms`].map((text) => ({ text, role: "text", value: null }));
    }),
  });
  const marked = rows.filter((r) => r.selected);
  return {
    metric: q.metric ?? "wall", metrics: ["wall", "user"], axis: "wall [ms]", ticks: [40, 60, 80, 100, 120].map((t) => ({ value: t / 1000, text: String(t) })),
    programs: ["./old", "./new"], runs: rows, all: table("All runs, as in the report", rows),
    selected: q.selection ? table(`Selection: ${marked.length} of 40 runs, marked by hand. It describes these runs; it is no verdict.`, marked) : null, remarks: [],
  };
}

/** 16 lanes; merged ones have two locations each. */
export function timeline(q: Of<"timeline">): Timeline {
  const [begin, end] = [q.from ?? 0, q.to ?? 12.5];
  const lanes = Array.from({ length: Math.min(q.lanes, 16) }, (_, i) => {
    const step = Math.max(1, Math.floor(q.columns / 20));
    const starts = Array.from({ length: 20 }, (_, k) => k * step).filter((c) => c < q.columns);
    return { name: q.merge ? `2 locations from rank ${2 * i} on` : `rank ${i}`, locations: q.merge ? [2 * i, 2 * i + 1] : [i], from: starts, to: starts.map((c) => Math.min(q.columns, c + step)), region: starts.map((_, k) => (k + i) % 3), waits: [[step * 3, step * 4]] as [number, number][] };
  });
  return {
    begin, end, runtime: 12.5, columns: q.columns, lane_count: 16, first_lane: q.first_lane,
    regions: ["compute", "MPI_Send", "MPI_Recv"].map((name, rank) => ({ name, class: rank === 0 ? "user" : "mpi", rank })),
    lanes, messages: [{ from_lane: 0, to_lane: 3, sent: 100, received: 180, count: 4 }], message_count: 4, hidden: "", critical_path: [{ lane: 0, from: 0, to: Math.floor(q.columns / 2) }],
    table: q.table ? timelineTable(begin, end) : null,
  };
}

/** The rows behind a time-line, with times of its window. */
function timelineTable(begin: number, end: number): TimelineTable {
  const message = { count: 4, sender: "rank 0", receiver: HOSTILE, sent: exact(begin), received: exact(end), late: "sender", waited: exact(0.25), mark: "≤" };
  return {
    messages: [message, { ...message, count: 1, receiver: "rank 3", late: "", waited: null, mark: "" }], messages_listed: "the 5 of 50 messages that took longest in 2 rows",
    path: [{ location: "rank 0", region: HOSTILE, begin: exact(begin), duration: exact((end - begin) / 2) }], path_listed: "the 1 longest of 900 intervals of the critical path",
    waits: [wait(3, begin), { ...wait(4, begin), cause: null }], waits_listed: "2 waits of 8 lanes of 16, rank 0 to rank 7",
  };
}

const exact = (seconds: number): ExactTime => ({ seconds, text: `${seconds.toFixed(9)} s` });

const wait = (location: number, begin: number): WaitRow => ({
  bar: { location, lane: location, begin, end: begin + 0.25 }, name: `rank ${location}`, metric: "late_sender", title: "Late sender",
  path: "main/exchange/MPI_Recv", begin: exact(begin), end: exact(begin + 0.25), duration: exact(0.25), mark: "", cause: "rank 0",
});

export function moment(q: Of<"moment">): MomentAnswer {
  const call = (name: string, entered: number, left: number) => ({ name, class: "user", entered: exact(entered), left: exact(left), duration: exact(left - entered) });
  return {
    location: q.location, name: `rank ${q.location}`, at: exact(q.at), stack: [call("main", 0, 12.5), call("exchange", 1, 11), call(HOSTILE, 1.25, 10.5)],
    events: [
      { kind: "enter", at: exact(1.25), what: HOSTILE, partner_at: null, duration: null, bytes: null },
      { kind: "receive", at: exact(10.5), what: "rank 0", partner_at: exact(10), duration: exact(0.5), bytes: 800 },
    ],
    waits: [wait(q.location, 1.5)],
  };
}

/** A wait in every second, on one rank after the other. */
export function nextWait(q: Of<"next_wait">): NextWaitAnswer {
  const number = q.backward ? Math.ceil(q.begin) - 1 : Math.floor(q.begin) + 1;
  if (number < 0 || number > 11) return { wait: null, window: null, number: 0, count: 0 };
  return { wait: wait(q.location ?? number, number), window: [Math.max(0, number - 0.5), number + 0.75], number: number + 1, count: 12 };
}

export function statistics(q: Of<"statistics">): StatisticsTable {
  const [begin, end] = [q.from ?? 0, q.to ?? 12.5];
  const names = q.row !== null ? ["rank 3", "rank 1"] : q.of === "waits" ? ["Late sender"] : ["compute", HOSTILE];
  const rows = names.map((name, i) => ({
    id: String(i), name, class: "user", time: amount((end - begin) / (i + 1), 0.5 / (i + 1)), locations: q.row === null ? 16 : null,
    most: q.row === null ? (["rank 3", amount(1, 0.1)] as [string, ReturnType<typeof amount>]) : null,
  }));
  return { begin: exact(begin), end: exact(end), whole: amount((end - begin) * 16, 1), rows, hidden: q.from === null ? "" : "known for the whole run only: Delay" };
}

export function callPaths(q: Of<"call_paths">): CallPathTable {
  const row = (name: string, depth: number, share: number) => ({ name, depth, exclusive: amount(share * 3, share), inclusive: amount(share * 4, share), window: [1.5, 3.2] as [number, number], bar: { location: 3, lane: 3, begin: 2, end: 2.5 } });
  return { metric: { name: q.metric, title: "Late sender", unit: "s", depth: 1, total: amount(4, 0.3), explanation: "A receive waits for a message that was sent late." }, rows: [row("main", 0, 1), row("exchange", 1, 0.8), row("MPI_Recv", 2, 0.7)] };
}
