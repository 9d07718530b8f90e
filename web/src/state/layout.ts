// The arrangement of panes: a binary tree of splits. Pure functions; the tree is immutable.

export interface PaneLeaf {
  pane: string;
  view: string;
}

export interface Split {
  /** "row": beside each other; "column": one above the other. */
  split: "row" | "column";
  /** The share of the first child, 0.05 to 0.95. */
  at: number;
  first: Layout;
  second: Layout;
}

export type Layout = PaneLeaf | Split;

export type Edge = "left" | "right" | "top" | "bottom";

/** More panes than this are not readable on any screen, and bound what a hostile URL can do. */
export const MAX_PANES = 12;

export function isSplit(layout: Layout): layout is Split {
  return "split" in layout;
}

export function panesOf(layout: Layout): PaneLeaf[] {
  return isSplit(layout) ? [...panesOf(layout.first), ...panesOf(layout.second)] : [layout];
}

export function freshPaneId(layout: Layout): string {
  const used = new Set(panesOf(layout).map((leaf) => leaf.pane));
  let number = used.size + 1;
  while (used.has(`p${number}`)) number++;
  return `p${number}`;
}

/** Replaces the pane `id` by what `f` gives. */
export function replacePane(layout: Layout, id: string, f: (leaf: PaneLeaf) => Layout): Layout {
  if (!isSplit(layout)) return layout.pane === id ? f(layout) : layout;
  const first = replacePane(layout.first, id, f);
  const second = replacePane(layout.second, id, f);
  return first === layout.first && second === layout.second ? layout : { ...layout, first, second };
}

export function splitPane(layout: Layout, id: string, split: "row" | "column", added: PaneLeaf): Layout {
  return replacePane(layout, id, (leaf) => ({ split, at: 0.5, first: leaf, second: added }));
}

/** Removes a pane; its sibling takes the place. The last pane stays. */
export function closePane(layout: Layout, id: string): Layout {
  if (!isSplit(layout)) return layout;
  if (!isSplit(layout.first) && layout.first.pane === id) return layout.second;
  if (!isSplit(layout.second) && layout.second.pane === id) return layout.first;
  return { ...layout, first: closePane(layout.first, id), second: closePane(layout.second, id) };
}

/** Moves a pane to an edge of another one, or of everything (`target` null). */
export function movePane(layout: Layout, id: string, target: string | null, edge: Edge): Layout {
  const moved = panesOf(layout).find((leaf) => leaf.pane === id);
  const rest = closePane(layout, id);
  if (!moved || rest === layout || target === id) return layout;
  if (target === null) return join(rest, moved, edge, 0.3);
  return replacePane(rest, target, (leaf) => join(leaf, moved, edge, 0.5));
}

function join(rest: Layout, moved: PaneLeaf, edge: Edge, share: number): Split {
  const split = edge === "left" || edge === "right" ? "row" : "column";
  return edge === "left" || edge === "top"
    ? { split, at: share, first: moved, second: rest }
    : { split, at: 1 - share, first: rest, second: moved };
}

/** Sets the divider of the split that `path` leads to ("0" first child, "1" second child). */
export function moveDivider(layout: Layout, path: string, at: number): Layout {
  if (!isSplit(layout)) return layout;
  if (path === "") return { ...layout, at: clampShare(at) };
  const rest = path.slice(1);
  return path[0] === "0"
    ? { ...layout, first: moveDivider(layout.first, rest, at) }
    : { ...layout, second: moveDivider(layout.second, rest, at) };
}

export function clampShare(at: number): number {
  return Math.round(Math.min(0.95, Math.max(0.05, at)) * 1000) / 1000;
}

/** The same tree without the positions of the dividers: tells whether panes must be re-attached. */
export function shapeOf(layout: Layout): string {
  return isSplit(layout) ? `${layout.split}(${shapeOf(layout.first)},${shapeOf(layout.second)})` : layout.pane;
}

/** Checks a layout from a URL or a file; null if it is not one. */
export function checkLayout(value: unknown): Layout | null {
  const ids = new Set<string>();
  const layout = checkNode(value, ids, 0);
  return ids.size <= MAX_PANES ? layout : null;
}

function checkNode(value: unknown, ids: Set<string>, depth: number): Layout | null {
  if (typeof value !== "object" || value === null || depth > MAX_PANES) return null;
  const node = value as Record<string, unknown>;
  if (typeof node["pane"] === "string") return checkLeaf(node, ids);
  if (node["split"] !== "row" && node["split"] !== "column") return null;
  if (typeof node["at"] !== "number" || !Number.isFinite(node["at"])) return null;
  const first = checkNode(node["first"], ids, depth + 1);
  const second = checkNode(node["second"], ids, depth + 1);
  return first && second ? { split: node["split"], at: clampShare(node["at"]), first, second } : null;
}

function checkLeaf(node: Record<string, unknown>, ids: Set<string>): PaneLeaf | null {
  const { pane, view } = node;
  if (typeof pane !== "string" || typeof view !== "string") return null;
  if (!/^[a-z0-9]{1,8}$/.test(pane) || !/^[a-z0-9_-]{1,32}$/.test(view) || ids.has(pane)) return null;
  ids.add(pane);
  return { pane, view };
}
