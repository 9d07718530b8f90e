// The documents of the mock server.

import type { About, DocumentState, FindingRow, ProfileAbout } from "../../src/api/types.ts";
import { amount, cost, EVENTS, HOSTILE } from "./names.ts";

const finding = (fields: Partial<FindingRow>): FindingRow => ({
  no_severity: fields.share === null ? "it is about the measurement" : null,
  rank: fields.share === null ? [0, 0, 0.9, 0] : [1, fields.share ?? 0.22, 0.9, 1],
  rule: "profile/cache-misses-in-loop",
  level: "warning",
  severity: "22 % of the instructions",
  share: 0.22,
  certainty: "90 % sure",
  places: ["src/matrix.cpp:124"],
  reason: "Matrix::multiply walks b column by column: 74 % of all last-level read misses come from this line.",
  recommendation: "Swap the loops over j and k, or transpose b first.",
  verification: "lotse profile --events DLmr ./solver --size 512",
  explanation: "A loop whose innermost index strides over rows touches a new cache line at each step.\n\nThe rule fires if one line has more than half of the misses of a run and the stride is larger than a cache line.",
  function: 0,
  line: 124,
  window: null,
  bar: null,
  figure: null,
  runs: [],
  ...fields,
});

const FINDINGS = [
  finding({}),
  finding({ rule: "profile/allocation-in-loop", severity: "10 % of the instructions", share: 0.1, places: ["src/solver.cpp:71", "src/solver.cpp:80"], reason: "Solver::step allocates a vector in each iteration.", recommendation: "Keep the vector and clear it.", function: 2, line: null, verification: null }),
  finding({ rule: "predict/branch-mispredicted", level: "note", severity: "", share: null, certainty: "60 % sure", places: [HOSTILE], reason: `Hostile text: ${HOSTILE}`, recommendation: "Do nothing.", function: 9, line: null }),
];

export const PROFILE: ProfileAbout = {
  command: "./solver --size 512",
  events: EVENTS,
  default_event: "Ir",
  parts: Array.from({ length: 8 }, (_, i) => ({ number: i + 1, name: `dump ${i + 1}`, process: 4711, thread: (i % 2) + 1, trigger: i === 7 ? "program end" : "every 1 G instructions", chosen: true, samples: 1000 + i * 100, totals: ["Ir", "Dr", "DLmr"].map((e) => cost(e, 0.05 + 0.02 * i)) })),
  function_count: 5000,
  has_calls: true,
  has_counts: true,
  has_inclusive: true,
  has_data: true,
  groupings: ["object", "file", "class", "cycle"],
};

const about = (fields: Partial<About>): About => ({
  kind: "profile",
  format: "callgrind",
  sentence: "Matrix::multiply takes 34 % of 4.21 G instructions, most of it in line 124 of src/matrix.cpp, which also causes 74 % of the cache misses.",
  findings: FINDINGS,
  remarks: [],
  profile: PROFILE,
  trace: null,
  ...fields,
});

const ready = (id: number, name: string, state: About): DocumentState => ({
  id,
  name,
  paths: [`/home/user/solver/${name}`],
  stage: { stage: "ready", revision: 1, about: state },
  outdated: false,
});

export function makeDocuments(): Record<string, DocumentState> {
  return {
    profile: ready(1, "callgrind.out.4711", about({})),
    comparison: ready(2, "old and new", about({ kind: "comparison", sentence: "new needs 12 % fewer instructions than old: Matrix::multiply became 1.7 times cheaper, malloc 1.6 times dearer.", findings: [], profile: { ...PROFILE, parts: [], has_data: false } })),
    renamed: ready(12, "before and after", about({
      kind: "comparison",
      sentence: "new is 1.0 times as fast: find_word appeared.",
      findings: [finding({ rule: "profile-cost-moved", reason: "lookup disappeared and find_word appeared." }), finding({ rule: "profile-cost-moved", reason: "malloc costs more." })],
      remarks: [{ place: null, message: "perhaps renamed: lookup → find_word (61 %)", loss: false }, { place: null, message: "new: perf lost 3 records while recording", loss: false }],
      profile: { ...PROFILE, parts: [], has_data: false },
    })),
    trace: ready(3, "traces.otf2", about({
      kind: "trace", format: "OTF2", sentence: "The 16 ranks wait 31 % of 12.5 s, mostly in MPI_Recv for late senders.", profile: null,
      trace: { runtime: 12.5, ticks_per_second: 1e9, locations: Array.from({ length: 16 }, (_, i) => `rank ${i}`), metrics: [{ name: "late_sender", title: "Late sender", unit: "s", depth: 0, total: amount(4, 0.3), explanation: "A receive waits for a message that was sent late." }] },
      findings: [finding({ rule: "trace/late-sender", severity: "31 % of the run time", share: 0.31, places: ["rank 0, 1.5 s to 3.2 s"], reason: "Rank 0 sends late in each step.", recommendation: "Balance the work of rank 0.", function: null, line: null, window: [1.5, 3.2], bar: { location: 5, lane: 5, begin: 2, end: 2.5 } })],
    })),
    wide: ready(9, "wide.otf2", about({
      kind: "trace", format: "OTF2", sentence: "The 32 ranks wait.", profile: null,
      trace: { runtime: 12.5, ticks_per_second: 1e9, locations: Array.from({ length: 32 }, (_, i) => `rank ${i}`), metrics: [] },
      findings: [
        finding({ rule: "trace/late-sender", share: 0.31, function: null, line: null, window: [1.5, 3.2], bar: { location: 5, lane: 5, begin: 2, end: 2.5 } }),
        finding({ rule: "trace/many-files", level: "note", share: null, function: null, line: null, places: [] }),
      ],
    })),
    bench: ready(4, "bench.json", about({ kind: "bench", format: "lotse bench", sentence: "new is 2.2 times faster than old.", findings: [finding({ rule: "bench/outliers", level: "note", severity: "", share: null, reason: "2 of 20 runs are outliers.", figure: null, runs: [3, 7], function: null, line: null, places: [] }), finding({ rule: "bench/undecided", level: "note", severity: "", share: null, reason: "The interval has both signs.", figure: 0, function: null, line: null, places: [] })], profile: null })),
    opening: { id: 5, name: "huge.out", paths: ["/data/huge.out"], stage: { stage: "opening", phase: "reading", done: 1_200_000_000, total: 4_000_000_000 }, outdated: false },
    failed: { id: 6, name: "broken.out", paths: ["/data/broken.out"], stage: { stage: "failed", problem: { message: "line 17 is not a cost line: “+1 x”", place: "/data/broken.out:17" } }, outdated: false },
    damaged: { ...ready(7, "damaged.out", about({ remarks: [{ place: "byte 81,920", message: "the file is damaged after byte 81,920: shown is what could be read", loss: true }, { place: null, message: "2 unknown header lines were skipped", loss: false }] })), outdated: true },
    big: ready(8, "big.out", about({ findings: [], profile: { ...PROFILE, function_count: 2_000_000 } })),
  };
}
