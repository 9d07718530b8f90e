// Jump arrows beside assembly. Each row draws the pieces of arrows that cross it, so that only
// visible rows cost anything.

import { s } from "../../core/dom.ts";
import { ROW_HEIGHT } from "../shared/table.ts";
import { arrowPieces, type ArrowPiece, type RowJump } from "./sourcerows.ts";

const LANE = 7;
/** Arrows in further lanes are not drawn: the code would have no room. */
export const MAX_LANES = 10;

export function arrowsWidth(jumps: readonly RowJump[]): number {
  const lanes = jumps.reduce((most, jump) => Math.max(most, Math.min(MAX_LANES, jump.lane + 1)), 0);
  return lanes === 0 ? 0 : lanes * LANE + 10;
}

export function arrowsCell(jumps: readonly RowJump[], row: number, width: number): SVGElement {
  const svg = s("svg", { width, height: ROW_HEIGHT, class: "arrows", "aria-hidden": "true" });
  const pieces = arrowPieces(jumps, row).filter((piece) => piece.lane < MAX_LANES);
  for (const piece of pieces) svg.append(...drawPiece(piece, width));
  const texts = pieces.filter((piece) => piece.end !== null && piece.text !== "").map((piece) => piece.text);
  if (texts.length > 0) svg.append(s("title", {}, texts.join("\n")));
  return svg;
}

/** Lane 0 is next to the code. */
function drawPiece(piece: ArrowPiece, width: number): SVGElement[] {
  const x = width - 8 - piece.lane * LANE;
  const middle = ROW_HEIGHT / 2;
  const from = piece.above ? 0 : middle;
  const to = piece.below ? ROW_HEIGHT : middle;
  const line = s("path", { d: `M${x} ${from}V${to}` });
  if (piece.end === null) return [line];
  const end = s("path", { d: `M${x} ${middle}H${width - 2}` });
  if (piece.end === "from") return [line, end];
  return [line, end, s("path", { class: "head", d: `M${width} ${middle}l-5 -3v6z` })];
}
