// Trees as columns: `parent[i]` is the index of the parent, -1 for a root, and a parent comes
// before its children. All walks are loops, because stacks can be thousands of levels deep.

export interface Children {
  /** The children of node i are list[starts[i]] to list[starts[i + 1]]; the roots are those of node `count`. */
  starts: Int32Array;
  list: Int32Array;
}

/** The children of all nodes, in the order of the nodes. */
export function childrenOf(parent: readonly number[]): Children {
  const count = parent.length;
  const starts = new Int32Array(count + 2);
  const owner = (i: number) => {
    const p = parent[i]!;
    return p >= 0 && p < i ? p : count;
  };
  for (let i = 0; i < count; i++) starts[owner(i) + 1]!++;
  for (let i = 0; i <= count; i++) starts[i + 1]! += starts[i]!;
  const next = starts.slice();
  const list = new Int32Array(count);
  for (let i = 0; i < count; i++) list[next[owner(i)]!++] = i;
  return { starts, list };
}

/** The children of a node, or the roots for -1. */
export function childList(children: Children, node: number): Int32Array {
  const at = node < 0 ? children.list.length : node;
  return children.list.subarray(children.starts[at]!, children.starts[at + 1]!);
}

/** The node with the largest weight; -1 if there is none. */
export function heaviest(nodes: Iterable<number>, weight: (node: number) => number): number {
  let best = -1;
  for (const node of nodes) if (best < 0 || weight(node) > weight(best)) best = node;
  return best;
}

/** The node `step` places further among its siblings in the order of `position`; -1 at the ends. */
export function sibling(
  children: Children,
  parent: readonly number[],
  node: number,
  step: 1 | -1,
  position: (node: number) => number,
): number {
  const all = [...childList(children, parent[node] ?? -1)].sort((a, b) => position(a) - position(b));
  return all[all.indexOf(node) + step] ?? -1;
}

/** The keys of a node and its ancestors, from the root to the node. */
export function pathOf(parent: readonly number[], node: number, key: (node: number) => number): number[] {
  const path: number[] = [];
  for (let at = node; at >= 0; at = parent[at] ?? -1) path.push(key(at));
  return path.reverse();
}

/** The node that `path` leads to, or the deepest ancestor of it that exists; -1 for none. */
export function followPath(children: Children, path: readonly number[], key: (node: number) => number): number {
  let at = -1;
  for (const wanted of path) {
    const next = childList(children, at).find((child) => key(child) === wanted);
    if (next === undefined) return at;
    at = next;
  }
  return at;
}

/** The depth of every node; roots have 0. */
export function depths(parent: readonly number[]): Int32Array {
  const depth = new Int32Array(parent.length);
  parent.forEach((p, i) => (depth[i] = p >= 0 && p < i ? depth[p]! + 1 : 0));
  return depth;
}
