// A server with invented answers, for tests of the page without the real one. It checks tokens,
// sends the real content security policy, and can be told to fail.

import { readFileSync } from "node:fs";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { DocumentState, Question, Session } from "../../src/api/types.ts";
import * as answers from "./answers.ts";
import { makeDocuments } from "./documents.ts";

export const TOKEN = "0123456789abcdef0123456789abcdef";
const CSP = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; connect-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'";
const FILES: Record<string, [string, string]> = {
  "/": ["index.html", "text/html; charset=utf-8"],
  "/app.js": ["app.js", "text/javascript; charset=utf-8"],
  "/app.css": ["app.css", "text/css; charset=utf-8"],
};

export class Mock {
  session: Session;
  /** Questions and commands in the order in which they came. */
  readonly asked: { url: string; body: Record<string, unknown> }[] = [];
  /** Fails the next question with this status. */
  failNext: number | null = null;
  /** Milliseconds before an answer. */
  delay = 0;
  private readonly streams = new Set<ServerResponse>();
  private server: Server;
  port = 0;

  constructor(documents: readonly string[] = ["profile", "comparison", "trace", "bench"]) {
    const all = makeDocuments();
    this.session = {
      version: "0.1.0",
      read_only: false,
      editor: "code",
      documents: documents.map((name) => all[name]!),
      recent: [{ paths: ["/home/user/solver/callgrind.out.4711"], kind: "profile", text: "profile of callgrind, 2 hours ago" }, { paths: ["/a/old.out", "/a/new.out"], kind: "comparison", text: "comparison, yesterday" }],
      layout: null,
    };
    this.server = createServer((request, response) => void this.handle(request, response));
  }

  async start(port = 0): Promise<void> {
    this.server = createServer((request, response) => void this.handle(request, response));
    await new Promise<void>((resolve) => this.server.listen(port, "127.0.0.1", resolve));
    this.port = (this.server.address() as AddressInfo).port;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}/#token=${TOKEN}`;
  }

  /** How many pages read the stream of changes. */
  get followers(): number {
    return this.streams.size;
  }

  async stop(): Promise<void> {
    for (const stream of this.streams) stream.destroy();
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  /** Changes the session and sends it to all pages. */
  change(f: (session: Session) => void): void {
    this.session = structuredClone(this.session);
    f(this.session);
    for (const stream of this.streams) this.send(stream);
  }

  private send(stream: ServerResponse): void {
    stream.write(`: keep-alive\n\nevent: session\ndata: ${JSON.stringify(this.session)}\n\n`);
  }

  private async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = request.url ?? "/";
    response.setHeader("content-security-policy", CSP);
    const file = FILES[url];
    if (file) return void response.setHeader("content-type", file[1]).end(readFileSync(`dist/${file[0]}`));
    if (!url.startsWith("/api/")) return reply(response, 404, { message: "not found", place: null });
    if (request.headers["x-lotse-token"] !== TOKEN) return reply(response, 401, { message: "wrong token", place: null });
    if (request.method === "GET") return this.get(url, response);
    const body = JSON.parse(await bodyOf(request)) as Record<string, unknown>;
    this.asked.push({ url, body });
    if (this.delay > 0) await new Promise((resolve) => setTimeout(resolve, this.delay));
    if (url === "/api/ask") return this.answer(body as never, response);
    this.command(url, body, response);
  }

  private get(url: string, response: ServerResponse): void {
    if (url === "/api/session") return reply(response, 200, this.session);
    if (url !== "/api/changes") return reply(response, 404, { message: "not found", place: null });
    response.writeHead(200, { "content-type": "text/event-stream" });
    this.streams.add(response);
    response.on("close", () => this.streams.delete(response));
    this.send(response);
  }

  private command(url: string, body: Record<string, unknown>, response: ServerResponse): void {
    const id = body["document"];
    switch (url) {
      case "/api/open": {
        const path = (body["paths"] as string[])[0]!;
        if (path.includes("missing")) return reply(response, 404, { message: `there is no file ${path}`, place: path });
        const added = makeDocuments()["profile"]!;
        const next = { ...added, id: 100 + this.asked.length, name: path.split("/").at(-1)!, paths: [path] };
        this.change((session) => session.documents.push(next));
        return reply(response, 200, { document: next.id });
      }
      case "/api/close":
      case "/api/cancel":
        this.change((session) => (session.documents = session.documents.filter((d) => d.id !== id)));
        break;
      case "/api/reload":
        this.change((session) => session.documents.filter((d) => d.id === id).forEach(reload));
        break;
      case "/api/edit":
        return reply(response, 200, { started: `code --goto ${String(body["path"])}:${String(body["line"])}` });
      case "/api/layout":
        this.session.layout = body["layout"];
    }
    reply(response, 200, {});
  }

  private answer(body: { document: number; revision: number; question: Question }, response: ServerResponse): void {
    const document = this.session.documents.find((d) => d.id === body.document);
    if (this.failNext !== null && body.question.ask !== "headline") {
      const status = this.failNext;
      this.failNext = null;
      return reply(response, status, { message: "the engine could not answer", place: "line 17" });
    }
    if (document?.stage.stage !== "ready" || document.stage.revision !== body.revision) return reply(response, 409, { message: "the document has changed", place: null });
    const { profile, kind, findings, sentence } = document.stage.about;
    reply(response, 200, answerTo(body.question, { functions: profile?.function_count ?? 0, comparison: kind === "comparison", sentence, findings }));
  }
}

function answerTo(q: Question, document: answers.MockDocument): unknown {
  switch (q.ask) {
    case "functions": return answers.functions(q, document);
    case "headline": return answers.headline(q, document);
    case "calls": return answers.calls(q, document);
    case "flame": return answers.flame(q);
    case "treemap": return answers.treemap(q);
    case "graph": return answers.graph(q, document);
    case "source": return answers.source(q, document);
    case "data": return answers.data();
    case "lines": return answers.lines(q, document);
    case "event": return answers.event(q);
    case "report": return answers.report();
    case "runs": return answers.runs(q);
    case "shown": return true;
    case "timeline": return answers.timeline(q);
    case "call_paths": return answers.callPaths(q);
    case "moment": return answers.moment(q);
    case "statistics": return answers.statistics(q);
    case "next_wait": return answers.nextWait(q);
  }
}

function reload(document: DocumentState): void {
  document.outdated = false;
  if (document.stage.stage === "ready") document.stage.revision++;
}

function reply(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify(body));
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString("utf8");
}
