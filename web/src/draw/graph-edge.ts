// Draws the arrows of a call graph: a smooth line along the route, a head at the callee, the label.

import type { GraphEdge } from "../api/types.ts";
import { fitText, textWidth } from "../derive/text.ts";
import type { Theme } from "../derive/theme.ts";
import { charWidths } from "./measure.ts";

const LABEL_WIDTH = 170;
const LABEL_LINE = 12;

type Point = readonly [number, number];

/** Draws line and head; a line that closes a cycle is dashed. */
export function drawEdge(context: CanvasRenderingContext2D, edge: GraphEdge, colour: string): void {
  const end = edge.points[edge.points.length - 1];
  if (!end || edge.points.length < 2) return;
  const width = 0.9 + 5 * Math.min(1, Math.max(0, edge.share));
  const head = 6 + 0.8 * width;
  const [dx, dy] = edge.course === "down" ? [0, 1] : edge.course === "up" ? [0, -1] : [-1, 0];
  context.strokeStyle = colour;
  context.fillStyle = colour;
  context.lineWidth = width;
  context.setLineDash(edge.course === "up" ? [6, 3] : []);
  context.globalAlpha = 0.8;
  context.beginPath();
  trace(context, edge, [end[0] - dx * head * 0.8, end[1] - dy * head * 0.8]);
  context.stroke();
  context.setLineDash([]);
  context.globalAlpha = 1;
  const half = 2.4 + 0.8 * width;
  const [bx, by] = [end[0] - dx * head, end[1] - dy * head];
  context.beginPath();
  context.moveTo(end[0], end[1]);
  context.lineTo(bx - dy * half, by + dx * half);
  context.lineTo(bx + dy * half, by - dx * half);
  context.fill();
}

/** The path of the line, which ends at `stop`, the base of the head. */
function trace(context: CanvasRenderingContext2D, edge: GraphEdge, stop: Point): void {
  const [start, side] = [edge.points[0]!, edge.points[1]!];
  context.moveTo(start[0], start[1]);
  if (edge.course === "loop" && edge.points.length === 3) {
    const out = side[0] + 0.3 * (side[0] - start[0]);
    const rise = 1.6 * (side[1] - start[1]);
    context.bezierCurveTo(out, side[1] - rise, out, side[1] + rise, stop[0], stop[1]);
    return;
  }
  for (let i = 1; i < edge.points.length; i++) {
    const from = edge.points[i - 1]!;
    const to = i === edge.points.length - 1 ? stop : edge.points[i]!;
    const middle = (from[1] + to[1]) / 2;
    context.bezierCurveTo(from[0], middle, to[0], middle, to[0], to[1]);
  }
}

/** The label on a patch of the background, so that lines do not cross it. The font is set. */
export function drawEdgeLabel(context: CanvasRenderingContext2D, edge: GraphEdge, theme: Theme): void {
  const widthOf = charWidths(context);
  const lines = edge.label.slice(0, 2).filter((line) => line !== "").map((line) => fitText(line, LABEL_WIDTH, widthOf));
  const [x, y] = edge.label_at;
  lines.forEach((line, i) => {
    const width = textWidth(line, widthOf);
    const middle = y + (i - (lines.length - 1) / 2) * LABEL_LINE;
    context.globalAlpha = 0.8;
    context.fillStyle = theme.bg;
    context.fillRect(x - 1, middle - LABEL_LINE / 2, width + 2, LABEL_LINE);
    context.globalAlpha = 1;
    context.fillStyle = theme.fg;
    context.fillText(line, x, middle + 0.5);
  });
}
