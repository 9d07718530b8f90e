// What a tab without the token shows: how to get in, and a field for the address or the token.

import { enteredToken, keepToken } from "../../api/token.ts";
import { button, h } from "../../core/dom.ts";
import type { App } from "../frame/app.ts";

export function makeEntry(app: App): HTMLElement {
  return h(
    "main",
    { class: "home entry" },
    h("h1", {}, "This tab does not have the token"),
    h("p", {}, "Lotse answers only to those who have the token of the running ", h("code", {}, "lotse open"), ". The token is not in the address bar, so that it is not shared by mistake."),
    h("p", {}, "Paste the address that ", h("code", {}, "lotse open"), " printed, or only the token behind ", h("code", {}, "#token="), ". As long as the page is open in a tab of this browser, other tabs get the token from there."),
    entryField(app),
  );
}

/** The field for the address or the token. */
export function entryField(app: App): HTMLElement {
  const label = "address or token";
  const field = h("input", { attrs: { type: "text", "aria-label": label, placeholder: label, spellcheck: "false", autocomplete: "off" } });
  const problem = h("p", { class: "entry-problem", attrs: { role: "alert" } });
  const submit = () => {
    const token = enteredToken(field.value);
    problem.textContent = token === null ? "This is neither a token nor an address with one: the address ends with #token= and 32 digits and letters." : "";
    if (token === null) return;
    keepToken(token);
    app.client.enter(token);
  };
  // No <form>: the page's policy forbids submitting one.
  field.addEventListener("keydown", (event) => {
    if (event.key === "Enter") submit();
  });
  return h("div", { class: "open-form", role: "group", attrs: { "aria-label": "enter the token" } }, field, button("Open", submit, { class: "primary" }), problem);
}
