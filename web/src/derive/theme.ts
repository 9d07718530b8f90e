// The colours that pictures are drawn with, from the custom properties of the page.

import { HUES, NO_KEY, changeColours, contrast, formatColour, luminance, mix, parseColour } from "./colour.ts";

export interface Theme {
  dark: boolean;
  fg: string;
  bg: string;
  muted: string;
  line: string;
  accent: string;
  less: string;
  more: string;
  /** By hue number; the last one is for what has no hue. */
  hues: readonly string[];
  /** Text on hues and on the colours of changes. */
  ink: string;
  /** From the largest loss over zero to the largest gain. */
  changes: readonly string[];
  /** A colour of expensive boxes, by share of cost 0 to 1. */
  heat: (share: number) => string;
  /** The same without the colour that means "more" in comparisons. */
  greyHeat: (share: number) => string;
  family: string;
}

/** The colours of the SVG reports, for pages that do not set a property. */
const DEFAULTS = {
  light: { fg: "#1c2024", bg: "#ffffff", muted: "#5f6870", line: "#e1e4e7", accent: "#0072b2", less: "#0072b2", more: "#c24e00" },
  dark: { fg: "#e4e7ea", bg: "#16191c", muted: "#9aa4ad", line: "#30363c", accent: "#56b0e8", less: "#56b0e8", more: "#ff8f4a" },
};
const INKS = [DEFAULTS.light.fg, DEFAULTS.dark.fg] as const;

/** `property` gives the text of a custom property, empty if it is not set. */
export function makeTheme(property: (name: string) => string, prefersDark: boolean, family: string): Theme {
  const background = property("--bg").trim();
  const dark = background === "" ? prefersDark : luminance(parseColour(background)) < 0.3;
  const defaults = dark ? DEFAULTS.dark : DEFAULTS.light;
  const colour = (name: keyof typeof defaults) => property(`--${name}`).trim() || defaults[name];
  const [less, more, bg] = [colour("less"), colour("more"), colour("bg")];
  const zero = parseColour(NO_KEY[dark ? 1 : 0]);
  const hues = [...HUES, NO_KEY].map((pair) => pair[dark ? 1 : 0]);
  const ink = readableInk(colour("fg"), hues);
  const heatOf = (strong: string) => (share: number) =>
    formatColour(mix(parseColour(bg), parseColour(strong), 0.04 + 0.42 * Math.sqrt(Math.min(1, Math.max(0, share)))));
  return {
    dark,
    fg: colour("fg"),
    bg,
    muted: colour("muted"),
    line: colour("line"),
    accent: colour("accent"),
    less,
    more,
    hues,
    ink,
    changes: changeColours(zero, parseColour(less), parseColour(more), parseColour(ink)),
    heat: heatOf(more),
    greyHeat: heatOf(colour("muted")),
    family,
  };
}

/** The text colour of the page if it is readable on all hues, else black or white ink. */
function readableInk(fg: string, hues: readonly string[]): string {
  const least = (ink: string) => Math.min(...hues.map((hue) => contrast(parseColour(ink), parseColour(hue))));
  if (least(fg) >= 4.5) return fg;
  return least(INKS[0]) >= least(INKS[1]) ? INKS[0] : INKS[1];
}
