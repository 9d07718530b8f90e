// The panel about one point of the time-line: open calls, the events around it, waits; all times with all digits.

import type { MomentAnswer, MomentEvent } from "../../api/types.ts";
import { fill, h } from "../../core/dom.ts";
import { type Signal, effect } from "../../core/signal.ts";
import { NO_STACKS } from "../../api/exported.ts";
import type { ViewContext } from "../view.ts";
import { Panel, panelTable } from "./panel.ts";
import type { Tip } from "./tooltip.ts";

/** Location and time in seconds. */
export type Point = readonly [location: number, at: number];

export class MomentPanel extends Panel {
  private readonly end: () => void;

  constructor(
    private readonly context: ViewContext,
    point: Signal<Point | null>,
  ) {
    super("call stack");
    this.end = effect(() => this.load(point.get()));
  }

  dispose(): void {
    this.end();
    this.loader.cancel();
  }

  private load(point: Point | null): void {
    const { exported } = this.context;
    if (!point || exported) {
      this.loader.cancel();
      fill(this.header, h("span", {}, "call stack"));
      fill(this.content);
      this.say(exported ? NO_STACKS : "Click a place of the time-line, or press space on a region.");
      return;
    }
    this.loader.load(
      (abort) => this.context.ask<MomentAnswer>({ ask: "moment", location: point[0], at: point[1] }, abort),
      (answer) => this.show(answer),
    );
  }

  private show(answer: MomentAnswer): void {
    fill(this.header, h("span", {}, `${answer.name} at ${answer.at.text}`));
    const stack = answer.stack.map((call) => [call.name, call.entered.text, call.left?.text ?? "not recorded", call.duration?.text ?? ""]);
    const events = answer.events.map((event) => [eventText(event), event.at.text, event.partner_at?.text ?? "", event.duration?.text ?? ""]);
    const waits = answer.waits.map((wait) => [wait.title, wait.cause ?? "not known", wait.begin.text, `${wait.mark} ${wait.duration.text}`.trim()]);
    fill(
      this.content,
      h("h3", {}, "Open calls, the outermost first"),
      stack.length > 0 ? panelTable("open calls", ["region", "enter", "leave", "duration"], stack) : h("p", {}, "outside all regions"),
      waits.length > 0 ? h("h3", {}, "Waiting") : null,
      waits.length > 0 ? panelTable("waits", ["kind of waiting", "waits for", "begin", "duration"], waits) : null,
      h("h3", {}, "Events before and after"),
      panelTable("events", ["event", "time", "other end", "duration"], events),
    );
  }
}

export function eventText({ kind, what, bytes }: MomentEvent): string {
  if (kind === "send" || kind === "receive") return `${kind} ${bytes ?? 0} bytes ${kind === "send" ? "to" : "from"} ${what}`;
  return `${kind} ${what}`;
}

/** The tooltip of a point: the innermost call, exactly. */
export function momentTip(answer: MomentAnswer): Tip | null {
  const call = answer.stack.at(-1);
  if (!call) return null;
  const rows: [string, string][] = [
    ["location", answer.name],
    ["class", call.class],
    ["enter", call.entered.text],
    ["leave", call.left?.text ?? "not recorded"],
    ["duration", call.duration?.text ?? "not known"],
  ];
  const wait = answer.waits[0];
  if (wait) rows.push(["waiting", `${wait.title}: ${wait.mark} ${wait.duration.text}`], ["waits for", wait.cause ?? "not known"]);
  if (answer.stack.length > 1) rows.push(["called by", answer.stack.slice(0, -1).reverse().map((outer) => outer.name).join(" ← ")]);
  return { title: call.name, rows, remark: "one call, exact times" };
}
