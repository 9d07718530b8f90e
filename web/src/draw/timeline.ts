// Draws a time-line: regions, waits, messages, the critical path, the axis and the names of lanes.

import type { Timeline } from "../api/types.ts";
import { type Pattern, regionLook } from "../derive/colour.ts";
import { fitText, textWidth } from "../derive/text.ts";
import type { Theme } from "../derive/theme.ts";
import { axisTicks } from "../derive/time-window.ts";
import type { Bar } from "../state/bar.ts";
import { type RegionPlace, type TimelineViewport, columnScale, laneOfLocation, lastNotAbove, messageStyle, xOfTime, yOfLane } from "../derive/timeline.ts";
import { charWidths, outline } from "./measure.ts";
import { RowImage, pixelOf } from "./row-image.ts";

export const AXIS_HEIGHT = 26;
const OVERVIEW = 6;
const FONT = 11;
/** Regions of this width are separated from the next one, and have a label. */
const SEPARATED = 6;
const LABELLED = 36;

export interface TimelineScene {
  picture: Timeline;
  view: TimelineViewport;
  cursor: RegionPlace | null;
  /** Left and right side of the span that is being selected. */
  selection: readonly [number, number] | null;
  /** The outlined span: location, lane, begin, end. */
  bar: Bar | null;
  /** The chosen point: location and time. */
  point: readonly [number, number] | null;
  showMessages: boolean;
}

export function drawTimeline(context: CanvasRenderingContext2D, scene: TimelineScene, theme: Theme): void {
  const { view } = scene;
  context.clearRect(0, 0, view.width, view.height);
  context.font = `${FONT}px ${theme.family}`;
  context.textBaseline = "middle";
  context.save();
  context.beginPath();
  context.rect(view.left, view.top, view.width - view.left, view.height - view.top);
  context.clip();
  drawGrid(context, scene, theme);
  drawRegions(context, scene, theme);
  drawWaits(context, scene, theme);
  if (scene.showMessages) drawMessages(context, scene, theme);
  drawCriticalPath(context, scene, theme);
  drawBar(context, scene, theme);
  drawPoint(context, scene, theme);
  drawCursor(context, scene, theme);
  context.restore();
  drawNames(context, scene, theme);
  drawAxis(context, scene, theme);
  drawSelection(context, scene, theme);
}

/** The height of what is drawn in a lane. */
export function barHeight(view: TimelineViewport): number {
  return view.laneHeight > 12 ? view.laneHeight - 4 : view.laneHeight - 2;
}

/** Calls `each` with the lanes that are on the screen: number in the trace, upper side. */
function visible({ picture, view }: TimelineScene, each: (lane: Timeline["lanes"][number], y: number, number: number) => void): void {
  picture.lanes.forEach((lane, i) => {
    const y = yOfLane(view, picture.first_lane + i);
    if (y + view.laneHeight > view.top && y < view.height) each(lane, y, picture.first_lane + i);
  });
}

function drawGrid(context: CanvasRenderingContext2D, { view }: TimelineScene, theme: Theme): void {
  context.fillStyle = theme.line;
  for (const { time } of axisTicks(view.window, view.width - view.left).ticks) {
    context.fillRect(Math.round(xOfTime(view, time)), view.top, 1, view.height);
  }
}

function drawRegions(context: CanvasRenderingContext2D, scene: TimelineScene, theme: Theme): void {
  const { picture, view } = scene;
  const { at, step } = columnScale(view, picture);
  const [first, last] = visibleColumns(view, picture);
  if (last <= first) return;
  const image = regionImage(context, scene, theme);
  const height = barHeight(view);
  const widthOf = charWidths(context);
  const patterns = picture.regions.map((region) => regionLook(region.rank, theme.dark).pattern);
  context.imageSmoothingEnabled = false;
  visible(scene, (lane, y, number) => {
    context.drawImage(image, first, number - picture.first_lane, last - first, 1, at + first * step, y, (last - first) * step, height);
    for (let i = Math.max(0, lastNotAbove(lane.from, first)); i < lane.from.length && lane.from[i]! < last; i++) {
      const left = Math.max(view.left, at + lane.from[i]! * step);
      const right = at + lane.to[i]! * step;
      const room = Math.min(view.width, right) - left;
      if (room < SEPARATED) continue;
      drawPattern(context, patterns[lane.region[i]!] ?? "plain", [left, y, room, height], theme);
      context.fillStyle = theme.bg;
      context.fillRect(right - 0.5, y, 0.5, height);
      if (room < LABELLED || height < FONT) continue;
      context.fillStyle = theme.ink;
      context.fillText(fitText(picture.regions[lane.region[i]!]?.name ?? "", room - 6, widthOf), left + 3, y + height / 2 + 0.5);
    }
  });
  context.imageSmoothingEnabled = true;
}

/** The distance of the lines and dots of a pattern in pixels. */
const PATTERN = 4;

/** What tells a region from another one of the same colour, at places that do not depend on where the region begins. */
function drawPattern(context: CanvasRenderingContext2D, pattern: Pattern, [left, top, width, height]: readonly [number, number, number, number], theme: Theme): void {
  if (pattern === "plain") return;
  context.fillStyle = theme.ink;
  context.globalAlpha = pattern === "lines" ? 0.28 : 0.5;
  for (let y = top + 2; y < top + height; y += PATTERN) {
    if (pattern === "lines") context.fillRect(left, y, width, 1);
    else for (let x = Math.ceil(left / PATTERN) * PATTERN; x < left + width - 1; x += PATTERN) context.fillRect(x, y, 1.5, 1.5);
  }
  context.globalAlpha = 1;
}

const regionImages = new WeakMap<Timeline, { theme: Theme; image: HTMLCanvasElement }>();

/** The regions with a pixel for each lane and column, made once for each picture. */
function regionImage(context: CanvasRenderingContext2D, { picture }: TimelineScene, theme: Theme): HTMLCanvasElement {
  const known = regionImages.get(picture);
  if (known && known.theme === theme) return known.image;
  const image = new RowImage(context.canvas.ownerDocument, picture.columns, picture.lanes.length);
  const colours = picture.regions.map((region) => pixelOf(regionLook(region.rank, theme.dark).colour));
  picture.lanes.forEach((lane, row) => {
    lane.region.forEach((region, i) => image.fill(row, lane.from[i]!, lane.to[i]!, colours[region] ?? 0));
  });
  const made = image.finish();
  regionImages.set(picture, { theme, image: made });
  return made;
}

function visibleColumns(view: TimelineViewport, picture: Timeline): [first: number, last: number] {
  const { at, step } = columnScale(view, picture);
  return [Math.max(0, Math.floor((view.left - at) / step)), Math.min(picture.columns, Math.ceil((view.width - at) / step))];
}

/** Draws the hatched waits: an image of all lanes, made once for each picture and height of lanes. */
function drawWaits(context: CanvasRenderingContext2D, scene: TimelineScene, theme: Theme): void {
  const { view, picture } = scene;
  const [first, last] = visibleColumns(view, picture);
  if (last <= first || !picture.lanes.some((lane) => lane.waits.length > 0)) return;
  const { at, step } = columnScale(view, picture);
  const image = waitImage(context, scene, theme);
  context.imageSmoothingEnabled = false;
  context.globalAlpha = 0.7;
  context.drawImage(image, first, 0, last - first, image.height, at + first * step, yOfLane(view, picture.first_lane), (last - first) * step, image.height);
  context.globalAlpha = 1;
  context.imageSmoothingEnabled = true;
}

/** The distance of the hatching lines in pixels. */
const HATCH = 5;

function waitImage(context: CanvasRenderingContext2D, { picture, view }: TimelineScene, theme: Theme): HTMLCanvasElement {
  const known = waitImages.get(picture);
  if (known && known.theme === theme && known.laneHeight === view.laneHeight) return known.image;
  const { laneHeight } = view;
  const image = new RowImage(context.canvas.ownerDocument, picture.columns, picture.lanes.length * laneHeight);
  const ink = pixelOf(theme.ink);
  picture.lanes.forEach((lane, number) => {
    for (const [from, to] of lane.waits) {
      for (let y = 0; y < barHeight(view); y++) {
        // The first column at or after `from` with (column + y) divisible by HATCH.
        const start = Math.ceil((from + y) / HATCH) * HATCH - y;
        for (let column = start; column < Math.max(from + 1, to); column += HATCH) {
          image.fill(number * laneHeight + y, column, column + 1, ink);
        }
      }
    }
  });
  const made = image.finish();
  waitImages.set(picture, { theme, laneHeight, image: made });
  return made;
}

const waitImages = new WeakMap<Timeline, { theme: Theme; laneHeight: number; image: HTMLCanvasElement }>();

/** The critical path: a strong line along the lanes, with thin lines where it changes the lane. */
function drawCriticalPath(context: CanvasRenderingContext2D, { picture, view }: TimelineScene, theme: Theme): void {
  const { at, step } = columnScale(view, picture);
  const y = (lane: number) => yOfLane(view, lane) + barHeight(view) - 1;
  context.strokeStyle = theme.more;
  context.lineWidth = 3;
  context.beginPath();
  for (const piece of picture.critical_path) {
    context.moveTo(at + piece.from * step, y(piece.lane));
    context.lineTo(at + piece.to * step, y(piece.lane));
  }
  context.stroke();
  context.lineWidth = 1.2;
  context.beginPath();
  picture.critical_path.forEach((piece, i) => {
    const next = picture.critical_path[i + 1];
    if (!next || next.lane === piece.lane || Math.abs(next.from - piece.to) > picture.columns / 10) return;
    context.moveTo(at + piece.to * step, y(piece.lane));
    context.lineTo(at + next.from * step, y(next.lane));
  });
  context.stroke();
}

/** Messages as lines; those that stand for several are thicker. */
function drawMessages(context: CanvasRenderingContext2D, { picture, view }: TimelineScene, theme: Theme): void {
  const middle = barHeight(view) / 2;
  const lines: { x0: number; y0: number; x1: number; y1: number; width: number }[] = [];
  for (const message of picture.messages) {
    const [x0, x1] = [xOfTime(view, message.sent), xOfTime(view, message.received)];
    if (Math.max(x0, x1) < view.left || Math.min(x0, x1) > view.width) continue;
    const [y0, y1] = [yOfLane(view, message.from_lane) + middle, yOfLane(view, message.to_lane) + middle];
    if (Math.max(y0, y1) < view.top || Math.min(y0, y1) > view.height) continue;
    lines.push({ x0, y0, x1, y1, width: Math.min(4, 0.8 + 0.4 * Math.log2(Math.max(1, message.count))) });
  }
  const { alpha, thickness } = messageStyle(lines.length);
  context.strokeStyle = theme.fg;
  context.fillStyle = theme.fg;
  context.globalAlpha = alpha;
  for (const { x0, y0, x1, y1, width } of lines) {
    context.lineWidth = width * thickness;
    context.beginPath();
    context.moveTo(x0, y0);
    context.lineTo(x1, y1);
    context.stroke();
    context.fillRect(x1 - 1.5 * thickness, y1 - 1.5 * thickness, 3 * thickness, 3 * thickness);
  }
  context.globalAlpha = 1;
}

/** The bar that a finding or a jump leads to, outlined at its exact times. */
function drawBar(context: CanvasRenderingContext2D, { picture, view, bar }: TimelineScene, theme: Theme): void {
  if (!bar) return;
  const [location, lane, begin, end] = bar;
  const x = Math.max(view.left - 4, xOfTime(view, begin));
  const right = Math.min(view.width + 4, xOfTime(view, end));
  if (right < view.left || x > view.width) return;
  outline(context, [x - 2, yOfLane(view, laneOfLocation(picture, location, lane)) - 2, Math.max(5, right - x + 4), barHeight(view) + 4], theme.accent, 3);
}

/** The chosen point: a line through its lane with marks above and below. */
function drawPoint(context: CanvasRenderingContext2D, { picture, view, point }: TimelineScene, theme: Theme): void {
  const lane = point ? laneOfLocation(picture, point[0], -1) : -1;
  if (!point || lane < 0) return;
  const [x, y] = [Math.round(xOfTime(view, point[1])), yOfLane(view, lane)];
  context.fillStyle = theme.fg;
  context.fillRect(x, y - 2, 1, barHeight(view) + 4);
  context.fillRect(x - 3, y - 3, 7, 2);
  context.fillRect(x - 3, y + barHeight(view) + 1, 7, 2);
}

function drawCursor(context: CanvasRenderingContext2D, { picture, view, cursor }: TimelineScene, theme: Theme): void {
  const lane = cursor ? picture.lanes[cursor.lane - picture.first_lane] : undefined;
  if (!cursor || !lane || cursor.item >= lane.from.length) return;
  const { at, step } = columnScale(view, picture);
  const x = Math.max(view.left, at + lane.from[cursor.item]! * step);
  const right = Math.min(view.width, at + lane.to[cursor.item]! * step);
  outline(context, [x - 1, yOfLane(view, cursor.lane) - 1, Math.max(5, right - x + 2), barHeight(view) + 2], theme.fg, 2);
}

function drawNames(context: CanvasRenderingContext2D, scene: TimelineScene, theme: Theme): void {
  const { view } = scene;
  const widthOf = charWidths(context);
  const every = Math.max(1, Math.ceil((FONT + 2) / view.laneHeight));
  context.fillStyle = theme.fg;
  context.save();
  context.beginPath();
  context.rect(0, view.top, view.left, view.height - view.top);
  context.clip();
  visible(scene, (lane, y, number) => {
    if (number % every === 0) context.fillText(fitText(lane.name, view.left - 8, widthOf), 4, y + barHeight(view) / 2 + 0.5);
  });
  context.restore();
}

function drawAxis(context: CanvasRenderingContext2D, { picture, view }: TimelineScene, theme: Theme): void {
  const { ticks, base } = axisTicks(view.window, view.width - view.left);
  const y = OVERVIEW + (AXIS_HEIGHT - OVERVIEW) / 2;
  context.fillStyle = theme.muted;
  // The time at the left edge stands there; the ticks follow as far as there is room.
  context.fillText(base, view.left, y);
  const widthOf = charWidths(context);
  let free = view.left + textWidth(base, widthOf);
  for (const { time, text } of ticks) {
    const width = textWidth(text, widthOf);
    const x = Math.min(view.width - width - 2, xOfTime(view, time) - width / 2);
    if (x < free + 10) continue;
    context.fillText(text, x, y);
    free = x + width;
  }
  // The part of the run that is shown; it can be dragged.
  const room = view.width - view.left;
  context.fillStyle = theme.line;
  context.fillRect(view.left, 0, room, OVERVIEW);
  context.fillStyle = theme.accent;
  const from = view.left + (view.window.from / picture.runtime) * room;
  context.fillRect(from, 0, Math.max(4, ((view.window.to - view.window.from) / picture.runtime) * room), OVERVIEW);
}

function drawSelection(context: CanvasRenderingContext2D, { view, selection }: TimelineScene, theme: Theme): void {
  if (!selection) return;
  const [from, to] = [Math.min(...selection), Math.max(...selection)];
  context.fillStyle = theme.accent;
  context.globalAlpha = 0.25;
  context.fillRect(from, view.top, to - from, view.height - view.top);
  context.globalAlpha = 1;
  context.fillRect(from, view.top, 1, view.height);
  context.fillRect(to, view.top, 1, view.height);
}
