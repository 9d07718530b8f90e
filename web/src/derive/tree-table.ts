// Which rows of a tree table in preorder are shown.

/** The number of rows below each row, from the depths of a preorder. */
export function subtreeSizes(depth: readonly number[]): Int32Array {
  const sizes = new Int32Array(depth.length);
  const open: number[] = [];
  for (let i = 0; i <= depth.length; i++) {
    const own = depth[i] ?? -1;
    while (open.length > 0 && depth[open[open.length - 1]!]! >= own) {
      const row = open.pop()!;
      sizes[row] = i - row - 1;
    }
    if (i < depth.length) open.push(i);
  }
  return sizes;
}

/** The rows that are shown: all but those below closed rows. */
export function shownRows(sizes: Int32Array, isOpen: (row: number) => boolean): number[] {
  const rows: number[] = [];
  for (let i = 0; i < sizes.length; i += 1 + (isOpen(i) ? 0 : sizes[i]!)) rows.push(i);
  return rows;
}
