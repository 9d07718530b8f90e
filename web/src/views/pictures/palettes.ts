// One palette for each document, so that a function has the same colour in all of its views.

import { Palette } from "../../derive/colour.ts";
import type { ViewContext } from "../view.ts";

const functions = new Map<number, Palette>();

/** The colours of functions, by colour key. */
export function paletteOf(context: ViewContext): Palette {
  return ownPalette(functions, context.document.id);
}

function ownPalette(palettes: Map<number, Palette>, document: number): Palette {
  const palette = palettes.get(document) ?? new Palette();
  palettes.set(document, palette);
  return palette;
}
