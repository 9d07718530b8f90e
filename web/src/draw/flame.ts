// Draws the visible frames of a flame graph.

import { type FlameLayer, type FlameViewport, type FramePlace, isWithin, visibleFrames } from "../derive/flame.ts";
import type { Palette } from "../derive/colour.ts";
import { fitText } from "../derive/text.ts";
import type { Theme } from "../derive/theme.ts";
import { type Marks, changeColour, functionColours, markLine, markedFunctions } from "./marks.ts";
import { charWidths, outline } from "./measure.ts";
import { RowImage, pixelOf } from "./row-image.ts";

export const FONT_SIZE = 12;
/** Frames narrower than this have no label. */
const LABEL_ROOM = 24;
const PAD = 4;

export interface FlameScene {
  layers: readonly FlameLayer[];
  view: FlameViewport & { ratio: number };
  marks: Marks;
  palette: Palette;
  /** The frame with the keyboard focus; null while the picture has none. */
  cursor: FramePlace | null;
  /** Whether the layers show a difference. */
  difference: boolean;
}

export function drawFlame(context: CanvasRenderingContext2D, scene: FlameScene, theme: Theme): void {
  const { view } = scene;
  context.clearRect(0, 0, view.width, view.height);
  context.font = `${FONT_SIZE}px ${theme.family}`;
  context.textBaseline = "middle";
  scene.layers.forEach((layer, i) => drawLayer(context, scene, theme, layer, scene.cursor?.layer === i ? scene.cursor.frame : -1));
}

function drawLayer(
  context: CanvasRenderingContext2D,
  scene: FlameScene,
  theme: Theme,
  layer: FlameLayer,
  cursor: number,
): void {
  const { view, difference } = scene;
  const { functions, frames } = layer.index.picture;
  const colours = functionColours(functions, scene.palette, theme);
  const marked = markedFunctions(functions, scene.marks);
  const widthOf = charWidths(context);
  const height = view.rowHeight - 1;
  const zoomDepth = layer.zoom < 0 ? -1 : frames.depth[layer.zoom]!;
  const labels: [number, number, number, number][] = [];
  const outlines: [number, number, number, number, number][] = [];
  const { ratio } = view;
  const first = Math.floor(view.scrollTop / view.rowHeight);
  const image = new RowImage(context.canvas.ownerDocument, Math.ceil(view.width * ratio), Math.ceil(view.height / view.rowHeight) + 1);
  const rows = new Set<number>();
  const pixels = new Map<string, number>();
  visibleFrames(layer, view, (frame, x, y, width) => {
    const fn = frames.function[frame]!;
    const colour = difference ? changeColour(theme, frames.change[frame] ?? 0, layer.index.largestChange) : colours[fn]!;
    let pixel = pixels.get(colour);
    if (pixel === undefined) pixels.set(colour, (pixel = pixelOf(colour)));
    const row = Math.round((y + view.scrollTop) / view.rowHeight) - first;
    const [from, to] = [Math.round(x * ratio), Math.round((x + width) * ratio)];
    // A pixel between frames separates neighbours of the same colour.
    image.fill(row, from, Math.max(from + 1, width > 2.5 ? to - 1 : to), pixel);
    rows.add(row);
    if (width >= LABEL_ROOM) labels.push([frame, x, y, width]);
    const mark = marked ? marked[fn]! : 0;
    if (mark > 0) outlines.push([mark, x, y, width, height]);
    if (frame === cursor) outlines.push([-1, x, y, width, height]);
  });
  const canvas = image.finish();
  context.imageSmoothingEnabled = false;
  for (const row of rows) {
    const y = (first + row) * view.rowHeight - view.scrollTop;
    context.drawImage(canvas, 0, row, image.width, 1, 0, y, image.width / ratio, height);
  }
  context.imageSmoothingEnabled = true;
  context.fillStyle = theme.ink;
  for (const [frame, x, y, width] of labels) {
    // The ancestors of the zoomed frame are paler, since their width is not to scale.
    const isAncestor = frames.depth[frame]! < zoomDepth && isWithin(frames.parent, layer.zoom, frame);
    context.globalAlpha = isAncestor ? 0.85 : 1;
    const text = fitText(functions[frames.function[frame]!]?.label ?? "", width - 2 * PAD, widthOf);
    if (text !== "") context.fillText(text, x + PAD, y + height / 2 + 0.5);
  }
  context.globalAlpha = 1;
  drawOutlines(context, outlines, theme);
}

/** Outlines of marked frames; that of the keyboard focus (mark -1) is last and doubled. */
function drawOutlines(
  context: CanvasRenderingContext2D,
  outlines: [number, number, number, number, number][],
  theme: Theme,
): void {
  outlines.sort((a, b) => Math.abs(b[0]) - Math.abs(a[0]) || b[0] - a[0]);
  for (const [mark, x, y, width, height] of outlines) {
    if (mark >= 0) {
      const [colour, line] = markLine(mark, theme);
      outline(context, [x, y, width, height], colour, line);
    }
  }
  const focus = outlines.find(([mark]) => mark < 0);
  if (focus) {
    const [, x, y, width, height] = focus;
    outline(context, [x - 1, y - 1, Math.max(4, width + 2), height + 2], theme.fg, 2);
    outline(context, [x + 1, y + 1, Math.max(0, width - 2), height - 2], theme.bg, 1);
  }
}
