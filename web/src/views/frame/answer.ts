// The answer in a sentence, and banners: data lost, file changed, connection lost, filters.

import { button, cut, fill, h } from "../../core/dom.ts";
import { effect } from "../../core/signal.ts";
import { entryField } from "../home/entry.ts";
import { lossFirst, remarkList } from "../shared/amount.ts";
import type { App } from "./app.ts";
import { makeFilters } from "./filters.ts";
import { makeHeadline } from "./headline.ts";

export function makeAnswer(app: App): HTMLElement {
  const { sentence, renames } = makeHeadline(app);
  const none = h("p", { class: "no-findings" }, "No findings: no rule applies to this file.");
  const banners = h("div", { class: "banners" });
  effect(() => {
    const document = app.document.get();
    const about = app.about.get();
    none.hidden = !about || about.findings.length > 0;
    fill(banners, connectionBanner(app), outdatedBanner(app, document?.outdated ? document.id : null), lossBanner(app));
  });
  return h("section", { class: "answer", attrs: { "aria-label": "answer" } }, sentence, none, renames, banners, makeFilters(app));
}

function connectionBanner(app: App): HTMLElement | null {
  const connection = app.client.connection.get();
  if (connection === "refused") {
    // Without a session the whole page says how to get in.
    if (app.client.session.get() === null) return null;
    return h("div", { class: "banner error", role: "alert" }, "The server refuses this page's token: it was started anew. Open the address that `lotse open` printed last, or paste it here.", entryField(app));
  }
  if (connection !== "disconnected") return null;
  return h(
    "div",
    { class: "banner error", role: "status" },
    "Disconnected: the server does not answer. What is shown stays; the page reconnects by itself.",
    button("Try now", () => app.client.retryNow()),
  );
}

function outdatedBanner(app: App, id: number | null): HTMLElement | null {
  if (id === null) return null;
  return h("div", { class: "banner warning", role: "status" }, "The file has changed on disk. ", button("Reload", () => void app.client.reload(id)));
}

function lossBanner(app: App): HTMLElement | null {
  const remarks = lossFirst(app.about.get()?.remarks ?? []);
  const [first] = remarks;
  if (!first) return null;
  const lost = remarks.filter((remark) => remark.loss);
  const others = lost.length > 1 ? `, ${lost.length - 1} of them on lost data` : "";
  const details = h("details", {}, h("summary", {}, `${cut(first.message)}${remarks.length > 1 ? ` (and ${remarks.length - 1} more${others})` : ""}`), remarkList(remarks));
  return h("div", { class: lost.length > 0 ? "banner warning" : "banner note" }, h("strong", {}, lost.length > 0 ? "Partial: " : "Note: "), details);
}
