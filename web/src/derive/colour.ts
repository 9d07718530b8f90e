// Colours by key: the same hues and the same hash as the SVG reports
// (crates/lotse-report/src/svg/key_colour.rs), so that page and reports agree.

/** Colours for light and for dark pages. Text on them has a contrast of at least 6.5 to 1. */
export const HUES: readonly (readonly [light: string, dark: string])[] = [
  ["#ffbcb5", "#713c38"],
  ["#ebae8d", "#5c3015"],
  ["#f2ca92", "#654617"],
  ["#cabf7f", "#463d00"],
  ["#bfdda2", "#3f5527"],
  ["#91cea6", "#14482b"],
  ["#8ee4d8", "#005a52"],
  ["#7acce0", "#004655"],
  ["#a2d8ff", "#265173"],
  ["#adbaf5", "#323964"],
  ["#e2c2fb", "#5a416c"],
  ["#e6a8ca", "#582c46"],
];
/** The colour of what has no key, and of keys beyond a limit. */
export const NO_KEY: readonly [light: string, dark: string] = ["#d6dade", "#3a4148"];
/** The hue number of `NO_KEY`. */
export const NO_HUE = HUES.length;
/** The step to the next free hue: far around the circle, and coprime to its length. */
const STEP = 5;
/** Only this many bytes of a key are hashed. */
const HASHED = 1024;

const encoder = new TextEncoder();

/** The first bytes of a key; a key may be a megabyte long. */
function keyBytes(key: string): Uint8Array {
  return encoder.encode(key.slice(0, HASHED)).subarray(0, HASHED);
}

/** FNV-1a over the first bytes, folded to 32 bits. */
export function keyHash(key: string): number {
  let hash = 0xcbf29ce484222325n;
  for (const byte of keyBytes(key)) hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * 0x100000001b3n);
  return Number((hash ^ (hash >> 32n)) & 0xffffffffn);
}

function compareBytes(x: Uint8Array, y: Uint8Array): number {
  for (let i = 0; i < x.length && i < y.length; i++) {
    const difference = x[i]! - y[i]!;
    if (difference !== 0) return difference;
  }
  return x.length - y.length;
}

/** The hues of a document's keys.
 *
 * Keys of one picture get the hues that the SVG of that picture has: in byte order, each takes
 * the hue of its hash, or the next free one. Keys of later pictures are added without changing
 * a hue, so that a function keeps its colour in all views of the document. */
export class Palette {
  private readonly hues = new Map<string, number>();
  private readonly free: boolean[] = HUES.map(() => true);

  /** Adds the keys that are new; beyond `limit` keys the rest has no hue of its own. */
  add(keys: Iterable<string>, limit = Infinity): void {
    const added = [...new Set(keys)].filter((key) => key !== "" && !this.hues.has(key));
    const own = added.slice(0, Math.max(0, limit - this.hues.size));
    const sorted = own.map((key) => [keyBytes(key), key] as const).sort((a, b) => compareBytes(a[0], b[0]));
    for (const [, key] of sorted) this.hues.set(key, this.takeHue(key));
  }

  /** The number of the hue, `NO_HUE` for keys without one. */
  hue(key: string): number {
    return this.hues.get(key) ?? NO_HUE;
  }

  private takeHue(key: string): number {
    const own = keyHash(key) % HUES.length;
    for (let step = 0; step < HUES.length; step++) {
      const hue = (own + STEP * step) % HUES.length;
      if (this.free[hue]) {
        this.free[hue] = false;
        return hue;
      }
    }
    return own;
  }
}

/** Colours of the regions of a time-line, for light and for dark pages, in the order in which they are given out: each is as far
 * from those before as can be. Any two differ by 0.1 and more in OKLab, and by 0.065 for people who lack one kind of cones;
 * labels on them have a contrast of 4.5 and more. They were found by search; a test has the distances. */
export const REGION_COLOURS: readonly (readonly [light: string, dark: string])[] = [
  ["#f6df74", "#6455c6"],
  ["#a47eb5", "#670400"],
  ["#49cffc", "#0c2964"],
  ["#559b50", "#b53158"],
  ["#dead48", "#695205"],
  ["#e37a84", "#43487f"],
  ["#5bf9f9", "#7e3043"],
  ["#b0aabf", "#8d5188"],
  ["#64a1ee", "#402334"],
  ["#a4d59f", "#511b8b"],
];
/** What tells regions of one colour apart. */
export const PATTERNS = ["plain", "lines", "dots"] as const;
export type Pattern = (typeof PATTERNS)[number];

/** So many regions look different; those after them are grey. */
export const RANKS = REGION_COLOURS.length * PATTERNS.length;

/** The look of the region with a rank in the whole run, 0 for the one with the most time. It does not depend on the window. */
export function regionLook(rank: number, isDark: boolean): { colour: string; pattern: Pattern } {
  const theme = isDark ? 1 : 0;
  const pattern = PATTERNS[Math.floor(rank / REGION_COLOURS.length)];
  if (pattern === undefined) return { colour: NO_KEY[theme], pattern: "plain" };
  return { colour: REGION_COLOURS[rank % REGION_COLOURS.length]![theme], pattern };
}

export type Rgb = readonly [number, number, number];

/** Reads "#abc", "#aabbcc", "rgb(1, 2, 3)" and "rgb(1 2 3)"; grey for anything else. */
export function parseColour(text: string): Rgb {
  const value = text.trim();
  const short = /^#([0-9a-f])([0-9a-f])([0-9a-f])$/i.exec(value);
  if (short) return [1, 2, 3].map((i) => parseInt(short[i]! + short[i]!, 16)) as unknown as Rgb;
  const long = /^#([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})/i.exec(value);
  if (long) return [1, 2, 3].map((i) => parseInt(long[i]!, 16)) as unknown as Rgb;
  const rgb = /^rgba?\(\s*([\d.]+)[\s,]+([\d.]+)[\s,]+([\d.]+)/.exec(value);
  if (rgb) return [Number(rgb[1]), Number(rgb[2]), Number(rgb[3])];
  return [128, 128, 128];
}

export function formatColour([r, g, b]: Rgb): string {
  return `rgb(${Math.round(r)}, ${Math.round(g)}, ${Math.round(b)})`;
}

/** `amount` 0 gives `from`, 1 gives `to`. */
export function mix(from: Rgb, to: Rgb, amount: number): Rgb {
  const part = (i: 0 | 1 | 2) => from[i] + (to[i] - from[i]) * amount;
  return [part(0), part(1), part(2)];
}

/** Relative luminance of WCAG 2. */
export function luminance(colour: Rgb): number {
  const [r, g, b] = colour.map((part) => {
    const share = part / 255;
    return share <= 0.03928 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  }) as [number, number, number];
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

/** Contrast of WCAG 2, 1 to 21. */
export function contrast(a: Rgb, b: Rgb): number {
  const [high, low] = [luminance(a), luminance(b)].sort((x, y) => y - x) as [number, number];
  return (high + 0.05) / (low + 0.05);
}

/** The steps of the scale of changes on each side of zero. */
export const CHANGE_STEPS = 8;

/** The step of a change, from -CHANGE_STEPS (all lost) over 0 to CHANGE_STEPS. The square root
 * makes small changes visible. */
export function changeStep(change: number, largest: number): number {
  if (!(largest > 0) || !Number.isFinite(change)) return 0;
  const size = Math.sqrt(Math.min(1, Math.abs(change) / largest));
  return Math.sign(change) * Math.round(size * CHANGE_STEPS);
}

/** The colours of the steps from -CHANGE_STEPS to CHANGE_STEPS: `less` over `zero` to `more`, as
 * strong as text in `ink` stays readable on them. */
export function changeColours(zero: Rgb, less: Rgb, more: Rgb, ink: Rgb): string[] {
  const [lost, gained] = [strongest(less, ink), strongest(more, ink)];
  const colours: string[] = [];
  for (let step = -CHANGE_STEPS; step <= CHANGE_STEPS; step++) {
    colours.push(formatColour(mix(zero, step < 0 ? lost : gained, Math.abs(step) / CHANGE_STEPS)));
  }
  return colours;
}

/** The colour itself, or as much of it in black or white as gives `ink` a contrast of 4.6. */
function strongest(colour: Rgb, ink: Rgb): Rgb {
  const base: Rgb = luminance(ink) > 0.4 ? [0, 0, 0] : [255, 255, 255];
  let amount = 1;
  while (amount > 0.1 && contrast(mix(base, colour, amount), ink) < 4.6) amount -= 0.02;
  return mix(base, colour, amount);
}
