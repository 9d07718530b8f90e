// The arithmetic of a virtual table: which rows are visible at a scroll position. Pure.
//
// Browsers limit the height of an element (about 33 million pixels in Chromium, 17 million in
// Firefox). Up to LIMIT rows the scroll height is exact; above, it stays constant and a scroll
// position stands for a share of the rows.

export const LIMIT = 500_000;

export interface Geometry {
  count: number;
  rowHeight: number;
  /** Height of the visible area for rows. */
  viewport: number;
}

export function isScaled(g: Geometry): boolean {
  return g.count > LIMIT;
}

export function scrollHeight(g: Geometry): number {
  return Math.min(g.count, LIMIT) * g.rowHeight;
}

/** Number of rows that fit, whole ones only; at least one. */
export function pageSize(g: Geometry): number {
  return Math.max(1, Math.floor(g.viewport / g.rowHeight));
}

/** The greatest position: with it, the last row ends at the lower edge. */
export function lastPosition(g: Geometry): number {
  return Math.max(0, g.count - g.viewport / g.rowHeight);
}

/** The row (with fraction) at the upper edge, for a scroll position in pixels. */
export function positionAt(g: Geometry, scrollTop: number): number {
  if (!isScaled(g)) return clamp(scrollTop / g.rowHeight, 0, lastPosition(g));
  const range = scrollHeight(g) - g.viewport;
  return range <= 0 ? 0 : clamp(scrollTop / range, 0, 1) * lastPosition(g);
}

/** The inverse of `positionAt`. */
export function scrollTopAt(g: Geometry, position: number): number {
  const p = clamp(position, 0, lastPosition(g));
  if (!isScaled(g)) return p * g.rowHeight;
  const last = lastPosition(g);
  return last === 0 ? 0 : (p / last) * (scrollHeight(g) - g.viewport);
}

/** The rows to draw, `to` exclusive, with `margin` rows more on each side. */
export function visibleRows(g: Geometry, position: number, margin: number): { from: number; to: number } {
  const from = Math.max(0, Math.floor(position) - margin);
  const to = Math.min(g.count, Math.ceil(position + g.viewport / g.rowHeight) + margin);
  return { from, to: Math.max(from, to) };
}

/** The position closest to `position` at which `row` is wholly visible. */
export function reveal(g: Geometry, position: number, row: number): number {
  const fit = g.viewport / g.rowHeight;
  if (row < position) return clamp(row, 0, lastPosition(g));
  if (row + 1 > position + fit) return clamp(row + 1 - fit, 0, lastPosition(g));
  return clamp(position, 0, lastPosition(g));
}

/** The cursor after a key; null if the key does not move it. */
export function cursorAfter(key: string, cursor: number, g: Geometry): number | null {
  const last = g.count - 1;
  const to = {
    ArrowDown: cursor + 1,
    ArrowUp: cursor - 1,
    PageDown: cursor + pageSize(g),
    PageUp: cursor - pageSize(g),
    Home: 0,
    End: last,
  }[key];
  return to === undefined || last < 0 ? null : clamp(to, 0, last);
}

export function clamp(value: number, low: number, high: number): number {
  return Math.min(Math.max(value, low), Math.max(low, high));
}
