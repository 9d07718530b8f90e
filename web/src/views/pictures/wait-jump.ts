// Jumps from wait to wait in the order of time: on all locations, or on that of the chosen point.

import type { NextWaitAnswer, WaitRow } from "../../api/types.ts";
import { button, h } from "../../core/dom.ts";
import type { Signal } from "../../core/signal.ts";
import { type WaitChoice, waitStart } from "../../derive/wait-start.ts";
import type { ViewContext } from "../view.ts";
import type { Controls } from "./controls.ts";
import { type LoadingPlace, Loader } from "./loader.ts";

/** The shortest waits that are visited, as parts of the run. */
const LEAST: readonly (readonly [number, string])[] = [
  [0, "any length"],
  [1e-4, "≥ 0.01 % of the run"],
  [1e-3, "≥ 0.1 % of the run"],
  [1e-2, "≥ 1 % of the run"],
];

export interface WaitPlace extends LoadingPlace {
  /** What the search can begin from. */
  choice(): WaitChoice;
  /** The location of the chosen point. */
  location(): number | null;
  /** Shows a text below the picture. */
  remark(text: string): void;
  found(wait: WaitRow, window: [number, number], text: string): void;
}

export class WaitJump {
  private readonly loader: Loader;
  private readonly where: Signal<string>;
  private readonly least: Signal<number>;

  constructor(
    private readonly context: ViewContext,
    private readonly runtime: number,
    private readonly place: WaitPlace,
    controls: Controls,
  ) {
    this.loader = new Loader(place);
    this.where = context.option<string>("waitsOf", "all");
    this.least = context.option<number>("waitsFrom", 0);
    const jump = (label: string, title: string, backward: boolean) => button(label, () => this.go(backward), { class: "icon", title, attrs: { "aria-label": title } });
    controls.add(h("span", {}, jump("‹", "previous wait (N)", true), " wait ", jump("›", "next wait (n)", false)));
    controls.choice("waits of", this.where, [["all", "all locations"], ["one", "chosen location"]]);
    controls.choice("waits", this.least, LEAST);
  }

  dispose(): void {
    this.loader.cancel();
  }

  /** Shows the next or previous wait. */
  go(backward: boolean): void {
    const location = this.where.peek() === "one" ? this.place.location() : null;
    if (this.where.peek() === "one" && location === null) {
      this.context.announce("no location is chosen: click into its lane first");
      this.place.remark("No location is chosen: click into its lane first.");
      return;
    }
    const from = waitStart(this.place.choice(), location, backward);
    this.loader.load(
      (abort) => this.context.ask<NextWaitAnswer>({ ask: "next_wait", ...from, backward, location, metric: null, least: this.least.peek() * this.runtime }, abort),
      ({ wait, window, number, count }) => {
        if (!wait || !window) return this.none(backward);
        this.place.found(wait, window, `wait ${number} of ${count}: ${wait.title}, ${wait.name}, ${`${wait.mark} ${wait.duration.text}`.trim()} from ${wait.begin.text} on`);
      },
    );
  }

  private none(backward: boolean): void {
    const text = `There is no ${backward ? "earlier" : "later"} wait${this.least.peek() > 0 ? " of this length" : ""}.`;
    this.place.remark(text);
    this.context.announce(text);
  }
}
