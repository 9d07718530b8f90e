// Functions of an invented program, with names as compilers and attackers make them.

import type { Amount, Change, CostPair, EventType, FunctionName, FunctionRow } from "../../src/api/types.ts";

export const HOSTILE = `<img src=x onerror="window.broken=1"><script>window.broken=1</script>`;
export const LONG = `std::vector<${"std::pair<int, ".repeat(40_000)}end>::push_back(${"x".repeat(400_000)})`;

const REAL: [string, string, string, number, number, number][] = [
  // name, object, file, line, self share, inclusive share
  ["(anonymous namespace)::Matrix::multiply(Matrix const&, Matrix const&)", "solver", "src/matrix.cpp", 118, 0.341, 0.412],
  ["Solver::step(double)", "solver", "src/solver.cpp", 64, 0.118, 0.831],
  ["malloc", "libc.so.6", "malloc/malloc.c", 3012, 0.087, 0.102],
  ["main", "solver", "src/main.cpp", 21, 0.001, 0.994],
  ["Solver::run(Options const&)", "solver", "src/solver.cpp", 142, 0.004, 0.97],
  ["std::map<std::string, double>::operator[](std::string const&)", "solver", "/usr/include/c++/12/bits/stl_map.h", 501, 0.071, 0.093],
  ["parse_input(std::istream&)", "solver", "src/input.cpp", 33, 0.052, 0.11],
  ["free", "libc.so.6", "malloc/malloc.c", 3384, 0.041, 0.041],
  ["memcpy", "libc.so.6", "string/memcpy.S", 12, 0.066, 0.066],
  [HOSTILE, "evil.so", "../../../../etc/passwd", 1, 0.021, 0.021],
  [LONG, "solver", "src/long.cpp", 9, 0.012, 0.03],
  ["evaluate'2", "solver", "src/expr.cpp", 77, 0.018, 0.2],
  ["\u202eright-to-left\u202c name", "solver", "src/rtl.cpp", 3, 0.004, 0.004],
];

export const EVENTS: EventType[] = [
  { name: "Ir", unit: "instructions", title: "Instructions", formula: null, total: "4.21 G", old_total: null, by_share: false, adds_up: true },
  { name: "Dr", unit: "reads", title: "Data reads", formula: null, total: "1.13 G", old_total: null, by_share: false, adds_up: true },
  { name: "DLmr", unit: "misses", title: "Last-level read misses", formula: null, total: "8.21 M", old_total: null, by_share: false, adds_up: true },
  { name: "CEst", unit: "cycles", title: "Estimated cycles", formula: "Ir + 10 DLmr", total: "4.29 G", old_total: null, by_share: false, adds_up: true },
  { name: "MissRate", unit: "", title: "Read miss rate", formula: "DLmr / Dr", total: "0.73 %", old_total: null, by_share: false, adds_up: false },
];

const SCALE: Record<string, number> = { Ir: 4.21e9, Dr: 1.13e9, DLmr: 8.21e6, CEst: 4.29e9, MissRate: 1 };

export function nameOf(id: number): FunctionName {
  const real = REAL[id];
  const name = real?.[0] ?? `generated::module_${id % 37}::function_${id}(int, char const*)`;
  return {
    id,
    name,
    label: name.replace(/\(.*$/s, "").slice(0, 120) || name.slice(0, 120),
    object: real?.[1] ?? `libmod${id % 7}.so`,
    file: real?.[2] ?? `src/module_${id % 37}.cpp`,
    line: real?.[3] ?? 10 + (id % 400),
    class: null,
    cycle: name.startsWith("evaluate") ? 1 : null,
    place: name === "free" ? "heap.c:3384" : null,
    colour_key: real?.[1] ?? `libmod${id % 7}.so`,
  };
}

export function shareOf(id: number): { self: number; inclusive: number } {
  const real = REAL[id];
  if (real) return { self: real[4], inclusive: real[5] };
  const self = 0.15 / (id * id);
  return { self, inclusive: self * (1 + (id % 5)) };
}

export function format(value: number): string {
  const units: [number, string][] = [[1e9, " G"], [1e6, " M"], [1e3, " k"]];
  const [size, unit] = units.find(([limit]) => Math.abs(value) >= limit) ?? [1, ""];
  const scaled = value / size;
  return `${Math.abs(scaled) >= 100 || unit === "" ? scaled.toFixed(0) : scaled.toFixed(2)}${unit}`;
}

export function amount(value: number, share: number | null, mark = ""): Amount {
  return { value, text: format(value), share, share_text: share === null ? "" : `${(share * 100).toFixed(Math.abs(share) < 0.001 ? 3 : 1)} %`, mark };
}

export function cost(event: string, share: number, mark = ""): Amount {
  return amount((SCALE[event] ?? 1e6) * share, share, mark);
}

/** How much a function changed in the comparison: -1 to 1. */
function changeOf(id: number): number {
  return id === 0 ? -0.4 : id === 2 ? 0.6 : ((id * 7919) % 21) / 100 - 0.1;
}

function change(event: string, id: number, share: number): Change {
  const factor = changeOf(id);
  const old = share / (1 + factor);
  const difference = cost(event, share - old);
  const sign = share >= old ? "+" : "";
  return {
    old: cost(event, old),
    difference: { ...difference, text: sign + difference.text, share_text: sign + difference.share_text },
    ratio: id === 7 ? "new" : `${(1 + factor).toFixed(2)} times`,
    ratio_value: 1 + factor,
    noise: Math.abs(factor) < 0.05,
  };
}

export function functionRow(id: number, events: readonly string[], comparison: boolean): FunctionRow {
  const fn = nameOf(id);
  const { self, inclusive } = shareOf(id);
  const costs = events.map((event): CostPair => ({
    self: cost(event, self),
    inclusive: cost(event, inclusive, fn.cycle !== null ? "≥" : ""),
    self_change: comparison ? change(event, id, self) : null,
    inclusive_change: comparison ? change(event, id, inclusive) : null,
  }));
  return { function: fn, name: fn.name, size: null, calls: amount(1 + ((id * 7919) % 100_000), null), costs };
}
