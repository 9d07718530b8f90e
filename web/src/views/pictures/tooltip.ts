// The tooltip of a picture: an element with text nodes, beside the pointer.

import { fill, h } from "../../core/dom.ts";
import { oneLine } from "../../derive/text.ts";

export interface Tip {
  title: string;
  /** Label and text. */
  rows: (readonly [string, string])[];
  /** A remark below. */
  remark?: string;
}

const AWAY = 14;

export class Tooltip {
  readonly element = h("div", { class: "pic-tip", role: "tooltip", hidden: true });
  private shown: Tip | null = null;

  /** Shows a tip beside a point of the window; null hides it. */
  show(tip: Tip | null, x = 0, y = 0): void {
    this.element.hidden = tip === null;
    if (!tip) return;
    if (!this.shown || !sameTip(this.shown, tip)) fill(this.element, ...tipContent(tip));
    this.shown = tip;
    const { width, height } = this.element.getBoundingClientRect();
    const left = x + AWAY + width > innerWidth ? Math.max(4, x - AWAY - width) : x + AWAY;
    const top = y + AWAY + height > innerHeight ? Math.max(4, y - AWAY - height) : y + AWAY;
    this.element.style.left = `${left}px`;
    this.element.style.top = `${top}px`;
  }
}

function sameTip(a: Tip, b: Tip): boolean {
  return a.title === b.title && tipText(a) === tipText(b);
}

function tipContent(tip: Tip): Node[] {
  const rows = tip.rows.flatMap(([label, text]) => [h("dt", {}, label), h("dd", {}, oneLine(text))]);
  const content: Node[] = [h("strong", {}, oneLine(tip.title)), h("dl", {}, ...rows)];
  if (tip.remark) content.push(h("p", {}, tip.remark));
  return content;
}

/** The tip as one sentence, to be read out. */
export function tipText(tip: Tip): string {
  return [oneLine(tip.title, 120), ...tip.rows.map(([label, text]) => `${label} ${oneLine(text, 120)}`)].join(", ");
}
