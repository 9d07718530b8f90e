// The panel with the statistics of the shown window: time by region or kind of waiting, and by location for one of them.

import type { Amount, StatisticsOf, StatisticsTable } from "../../api/types.ts";
import { button, fill, h } from "../../core/dom.ts";
import { type Signal, effect, untracked } from "../../core/signal.ts";
import { ALL_LOCATIONS, type LocationEntry, locationEntries, withLocation } from "../../derive/location-choice.ts";
import { oneLine } from "../../derive/text.ts";
import type { TimeWindow } from "../../derive/time-window.ts";
import type { ViewContext } from "../view.ts";
import { amountText } from "./graph-text.ts";
import { Panel, panelTable, rowLink } from "./panel.ts";
import { debounced } from "./loader.ts";

/** Zooming asks once when it stands still. */
const REST = 200;

export class StatisticsPanel extends Panel {
  private readonly of: Signal<string>;
  /** The location whose time is shown; -1 for all. */
  private readonly location: Signal<number>;
  /** The row whose locations are listed: its id and its name. */
  private row: readonly [string, string] | null = null;
  /** The row that gets the focus with the next table. */
  private focusNext: string | null = null;
  private readonly ask = debounced(() => this.load(), REST);
  private readonly end: () => void;

  constructor(
    private readonly context: ViewContext,
    private readonly window: Signal<TimeWindow>,
    private readonly runtime: number,
    locations: () => readonly (readonly [number, string])[],
  ) {
    super("statistics");
    this.of = context.option<string>("statistics", "regions");
    this.location = context.option("location", -1);
    const of = this.choice("statistics of", [["regions", "regions"], ["waits", "kinds of waiting"]], (value) => this.of.set(value));
    const where = this.choice("location", [ALL_LOCATIONS], (value) => this.location.set(Number(value)));
    // The names come with the first picture.
    where.addEventListener("focus", () => {
      list(locationEntries(locations()));
      where.value = String(this.location.peek());
    });
    let listed: readonly LocationEntry[] = [ALL_LOCATIONS];
    const list = (entries: readonly LocationEntry[]) => {
      listed = entries;
      fill(where, ...entries.map(([value, text]) => h("option", { attrs: { value } }, oneLine(text, 60))));
    };
    fill(this.header, of, where);
    this.end = effect(() => {
      this.window.get();
      of.value = this.of.get();
      const location = this.location.get();
      if (where.value !== String(location)) {
        const entries = withLocation(listed, location, locations());
        if (entries !== listed) list(entries);
        where.value = String(location);
      }
      untracked(() => this.ask.call());
    });
  }

  dispose(): void {
    this.end();
    this.ask.cancel();
    this.loader.cancel();
  }

  private choice(label: string, choices: readonly (readonly [string, string])[], set: (value: string) => void): HTMLSelectElement {
    const select = h("select", { attrs: { "aria-label": label } }, ...choices.map(([value, text]) => h("option", { attrs: { value } }, text)));
    select.addEventListener("change", () => {
      this.row = null;
      set(select.value);
    });
    return select;
  }

  private load(): void {
    // A hidden panel asks when it is shown.
    if (this.element.hidden) return;
    const { from, to } = this.window.peek();
    const isWhole = from <= 0 && to >= this.runtime;
    const location = this.location.peek();
    const { row } = this;
    const question = {
      ask: "statistics", of: this.of.peek() === "waits" ? "waits" : ("regions" as StatisticsOf), row: row?.[0] ?? null,
      from: isWhole ? null : from, to: isWhole ? null : to, location: location < 0 ? null : location,
    } as const;
    this.loader.load((abort) => this.context.ask<StatisticsTable>(question, abort), (table) => this.show(table, row));
  }

  /** Statistics of one location become those of another. */
  follow(location: number): void {
    if (this.location.peek() < 0 || this.location.peek() === location) return;
    this.row = null;
    this.location.set(location);
  }

  /** Asks for what is shown, if it is not up to date. */
  refresh(): void {
    this.ask.call();
  }

  private show(table: StatisticsTable, row: readonly [string, string] | null): void {
    const time = (amount: Amount) => `${amount.mark} ${amount.text}`.trim();
    const title = `${table.begin.text} to ${table.end.text}, ${table.whole.text} of ${this.location.peek() < 0 ? "all locations" : "this location"}`;
    const link = (id: string, ...rest: Parameters<typeof rowLink>) => {
      const element = rowLink(...rest);
      element.dataset["row"] = id;
      return element;
    };
    const first = row ? "location" : this.of.peek() === "waits" ? "kind of waiting" : "region";
    const columns = row ? [first, "time", "share of the location"] : [first, "time", "share", "locations", "most"];
    const rows = table.rows.map((entry) =>
      row
        ? [entry.name, time(entry.time), entry.time.share_text]
        : [
            link(entry.id, entry.name, `${oneLine(entry.name)}\n${oneLine(entry.class)}\nclick: by location`, () => this.choose([entry.id, entry.name])),
            time(entry.time),
            entry.time.share_text,
            String(entry.locations ?? ""),
            entry.most ? `${entry.most[0]}: ${amountText(entry.most[1])}` : "",
          ],
    );
    const back = row ? h("p", {}, button("‹ all", () => this.choose(null)), ` ${oneLine(row[1], 120)}`) : null;
    this.say(rows.length === 0 ? "There is no such time in this window." : "");
    this.keepFocus(() => fill(this.content, h("p", {}, title), back, panelTable("statistics of the window", columns, rows)));
    this.note(table.hidden);
  }

  /** Builds the table anew; if the focus was in it, it goes to the same row, else to the first thing that can have it. */
  private keepFocus(build: () => void): void {
    const { activeElement } = document;
    const had = activeElement instanceof HTMLElement && this.content.contains(activeElement);
    const wanted = this.focusNext ?? (had ? activeElement.dataset["row"] : undefined);
    this.focusNext = null;
    build();
    if (!had) return;
    const targets = [...this.content.querySelectorAll<HTMLElement>("button")];
    (targets.find((target) => wanted !== undefined && target.dataset["row"] === wanted) ?? targets[0] ?? this.rows).focus();
  }

  private choose(row: readonly [string, string] | null): void {
    // The way back leads to the row that was opened.
    this.focusNext = row === null ? (this.row?.[0] ?? null) : null;
    this.row = row;
    this.load();
  }
}
