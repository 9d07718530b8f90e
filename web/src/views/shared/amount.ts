// Amounts, changes and names as cells.

import type { Amount, Change, EventType, FunctionName, Remark } from "../../api/types.ts";
import { cut, h } from "../../core/dom.ts";
import { formatChange } from "../../derive/text.ts";

const MARKS: Record<string, string> = {
  "≈": "estimate: the cost was divided among callers in proportion to their calls",
  "≤": "upper bound: at most this much",
  "≥": "lower bound: at least this much, because costs inside a cycle cannot be separated",
  "?": "not known: the old and the new cost are both upper bounds or both lower bounds, so their difference says nothing",
};

export interface AmountStyle {
  /** Show the share of the total in place of the amount. */
  share: boolean;
  /** Draw a faint bar of the length of the share. */
  bar?: boolean;
  /** What shares are of, for the tooltip. */
  of?: string;
}

export function amountText(amount: Amount, share: boolean): string {
  return share && amount.share_text !== "" ? amount.share_text : amount.text;
}

/** The same with its mark before it: "≥ 25.5 %". */
export function markedText(amount: Amount, share: boolean): string {
  const text = amountText(amount, share);
  return amount.mark && amount.mark !== text ? `${amount.mark} ${text}` : text;
}

/** "once" or "12 times". */
export function timesText(count: Amount): string {
  return count.text === "1" && count.mark === "" ? "once" : `${count.mark ? `${count.mark} ` : ""}${count.text} times`;
}

type Compared = Pick<EventType, "adds_up" | "by_share">;

/** "+4.2 % of the old total", or how much the share of the total grew where costs of different kinds are compared. */
export function changeText(event: Compared, change: number): string {
  return event.by_share ? `${formatChange(change)}, as shares of both totals` : `${formatChange(change)} of the old total`;
}

/** The title of a column of changes. */
export function changeTitle(event: Compared): string {
  return event.by_share ? "change of the share" : "change, of the old total";
}

/** What differences are, for the hint of a column. */
export function differenceHint(event: Compared, oldTotal: string): string {
  return event.by_share ? "share of the new total less share of the old total" : `difference, % of ${oldTotal}`;
}

/** What the numbers of a comparison's column are shares of, below its title. Without shares only differences of shares have it. */
export function baseOf(event: Compared, column: "old" | "new" | "difference", share: boolean): { base?: string } {
  if (column === "difference" && event.by_share) return { base: "of each total" };
  return share && event.adds_up ? { base: column === "new" ? "of new total" : "of old total" } : {};
}

/** "4.21 G in total", or that there is no total, and why. */
export function totalText(event: Pick<EventType, "formula" | "adds_up">, total: string): string {
  if (total !== "") return `${total} in total`;
  if (event.adds_up) return "has no total";
  return event.formula?.includes("/") ? "has no total, since it is a ratio" : "has no total, since its costs do not add up";
}

export function amountCell(amount: Amount | null, style: AmountStyle): HTMLElement {
  if (!amount) return h("span", { class: "dim", title: "not known" }, "–");
  const text = amountText(amount, style.share);
  const other = amountText(amount, !style.share);
  const explained = MARKS[amount.mark];
  const parts = [
    other === text ? "" : style.of === undefined ? other : style.share ? `${other}, ${text} of ${style.of}` : `${other} of ${style.of}`,
    explained ? `${amount.mark} ${explained}` : "",
  ];
  const element = h("span", { class: amount.value === 0 ? "amount dim" : "amount", title: parts.filter(Boolean).join("\n") });
  if (amount.mark && amount.mark !== text) element.append(h("span", { class: "mark" }, amount.mark), " ");
  element.append(text);
  if (!style.bar || !amount.share) return element;
  return h("span", { class: "with-bar" }, shareBar(amount.share, ""), element);
}

/** A bar behind a cell; its length is a share, 0 to 1. */
export function shareBar(share: number, kind: string): HTMLElement {
  const bar = h("span", { class: `bar ${kind}`, attrs: { "aria-hidden": "true" } });
  bar.style.width = `${(Math.min(1, Math.abs(share)) * 100).toFixed(2)}%`;
  return bar;
}

/** The class of a change: colours diverge around zero; changes within noise are grey. */
export function changeClass(change: Change): string {
  if (change.noise) return "noise";
  return change.difference.value > 0 ? "more" : change.difference.value < 0 ? "less" : "";
}

export function differenceCell(change: Change | null, style: AmountStyle): HTMLElement {
  if (!change) return h("span", { class: "dim" }, "–");
  const element = amountCell(change.difference, { share: style.share, ...(style.of === undefined ? {} : { of: style.of }) });
  element.classList.add(...["change", changeClass(change)].filter(Boolean));
  if (change.noise) element.title = `within the noise of sampling\n${element.title}`;
  const share = change.difference.share;
  if (!style.bar || !share) return element;
  return h("span", { class: "with-bar" }, shareBar(share, changeClass(change)), element);
}

export function ratioCell(change: Change | null): HTMLElement {
  if (!change) return h("span", { class: "dim" }, "–");
  const title = MARKS[change.difference.mark];
  return h("span", { class: `change ${changeClass(change)}`, ...(title === undefined ? {} : { title }) }, change.ratio);
}

const CYCLE = "recursive: the caller and the function called are in the same cycle, so the cost of such calls is counted more than once and may be more than 100 %";

/** The mark of a call inside a cycle; it stands first, where no ellipsis cuts it. */
export function cycleMark(): HTMLElement {
  return h("span", { class: "cycle-mark", role: "img", title: CYCLE, attrs: { "aria-label": "inside a cycle" } }, "↻");
}

/** Whether a call goes to a function that (directly or not) calls the caller again. */
export function isRecursive(caller: FunctionName | null, called: FunctionName): boolean {
  return caller !== null && (caller.id === called.id || (caller.cycle !== null && caller.cycle === called.cycle));
}

/** The name of a function; the tooltip says where it is. */
export function nameCell(fn: FunctionName): HTMLElement {
  const place = fn.file ? `${fn.file}${fn.line ? `:${fn.line}` : ""}` : "";
  const title = [cut(fn.name, 1000), place, fn.object ?? ""].filter(Boolean).join("\n");
  const cycle = fn.cycle === null ? null : h("span", { class: "tag", title: "functions of a cycle call each other" }, `cycle ${fn.cycle}`);
  // Other functions of the same name would look the same.
  const apart = fn.place === null ? null : h("span", { class: "dim" }, ` [${cut(fn.place, 200)}]`);
  return h("span", { class: "name", title }, h("bdi", {}, cut(fn.name)), apart, cycle);
}

/** Lost data matters more than notes. */
export function lossFirst(remarks: readonly Remark[]): Remark[] {
  return [...remarks.filter((remark) => remark.loss), ...remarks.filter((remark) => !remark.loss)];
}

export function remarkList(remarks: readonly Remark[]): HTMLElement | null {
  if (remarks.length === 0) return null;
  const items = lossFirst(remarks).map((remark) =>
    h("li", { class: remark.loss ? "loss" : "" }, remark.loss ? "Data was lost: " : null, remark.message, remark.place ? h("span", { class: "dim" }, ` (${cut(remark.place)})`) : null),
  );
  return h("ul", { class: "remarks" }, ...items);
}
