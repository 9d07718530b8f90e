// Hit tests and keyboard moves of treemaps. The server lays the tiles out for a size in pixels;
// the page stretches them until the tiles for a new size are in.

import type { TreemapPicture } from "../api/types.ts";
import type { Move } from "./flame.ts";
import { type Children, childList, childrenOf, depths, heaviest, sibling } from "./tree.ts";

export interface TreemapIndex {
  picture: TreemapPicture;
  children: Children;
  depth: Int32Array;
  /** The size that the tiles were made for. */
  width: number;
  height: number;
  largestChange: number;
}

export function treemapIndex(picture: TreemapPicture, width: number, height: number): TreemapIndex {
  const { parent, change } = picture.tiles;
  let largestChange = 0;
  for (const c of change) largestChange = Math.max(largestChange, Math.abs(c));
  return { picture, children: childrenOf(parent), depth: depths(parent), width, height, largestChange };
}

/** The innermost tile at a point; -1 if there is none. Descends from the roots, so that a map of
 * many tiles needs only a few comparisons. */
export function tileAt(index: TreemapIndex, x: number, y: number): number {
  const { tiles } = index.picture;
  let found = -1;
  for (;;) {
    const next = childList(index.children, found).find(
      (tile) =>
        x >= tiles.x[tile]! &&
        y >= tiles.y[tile]! &&
        x < tiles.x[tile]! + tiles.width[tile]! &&
        y < tiles.y[tile]! + tiles.height[tile]!,
    );
    if (next === undefined) return found;
    found = next;
  }
}

/** The tile that a key leads to: down to the largest tile inside, up to the tile around, left and
 * right to the next larger and smaller tile beside; -1 if there is none. */
export function moveTile(index: TreemapIndex, from: number, move: Move): number {
  const { parent, share } = index.picture.tiles;
  const largest = (tiles: Int32Array) => heaviest(tiles, (tile) => share[tile]!);
  if (from < 0 || move === "home") return largest(childList(index.children, -1));
  if (move === "down") return largest(childList(index.children, from));
  if (move === "up") return parent[from]!;
  return sibling(index.children, parent, from, move === "left" ? -1 : 1, (tile) => -share[tile]!);
}
