// Draws a call graph. A canvas and no SVG elements: 200 boxes with their arrows and labels would be
// about 2,000 elements that the browser restyles and paints again at every step of a zoom, while
// the canvas needs a few milliseconds, and hit tests, themes and keyboard are those of the other
// pictures.

import type { GraphEdge, GraphNode, GraphPicture } from "../api/types.ts";
import { type Camera, type Size, boxOf } from "../derive/graph.ts";
import type { Palette } from "../derive/colour.ts";
import { type CharWidth, fitText } from "../derive/text.ts";
import type { Theme } from "../derive/theme.ts";
import { drawEdge, drawEdgeLabel } from "./graph-edge.ts";
import { type Marks, changeColour, markLine, markedFunctions } from "./marks.ts";
import { charWidths, outline } from "./measure.ts";

const NAME = 12;
const DETAIL = 11;
const LINE = 15;
const PAD = 9;
const BAR = 4;
/** The stripe in the function's colour. */
const STRIPE = 5;
/** Below these scales labels of arrows, and details of boxes, are too small to read. */
const EDGE_LABELS_FROM = 0.5;
const DETAILS_FROM = 0.35;

export interface GraphScene {
  picture: GraphPicture;
  camera: Camera;
  size: Size;
  ratio: number;
  marks: Marks;
  palette: Palette;
  /** Index of the node with the keyboard focus; -1 for none. */
  cursor: number;
  /** Index of the edge below the pointer; -1 for none. */
  edge: number;
  /** Whether the document is a comparison, where orange means "more". */
  comparison: boolean;
}

export function drawGraph(context: CanvasRenderingContext2D, scene: GraphScene, theme: Theme): void {
  const { picture, camera, size, ratio } = scene;
  context.clearRect(0, 0, size.width, size.height);
  context.save();
  context.setTransform(ratio * camera.scale, 0, 0, ratio * camera.scale, ratio * camera.x, ratio * camera.y);
  picture.edges.forEach((edge, i) => {
    const near = i === scene.edge || edge.from === scene.cursor || edge.to === scene.cursor;
    if (isVisible(edge, camera, size)) drawEdge(context, edge, near ? theme.fg : theme.muted);
  });
  if (camera.scale >= EDGE_LABELS_FROM) {
    context.font = `${DETAIL}px ${theme.family}`;
    context.textBaseline = "middle";
    for (const edge of picture.edges) if (isVisible(edge, camera, size)) drawEdgeLabel(context, edge, theme);
  }
  const functions = picture.nodes.map((node) => node.function).filter((fn) => fn !== null);
  const marked = markedFunctions(functions, scene.marks);
  const largest = picture.nodes.reduce((most, node) => Math.max(most, Math.abs(node.change ?? 0)), 0);
  let fn = 0;
  picture.nodes.forEach((node, i) => {
    const mark = node.function ? (marked?.[fn++] ?? 0) : 0;
    drawNode(context, node, scene, theme, i === scene.cursor ? -1 : mark, largest);
  });
  context.restore();
}

function isVisible(edge: GraphEdge, camera: Camera, size: Size): boolean {
  let [left, right, top, bottom] = [Infinity, -Infinity, Infinity, -Infinity];
  for (const [x, y] of edge.points) {
    [left, right] = [Math.min(left, x), Math.max(right, x)];
    [top, bottom] = [Math.min(top, y), Math.max(bottom, y)];
  }
  const { scale } = camera;
  const room = 150 * scale;
  return (
    right * scale + camera.x > -room &&
    left * scale + camera.x < size.width + room &&
    bottom * scale + camera.y > -room &&
    top * scale + camera.y < size.height + room
  );
}

/** The fill of a box: by its change in a difference, else by its self cost. */
function nodeColour(node: GraphNode, scene: GraphScene, theme: Theme, largest: number): string {
  if (node.change !== null) return changeColour(theme, node.change, largest);
  return (scene.comparison ? theme.greyHeat : theme.heat)(node.self.share ?? 0);
}

/** `mark` -1 is the keyboard focus; `largest` is the largest change of the picture. */
function drawNode(context: CanvasRenderingContext2D, node: GraphNode, scene: GraphScene, theme: Theme, mark: number, largest: number): void {
  const { camera, size } = scene;
  const { x, y, width, height } = boxOf(node);
  const [sx, sy] = [x * camera.scale + camera.x, y * camera.scale + camera.y];
  if (sx > size.width || sy > size.height || sx + width * camera.scale < 0 || sy + height * camera.scale < 0) return;
  const share = Math.min(1, Math.max(0, node.inclusive.share ?? 0));
  context.fillStyle = nodeColour(node, scene, theme, largest);
  context.fillRect(x, y, width, height);
  if (node.function) {
    context.fillStyle = theme.hues[scene.palette.hue(node.function.colour_key)]!;
    context.fillRect(x, y, STRIPE, height);
  }
  outline(context, [x, y, width, height], theme.muted, 1);
  const inCycle = node.is_cycle || (node.function?.cycle ?? null) !== null;
  if (inCycle) outline(context, [x + 2.5, y + 2.5, width - 5, height - 5], theme.muted, 1);
  drawTexts(context, node, inCycle, camera.scale, theme);
  context.fillStyle = theme.muted;
  context.globalAlpha = 0.25;
  context.fillRect(x + PAD, y + height - PAD - BAR / 2, width - 2 * PAD, BAR);
  context.globalAlpha = 1;
  context.fillStyle = scene.comparison ? theme.muted : theme.more;
  context.fillRect(x + PAD, y + height - PAD - BAR / 2, (width - 2 * PAD) * share, BAR);
  // Outlines keep their width on the screen when the graph is small.
  const line = 1 / Math.min(1, camera.scale);
  if (mark > 0) {
    const [colour, thickness] = markLine(mark, theme);
    outline(context, [x - line, y - line, width + 2 * line, height + 2 * line], colour, (thickness + 0.5) * line);
  } else if (mark < 0) {
    outline(context, [x - 3 * line, y - 3 * line, width + 6 * line, height + 6 * line], theme.fg, 2.5 * line);
  }
}

function drawTexts(context: CanvasRenderingContext2D, node: GraphNode, inCycle: boolean, scale: number, theme: Theme): void {
  const { x, y, width } = boxOf(node);
  const room = width - 2 * PAD + 6;
  const centre = x + width / 2 + STRIPE / 2;
  context.textBaseline = "alphabetic";
  context.textAlign = "center";
  context.fillStyle = node.change === null ? theme.fg : theme.ink;
  // Small graphs show the names larger than the rest, as long as they fit.
  const name = scale < DETAILS_FROM ? NAME * 1.6 : NAME;
  context.font = `600 ${name}px ${theme.family}`;
  context.fillText(fitName(node, inCycle, room, charWidths(context)), centre, y + PAD + 9 + (name - NAME));
  if (scale >= DETAILS_FROM) {
    context.font = `${DETAIL}px ${theme.family}`;
    const widthOf = charWidths(context);
    node.details.slice(0, 4).forEach((line, i) => context.fillText(fitText(line, room, widthOf), centre, y + PAD + 9 + LINE * (i + 1)));
  }
  context.textAlign = "left";
}

function fitName(node: GraphNode, inCycle: boolean, room: number, widthOf: CharWidth): string {
  if (!inCycle) return fitText(node.label, room, widthOf);
  return `↻ ${fitText(node.label, room - 16, widthOf)}`;
}
