// Layout of flame graphs: frames sorted by row, and from them the rectangles on the screen.

import type { FlamePicture } from "../api/types.ts";
import { type Children, childList, childrenOf, heaviest, sibling } from "./tree.ts";

/** A flame picture, prepared for drawing and for questions about places. */
export interface FlameIndex {
  picture: FlamePicture;
  /** The frames of each depth, from left to right. */
  rows: Int32Array[];
  children: Children;
  /** The largest change without its sign; 0 if the picture is no difference. */
  largestChange: number;
}

export function flameIndex(picture: FlamePicture): FlameIndex {
  const { depth, start, parent, change } = picture.frames;
  const counts: number[] = [];
  for (const d of depth) counts[d] = (counts[d] ?? 0) + 1;
  const rows = Array.from(counts, (count) => new Int32Array(count ?? 0));
  const filled = new Int32Array(rows.length);
  depth.forEach((d, frame) => (rows[d]![filled[d]!++] = frame));
  for (const row of rows) row.sort((a, b) => start[a]! - start[b]!);
  let largestChange = 0;
  for (const c of change) largestChange = Math.max(largestChange, Math.abs(c));
  return { picture, rows, children: childrenOf(parent), largestChange };
}

/** One picture within the view. A sandwich has two: callers that grow up, callees that grow down. */
export interface FlameLayer {
  index: FlameIndex;
  /** The row of the view with the roots. */
  base: number;
  /** 1: frames grow down; -1: they grow up. */
  sign: 1 | -1;
  /** Depths below this are not shown, because another layer shows them. */
  from: number;
  /** The frame that fills the width; -1 for the whole. */
  zoom: number;
}

/** The place of a frame. */
export interface FramePlace {
  layer: number;
  frame: number;
}

export function rowCount(layers: readonly FlameLayer[]): number {
  let count = 0;
  for (const { base, sign, index } of layers) {
    count = Math.max(count, sign > 0 ? base + index.rows.length : base + 1);
  }
  return count;
}

export interface FlameViewport {
  width: number;
  height: number;
  scrollTop: number;
  rowHeight: number;
}

/** The part of the whole that fills the width. */
export function shownSpan(layer: FlameLayer): { start: number; share: number } {
  const { start, share } = layer.index.picture.frames;
  const { zoom } = layer;
  if (zoom < 0 || !(share[zoom]! > 0)) return { start: 0, share: 1 };
  return { start: start[zoom]!, share: share[zoom]! };
}

/** Called for each rectangle: frame, left side, upper side, width. */
export type FrameSink = (frame: number, x: number, y: number, width: number) => void;

/** Finds the rectangles that are visible. Frames narrower than a pixel are skipped where another
 * frame of the row has that pixel already, so that a row never gives more than about two
 * rectangles for each pixel. */
export function visibleFrames(layer: FlameLayer, view: FlameViewport, sink: FrameSink): void {
  const { frames } = layer.index.picture;
  const span = shownSpan(layer);
  const scale = view.width / span.share;
  const first = Math.floor(view.scrollTop / view.rowHeight);
  const last = Math.floor((view.scrollTop + view.height - 1) / view.rowHeight);
  for (let line = first; line <= last; line++) {
    const depth = (line - layer.base) * layer.sign;
    const row = depth >= layer.from ? layer.index.rows[depth] : undefined;
    if (!row) continue;
    const y = line * view.rowHeight - view.scrollTop;
    let painted = -1;
    for (let i = firstAt(layer.index, row, span.start); i < row.length; i++) {
      const frame = row[i]!;
      const left = (frames.start[frame]! - span.start) * scale;
      if (left >= view.width) break;
      const right = Math.min(view.width, left + frames.share[frame]! * scale);
      const x = Math.max(0, left);
      const width = right - x;
      // A neighbour of the zoomed frame can touch the edge by a rounding error.
      if (width < 1e-6 || (width < 1 && right <= painted)) continue;
      painted = width < 1 ? Math.floor(x) + 1 : right;
      sink(frame, x, y, width);
    }
  }
}

/** The position in `row` of the frame that contains `at`, or of the first one behind it. */
function firstAt(index: FlameIndex, row: Int32Array, at: number): number {
  const { start, share } = index.picture.frames;
  let [low, high] = [0, row.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    const frame = row[middle]!;
    if (start[frame]! + share[frame]! <= at) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The frame at a point of the viewport; null if there is none. */
export function frameAt(layers: readonly FlameLayer[], view: FlameViewport, x: number, y: number): FramePlace | null {
  if (x < 0 || x >= view.width) return null;
  const line = Math.floor((y + view.scrollTop) / view.rowHeight);
  for (let layer = layers.length - 1; layer >= 0; layer--) {
    const { index, base, sign, from } = layers[layer]!;
    const depth = (line - base) * sign;
    const row = depth >= from ? index.rows[depth] : undefined;
    if (!row) continue;
    const span = shownSpan(layers[layer]!);
    const at = span.start + (x / view.width) * span.share;
    const frame = row[firstAt(index, row, at)];
    if (frame === undefined) continue;
    // Half a pixel of tolerance, so that the narrowest frames can be hit.
    const tolerance = (span.share / view.width) * 0.5;
    if (index.picture.frames.start[frame]! <= at + tolerance) return { layer, frame };
  }
  return null;
}

export type Move = "up" | "down" | "left" | "right" | "home";

/** The frame that an arrow key leads to; null if there is none in that direction. */
export function moveFrame(layers: readonly FlameLayer[], from: FramePlace | null, move: Move): FramePlace | null {
  const layer = from ? layers[from.layer] : undefined;
  if (!from || !layer || move === "home") return firstFrame(layers);
  const { index } = layer;
  const { start, share, parent, depth } = index.picture.frames;
  const widest = (l: FlameLayer, node: number) =>
    heaviest(childList(l.index.children, node), (frame) => l.index.picture.frames.share[frame]!);
  if (move === "left" || move === "right") {
    const next = sibling(index.children, parent, from.frame, move === "left" ? -1 : 1, (frame) => start[frame]!);
    return next < 0 ? null : { layer: from.layer, frame: next };
  }
  if ((move === "down") === layer.sign > 0) {
    const child = heaviest(childList(index.children, from.frame), (frame) => share[frame]!);
    return child < 0 ? null : { layer: from.layer, frame: child };
  }
  const up = parent[from.frame]!;
  if (up >= 0 && depth[up]! >= layer.from) return { layer: from.layer, frame: up };
  // The roots of a sandwich belong to the callees; the callers continue on the other side.
  const other = layers.findIndex((l) => l !== layer);
  if (other < 0) return null;
  const root = firstFrame([layers[other]!])?.frame ?? -1;
  const frame = layers[other]!.from > 0 ? widest(layers[other]!, root) : root;
  return frame < 0 ? null : { layer: other, frame };
}

/** The zoomed frame or the widest root of the layer that shows its roots. */
export function firstFrame(layers: readonly FlameLayer[]): FramePlace | null {
  let layer = layers.findIndex((l) => l.from === 0);
  if (layer < 0) layer = 0;
  const at = layers[layer];
  if (!at) return null;
  if (at.zoom >= 0) return { layer, frame: at.zoom };
  const frame = heaviest(at.index.rows[0] ?? [], (root) => at.index.picture.frames.share[root]!);
  return frame < 0 ? null : { layer, frame };
}

/** The row of the view that shows a frame. */
export function lineOf(layers: readonly FlameLayer[], place: FramePlace): number {
  const layer = layers[place.layer]!;
  return layer.base + layer.sign * layer.index.picture.frames.depth[place.frame]!;
}

/** Whether `ancestor` is `frame` or above it. */
export function isWithin(parent: readonly number[], frame: number, ancestor: number): boolean {
  let at = frame;
  while (at > ancestor) at = parent[at] ?? -1;
  return at === ancestor;
}
