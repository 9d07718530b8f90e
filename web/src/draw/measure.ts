// Widths of characters, measured once for each font. Measuring whole labels would cost more than
// drawing them.

import type { CharWidth } from "../derive/text.ts";

const tables = new Map<string, CharWidth>();

/** The widths for the font that is set in `context`. */
export function charWidths(context: CanvasRenderingContext2D): CharWidth {
  const { font } = context;
  const known = tables.get(font);
  if (known) return known;
  const widths = new Float32Array(0x10000).fill(-1);
  const measure = (code: number) => {
    context.save();
    context.font = font;
    // Halves of surrogate pairs have no width of their own; half of a wide character stands for them.
    const isHalf = code >= 0xd800 && code <= 0xdfff;
    const { width } = context.measureText(isHalf ? "漢" : String.fromCharCode(Math.max(32, code)));
    context.restore();
    return (widths[code] = isHalf ? width / 2 : width);
  };
  const widthOf: CharWidth = (code) => {
    const width = widths[code]!;
    return width >= 0 ? width : measure(code);
  };
  tables.set(font, widthOf);
  return widthOf;
}

/** Draws a line around a rectangle, inside of its edges. */
export function outline(
  context: CanvasRenderingContext2D,
  [x, y, width, height]: readonly [number, number, number, number],
  colour: string,
  line = 2,
): void {
  context.strokeStyle = colour;
  context.lineWidth = line;
  context.strokeRect(x + line / 2, y + line / 2, Math.max(0.5, width - line), Math.max(0.5, height - line));
}
