// Signals: values that remember who read them.
//
// An effect or computed that calls `get()` runs again when the value changes. Computed values
// are lazy: they recompute on the next read, and they wake their readers only if the result
// differs, so a chain never runs an effect with a mixture of old and new values. Effects run
// after the outermost batch, once each, in the order in which they were woken.
//
// An effect that is made while another effect runs belongs to that run and ends with it. What
// shall live longer is made inside `untracked` or `owned`.

export interface Signal<T> {
  /** Reads the value and subscribes the effect or computed that is running. */
  get(): T;
  set(value: T): void;
  /** Reads the value without subscribing. */
  peek(): T;
}

export interface Computed<T> {
  get(): T;
  peek(): T;
}

/** Something that can be read: a signal or a computed. */
interface Source {
  readers: Set<Reader>;
  /** Brings a computed up to date; true if its value differs from `seen`. */
  changedSince(seen: number): boolean;
  version: number;
}

/** Something that reads: a computed or an effect. */
interface Reader {
  /** The sources with the versions that were read. */
  sources: Map<Source, number>;
  wake(): void;
}

let running: Reader | null = null;
/** Collects the ends of the effects that are made now; null if nobody does. */
let owner: (() => void)[] | null = null;
let depth = 0;
let queue: Effect[] = [];
/** More rounds than this mean that effects wake each other for ever. */
const ROUNDS = 100;

function track(source: Source): void {
  if (!running) return;
  source.readers.add(running);
  running.sources.set(source, source.version);
}

function release(reader: Reader): void {
  for (const source of reader.sources.keys()) source.readers.delete(reader);
  reader.sources.clear();
}

function runAs<T>(reader: Reader | null, f: () => T, collected: (() => void)[] | null = null): T {
  const before = [running, owner] as const;
  [running, owner] = [reader, collected];
  try {
    return f();
  } finally {
    [running, owner] = before;
  }
}

/** Whether anything that `reader` read has changed since. */
function outdated(reader: Reader): boolean {
  for (const [source, seen] of reader.sources) if (source.changedSince(seen)) return true;
  return false;
}

export function signal<T>(value: T): Signal<T> {
  const source: Source = {
    readers: new Set(),
    version: 0,
    changedSince: (seen) => source.version !== seen,
  };
  return {
    get() {
      track(source);
      return value;
    },
    peek: () => value,
    set(next) {
      if (Object.is(next, value)) return;
      value = next;
      source.version++;
      batch(() => {
        for (const reader of [...source.readers]) reader.wake();
      });
    },
  };
}

export function computed<T>(f: () => T): Computed<T> {
  let value: T;
  let stale = true;
  let first = true;
  const refresh = () => {
    if (!stale) return;
    if (!first && !outdated(node)) {
      stale = false;
      return;
    }
    release(node);
    const next = runAs(node, f);
    stale = false;
    if (first || !Object.is(next, value)) node.version++;
    first = false;
    value = next;
  };
  const node: Source & Reader = {
    readers: new Set(),
    sources: new Map(),
    version: 0,
    changedSince(seen) {
      refresh();
      return node.version !== seen;
    },
    wake() {
      if (stale) return;
      stale = true;
      for (const reader of [...node.readers]) reader.wake();
    },
  };
  return {
    get() {
      refresh();
      track(node);
      return value;
    },
    peek() {
      refresh();
      return value;
    },
  };
}

class Effect implements Reader {
  sources = new Map<Source, number>();
  private cleanup: void | (() => void) = undefined;
  private readonly children: (() => void)[] = [];
  private queued = false;
  private disposed = false;

  constructor(private readonly f: () => void | (() => void)) {
    this.run();
  }

  wake(): void {
    if (this.queued || this.disposed) return;
    this.queued = true;
    queue.push(this);
  }

  flush(): void {
    this.queued = false;
    if (!this.disposed && outdated(this)) this.run();
  }

  dispose(): void {
    this.disposed = true;
    release(this);
    this.clean();
  }

  private run(): void {
    this.clean();
    release(this);
    this.cleanup = runAs(this, this.f, this.children);
    // The effect may have disposed of itself while it ran.
    if (this.disposed) this.dispose();
  }

  private clean(): void {
    const cleanup = this.cleanup;
    this.cleanup = undefined;
    for (const end of this.children.splice(0)) end();
    if (cleanup) runAs(null, cleanup);
  }
}

/** Runs `f` now and again whenever a signal it read changes; what `f` returns is called before
 * the next run and at the end. Gives back the function that ends it. */
export function effect(f: () => void | (() => void)): () => void {
  const collected = owner;
  const node = batchResult(() => new Effect(f));
  const end = () => node.dispose();
  collected?.push(end);
  return end;
}

/** Runs `f` and gives back, with its result, a function that ends the effects made meanwhile. */
export function owned<T>(f: () => T): { value: T; dispose(): void } {
  const ends: (() => void)[] = [];
  const value = runAs(null, f, ends);
  return { value, dispose: () => ends.splice(0).forEach((end) => end()) };
}

/** Runs `f`; effects wait until the outermost batch is over. */
export function batch(f: () => void): void {
  batchResult(f);
}

function batchResult<T>(f: () => T): T {
  depth++;
  try {
    return f();
  } finally {
    try {
      if (depth === 1) flushQueue();
    } finally {
      depth--;
    }
  }
}

/** Every woken effect runs even if another one throws; the first error is thrown at the end. */
function flushQueue(): void {
  const errors: unknown[] = [];
  for (let round = 0; queue.length > 0; round++) {
    if (round === ROUNDS) {
      queue = [];
      errors.push(new Error("effects wake each other without end"));
      break;
    }
    const woken = queue;
    queue = [];
    for (const node of woken) {
      try {
        node.flush();
      } catch (error) {
        errors.push(error);
      }
    }
  }
  if (errors.length > 0) throw errors[0];
}

/** Runs `f` without subscribing to what it reads; effects made in it end only by themselves. */
export function untracked<T>(f: () => T): T {
  return runAs(null, f);
}
