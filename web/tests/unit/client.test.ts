import type { Turns } from "../../src/api/one-stream.ts";
import assert from "node:assert/strict";
import { test } from "node:test";
import { Client, type Fetch } from "../../src/api/client.ts";
import { readEvents } from "../../src/api/stream.ts";
import type { Session } from "../../src/api/types.ts";
import { ConnectionError, isAbort, ServerError } from "../../src/core/errors.ts";
import { effect } from "../../src/core/signal.ts";

const SESSION: Session = { version: "1", read_only: false, editor: null, documents: [], recent: [], layout: null };
const json = (body: unknown, status = 200) => new Response(JSON.stringify(body), { status });

function streamOf(...chunks: string[]): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  return new ReadableStream({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(encoder.encode(chunk));
      controller.close();
    },
  });
}

test("events are read across chunks, and comments are skipped", async () => {
  const events = [];
  for await (const event of readEvents(streamOf(": hello\n\nevent: ses", "sion\r\ndata: {\"a\":", "1}\n\n: keep\n\ndata: x\ndata: y\n\nevent: cut\ndata: off"))) events.push(event);
  assert.deepEqual(events, [{ name: "session", data: '{"a":1}' }, { name: "message", data: "x\ny" }]);
});

test("every request has the token", async () => {
  const seen: [string, HeadersInit | undefined][] = [];
  const client = new Client("abc", async (url, init) => (seen.push([url, init.headers]), json({ document: 1 })));
  await client.open(["/a"], false);
  assert.deepEqual(seen, [["/api/open", { "content-type": "application/json", "X-Lotse-Token": "abc" }]]);
});

test("an aborted question rejects even if the answer has come", async () => {
  const controller = new AbortController();
  const client = new Client("t", async () => {
    controller.abort();
    return json({ late: true });
  });
  await assert.rejects(client.ask(1, 1, { ask: "report" }, controller.signal), (error) => isAbort(error));
});

test("errors of the server have message and place", async () => {
  const client = new Client("t", async () => json({ message: "no such function", place: "line 3" }, 400));
  await assert.rejects(client.ask(1, 1, { ask: "report" }, new AbortController().signal), (error) => error instanceof ServerError && error.problem.place === "line 3");
  const other = new Client("t", async () => new Response("<html>", { status: 502 }));
  await assert.rejects(other.open([], false), /status 502/);
});

test("an outdated revision reads the session again", async () => {
  const urls: string[] = [];
  const client = new Client("t", async (url) => (urls.push(url), url === "/api/ask" ? json({ message: "old", place: null }, 409) : json(SESSION)));
  await assert.rejects(client.ask(1, 1, { ask: "report" }, new AbortController().signal), ServerError);
  assert.deepEqual(urls, ["/api/ask", "/api/session"]);
  assert.deepEqual(client.session.peek(), SESSION);
});

test("a server that does not answer is a connection error", async () => {
  const client = new Client("t", async () => Promise.reject(new TypeError("fetch failed")));
  await assert.rejects(client.open([], false), ConnectionError);
});

test("the stream reconnects after pauses, and the session is read again", async () => {
  let streams = 0;
  let sessions = 0;
  const states: string[] = [];
  const fetch: Fetch = async (url) => {
    if (url === "/api/session") {
      if (++sessions === 2) throw new TypeError("down");
      return json({ ...SESSION, version: String(sessions) });
    }
    if (++streams === 3) client.stop();
    return new Response(streamOf(`event: session\ndata: ${JSON.stringify({ ...SESSION, version: `stream ${streams}` })}\n\n`));
  };
  const client = new Client("t", fetch, [1, 2]);
  effect(() => void states.push(client.connection.get()));
  await client.follow();
  assert.equal(sessions, 4);
  assert.deepEqual(states, ["connecting", "connected", "disconnected", "connected", "disconnected", "connected"]);
});

test("a refused token is not tried again", async () => {
  let requests = 0;
  const client = new Client("t", async () => (requests++, json({ message: "wrong token", place: null }, 401)), [1]);
  await client.follow();
  assert.equal(requests, 1);
  assert.equal(client.connection.peek(), "refused");
});

test("while another tab has the turn, its states are shown, and no stream is read", async () => {
  const urls: string[] = [];
  const passed: string[] = [];
  let receive = (_: string) => {};
  let begin = () => {};
  const turns: Turns = {
    wait: (call) => new Promise((granted) => {
      receive = call;
      begin = () => granted({ pass: (state) => void passed.push(JSON.parse(state).version as string), end: () => client.stop() });
    }),
  };
  const fetch: Fetch = async (url) => {
    urls.push(url);
    return url === "/api/session" ? json(SESSION) : new Response(streamOf(`event: session\ndata: ${JSON.stringify({ ...SESSION, version: "own" })}\n\n`));
  };
  const client = new Client("t", fetch, [1], false, undefined, undefined, turns);
  const ended = client.follow();
  await new Promise((resolve) => setTimeout(resolve, 20));
  receive(JSON.stringify({ ...SESSION, version: "passed on" }));
  assert.equal(client.session.peek()?.version, "passed on");
  assert.equal(client.connection.peek(), "connected");
  assert.deepEqual(urls, ["/api/session"]);
  begin();
  await ended;
  assert.deepEqual([urls.at(-1), client.session.peek()?.version, passed], ["/api/changes", "own", ["own"]]);
});

test("a hidden tab does not wait for the turn", async () => {
  let leave = () => {};
  let waiting = 0;
  const turns: Turns = {
    wait: (_, abort) => {
      waiting++;
      return new Promise((__, failed) => abort.addEventListener("abort", () => (waiting--, failed(new DOMException("left", "AbortError")))));
    },
  };
  const visibility = { shown: () => new Promise<void>(() => {}), whenHidden: (call: () => void) => ((leave = call), () => {}) };
  const client = new Client("t", async () => json(SESSION), [1], false, () => Promise.resolve(null), visibility, turns);
  void client.follow();
  await new Promise((resolve) => setTimeout(resolve, 20));
  assert.equal(waiting, 1);
  leave();
  await new Promise((resolve) => setTimeout(resolve, 20));
  assert.deepEqual([waiting, client.connection.peek()], [0, "connected"]);
});

test("a hidden tab gives its connection back, stays connected, and follows again when it is shown", async () => {
  let leave = () => {};
  let show = () => {};
  const urls: string[] = [];
  const fetch: Fetch = async (url, init) => {
    urls.push(url);
    if (url === "/api/session") return json(SESSION);
    if (urls.length > 2) client.stop();
    return new Response(new ReadableStream({ start: (stream) => init.signal?.addEventListener("abort", () => stream.error(new DOMException("left", "AbortError"))) }));
  };
  const hidden = new Promise<void>((resolve) => (show = resolve));
  const visibility = { shown: () => hidden, whenHidden: (call: () => void) => ((leave = call), () => {}) };
  const client = new Client("t", fetch, [1], false, () => Promise.resolve(null), visibility);
  const states: string[] = [];
  effect(() => void states.push(client.connection.get()));
  const ended = client.follow();
  await new Promise((resolve) => setTimeout(resolve, 20));
  leave();
  await new Promise((resolve) => setTimeout(resolve, 20));
  assert.deepEqual(urls, ["/api/session", "/api/changes"]);
  show();
  await new Promise((resolve) => setTimeout(resolve, 20));
  leave();
  await ended;
  assert.deepEqual(urls, ["/api/session", "/api/changes", "/api/session", "/api/changes"]);
  assert.deepEqual(states, ["connecting", "connected"]);
});
