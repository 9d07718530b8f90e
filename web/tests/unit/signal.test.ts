import assert from "node:assert/strict";
import { test } from "node:test";
import { batch, computed, effect, owned, signal, untracked } from "../../src/core/signal.ts";

test("an effect runs again when what it read changes, and only then", () => {
  const a = signal(1);
  const b = signal(10);
  const seen: number[] = [];
  effect(() => void seen.push(a.get()));
  b.set(11);
  a.set(2);
  a.set(2);
  assert.deepEqual(seen, [1, 2]);
});

test("dependencies follow the branch that ran last", () => {
  const which = signal(true);
  const [a, b] = [signal("a"), signal("b")];
  let runs = 0;
  effect(() => {
    runs++;
    which.get() ? a.get() : b.get();
  });
  b.set("b2");
  assert.equal(runs, 1);
  which.set(false);
  a.set("a2");
  assert.equal(runs, 2);
  b.set("b3");
  assert.equal(runs, 3);
});

test("a computed value never mixes old and new sources", () => {
  const a = signal(1);
  const double = computed(() => a.get() * 2);
  const sums: number[] = [];
  effect(() => void sums.push(a.get() + double.get()));
  a.set(2);
  assert.deepEqual(sums, [3, 6]);
});

test("a computed value that stays equal wakes nobody", () => {
  const a = signal(1);
  const positive = computed(() => a.get() > 0);
  let runs = 0;
  effect(() => {
    positive.get();
    runs++;
  });
  a.set(2);
  a.set(3);
  assert.equal(runs, 1);
  a.set(-1);
  assert.equal(runs, 2);
});

test("computed values are lazy and cached", () => {
  const a = signal(1);
  let runs = 0;
  const c = computed(() => (runs++, a.get()));
  assert.equal(runs, 0);
  c.get();
  c.get();
  assert.equal(runs, 1);
  a.set(2);
  assert.equal(runs, 1);
  assert.equal(c.peek(), 2);
});

test("a batch runs each effect once", () => {
  const [a, b] = [signal(1), signal(1)];
  const seen: number[] = [];
  effect(() => void seen.push(a.get() * b.get()));
  batch(() => {
    a.set(2);
    batch(() => b.set(3));
    assert.deepEqual(seen, [1]);
  });
  assert.deepEqual(seen, [1, 6]);
});

test("cleanup runs before the next run and at the end", () => {
  const a = signal(1);
  const log: string[] = [];
  const stop = effect(() => {
    const value = a.get();
    log.push(`run ${value}`);
    return () => log.push(`clean ${value}`);
  });
  a.set(2);
  stop();
  a.set(3);
  assert.deepEqual(log, ["run 1", "clean 1", "run 2", "clean 2"]);
});

test("untracked and peek do not subscribe", () => {
  const a = signal(1);
  let runs = 0;
  effect(() => {
    a.peek();
    untracked(() => a.get());
    runs++;
  });
  a.set(2);
  assert.equal(runs, 1);
});

test("an effect that throws does not stop the others", () => {
  const a = signal(1);
  const seen: number[] = [];
  effect(() => {
    if (a.get() === 2) throw new Error("broken");
  });
  effect(() => void seen.push(a.get()));
  assert.throws(() => a.set(2), /broken/);
  a.set(3);
  assert.deepEqual(seen, [1, 2, 3]);
});

test("effects that wake each other without end are stopped", () => {
  const a = signal(0);
  assert.throws(() => effect(() => a.set(a.get() + 1)), /without end/);
});

test("effects made in an effect end with its run; those of owned end together", () => {
  const [a, b] = [signal(0), signal(0)];
  let inner = 0;
  effect(() => {
    a.get();
    effect(() => {
      b.get();
      inner++;
    });
  });
  a.set(1);
  inner = 0;
  b.set(1);
  assert.equal(inner, 1);
  const { dispose } = owned(() => effect(() => void (b.get(), inner++)));
  dispose();
  inner = 0;
  b.set(2);
  assert.equal(inner, 1);
});

test("an effect that sets a signal settles", () => {
  const a = signal(0);
  effect(() => {
    if (a.get() < 5) a.set(a.get() + 1);
  });
  assert.equal(a.peek(), 5);
});
