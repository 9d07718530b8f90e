// The window of a time-line: zoom, pan, axis. Times are seconds as 64-bit floats; the axis of a
// narrow window shows offsets from its begin, since "12.345678 s" at every tick would hide the
// digits that differ.

export interface TimeWindow {
  from: number;
  to: number;
}

/** The narrowest window, in seconds, and as a share of the times in it (64-bit floats have 15 digits). */
const NARROWEST = 1e-9;
const PRECISION = 1e-13;

/** A window within the run, at least as wide as times can be told apart. */
export function limitWindow(window: TimeWindow, runtime: number): TimeWindow {
  if (!(runtime > 0)) return { from: 0, to: 1e-9 };
  const { from, to } = window;
  if (!Number.isFinite(from) || !Number.isFinite(to)) return { from: 0, to: runtime };
  const least = Math.max(NARROWEST, runtime * PRECISION);
  const length = Math.min(runtime, Math.max(least, to - from));
  const middle = (from + to) / 2;
  const start = Math.min(runtime - length, Math.max(0, to - from < least ? middle - length / 2 : from));
  return { from: start, to: start + length };
}

/** Zooms by a factor (above 1 shows less); the time at `share` of the width stays in place. */
export function zoomWindow(window: TimeWindow, share: number, factor: number, runtime: number): TimeWindow {
  const length = window.to - window.from;
  const next = Math.min(runtime, length / factor);
  const from = window.from + share * (length - next);
  return limitWindow({ from, to: from + next }, runtime);
}

/** Pans by a share of the width. */
export function panWindow(window: TimeWindow, share: number, runtime: number): TimeWindow {
  const by = (window.to - window.from) * share;
  return limitWindow({ from: window.from + by, to: window.to + by }, runtime);
}

const UNITS: readonly (readonly [seconds: number, name: string])[] = [
  [1, "s"],
  [1e-3, "ms"],
  [1e-6, "µs"],
  [1e-9, "ns"],
];

/** The largest unit that is not above `seconds`. */
function unitOf(seconds: number): readonly [number, string] {
  return UNITS.find(([size]) => Math.abs(seconds) >= size * 0.9999999) ?? UNITS[UNITS.length - 1]!;
}

/** A time with the digits that `resolution` (seconds) needs: 0.01234 and 1e-6 give "12.340 ms". */
export function formatTime(seconds: number, resolution: number): string {
  if (seconds === 0) return "0 s";
  const [size, name] = unitOf(seconds);
  const digits = Math.min(9, Math.max(0, Math.ceil(-Math.log10(Math.max(resolution, 1e-12) / size) - 1e-9)));
  return `${(seconds / size).toFixed(digits)} ${name}`;
}

export interface Axis {
  /** Times of the ticks with their texts. */
  ticks: { time: number; text: string }[];
  /** The time at the left edge: "12.345678 s". Texts that begin with "+" are offsets from it. */
  base: string;
}

/** Ticks at round times, about `spacing` pixels apart. */
export function axisTicks(window: TimeWindow, width: number, spacing = 90): Axis {
  const length = window.to - window.from;
  if (!(length > 0) || !(width > 0)) return { ticks: [], base: "" };
  const step = roundStep((length * spacing) / width);
  const relative = window.from > length * 100;
  const origin = relative ? window.from : 0;
  const [size, name] = unitOf(relative ? Math.max(step, length / 2) : Math.max(window.to, step));
  const digits = Math.min(9, Math.max(0, Math.ceil(-Math.log10(step / size) - 1e-9)));
  const ticks: Axis["ticks"] = [];
  const first = Math.ceil((window.from - origin) / step - 1e-6);
  for (let i = first; ticks.length < 200; i++) {
    const offset = i * step;
    if (origin + offset > window.to + length * 1e-9) break;
    const text = `${relative && offset >= 0 ? "+" : ""}${(offset / size).toFixed(digits)} ${name}`;
    ticks.push({ time: origin + offset, text });
  }
  // One digit more than the ticks: the edge is between two of them.
  const edge = window.from === 0 ? "0" : (window.from / size).toFixed(Math.min(9, digits + (isRound(window.from / step) ? 0 : 1)));
  return { ticks, base: relative ? formatTime(origin, step / 10) : `${edge} ${name}` };
}

function isRound(value: number): boolean {
  return Math.abs(value - Math.round(value)) < 1e-6;
}

/** 1, 2 or 5 times a power of ten, at least `step`. */
export function roundStep(step: number): number {
  const power = 10 ** Math.floor(Math.log10(step));
  const factor = [1, 2, 5, 10].find((f) => f * power >= step * (1 - 1e-9)) ?? 10;
  return factor * power;
}

/** Whether two windows are the same but for the rounding of moving there and back. */
export function isSameWindow(a: TimeWindow, b: TimeWindow): boolean {
  const rounding = 1e-9 * (b.to - b.from);
  return Math.abs(a.from - b.from) <= rounding && Math.abs(a.to - b.to) <= rounding;
}
