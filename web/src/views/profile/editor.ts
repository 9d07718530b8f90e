// From a source line to the editor: its place as text for the clipboard, and the editor that the server starts.
// There are no links such as vscode://: a page must not decide what a browser starts.

import { button, h } from "../../core/dom.ts";
import { effect } from "../../core/signal.ts";
import { type MenuItem, showMenu } from "../shared/menu.ts";
import type { Control } from "../shared/controls.ts";
import type { ViewContext } from "../view.ts";
import { placeOf, type SourceRow } from "./sourcerows.ts";

export function copyPlace(context: ViewContext, row: SourceRow): void {
  const place = placeOf(row);
  if (place) context.copy(`${place.path}:${place.line}`, "place");
  else context.announce("this line has no place in a file");
}

/** Opens the line in the editor; without an editor its place is copied. */
export function openPlace(context: ViewContext, row: SourceRow): void {
  const place = placeOf(row);
  if (!place?.isFound || context.editor() === null) return copyPlace(context, row);
  context.edit(place.path, place.line);
}

export function lineMenu(context: ViewContext, row: SourceRow, at: { x: number; y: number }): void {
  const place = placeOf(row);
  if (!place) return;
  const editor = context.editor();
  const items: MenuItem[] = [{ label: "Copy path:line", key: "y", run: () => copyPlace(context, row) }];
  if (editor !== null) items.push({ label: `Open in ${editor}`, key: "o", disabled: !place.isFound, run: () => openPlace(context, row) });
  showMenu(at, "line", items);
}

/** Buttons for the line of the cursor. */
export function lineButtons(context: ViewContext, row: () => SourceRow | null): Control {
  const act = (action: (context: ViewContext, row: SourceRow) => void) => () => {
    const chosen = row();
    if (chosen) action(context, chosen);
  };
  const copy = button("copy path:line", act(copyPlace), { title: "copy the place of the chosen line (y)" });
  const open = button("", act(openPlace), { title: "open the chosen line in the editor (o)" });
  const dispose = effect(() => {
    const editor = context.editor();
    open.hidden = editor === null;
    open.textContent = `open in ${editor ?? ""}`;
  });
  return { element: h("span", { class: "options" }, copy, open), dispose };
}
