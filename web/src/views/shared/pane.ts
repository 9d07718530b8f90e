// A pane: a header (choice of view, its options, table, menu), the view, and a footer that says
// what the view hides.

import { button, fill, h } from "../../core/dom.ts";
import { effect, untracked } from "../../core/signal.ts";
import { movePane, type Edge } from "../../state/layout.ts";
import type { App } from "../frame/app.ts";
import { makeContext } from "../frame/context.ts";
import type { MountedView, ReadyDocument, View } from "../view.ts";
import { problemBox } from "./asking.ts";
import { showMenu } from "./menu.ts";

export class Pane {
  readonly element: HTMLElement;
  private readonly chooser = h("select", { class: "pane-view", attrs: { "aria-label": "view of this pane" } });
  private readonly options = h("div", { class: "pane-options" });
  private readonly twinButton = button("Table", () => this.twin.set(!this.twin.peek()), { class: "toggle", title: "the same as a table" });
  private readonly closeButton = button("×", () => this.app.closePane(this.id), { class: "icon", title: "close this pane", attrs: { "aria-label": "close pane" } });
  private readonly body = h("div", { class: "pane-body", tabindex: -1 });
  private readonly footer = h("div", { class: "pane-footer", hidden: true });
  private readonly twin;
  private mounted: MountedView | null = null;
  private shown = "";
  private readonly stops: (() => void)[];

  constructor(
    private readonly app: App,
    private readonly id: string,
  ) {
    this.twin = app.state.option(id, "twin", false);
    const menu = button("⋮", (event) => this.openMenu(event), { class: "icon", title: "split, move or close this pane; reset all panes", attrs: { "aria-label": "pane menu", "aria-haspopup": "menu" } });
    const header = h("header", { class: "pane-header" }, this.chooser, this.options, h("span", { class: "spring" }), this.twinButton, menu, this.closeButton);
    this.element = h("section", { class: "pane", attrs: { "data-pane": id } }, header, this.body, this.footer);
    this.element.addEventListener("focusin", () => app.focusedPane.set(id));
    this.element.addEventListener("pointerdown", () => app.focusedPane.set(id));
    this.chooser.addEventListener("change", () => app.setView(id, this.chooser.value));
    this.stops = [effect(() => this.showTwin(this.twin.get())), effect(() => this.showHidden(app.hidden.get().get(id) ?? ""))];
  }

  setSiblings(count: number): void {
    this.closeButton.hidden = count === 0;
  }

  /** Mounts a view; nothing happens if it is mounted for this revision of the document. */
  show(viewId: string): void {
    const document = this.app.ready.peek();
    if (!document) return;
    const key = `${document.id} ${document.stage.revision} ${viewId}`;
    if (key === this.shown) return;
    this.shown = key;
    this.unmount();
    const views = this.app.views.peek();
    const view = views.find((v) => v.id === viewId);
    fill(this.chooser, ...views.map((v) => h("option", { attrs: { value: v.id } }, v.title)), view ? null : h("option", { attrs: { value: viewId } }, viewId));
    this.chooser.value = viewId;
    this.element.dataset["view"] = viewId;
    this.element.setAttribute("aria-label", view?.title ?? viewId);
    if (view) untracked(() => this.mount(view, document));
    else fill(this.body, h("p", { class: "empty" }, `This file has no data for the view “${viewId}”. Choose another view above.`));
  }

  resize(): void {
    this.mounted?.resize?.();
  }

  dispose(): void {
    this.unmount();
    for (const stop of this.stops) stop();
    this.element.remove();
  }

  private mount(view: View, document: ReadyDocument): void {
    try {
      this.mounted = view.mount(makeContext(this.app, document, this.id));
      fill(this.options, this.mounted.options ?? null);
      fill(this.body, this.mounted.element, this.mounted.twin ?? null);
      this.twinButton.hidden = !this.mounted.twin;
      this.showTwin(this.twin.peek());
    } catch (error) {
      // One view that fails must not take the others with it.
      fill(this.body, problemBox(error, () => {
        this.shown = "";
        this.show(view.id);
      }));
    }
  }

  private unmount(): void {
    this.mounted?.dispose();
    this.mounted = null;
    this.app.setHidden(this.id, "");
    this.twinButton.hidden = true;
    fill(this.options);
    fill(this.body);
  }

  private showTwin(on: boolean): void {
    this.twinButton.setAttribute("aria-pressed", String(on));
    if (!this.mounted?.twin) return;
    this.mounted.element.hidden = on;
    this.mounted.twin.hidden = !on;
    this.mounted.resize?.();
  }

  private showHidden(text: string): void {
    this.footer.textContent = text;
    this.footer.title = text;
    this.footer.hidden = text === "";
  }

  private openMenu(event: MouseEvent): void {
    const box = (event.currentTarget as HTMLElement).getBoundingClientRect();
    const { app, id } = this;
    const another = app.views.peek().find((view) => view.id === "graph")?.id ?? this.chooser.value;
    const split = (how: "row" | "column") => app.address.navigate(() => void app.addPane(another, id, how));
    const move = (edge: Edge) => app.address.navigate(() => app.setLayout(movePane(app.layout.peek()!, id, null, edge)));
    const only = this.closeButton.hidden === true;
    showMenu({ x: box.left, y: box.bottom }, "pane", [
      { label: "Split: new pane on the right", run: () => split("row") },
      { label: "Split: new pane below", run: () => split("column") },
      null,
      { label: "Move to the left edge", disabled: only, run: () => move("left") },
      { label: "Move to the right edge", disabled: only, run: () => move("right") },
      { label: "Move to the top", disabled: only, run: () => move("top") },
      { label: "Move to the bottom", disabled: only, run: () => move("bottom") },
      null,
      { label: "Close this pane", disabled: only, run: () => app.closePane(id) },
      { label: "Reset all panes", run: () => app.resetPanes() },
    ]);
  }
}
