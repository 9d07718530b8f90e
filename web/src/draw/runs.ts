// Draws a plot of runs: axes, one mark for each run, the selection.

import type { RunsAnswer } from "../api/types.ts";
import { formatColour, mix, parseColour } from "../derive/colour.ts";
import { type Brush, type RunPlot, programMark } from "../derive/runs.ts";
import type { Theme } from "../derive/theme.ts";

export interface RunScene {
  plot: RunPlot;
  answer: RunsAnswer;
  width: number;
  height: number;
  /** The index in the points of the plot; -1 for none. */
  cursor: number;
  hover: number;
  brush: Brush | null;
  /** The numbers of the runs that a finding is about. */
  marked: ReadonlySet<number>;
}

const RADIUS = 3.5;

export function drawRuns(context: CanvasRenderingContext2D, scene: RunScene, theme: Theme): void {
  const { plot, answer } = scene;
  context.clearRect(0, 0, scene.width, scene.height);
  context.font = `12px ${theme.family}`;
  drawAxes(context, plot, theme);
  if (plot.kind === "distribution") drawSteps(context, scene, theme);
  const isSelection = answer.selected !== null;
  for (const point of plot.points) {
    const run = answer.runs[point.run]!;
    context.globalAlpha = isSelection && !run.selected ? 0.25 : 1;
    const isHollow = run.value !== null && run.contended;
    context.strokeStyle = isHollow ? lineColour(theme, run.program) : theme.fg;
    context.fillStyle = run.value === null || run.contended ? theme.bg : programColour(theme, run.program);
    context.lineWidth = (isSelection && run.selected ? 1.8 : 1) + (isHollow ? 0.8 : 0);
    tracePath(context, run.value === null ? -1 : programMark(run.program, hueCount(theme)).shape, point.x, point.y, RADIUS);
    context.fill();
    context.stroke();
  }
  context.globalAlpha = 1;
  for (const point of plot.points) if (scene.marked.has(answer.runs[point.run]!.number)) ring(context, point, 6, theme.more);
  for (const [index, radius] of [[scene.hover, 7], [scene.cursor, 8]] as const) {
    const point = plot.points[index];
    if (point) ring(context, point, radius, theme.accent);
  }
  if (scene.brush) drawBrush(context, plot, scene.brush, theme);
}

function ring(context: CanvasRenderingContext2D, { x, y }: { x: number; y: number }, radius: number, colour: string): void {
  context.strokeStyle = colour;
  context.lineWidth = 2;
  context.beginPath();
  context.arc(x, y, radius, 0, 2 * Math.PI);
  context.stroke();
}

/** The last hue is for what has none. */
const hueCount = (theme: Theme) => theme.hues.length - 1;

/** The colour of a program; there are as many as hues, and shapes differ as well. */
export function programColour(theme: Theme, program: number): string {
  return theme.hues[programMark(program, hueCount(theme)).hue]!;
}

/** The colour of a program for lines and outlines, which must be seen on the background without a fill. */
export function lineColour(theme: Theme, program: number): string {
  return formatColour(mix(parseColour(programColour(theme, program)), parseColour(theme.fg), 0.4));
}

/** A shape: circle, square, triangle, diamond, triangle on its tip; a cross for a run without a value. */
export function tracePath(context: CanvasRenderingContext2D, shape: number, x: number, y: number, r: number): void {
  context.beginPath();
  if (shape < 0) {
    context.moveTo(x - r, y - r);
    context.lineTo(x + r, y + r);
    context.moveTo(x + r, y - r);
    context.lineTo(x - r, y + r);
    return;
  }
  const corners: [number, number][][] = [[], [[-r, -r], [r, -r], [r, r], [-r, r]], [[0, -r - 1], [r + 1, r], [-r - 1, r]], [[0, -r - 1], [r + 1, 0], [0, r + 1], [-r - 1, 0]], [[0, r + 1], [r + 1, -r], [-r - 1, -r]]];
  const outline = corners[shape]!;
  if (outline.length === 0) context.arc(x, y, r, 0, 2 * Math.PI);
  outline.forEach(([dx, dy], at) => (at === 0 ? context.moveTo(x + dx, y + dy) : context.lineTo(x + dx, y + dy)));
  context.closePath();
}

function drawAxes(context: CanvasRenderingContext2D, plot: RunPlot, theme: Theme): void {
  const { left, right, top, bottom } = plot.area;
  context.lineWidth = 1;
  context.strokeStyle = theme.line;
  context.fillStyle = theme.muted;
  context.textBaseline = "middle";
  context.textAlign = "right";
  for (const tick of plot.up) {
    line(context, left, tick.at, right, tick.at);
    context.fillText(tick.text, left - 6, tick.at);
  }
  context.textAlign = "center";
  context.textBaseline = "top";
  for (const tick of plot.across) {
    line(context, tick.at, bottom, tick.at, bottom + 4);
    context.fillText(tick.text, tick.at, bottom + 6);
  }
  context.fillText(plot.acrossTitle, (left + right) / 2, bottom + 22);
  context.textAlign = "left";
  context.textBaseline = "alphabetic";
  context.fillText(plot.upTitle, 8, top - 12);
}

function drawSteps(context: CanvasRenderingContext2D, { plot, answer }: RunScene, theme: Theme): void {
  answer.programs.forEach((_, program) => {
    const own = plot.points.filter((point) => answer.runs[point.run]!.program === program);
    context.strokeStyle = lineColour(theme, program);
    context.lineWidth = 1.5;
    context.setLineDash([...programMark(program, hueCount(theme)).dash]);
    context.beginPath();
    let y = plot.area.bottom;
    own.forEach((point, at) => {
      if (at === 0) context.moveTo(point.x, y);
      else context.lineTo(point.x, y);
      context.lineTo(point.x, point.y);
      y = point.y;
    });
    context.stroke();
  });
  context.setLineDash([]);
}

function drawBrush(context: CanvasRenderingContext2D, plot: RunPlot, brush: Brush, theme: Theme): void {
  const { top, bottom } = plot.area;
  const isHigh = plot.kind === "order" && Math.abs(brush.y1 - brush.y0) >= 8;
  const [y, height] = isHigh ? [Math.min(brush.y0, brush.y1), Math.abs(brush.y1 - brush.y0)] : [top, bottom - top];
  context.fillStyle = theme.accent;
  context.globalAlpha = 0.15;
  context.fillRect(Math.min(brush.x0, brush.x1), y, Math.abs(brush.x1 - brush.x0), height);
  context.globalAlpha = 1;
}

function line(context: CanvasRenderingContext2D, x0: number, y0: number, x1: number, y1: number): void {
  context.beginPath();
  context.moveTo(x0, Math.round(y0) + 0.5);
  context.lineTo(x1, Math.round(y1) + 0.5);
  context.stroke();
}
