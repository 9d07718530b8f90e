// The answer in a sentence, for what is chosen; and in a comparison the functions that may have been renamed, which the
// user accepts or rejects. Accepted renames are part of the scope, so that all views use them.

import type { FunctionRename, Headline, RenameProposal, Scope } from "../../api/types.ts";
import { button, cut, fill, h } from "../../core/dom.ts";
import { computed, effect, signal } from "../../core/signal.ts";
import type { App } from "./app.ts";

/** More proposals are behind a click. */
const FIRST = 3;

/** The last headline, and what it answers. */
interface Asked {
  key: string;
  headline: Headline;
}

export function makeHeadline(app: App): { sentence: HTMLElement; renames: HTMLElement } {
  const answer = signal<Asked | null>(null);
  const key = questionKey(app);
  askFor(app, key, (asked) => {
    answer.set(asked);
    restate(app, asked);
  });
  const known = () => {
    const asked = answer.get();
    return asked !== null && asked.key === key.get() ? asked.headline : null;
  };
  const sentence = h("p", { class: "sentence" });
  effect(() => {
    const about = app.about.get();
    const headline = known();
    // Without an answer, the sentence is about the whole profile, whatever is chosen.
    const whole = headline ? "" : app.wholeOf();
    fill(sentence, headline?.sentence ?? about?.sentence ?? "", whole === "" ? null : h("span", { class: "dim" }, ` (${whole})`));
    sentence.hidden = !about;
  });
  return { sentence, renames: makeRenames(app, () => answer.get()?.headline.proposals ?? []) };
}

/** What the headline depends on, as a text; empty where there is none to ask for. */
function questionKey(app: App): { get(): string } {
  return computed(() => {
    const document = app.ready.get();
    if (!document?.stage.about.profile || app.client.exported) return "";
    const scope: Scope = { ...app.state.scope.get(), side: null };
    return JSON.stringify([document.id, document.stage.revision, scope]);
  });
}

function askFor(app: App, key: { get(): string }, done: (asked: Asked | null) => void): void {
  let abort = new AbortController();
  effect(() => {
    const asked = key.get();
    abort.abort();
    abort = new AbortController();
    if (asked === "") return done(null);
    const { signal } = abort;
    const [, , scope] = JSON.parse(asked) as [number, number, Scope];
    app.ask<Headline>({ ask: "headline", scope }, signal).then(
      (headline) => done({ key: asked, headline }),
      // The views say what is wrong with the choice; the sentence stays that of the whole.
      () => signal.aborted || done(null),
    );
  });
}

/** Findings and remarks are those with the renames that the user accepted. */
function restate(app: App, asked: Asked | null): void {
  const restated = asked?.headline.restated ?? null;
  if (asked === null || restated === null) return;
  const [document, revision] = JSON.parse(asked.key) as [number, number, Scope];
  const known = app.restated.peek().get(document);
  // What was said about another revision of the file says nothing about this one.
  const before = known?.revision === revision ? known.restated : undefined;
  if (before !== undefined && JSON.stringify(before) === JSON.stringify(restated)) return;
  // The finding with this number is another one now.
  if (JSON.stringify(before?.findings ?? null) !== JSON.stringify(restated.findings)) app.finding.set(null);
  app.restated.set(new Map([...app.restated.peek(), [document, { revision, restated }]]));
}

function makeRenames(app: App, proposals: () => readonly RenameProposal[]): HTMLElement {
  const element = h("div", { class: "banner note renames", role: "group", attrs: { "aria-label": "renamed functions" } });
  effect(() => {
    const isComparison = app.about.get()?.kind === "comparison" && !app.client.exported;
    const { accepted, open, rejected } = sorted(app, proposals());
    const rows = [
      ...accepted.map((rename) => acceptedRow(app, rename)),
      ...open.slice(0, FIRST).map((proposal) => proposalRow(app, proposal)),
    ];
    const more = open.slice(FIRST).map((proposal) => proposalRow(app, proposal));
    const held = element.contains(document.activeElement);
    fill(
      element,
      ...rows,
      more.length === 0 ? null : h("details", {}, h("summary", {}, `${more.length} more may have been renamed`), ...more),
      rejected.length === 0 ? null : rejectedRow(app, rejected.length),
    );
    element.hidden = !isComparison || (rows.length === 0 && rejected.length === 0);
    // The button that was pressed is gone; the keyboard stays here.
    if (held) element.querySelector("button")?.focus();
  });
  return element;
}

interface SortedRenames {
  accepted: readonly FunctionRename[];
  open: readonly RenameProposal[];
  rejected: readonly FunctionRename[];
}

function sorted(app: App, proposals: readonly RenameProposal[]): SortedRenames {
  const [accepted, rejected] = [app.state.renames.get(), app.state.rejected.get()];
  const isOpen = ({ rename }: RenameProposal) => ![...accepted, ...rejected].some((other) => isSame(rename, other));
  return { accepted, open: proposals.filter(isOpen), rejected };
}

function isSame(a: FunctionRename, b: FunctionRename): boolean {
  return a.old === b.old && a.new === b.new;
}

function proposalRow(app: App, { rename, evidence }: RenameProposal): HTMLElement {
  const names = `${rename.old} and ${rename.new}`;
  return h(
    "div",
    { class: "rename" },
    "Perhaps renamed: ",
    ...pair(rename),
    h("span", { class: "dim" }, ` (${evidence}) `),
    button("Accept", () => set(app, rename, "renames", `${names} are compared as one function`), { title: `compare ${cut(names)} as one function, in all views` }),
    " ",
    button("Reject", () => set(app, rename, "rejected", `${names} stay two functions`), { title: `${cut(names)} are two functions` }),
  );
}

function acceptedRow(app: App, rename: FunctionRename): HTMLElement {
  const undo = () => {
    app.address.navigate(() => app.state.renames.set(app.state.renames.peek().filter((other) => !isSame(rename, other))));
    app.announce(`${rename.old} and ${rename.new} are two functions again`);
  };
  return h("div", { class: "rename" }, "Renamed: ", ...pair(rename), " ", button("Undo", undo, { title: "compare them as two functions again" }));
}

function rejectedRow(app: App, count: number): HTMLElement {
  const text = count === 1 ? "1 proposed rename is rejected " : `${count} proposed renames are rejected `;
  const again = () => app.address.navigate(() => app.state.rejected.set([]));
  return h("div", { class: "rename dim" }, text, button("Show again", again));
}

function pair(rename: FunctionRename): (HTMLElement | string)[] {
  return [h("code", { title: rename.old }, cut(rename.old)), " → ", h("code", { title: rename.new }, cut(rename.new))];
}

function set(app: App, rename: FunctionRename, list: "renames" | "rejected", said: string): void {
  app.address.navigate(() => app.state[list].set([...app.state[list].peek(), rename]));
  app.announce(said);
}
