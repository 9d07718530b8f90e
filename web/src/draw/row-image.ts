// Rows of coloured spans as an image with one line of pixels for each row, which is then stretched to
// the height of the rows. Tens of thousands of rectangles take about half a microsecond each to
// paint without a GPU; as pixels of an image they cost almost nothing.

import { parseColour } from "../derive/colour.ts";

export class RowImage {
  readonly canvas: HTMLCanvasElement;
  private readonly data: ImageData;
  private readonly pixels: Uint32Array;
  private readonly context: CanvasRenderingContext2D;

  constructor(document: Document, readonly width: number, readonly rows: number) {
    this.canvas = document.createElement("canvas");
    this.canvas.width = Math.max(1, width);
    this.canvas.height = Math.max(1, rows);
    this.context = this.canvas.getContext("2d")!;
    this.data = this.context.createImageData(this.canvas.width, this.canvas.height);
    this.pixels = new Uint32Array(this.data.data.buffer);
  }

  /** Colours the pixels `from` to `to` (exclusive) of a row. */
  fill(row: number, from: number, to: number, pixel: number): void {
    const [start, end] = [Math.max(0, from), Math.min(this.canvas.width, to)];
    if (row < 0 || row >= this.rows || end <= start) return;
    const base = row * this.canvas.width;
    if (end - start < 8) for (let i = base + start; i < base + end; i++) this.pixels[i] = pixel;
    else this.pixels.fill(pixel, base + start, base + end);
  }

  /** The image; nothing may be filled afterwards. */
  finish(): HTMLCanvasElement {
    this.context.putImageData(this.data, 0, 0);
    return this.canvas;
  }
}

/** A colour as a pixel of an image: red is the lowest byte on all machines that browsers run on. */
export function pixelOf(colour: string): number {
  const [r, g, b] = parseColour(colour);
  return ((255 << 24) | (Math.round(b) << 16) | (Math.round(g) << 8) | Math.round(r)) >>> 0;
}
