// Talks to the server. Every request carries the token of the session in a header; the token
// comes from the fragment of the first URL and stays in this tab's sessionStorage, so that it is
// neither in the address bar nor in the history.

import { ConnectionError, ServerError } from "../core/errors.ts";
import { signal, type Signal } from "../core/signal.ts";
import { everyTab, type Turn, type Turns } from "./one-stream.ts";
import { readEvents } from "./stream.ts";
import type { Problem, Question, Session } from "./types.ts";
import { tabVisibility, type Visibility } from "./visibility.ts";

export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

export type Connection = "connecting" | "connected" | "disconnected" | "refused";

/** Pauses between attempts to reconnect, in milliseconds; the last one repeats. */
export const PAUSES = [500, 1000, 2000, 4000, 8000, 15000] as const;

export class Client {
  readonly session: Signal<Session | null> = signal(null);
  readonly connection: Signal<Connection> = signal("connecting");
  /** When the next attempt is made, in milliseconds since the epoch; null while connected. */
  readonly retryAt: Signal<number | null> = signal(null);
  private stopped = false;
  private wakeUp: () => void = () => {};
  private readonly stopping = new AbortController();

  constructor(
    private token: string,
    private readonly fetch: Fetch = (url, init) => globalThis.fetch(url, init),
    private readonly pauses: readonly number[] = PAUSES,
    /** Whether the data are in the page: there is no server, and only some questions have answers. */
    readonly exported = false,
    /** Another token after one was refused; null if there is none. */
    private readonly otherToken: (refused: string) => Promise<string | null> = () => Promise.resolve(null),
    private readonly visibility: Visibility = tabVisibility,
    /** Which of the tabs that show this server reads its changes. */
    private readonly turns: Turns = everyTab,
  ) {}

  /** Asks about a document. Rejects with an AbortError as soon as `abort` is aborted, even if
   * the answer arrives in the same moment, so that a stale answer is never shown. */
  async ask<T>(document: number, revision: number, question: Question, abort: AbortSignal): Promise<T> {
    try {
      const answer = await this.post<T>("/api/ask", { document, revision, question }, abort);
      abort.throwIfAborted();
      return answer;
    } catch (error) {
      abort.throwIfAborted();
      if (error instanceof ServerError && error.status === 409) await this.refresh();
      throw error;
    }
  }

  open(paths: string[], compare: boolean): Promise<{ document: number }> {
    return this.post("/api/open", { paths, compare });
  }

  async close(document: number): Promise<void> {
    await this.post("/api/close", { document });
  }

  async reload(document: number): Promise<void> {
    await this.post("/api/reload", { document });
  }

  async cancel(document: number): Promise<void> {
    await this.post("/api/cancel", { document });
  }

  /** Opens a source file in the editor of the user; gives back what was started. */
  async edit(document: number, revision: number, path: string, line: number): Promise<string> {
    return (await this.post<{ started: string }>("/api/edit", { document, revision, path, line })).started;
  }

  async saveLayout(layout: unknown): Promise<void> {
    await this.post("/api/layout", { layout });
  }

  /** Reads the session anew. */
  async refresh(): Promise<void> {
    this.setSession(await this.request<Session>("/api/session", { method: "GET" }));
  }

  /** Follows the changes until `stop`, or waits for the turn to do so while another tab does; reconnects after growing
   * pauses. A hidden tab does not follow: it still counts as connected, and reads the session again when it is shown. */
  async follow(): Promise<void> {
    let failures = 0;
    while (!this.stopped) {
      try {
        await this.refresh();
        if (await this.takeTurn(() => (failures = 0))) {
          await this.visibility.shown();
          continue;
        }
      } catch (error) {
        if (error instanceof ServerError && (error.status === 401 || error.status === 403)) {
          const other = await this.otherToken(this.token);
          if (other === null) {
            this.connection.set("refused");
            return;
          }
          this.token = other;
          continue;
        }
      }
      if (this.stopped) return;
      this.connection.set("disconnected");
      const pause = this.pauses[Math.min(failures, this.pauses.length - 1)] ?? 1000;
      failures++;
      await this.pause(pause);
    }
  }

  /** The token, if the server has accepted it. */
  get acceptedToken(): string | null {
    return this.connection.peek() === "connected" ? this.token : null;
  }

  /** Tries a token after the one before was refused. */
  enter(token: string): void {
    this.token = token;
    this.connection.set("connecting");
    void this.follow();
  }

  /** Tries to reconnect at once. */
  retryNow(): void {
    this.wakeUp();
  }

  stop(): void {
    this.stopped = true;
    this.stopping.abort();
    this.wakeUp();
  }

  /** Documents that did not change keep their identity, so that nothing is drawn anew for them. */
  private setSession(next: Session): void {
    const before = new Map(this.session.peek()?.documents.map((document) => [JSON.stringify(document), document]));
    this.session.set({ ...next, documents: next.documents.map((document) => before.get(JSON.stringify(document)) ?? document) });
  }

  /** Reads the changes when it is this tab's turn; gives back whether they were left because the tab is hidden. */
  private async takeTurn(onConnected: () => void): Promise<boolean> {
    this.connected();
    const turn = await this.turn();
    if (turn === null) return true;
    try {
      return await this.readChanges(turn, onConnected);
    } finally {
      turn.end();
    }
  }

  /** Waits for the turn to read the changes; null if the tab was hidden meanwhile, since others need them more. */
  private async turn(): Promise<Turn | null> {
    const left = new AbortController();
    const endWatch = this.visibility.whenHidden(() => left.abort());
    try {
      const abort = AbortSignal.any([this.stopping.signal, left.signal]);
      return await this.turns.wait((state) => this.setSession(JSON.parse(state) as Session), abort);
    } catch (error) {
      if (!left.signal.aborted || this.stopping.signal.aborted) throw error;
      return null;
    } finally {
      endWatch();
    }
  }

  private connected(): void {
    this.connection.set("connected");
    this.retryAt.set(null);
  }

  /** Reads the changes until the stream ends; gives back whether it was left because the tab is hidden. */
  private async readChanges(turn: Turn, onConnected: () => void): Promise<boolean> {
    const left = new AbortController();
    const response = await this.raw("/api/changes", { method: "GET", signal: left.signal });
    if (!response.body) throw new ConnectionError("the server sent no stream");
    this.connected();
    onConnected();
    const endWatch = this.visibility.whenHidden(() => left.abort());
    try {
      for await (const event of readEvents(response.body)) {
        if (this.stopped) return false;
        if (event.name !== "session") continue;
        turn.pass(event.data);
        this.setSession(JSON.parse(event.data) as Session);
      }
    } catch (error) {
      if (!left.signal.aborted) throw error;
    } finally {
      endWatch();
    }
    return left.signal.aborted;
  }

  private pause(milliseconds: number): Promise<void> {
    this.retryAt.set(Date.now() + milliseconds);
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, milliseconds);
      this.wakeUp = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  private post<T>(url: string, body: unknown, abort?: AbortSignal): Promise<T> {
    return this.request<T>(url, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
      ...(abort ? { signal: abort } : {}),
    });
  }

  private async request<T>(url: string, init: RequestInit): Promise<T> {
    const response = await this.raw(url, init);
    const text = await response.text();
    return (text === "" ? null : JSON.parse(text)) as T;
  }

  private async raw(url: string, init: RequestInit): Promise<Response> {
    const headers = { ...init.headers, "X-Lotse-Token": this.token };
    let response: Response;
    try {
      response = await this.fetch(url, { ...init, headers });
    } catch (error) {
      if (init.signal?.aborted) throw error;
      throw new ConnectionError("the server does not answer: is `lotse open` still running?");
    }
    if (!response.ok) throw new ServerError(response.status, await problemOf(response));
    return response;
  }
}

async function problemOf(response: Response): Promise<Problem> {
  try {
    const problem = (await response.json()) as Partial<Problem>;
    if (typeof problem.message === "string") return { message: problem.message, place: problem.place ?? null };
  } catch {
    // A body that is not JSON comes from something else than our server; its status is all we know.
  }
  return { message: `the server answered with status ${response.status}`, place: null };
}
