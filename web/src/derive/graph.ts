// Camera, hit tests and keyboard moves of call graphs. The server has computed all positions.

import type { GraphEdge, GraphNode, GraphPicture } from "../api/types.ts";

/** Screen position = position in the picture * scale + offset. */
export interface Camera {
  x: number;
  y: number;
  scale: number;
}

export interface Size {
  width: number;
  height: number;
}

export interface Box extends Size {
  x: number;
  y: number;
}

/** The least scale at which all texts can be read. */
const READABLE = 0.75;
const SCALES: readonly [least: number, most: number] = [0.05, 4];

export function limitScale(scale: number): number {
  return Math.min(SCALES[1], Math.max(SCALES[0], scale));
}

/** The camera that shows the whole picture, centred, not larger than its natural size. */
export function fitCamera(picture: Size, view: Size, margin = 12): Camera {
  const across = (view.width - 2 * margin) / Math.max(1, picture.width);
  const down = (view.height - 2 * margin) / Math.max(1, picture.height);
  const scale = limitScale(Math.min(1, across, down));
  return {
    scale,
    x: (view.width - picture.width * scale) / 2,
    y: Math.max(margin, (view.height - picture.height * scale) / 2),
  };
}

/** The camera of a new picture: the whole if its texts can be read then, else the box that matters
 * most in the middle, near the upper edge. */
export function firstCamera(picture: Size, view: Size, box: Box | null): Camera {
  const whole = fitCamera(picture, view);
  if (whole.scale >= READABLE || !box) return whole;
  const scale = READABLE;
  const centred = { scale, x: view.width / 2 - (box.x + box.width / 2) * scale, y: view.height / 4 - (box.y + box.height / 2) * scale };
  // No empty space beside a picture that is larger than the view.
  const limit = (at: number, length: number, room: number) =>
    length + 24 <= room ? (room - length) / 2 : Math.min(12, Math.max(room - length - 12, at));
  return {
    scale,
    x: limit(centred.x, picture.width * scale, view.width),
    y: limit(centred.y, picture.height * scale, view.height),
  };
}

/** Zooms by a factor; the point at (x, y) of the screen stays in place. */
export function zoomAt(camera: Camera, x: number, y: number, factor: number): Camera {
  const scale = limitScale(camera.scale * factor);
  const change = scale / camera.scale;
  return { scale, x: x - (x - camera.x) * change, y: y - (y - camera.y) * change };
}

/** The camera moved by as little as shows the box with a margin. */
export function revealBox(camera: Camera, box: Box, view: Size, margin = 24): Camera {
  const shift = (from: number, length: number, room: number) => {
    const [low, high] = [from - margin, from + length + margin - room];
    return low < 0 ? -low : high > 0 ? -high : 0;
  };
  const { scale } = camera;
  return {
    scale,
    x: camera.x + shift(box.x * scale + camera.x, box.width * scale, view.width),
    y: camera.y + shift(box.y * scale + camera.y, box.height * scale, view.height),
  };
}

/** Keeps at least a corner of the picture on the screen. */
export function keepInView(camera: Camera, picture: Size, view: Size, rest = 60): Camera {
  const limit = (at: number, length: number, room: number) =>
    Math.min(room - Math.min(rest, room / 2), Math.max(Math.min(rest, room / 2) - length, at));
  return {
    scale: camera.scale,
    x: limit(camera.x, picture.width * camera.scale, view.width),
    y: limit(camera.y, picture.height * camera.scale, view.height),
  };
}

/** The rectangle of a node: x and y are its upper left corner. */
export function boxOf(node: GraphNode): Box {
  return { x: node.x, y: node.y, width: node.width, height: node.height };
}

/** The node at a point of the screen; -1 if there is none. */
export function nodeAt(picture: GraphPicture, camera: Camera, x: number, y: number): number {
  const [px, py] = [(x - camera.x) / camera.scale, (y - camera.y) / camera.scale];
  for (let i = picture.nodes.length - 1; i >= 0; i--) {
    const box = boxOf(picture.nodes[i]!);
    if (px >= box.x && py >= box.y && px <= box.x + box.width && py <= box.y + box.height) return i;
  }
  return -1;
}

/** The edge within `reach` pixels of a point of the screen; -1 if there is none. */
export function edgeAt(picture: GraphPicture, camera: Camera, x: number, y: number, reach = 5): number {
  const at: [number, number] = [(x - camera.x) / camera.scale, (y - camera.y) / camera.scale];
  let best = -1;
  let nearest = reach / camera.scale;
  picture.edges.forEach((edge, i) => {
    for (let p = 1; p < edge.points.length; p++) {
      const distance = distanceToCurve(at, edge.points[p - 1]!, edge.points[p]!);
      if (distance <= nearest) [best, nearest] = [i, distance];
    }
  });
  return best;
}

type Point = readonly [number, number];

/** The distance to the drawn curve between two points of a route, which is vertical at both ends. */
function distanceToCurve(at: Point, from: Point, to: Point): number {
  if (from[0] === to[0]) return distanceToSegment(at, from, to);
  const middle = (from[1] + to[1]) / 2;
  let least = Infinity;
  let before = from;
  for (let step = 1; step <= PIECES; step++) {
    const t = step / PIECES;
    const [a, b, c, d] = [(1 - t) ** 3, 3 * (1 - t) ** 2 * t, 3 * (1 - t) * t * t, t ** 3];
    const next: Point = [(a + b) * from[0] + (c + d) * to[0], a * from[1] + (b + c) * middle + d * to[1]];
    least = Math.min(least, distanceToSegment(at, before, next));
    before = next;
  }
  return least;
}

/** Straight pieces that stand for a curve. */
const PIECES = 10;

function distanceToSegment(at: Point, from: Point, to: Point): number {
  const [dx, dy] = [to[0] - from[0], to[1] - from[1]];
  const length = dx * dx + dy * dy;
  const part = length > 0 ? ((at[0] - from[0]) * dx + (at[1] - from[1]) * dy) / length : 0;
  const t = Math.min(1, Math.max(0, part));
  return Math.hypot(at[0] - from[0] - t * dx, at[1] - from[1] - t * dy);
}

export type GraphMove = "up" | "down" | "left" | "right" | "home";

/** The node that a key leads to: down to the costliest callee, up to the costliest caller, left and
 * right to the neighbour of the same level; -1 if there is none. */
export function moveNode(picture: GraphPicture, from: number, move: GraphMove): number {
  const node = picture.nodes[from];
  if (!node || move === "home") return costliestNode(picture);
  if (move === "down") return costliestEdge(picture, (edge) => edge.from === from && edge.to !== from)?.to ?? -1;
  if (move === "up") return costliestEdge(picture, (edge) => edge.to === from && edge.from !== from)?.from ?? -1;
  return neighbour(picture, node, move === "left" ? -1 : 1);
}

function costliestNode(picture: GraphPicture): number {
  let best = -1;
  picture.nodes.forEach((node, i) => {
    if (best < 0 || node.inclusive.value > picture.nodes[best]!.inclusive.value) best = i;
  });
  return best;
}

function costliestEdge(picture: GraphPicture, fits: (edge: GraphEdge) => boolean): GraphEdge | null {
  let best: GraphEdge | null = null;
  for (const edge of picture.edges) if (fits(edge) && (!best || edge.share > best.share)) best = edge;
  return best;
}

/** The nearest node to the left (-1) or right (1) whose rows overlap those of `node`. */
function neighbour(picture: GraphPicture, node: GraphNode, side: -1 | 1): number {
  const centre = (box: Box) => box.x + box.width / 2;
  const own = boxOf(node);
  let best = -1;
  let nearest = Infinity;
  picture.nodes.forEach((other, i) => {
    const box = boxOf(other);
    const distance = (centre(box) - centre(own)) * side;
    const overlaps = box.y < own.y + own.height && own.y < box.y + box.height;
    if (other !== node && overlaps && distance > 0 && distance < nearest) [best, nearest] = [i, distance];
  });
  return best;
}
