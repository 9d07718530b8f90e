// Draws the tiles of a treemap, outer ones first.

import type { Palette } from "../derive/colour.ts";
import { fitText, formatShare, textWidth } from "../derive/text.ts";
import type { Theme } from "../derive/theme.ts";
import { childList } from "../derive/tree.ts";
import type { TreemapIndex } from "../derive/treemap.ts";
import { type Marks, changeColour, functionColours, markLine, markedFunctions } from "./marks.ts";
import { charWidths, outline } from "./measure.ts";

const FONT_SIZE = 12;
/** The height of a label; the strip above inner tiles has it, too. */
const STRIP = 14;

export interface TreemapScene {
  index: TreemapIndex;
  /** The size of the canvas; tiles for another size are stretched. */
  width: number;
  height: number;
  marks: Marks;
  palette: Palette;
  cursor: number;
  difference: boolean;
}

export function drawTreemap(context: CanvasRenderingContext2D, scene: TreemapScene, theme: Theme): void {
  const { index, width, height, difference } = scene;
  const { functions, tiles } = index.picture;
  context.clearRect(0, 0, width, height);
  const [sx, sy] = [width / Math.max(1, index.width), height / Math.max(1, index.height)];
  const rectangle = (tile: number) =>
    [tiles.x[tile]! * sx, tiles.y[tile]! * sy, tiles.width[tile]! * sx, tiles.height[tile]! * sy] as const;
  const colours = functionColours(functions, scene.palette, theme);
  const marked = markedFunctions(functions, scene.marks);
  context.font = `${FONT_SIZE}px ${theme.family}`;
  context.textBaseline = "middle";
  const widthOf = charWidths(context);
  for (let tile = 0; tile < tiles.function.length; tile++) {
    const fn = tiles.function[tile]!;
    const [x, y, w, h] = rectangle(tile);
    context.fillStyle = difference ? changeColour(theme, tiles.change[tile] ?? 0, index.largestChange) : colours[fn]!;
    context.fillRect(x, y, w, h);
    context.strokeStyle = theme.ink;
    context.globalAlpha = 0.45;
    context.lineWidth = Math.min(w, h) < 8 ? 0.3 : 0.7;
    context.strokeRect(x, y, w, h);
    context.globalAlpha = 1;
    if (h >= STRIP - 2 && w > 30) {
      context.fillStyle = theme.ink;
      const hasInner = childList(index.children, tile).length > 0;
      drawLabel(context, [x + 4, y, w - 8, h], functions[fn]?.label ?? "", formatShare(tiles.share[tile]!), hasInner, widthOf);
    }
  }
  if (marked) {
    tiles.function.forEach((fn, tile) => {
      if (marked[fn]! > 0) outline(context, rectangle(tile), ...markLine(marked[fn]!, theme));
    });
  }
  if (scene.cursor >= 0) {
    const [x, y, w, h] = rectangle(scene.cursor);
    outline(context, [x - 1, y - 1, w + 2, h + 2], theme.fg, 3);
  }
}

/** The name, and the share beside it or, where no tiles are inside, below it. */
function drawLabel(
  context: CanvasRenderingContext2D,
  [x, y, room, height]: readonly [number, number, number, number],
  name: string,
  share: string,
  hasInner: boolean,
  widthOf: (char: number) => number,
): void {
  const middle = y + Math.min(STRIP / 2 + 1, height / 2 + 0.5);
  const shareWidth = textWidth(share, widthOf);
  if (hasInner && room > shareWidth + 60) {
    const text = fitText(name, room - shareWidth - 8, widthOf);
    context.fillText(text, x, middle);
    context.fillText(share, x + room - shareWidth, middle);
    return;
  }
  context.fillText(fitText(name, room, widthOf), x, middle);
  if (!hasInner && height >= 2 * STRIP + 2 && room > shareWidth) context.fillText(share, x, middle + STRIP);
}
