// How small a drawing may become before its texts cannot be read.

/** The least size of texts, in pixels of the screen. */
const READABLE = 11;

/** The least width of an SVG in pixels at which its smallest text is readable; null if it has no view box, as all of ours have. */
export function leastWidth(svg: string): number | null {
  const root = /<svg\b[^>]*>/.exec(svg)?.[0] ?? "";
  const width = Number(/\sviewBox="\S+ \S+ ([\d.]+) /.exec(root)?.[1] ?? NaN);
  if (!(width > 0)) return null;
  const sizes = [...svg.matchAll(/\sfont-size="([\d.]+)"/g)].map((found) => Number(found[1])).filter((size) => size > 0);
  const smallest = sizes.length > 0 ? Math.min(...sizes) : READABLE;
  return Math.ceil((width * READABLE) / smallest);
}
