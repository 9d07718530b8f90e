// The start page: no document is open, or one wants another.

import type { RecentFile } from "../../api/types.ts";
import { button, cut, fill, h } from "../../core/dom.ts";
import { keyedList } from "../../core/list.ts";
import { effect, signal } from "../../core/signal.ts";
import type { App } from "../frame/app.ts";
import { problemBox } from "../shared/asking.ts";

const ABILITIES: readonly (readonly [string, string])[] = [
  ["A profile", "callgrind, perf, pprof, massif and others: where the cost is, who calls it, which line and instruction"],
  ["Two profiles", "what became cheaper or dearer, and which changes are noise"],
  ["A trace", "what each process and thread did when, and what it waited for"],
  ["A history of `lotse spy`", "what a Rust program does to its data structures, operation by operation"],
  ["A benchmark report", "which command is faster, by how much, how sure"],
];

export function makeHome(app: App): HTMLElement {
  const failure = h("div", {});
  const open = async (paths: string[], compare: boolean) => {
    fill(failure);
    try {
      await app.openFiles(paths, compare);
    } catch (error) {
      fill(failure, problemBox(error, null));
    }
  };
  const recent = h("ul", { class: "recent" });
  const update = keyedList<RecentFile>(recent, (file) => file.paths.join("\n"), (file) => h("li", {}, recentButton(file.peek(), open)));
  const none = h("p", { class: "dim" }, "No files were opened before.");
  effect(() => {
    const files = app.client.session.get()?.recent ?? [];
    update(files);
    none.hidden = files.length > 0;
  });
  return h(
    "main",
    { class: "home" },
    h("h1", {}, "Open a file"),
    makeForm(open),
    failure,
    h("h2", {}, "Recent files"),
    recent,
    none,
    h("h2", {}, "What can be opened"),
    h("dl", {}, ...ABILITIES.flatMap(([what, text]) => [h("dt", {}, what), h("dd", {}, text)])),
  );
}

function makeForm(open: (paths: string[], compare: boolean) => Promise<void>): HTMLElement {
  const field = (label: string) => h("input", { attrs: { type: "text", "aria-label": label, placeholder: label, spellcheck: "false", autocomplete: "off" } });
  const path = field("path of a file");
  const second = field("path of the newer file");
  const compare = signal(false);
  const submit = () => {
    const paths = [path.value, compare.peek() ? second.value : ""].map((p) => p.trim()).filter(Boolean);
    if (paths.length > 0) void open(paths, compare.peek() && paths.length === 2);
  };
  const box = h("input", { attrs: { type: "checkbox" }, on: { change: () => compare.set(box.checked) } });
  const form = h(
    "div",
    { class: "open-form", role: "group", attrs: { "aria-label": "open a file" } },
    path,
    second,
    button("Open", submit, { class: "primary" }),
    h("label", {}, box, " compare with a second file"),
  );
  // No <form>: the page's policy forbids submitting one.
  form.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && event.target instanceof HTMLInputElement && event.target.type === "text") submit();
  });
  effect(() => void (second.hidden = !compare.get()));
  return form;
}

function recentButton(file: RecentFile, open: (paths: string[], compare: boolean) => Promise<void>): HTMLElement {
  const title = file.paths.map((path) => cut(path, 500)).join("\n");
  const element = button("", () => void open(file.paths, file.kind === "comparison"), { class: "recent-file", title });
  fill(element, h("span", {}, file.paths.map((path) => cut(path, 120)).join("  and  ")), h("span", { class: "dim" }, file.text));
  return element;
}
