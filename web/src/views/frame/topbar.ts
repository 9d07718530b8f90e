// The top bar: what is open, the event type, parts, the side of a comparison, search, theme, help.

import type { DocumentState, ProfileAbout } from "../../api/types.ts";
import { button, cut, fill, h } from "../../core/dom.ts";
import { keyedList } from "../../core/list.ts";
import { effect, type Signal } from "../../core/signal.ts";
import type { Theme } from "../../state/preferences.ts";
import { showHelp } from "../shared/help.ts";
import type { App } from "./app.ts";
import { followOwnEvents, nameOfDefinition } from "./own-events.ts";
import { makeSearch } from "./search.ts";

/** More parts than this are chosen in the parts view. */
const LISTED_PARTS = 100;
const THEMES: readonly Theme[] = ["auto", "light", "dark"];

export function makeTopBar(app: App): HTMLElement {
  const tabs = h("nav", { class: "tabs", attrs: { "aria-label": "open documents" } });
  const update = keyedList<DocumentState>(tabs, (document) => document.id, (document) => makeTab(app, document));
  effect(() => update(app.client.session.get()?.documents ?? []));
  followOwnEvents(app);
  const { exported } = app.client;
  const home = exported ? null : button("+", () => app.showDocument(null), { class: "icon", title: "open another file", attrs: { "aria-label": "open another file" } });
  const scope = h("div", { class: "scope" });
  effect(() => {
    const about = app.about.get();
    fill(scope, ...(about?.profile ? scopeControls(app, about.profile, about.kind === "comparison") : []));
  });
  const themeButton = button("", () => nextTheme(app), { class: "theme" });
  effect(() => {
    const theme = app.preferences.theme.get();
    themeButton.textContent = { auto: "◐ auto", light: "☀ light", dark: "☾ dark" }[theme];
    themeButton.title = `colours: ${theme}; click to change`;
    themeButton.setAttribute("aria-label", `colours: ${theme}`);
  });
  const help = button("?", () => showHelp(app.views.peek(), () => app.resetPanes()), { class: "icon", title: "help (?)", attrs: { "aria-label": "help" } });
  return h("header", { class: "topbar" }, h("strong", { class: "brand" }, "Lotse"), tabs, home, h("span", { class: "spring" }), scope, makeSearch(app), themeButton, help);
}

function nextTheme(app: App): void {
  const { theme } = app.preferences;
  theme.set(THEMES[(THEMES.indexOf(theme.peek()) + 1) % THEMES.length]!);
}

function makeTab(app: App, document: Signal<DocumentState>): HTMLElement {
  const { id } = document.peek();
  const show = button("", () => app.showDocument(id), { class: "tab-name" });
  const close = button("×", () => void app.client.close(id), { class: "icon" });
  close.hidden = app.client.exported;
  const tab = h("div", { class: "tab" }, show, close);
  effect(() => {
    const { name, paths, stage, outdated } = document.get();
    const current = app.state.document.get() === id;
    show.textContent = cut(name, 40) + (stage.stage === "opening" ? " …" : stage.stage === "failed" ? " !" : outdated ? " ↻" : "");
    show.title = paths.map((path) => cut(path, 500)).join("\n");
    close.setAttribute("aria-label", `close ${cut(name, 40)}`);
    tab.classList.toggle("current", current);
    if (current) {
      show.setAttribute("aria-current", "page");
      // After the tab is in the page; among many tabs it may be outside the part that is shown.
      requestAnimationFrame(() => tab.scrollIntoView({ block: "nearest", inline: "nearest" }));
    } else show.removeAttribute("aria-current");
  });
  return tab;
}

function scopeControls(app: App, profile: ProfileAbout, comparison: boolean): HTMLElement[] {
  const controls: HTMLElement[] = [eventChooser(app, profile)];
  if (profile.parts.length > 1) controls.push(partChooser(app, profile));
  if (comparison) controls.push(sideChooser(app));
  // An exported page has one event type, the whole profile, and one side in pictures.
  if (app.client.exported) {
    return controls.map((control) => {
      control.setAttribute("disabled", "");
      control.title = "an exported page has only this one: `lotse open` shows the others";
      return control;
    });
  }
  controls.push(button("Filter", () => app.filtersOpen.set(!app.filtersOpen.peek()), { title: "focus on, ignore or hide functions" }));
  return controls;
}

function eventChooser(app: App, profile: ProfileAbout): HTMLElement {
  const select = h("select", { attrs: { "aria-label": "event type" }, title: "event type that ranks and is drawn" });
  effect(() => {
    const own = app.state.define.get().map(nameOfDefinition);
    const listed = profile.events.map((event) => h("option", { attrs: { value: event.name } }, `${event.title ?? event.name}: ${app.totalsOf(event)}`));
    const known = new Set(profile.events.map((event) => event.name));
    const totals = app.ownEvents.get();
    const text = (name: string) => {
      const event = totals.get(name);
      return event && event.total !== "" ? `${cut(name, 40)}: ${app.totalsOf(event)}` : cut(name, 40);
    };
    const defined = own.filter((name) => !known.has(name)).map((name) => h("option", { attrs: { value: name } }, text(name)));
    fill(select, ...listed, ...defined);
    select.value = app.state.event.get() ?? profile.default_event;
  });
  select.addEventListener("change", () => app.address.navigate(() => app.state.event.set(select.value)));
  return select;
}

function partChooser(app: App, profile: ProfileAbout): HTMLElement {
  const select = h("select", { attrs: { "aria-label": "parts" }, title: "parts of the run that all views show" });
  effect(() => {
    const parts = app.state.parts.get();
    const options: [string, string][] = [["", "Default parts"], ["all", `All ${profile.parts.length} parts`]];
    for (const part of profile.parts.slice(0, LISTED_PARTS)) options.push([String(part.number), cut(part.name, 60)]);
    options.push(["several", parts && parts.length > 1 ? `${parts.length} of ${profile.parts.length} parts…` : "Choose several…"]);
    fill(select, ...options.map(([value, text]) => h("option", { attrs: { value } }, text)));
    const all = parts?.length === profile.parts.length;
    select.value = parts === null ? "" : all ? "all" : parts.length === 1 ? String(parts[0]) : "several";
  });
  select.addEventListener("change", () => {
    if (select.value === "several") return app.openView("parts");
    const all = profile.parts.map((part) => part.number);
    app.address.navigate(() => app.state.parts.set(select.value === "" ? null : select.value === "all" ? all : [Number(select.value)]));
  });
  return select;
}

function sideChooser(app: App): HTMLElement {
  const sides = [["difference", "Show: difference"], ["old", "Show: old"], ["new", "Show: new"]] as const;
  const select = h("select", { title: "what pictures and the source show", attrs: { "aria-label": "side of the comparison" } }, ...sides.map(([value, text]) => h("option", { attrs: { value } }, text)));
  effect(() => void (select.value = app.state.side.get() ?? "difference"));
  select.addEventListener("change", () => app.address.navigate(() => app.state.side.set(select.value as "old" | "new" | "difference")));
  return select;
}
