// The states of a view that shows the answer to a question: loading (a skeleton after 100 ms), an
// answer, busy (the old answer stays until the new one is in), and an error with a retry button.

import type { Question } from "../../api/types.ts";
import { button, fill, h } from "../../core/dom.ts";
import { describe, isAbort, isNotExported, isOutdated } from "../../core/errors.ts";
import { effect, signal, untracked } from "../../core/signal.ts";
import type { ViewContext } from "../view.ts";

const SKELETON_AFTER = 100;

export interface Asking {
  element: HTMLElement;
  /** Shows an error in place of the content. */
  fail(error: unknown): void;
  dispose(): void;
}

/** Asks `question` (a tracked read) and calls `show` with each answer that is still wanted. A
 * question of null means that there is nothing to ask; `nothing` is then the text. */
export function asking<A>(
  context: Pick<ViewContext, "ask" | "hidden">,
  content: HTMLElement,
  question: () => Question | null,
  show: (answer: A) => void,
  nothing = "",
): Asking {
  const cover = h("div", { class: "cover", hidden: true });
  const element = h("div", { class: "asking" }, content, cover);
  const again = signal(0);
  const setCover = (...children: Node[]) => {
    fill(cover, ...children);
    cover.hidden = children.length === 0;
    content.toggleAttribute("inert", children.length > 0);
  };
  const fail = (error: unknown) => {
    setCover(problemBox(error, () => again.set(again.peek() + 1)));
    context.hidden("");
  };
  let shown = false;

  const stop = effect(() => {
    again.get();
    const q = question();
    const controller = new AbortController();
    if (q === null) {
      shown = false;
      setCover(h("p", { class: "empty" }, nothing));
      return;
    }
    const timer = setTimeout(() => (shown ? element.classList.add("busy") : setCover(skeleton())), SKELETON_AFTER);
    const done = () => {
      clearTimeout(timer);
      element.classList.remove("busy");
    };
    untracked(() => context.ask<A>(q, controller.signal)).then(
      (answer) => {
        done();
        if (controller.signal.aborted) return;
        setCover();
        shown = true;
        show(answer);
      },
      (error: unknown) => {
        done();
        // An outdated revision mounts the view anew; there is nothing to report.
        if (!controller.signal.aborted && !isAbort(error) && !isOutdated(error)) fail(error);
      },
    ).catch((error: unknown) => fail(error));
    return () => {
      done();
      controller.abort();
    };
  });
  return { element, fail, dispose: stop };
}

export function skeleton(): HTMLElement {
  const bars = Array.from({ length: 6 }, () => h("div", { class: "skeleton-bar" }));
  return h("div", { class: "skeleton", role: "status", attrs: { "aria-label": "loading" } }, ...bars);
}

/** What went wrong, where, and a button to try again, unless that cannot help. */
export function problemBox(error: unknown, retry: (() => void) | null): HTMLElement {
  const problem = describe(error);
  const isFinal = isNotExported(error);
  return h(
    "div",
    { class: "problem", role: "alert" },
    h("p", {}, isFinal ? null : h("strong", {}, "Error: "), problem.message),
    problem.place ? h("p", { class: "dim" }, problem.place) : null,
    retry && !isFinal ? button("Try again", retry) : null,
  );
}
