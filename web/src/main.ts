// Puts the page together.

import { Client, PAUSES } from "./api/client.ts";
import { exportedData, exportedFetch } from "./api/exported.ts";
import { oneTab } from "./api/one-stream.ts";
import { askOtherTabs, shareToken } from "./api/other-tabs.ts";
import { keepToken, takeToken } from "./api/token.ts";
import { cut, fill, h } from "./core/dom.ts";
import { effect, untracked } from "./core/signal.ts";
import { Address } from "./state/address.ts";
import { Preferences } from "./state/preferences.ts";
import { State } from "./state/state.ts";
import { FindingsStrip } from "./views/findings/strip.ts";
import { makeAnswer } from "./views/frame/answer.ts";
import { App } from "./views/frame/app.ts";
import { chooseDocument, chooseFunction } from "./views/frame/choose.ts";
import { listenToKeys } from "./views/frame/keys.ts";
import { stageBox } from "./views/frame/stage.ts";
import { makeStatus } from "./views/frame/status.ts";
import { makeTopBar } from "./views/frame/topbar.ts";
import { makeEntry } from "./views/home/entry.ts";
import { makeHome } from "./views/home/home.ts";
import { skeleton } from "./views/shared/asking.ts";
import { Panes } from "./views/shared/panes.ts";

function start(): void {
  const exported = exportedData();
  const client = exported ? new Client("", exportedFetch(exported), PAUSES, true) : servedClient();
  const state = new State();
  const app = new App(client, state, new Address(state), new Preferences(client));
  followTheme(app);
  effect(() => {
    const session = client.session.get();
    if (session) untracked(() => app.preferences.load(session.layout));
  });
  chooseDocument(app);
  chooseFunction(app);

  const panes = new Panes(app);
  const strip = new FindingsStrip(app);
  const middle = h("div", { class: "middle" }, strip.element, h("div", { class: "content" }, panes.element, makeOther(app, panes)));
  const root = document.getElementById("app")!;
  fill(root, makeTopBar(app), makeAnswer(app), middle, makeStatus(app));
  listenToKeys(app, (position) => strip.jump(position));
  effect(() => {
    app.preferences.theme.get();
    panes.resizeSoon();
  });
  effect(() => {
    const name = app.document.get()?.name;
    document.title = name ? `${cut(name, 80)} – Lotse` : "Lotse";
  });
  void client.follow();
}

/** The client of a server. It gets the token from the address, from this tab's storage, or from another tab. */
function servedClient(): Client {
  const otherToken = async (refused: string) => {
    const token = await askOtherTabs();
    if (token === null || token === refused) return null;
    keepToken(token);
    return token;
  };
  const client = new Client(takeToken() ?? "", undefined, PAUSES, false, otherToken, undefined, oneTab);
  shareToken(() => client.acceptedToken);
  return client;
}

/** What stands in place of the panes while no document is ready. */
function makeOther(app: App, panes: Panes): HTMLElement {
  const other = h("div", { class: "other" });
  const home = makeHome(app);
  effect(() => {
    const session = app.client.session.get();
    const document = app.document.get();
    const ready = document?.stage.stage === "ready";
    panes.element.hidden = !ready;
    other.hidden = ready;
    if (ready) fill(other);
    else if (document) fill(other, untracked(() => stageBox(app, document)));
    else if (session) fill(other, home);
    else fill(other, app.client.connection.get() === "refused" ? makeEntry(app) : skeleton());
  });
  return other;
}

function followTheme(app: App): void {
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const apply = () => {
    const theme = app.preferences.theme.peek();
    document.documentElement.dataset["theme"] = theme === "auto" ? (dark.matches ? "dark" : "light") : theme;
  };
  dark.addEventListener("change", apply);
  effect(() => {
    app.preferences.theme.get();
    apply();
  });
}

start();
