// Texts of pictures. Names come from profiles: they may be a megabyte long and contain control
// characters, so they are cut before anything measures or shows them.

/** Longest text that a tooltip or table cell shows. */
export const LONGEST = 400;

const CONTROL = /[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2066-\u2069]/g;

/** A text on one line without control characters, cut to `limit` UTF-16 units. */
export function oneLine(text: string, limit: number = LONGEST): string {
  const head = text.length > limit ? `${text.slice(0, limit - 1)}…` : text;
  return head.replace(CONTROL, " ");
}

/** The width of a character in pixels. */
export type CharWidth = (char: number) => number;

/** The text as far as it fits into `room` pixels, with an ellipsis if it is cut; empty if fewer
 * than three characters fit. Looks only at the characters that fit. */
export function fitText(text: string, room: number, widthOf: CharWidth): string {
  let used = 0;
  /** The last position that leaves room for the ellipsis. */
  let fits = 0;
  const dots = widthOf(0x2026);
  for (let i = 0; i < text.length; i++) {
    used += widthOf(text.charCodeAt(i));
    if (used > room) return fits < 3 ? "" : `${oneLine(text.slice(0, wholeCharacter(text, fits)))}…`;
    if (used + dots <= room) fits = i + 1;
  }
  return oneLine(text, text.length);
}

/** The width of a short text. */
export function textWidth(text: string, widthOf: CharWidth): number {
  let width = 0;
  for (let i = 0; i < text.length; i++) width += widthOf(text.charCodeAt(i));
  return width;
}

/** A position that does not divide a surrogate pair. */
function wholeCharacter(text: string, at: number): number {
  const before = text.charCodeAt(at - 1);
  return before >= 0xd800 && before <= 0xdbff ? at - 1 : at;
}

/** "12.3 %", as the SVG reports print shares of pictures. */
export function formatShare(share: number): string {
  if (!Number.isFinite(share)) return "";
  const digits = Math.abs(share) >= 0.1 || share === 0 ? 1 : 2;
  return `${(share * 100).toFixed(digits)} %`;
}

/** "+1.2 %" or "−1.2 %". */
export function formatChange(change: number): string {
  const sign = change > 0 ? "+" : change < 0 ? "−" : "±";
  return sign + formatShare(Math.abs(change));
}
