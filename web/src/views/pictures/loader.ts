// Questions of a picture: the newest one counts, the old picture stays until its answer is in.

import { isNotExported } from "../../core/errors.ts";

/** Where progress and errors are shown. */
export interface LoadingPlace {
  busy(isBusy: boolean): void;
  /** "" removes the message. */
  say(text: string): void;
  /** `retry` is null if asking again cannot help. */
  fail(text: string, retry: (() => void) | null): void;
}

/** The progress bar appears after this many milliseconds. */
const PATIENCE = 100;

export class Loader {
  private abort: AbortController | null = null;
  private timer = 0;

  constructor(private readonly place: LoadingPlace) {}

  /** When the question that is not answered yet was asked (performance.now); null if there is none. */
  askedAt: number | null = null;

  /** Asks, and calls `take` with the answer unless a newer question was asked meanwhile. */
  load<T>(ask: (signal: AbortSignal) => Promise<T>, take: (answer: T) => void): void {
    this.cancel();
    const abort = new AbortController();
    this.abort = abort;
    this.askedAt = performance.now();
    this.timer = window.setTimeout(() => this.place.busy(true), PATIENCE);
    ask(abort.signal).then(
      (answer) => {
        if (abort.signal.aborted) return;
        this.finish();
        this.place.say("");
        take(answer);
      },
      (error: unknown) => {
        if (abort.signal.aborted) return;
        this.finish();
        this.place.fail(errorText(error), isNotExported(error) ? null : () => this.load(ask, take));
      },
    );
  }

  cancel(): void {
    this.abort?.abort();
    this.finish();
  }

  private finish(): void {
    this.abort = null;
    this.askedAt = null;
    clearTimeout(this.timer);
    this.place.busy(false);
  }
}

export function errorText(error: unknown): string {
  return error instanceof Error && error.message !== "" ? error.message : "The server did not answer.";
}

/** Calls `f` once, `delay` milliseconds after the last call. */
export function debounced(f: () => void, delay: number): { call(): void; cancel(): void } {
  let timer = 0;
  return {
    call() {
      clearTimeout(timer);
      timer = window.setTimeout(f, delay);
    },
    cancel: () => clearTimeout(timer),
  };
}
