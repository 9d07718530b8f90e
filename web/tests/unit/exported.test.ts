import assert from "node:assert/strict";
import { test } from "node:test";
import { answerTo, exportedFetch, type Exported } from "../../src/api/exported.ts";
import { isNotExported, NOT_EXPORTED, ServerError } from "../../src/core/errors.ts";
import type { FunctionTable, Question, Scope } from "../../src/api/types.ts";
import { makeDocuments } from "../mock/documents.ts";

const scope: Scope = { event: null, define: [], parts: null, focus: null, ignore: null, hide: null, side: null };

function row(name: string, object: string) {
  const names = { id: 1, name, label: name, object, file: null, line: null, class: null, cycle: null, place: null, colour_key: "" };
  return { function: names, name, size: null, calls: null, costs: [] };
}

const table: FunctionTable = {
  events: [],
  count: 3,
  all: 5,
  rows: [row("sort", "app"), row("memcpy", "libc"), row("main", "app")],
  remarks: [],
};

const data: Exported = {
  session: { version: "", read_only: true, editor: null, documents: [], recent: [], layout: null },
  answers: { "functions|self|-": table, "calls|7": { callers: [] } },
};

function functions(changes: Partial<Extract<Question, { ask: "functions" }>>): string[] | null {
  const question: Question = {
    ask: "functions", scope, events: [], sort: "self", ascending: false, filter: "", group: null, within: null, offset: 0, limit: 50, ...changes,
  };
  const answer = answerTo(data, question) as FunctionTable | null;
  return answer && answer.rows.map((each) => each.name);
}

test("rows are filtered, turned and cut as by the server", () => {
  assert.deepEqual(functions({}), ["sort", "memcpy", "main"]);
  assert.deepEqual(functions({ ascending: true }), ["main", "memcpy", "sort"]);
  assert.deepEqual(functions({ filter: "m" }), ["memcpy", "main"]);
  assert.deepEqual(functions({ filter: "/^m.*n$/" }), ["main"]);
  assert.deepEqual(functions({ offset: 1, limit: 1 }), ["memcpy"]);
  assert.deepEqual(functions({ within: { group: "object", name: "app" } }), ["sort", "main"]);
});

test("a cycle of an exported page has its members", () => {
  const member = (name: string, cycle: number | null) => ({ ...row(name, "app"), function: { ...row(name, "app").function, cycle } });
  const rows = [member("walk", 1), member("visit", 1), member("main", null), member("odd", 2)];
  const exported: Exported = { ...data, answers: { "functions|self|-": { ...table, rows } } };
  const question: Question = {
    ask: "functions", scope, events: [], sort: "self", ascending: false, filter: "", group: null, within: { group: "cycle", name: "<cycle 1>" }, offset: 0, limit: 50,
  };
  const answer = answerTo(exported, question) as FunctionTable;
  assert.deepEqual(answer.rows.map((each) => each.name), ["walk", "visit"]);
});

test("what was not exported has no answer instead of a wrong one", () => {
  assert.equal(functions({ sort: "inclusive" }), null);
  assert.equal(functions({ scope: { ...scope, parts: [1] } }), null);
  assert.equal(functions({ scope: { ...scope, event: "Dw" } }), null);
  assert.throws(() => functions({ filter: "/(/" }), /regular expression/);
  assert.equal(answerTo(data, { ask: "calls", scope, function: 8, events: [] }), null);
});

test("the documents of a file that is a profile and a trace have answers of their own", () => {
  const { comparison } = makeDocuments();
  const documents = [1, 2].map((id) => ({ ...comparison!, id }));
  const both: Exported = { session: { ...data.session, documents }, answers: { "call_paths|late": 1, "2|call_paths|late": 2 } };
  const question = { ask: "call_paths", metric: "late" } as const;
  assert.deepEqual([1, 2].map((document) => answerTo(both, question, document)), [1, 2]);
  assert.equal(answerTo(both, question, 3), null);
});

test("comparisons: tables have both sides, pictures the difference", () => {
  const { comparison } = makeDocuments();
  const compared: Exported = {
    session: { ...data.session, documents: [comparison!] },
    answers: { ...data.answers, "flame|callees|-": {}, "graph|-": {}, "source|7": {} },
  };
  for (const side of ["old", "new", "difference"] as const) {
    const sided = { ...scope, side };
    const ask = (question: Question) => answerTo(compared, question) !== null;
    assert.ok(ask({ ask: "calls", scope: sided, function: 7, events: ["Ir"] }));
    assert.ok(ask({ ask: "source", scope: sided, function: 7, events: ["Ir"], instructions: false }));
    assert.ok(ask({ ask: "functions", scope: sided, events: ["Ir"], sort: "self", ascending: false, filter: "", group: null, within: null, offset: 0, limit: 50 }));
    assert.equal(ask({ ask: "flame", scope: sided, direction: "callees", root: null }), side === "difference");
    assert.equal(ask({ ask: "graph", scope: sided, function: null, min_share: 0.01, nodes: 80 }), side === "difference");
  }
  assert.equal(answerTo(compared, { ask: "calls", scope, function: 7, events: ["Dr"] }), null);
  assert.equal(answerTo(compared, { ask: "graph", scope, function: null, min_share: 0.1, nodes: 80 }), null);
});

test("a time-line has one resolution: that of the whole run", () => {
  const { trace } = makeDocuments();
  const traced: Exported = { session: { ...data.session, documents: [trace!] }, answers: { timeline: {} } };
  const ask = (from: number | null, to: number | null) => answerTo(traced, { ask: "timeline", from, to, columns: 500, lanes: 16, first_lane: 0, merge: false }) !== null;
  assert.ok(ask(null, null) && ask(0, 12.5) && ask(0, 20));
  assert.ok(!ask(1, 12.5) && !ask(0, 3) && !ask(1.5, 3.2));
});

test("statistics are those of the whole run", () => {
  const { trace } = makeDocuments();
  const traced: Exported = { session: { ...data.session, documents: [trace!] }, answers: { "statistics|waits": {} } };
  const ask = (fields: object) => answerTo(traced, { ask: "statistics", from: null, to: null, of: "waits", location: null, row: null, ...fields }) !== null;
  assert.ok(ask({}));
  assert.ok(!ask({ from: 1, to: 2 }) && !ask({ location: 3 }) && !ask({ row: "late_sender" }) && !ask({ of: "regions" }));
});

test("a missing answer is an error that says what to do", async () => {
  const body = JSON.stringify({ document: 1, revision: 1, question: { ask: "report" } });
  const response = await exportedFetch(data)("/api/ask", { method: "POST", body });
  assert.equal(response.status, NOT_EXPORTED, "so that the page offers no second try");
  assert.match(((await response.json()) as { message: string }).message, /lotse open/);
});

test("only what is not in the file is beyond a second try", () => {
  assert.ok(isNotExported(new ServerError(NOT_EXPORTED, { message: "", place: null })));
  assert.ok(!isNotExported(new ServerError(422, { message: "", place: null })) && !isNotExported(new Error("")));
});

test("what is missing of a time-line is named", async () => {
  const { trace } = makeDocuments();
  const traced: Exported = { session: { ...data.session, documents: [trace!] }, answers: {} };
  const ask = async (question: Question) => {
    const response = await exportedFetch(traced)("/api/ask", { method: "POST", body: JSON.stringify({ document: 3, revision: 1, question }) });
    return ((await response.json()) as { message: string }).message;
  };
  assert.match(await ask({ ask: "moment", location: 1, at: 2 }), /call stacks .* need `lotse open`/);
  assert.match(await ask({ ask: "next_wait", begin: 0, end: null, at: null, backward: false, location: null, metric: null, least: 0 }), /from wait to wait .* need `lotse open`/);
  assert.match(await ask({ ask: "timeline", from: 1, to: 2, columns: 500, lanes: 16, first_lane: 0, merge: false }), /resolution of the whole run/);
});

test("a cut table says so", () => {
  const question: Question = {
    ask: "functions", scope, events: [], sort: "self", ascending: false, filter: "", group: null, within: null, offset: 0, limit: 50,
  };
  const answer = answerTo(data, question) as FunctionTable;
  assert.match(answer.remarks[0]!.message, /3 of 5 rows/);
});
