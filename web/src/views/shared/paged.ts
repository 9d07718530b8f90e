// Rows that are fetched from the server page by page as one scrolls.

import { isAbort } from "../../core/errors.ts";
import type { RowSource } from "./table.ts";

export const PAGE = 200;
/** Pages that stay in memory: at 200 rows each, enough for any screen and some way back. */
const KEPT = 40;

export class PagedRows<R> implements RowSource<R> {
  private readonly pages = new Map<number, readonly R[]>();
  private readonly wanted = new Map<number, AbortController>();

  constructor(
    readonly count: number,
    first: readonly R[],
    private readonly fetchPage: (offset: number, limit: number, signal: AbortSignal) => Promise<readonly R[]>,
    private readonly onChange: (error: unknown) => void,
  ) {
    this.pages.set(0, first);
  }

  row(index: number): R | undefined {
    return this.pages.get(Math.floor(index / PAGE))?.[index % PAGE];
  }

  /** Fetches the pages of these rows, and gives up pages that are no longer in view. */
  need(from: number, to: number): void {
    const first = Math.floor(from / PAGE);
    const last = Math.floor(Math.max(from, to - 1) / PAGE);
    for (const [page, controller] of this.wanted) {
      if (page >= first && page <= last) continue;
      controller.abort();
      this.wanted.delete(page);
    }
    for (let page = first; page <= last; page++) {
      if (page * PAGE < this.count && !this.pages.has(page) && !this.wanted.has(page)) void this.load(page);
    }
  }

  dispose(): void {
    for (const controller of this.wanted.values()) controller.abort();
    this.wanted.clear();
  }

  private async load(page: number): Promise<void> {
    const controller = new AbortController();
    this.wanted.set(page, controller);
    try {
      const rows = await this.fetchPage(page * PAGE, PAGE, controller.signal);
      if (controller.signal.aborted) return;
      this.keep(page, rows);
      this.wanted.delete(page);
      this.onChange(null);
    } catch (error) {
      if (controller.signal.aborted || isAbort(error)) return;
      // The page stays in `wanted`, so that a failing page is not asked for at every scroll step.
      this.onChange(error);
    }
  }

  private keep(page: number, rows: readonly R[]): void {
    this.pages.set(page, rows);
    for (const oldest of this.pages.keys()) {
      if (this.pages.size <= KEPT) break;
      if (oldest !== page) this.pages.delete(oldest);
    }
  }
}
