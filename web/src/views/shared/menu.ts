// A menu at a point: arrow keys, Enter, Escape; a click elsewhere closes it. Focus goes back to
// where it came from.

import { h } from "../../core/dom.ts";

export interface MenuItem {
  label: string;
  /** The key that does the same without the menu. */
  key?: string;
  disabled?: boolean;
  run(): void;
}

let close: () => void = () => {};

export function closeMenu(): void {
  close();
}

export function showMenu(at: { x: number; y: number }, label: string, items: readonly (MenuItem | null)[]): void {
  close();
  const before = document.activeElement;
  const entries = items.map((item) => (item ? makeItem(item) : h("div", { class: "menu-line", role: "separator" })));
  const menu = h("div", { class: "menu", role: "menu", attrs: { "aria-label": label } }, ...entries);
  const outside = (event: Event) => {
    if (!menu.contains(event.target as Node)) close();
  };
  close = () => {
    close = () => {};
    menu.remove();
    document.removeEventListener("pointerdown", outside, true);
    if (before instanceof HTMLElement && before.isConnected) before.focus({ preventScroll: true });
  };
  menu.addEventListener("keydown", (event) => onKey(event, menu));
  document.addEventListener("pointerdown", outside, true);
  document.body.append(menu);
  place(menu, at);
  buttonsOf(menu)[0]?.focus();
}

function makeItem(item: MenuItem): HTMLElement {
  const entry = h(
    "button",
    { class: "menu-item", role: "menuitem", tabindex: -1 },
    h("span", {}, item.label),
    item.key ? h("kbd", {}, item.key) : null,
  );
  entry.disabled = item.disabled ?? false;
  entry.addEventListener("click", () => {
    close();
    item.run();
  });
  return entry;
}

function buttonsOf(menu: HTMLElement): HTMLButtonElement[] {
  return [...menu.querySelectorAll<HTMLButtonElement>("button:not(:disabled)")];
}

function onKey(event: KeyboardEvent, menu: HTMLElement): void {
  const buttons = buttonsOf(menu);
  const at = buttons.indexOf(document.activeElement as HTMLButtonElement);
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (step !== undefined) buttons[(at + step + buttons.length) % buttons.length]?.focus();
  else if (event.key === "Home") buttons[0]?.focus();
  else if (event.key === "End") buttons.at(-1)?.focus();
  else if (event.key === "Escape" || event.key === "Tab") close();
  else if (event.key === "Enter" || event.key === " ") (document.activeElement as HTMLElement).click();
  else return;
  event.preventDefault();
  event.stopPropagation();
}

/** Keeps the menu inside the window. */
function place(menu: HTMLElement, at: { x: number; y: number }): void {
  const box = menu.getBoundingClientRect();
  menu.style.left = `${Math.max(4, Math.min(at.x, innerWidth - box.width - 4))}px`;
  menu.style.top = `${Math.max(4, Math.min(at.y, innerHeight - box.height - 4))}px`;
}
