// A page that was written by `lotse export` has no server: its data are in the page. This stands
// in for fetch, so that the rest of the page does not know the difference. The keys are those of
// crates/lotse-serve/src/export.rs.

import { NOT_EXPORTED } from "../core/errors.ts";
import { BadPattern, matcher } from "../core/pattern.ts";
import type { Fetch } from "./client.ts";
import type { Ask, FunctionRow, FunctionTable, Question, Scope, Session, TreemapPicture, RunsAnswer } from "./types.ts";

export interface Exported {
  session: Session;
  answers: Record<string, unknown>;
}

/** Why there is no answer, and what has it. */
function missing(question: Question): string {
  switch (question.ask) {
    case "timeline":
      return "the exported page has the time-line in the resolution of the whole run: `lotse open` shows parts of it exactly";
    case "next_wait":
      return "jumps from wait to wait are not in the exported page: they need `lotse open`";
    case "moment":
      return NO_STACKS;
    case "statistics":
      return "the exported page has the statistics of the whole run and of all locations: `lotse open` shows others";
    default:
      return "this is not in the exported page: `lotse open` shows it";
  }
}

export const NO_STACKS = "call stacks are not in the exported page: they need `lotse open`";

/** The data in the page; null if a server sent it. */
export function exportedData(): Exported | null {
  const text = document.getElementById("lotse-export")?.textContent;
  return text ? (JSON.parse(text) as Exported) : null;
}

/** Answers requests from the data. */
export function exportedFetch(data: Exported): Fetch {
  return async (url, init) => {
    if (url === "/api/session") return json(200, data.session);
    if (url === "/api/changes") return new Response(new ReadableStream({}));
    if (url === "/api/layout") return json(200, {});
    if (url !== "/api/ask") return problem("an exported page cannot open or close files");
    const { document, question } = JSON.parse(String(init.body)) as Ask;
    try {
      const answer = answerTo(data, question, document);
      return answer === null ? problem(missing(question)) : json(200, answer);
    } catch (error) {
      if (error instanceof BadPattern) return problem(error.message);
      throw error;
    }
  };
}

/** The answer to a question about a document; null if the page does not have it. */
export function answerTo(data: Exported, question: Question, document = firstOf(data)): unknown {
  if (!isExported(question, data.session, document)) return null;
  if (question.ask === "runs" && question.selection !== null) return markedRuns(data, question);
  // A file that is a profile and a trace has a second document.
  const key = keyOf(question);
  const found = data.answers[document === firstOf(data) ? key : `${document}|${key}`];
  if (found === undefined) return null;
  if (question.ask === "functions") return someRows(found as FunctionTable, question);
  if (question.ask === "treemap") return stretched(found as TreemapPicture, question.width, question.height);
  return found;
}

/** The number of the first document, whose answers have no number in their keys. */
function firstOf(data: Exported): number {
  return data.session.documents[0]?.id ?? 1;
}

function keyOf(question: Question): string {
  switch (question.ask) {
    case "functions":
      return `functions|${question.sort}|${question.group ?? "-"}${question.inclusive ? "|inclusive" : ""}`;
    case "lines":
      return `lines|${question.sort}`;
    case "runs":
      return `runs|${question.metric ?? "-"}`;
    case "calls":
    case "source":
      return `${question.ask}|${question.function}`;
    case "flame":
    case "treemap":
      return `${question.ask}|${question.direction}|${question.root ?? "-"}`;
    case "graph":
      return `graph|${question.function ?? "-"}`;
    case "call_paths":
      return `call_paths|${question.metric}`;
    case "statistics":
      return `statistics|${question.of}`;
    default:
      return question.ask;
  }
}

/** The share of calls and functions that exported call graphs begin at. */
const GRAPH_SHARE = 0.01;

/** Whether the file can have an answer: only the whole profile by its default event type, and the whole run of a
 * trace, were exported. */
function isExported(question: Question, session: Session, document: number): boolean {
  const stage = session.documents.find(({ id }) => id === document)?.stage;
  const about = stage?.stage === "ready" ? stage.about : null;
  if (question.ask === "statistics" && (question.location !== null || question.row !== null)) return false;
  if (question.ask === "timeline" || question.ask === "statistics") return isWholeRun(question.from, question.to, about?.trace?.runtime ?? Infinity);
  if (!("scope" in question)) return true;
  const usual = about?.profile?.default_event;
  if (!isWhole(question.scope, usual)) return false;
  if ("events" in question && question.events.some((event) => event !== usual)) return false;
  if (question.ask === "graph" && question.min_share !== GRAPH_SHARE) return false;
  const isPicture = question.ask === "flame" || question.ask === "treemap" || question.ask === "graph";
  // Tables have both sides of a comparison; of pictures, the difference is in the file.
  const side = about?.kind === "comparison" ? "difference" : null;
  return !isPicture || question.scope.side === null || question.scope.side === side;
}

/** Whether nothing is selected. */
function isWhole(scope: Scope, usual: string | undefined): boolean {
  const selected = scope.parts ?? scope.focus ?? scope.ignore ?? scope.hide;
  const renames = scope.renames ?? [];
  return selected === null && scope.define.length === 0 && renames.length === 0 && (scope.event === null || scope.event === usual);
}

/** The file has the run in one resolution; a part of it would be wrong by columns. */
function isWholeRun(from: number | null, to: number | null, runtime: number): boolean {
  const slack = Number.isFinite(runtime) ? runtime * 1e-9 : 0;
  return (from === null || from <= slack) && (to === null || to >= runtime - slack);
}

/** The runs with those of a selection marked. Statistics are made by the server, so the page says that it has none. */
function markedRuns(data: Exported, question: Extract<Question, { ask: "runs" }>): RunsAnswer | null {
  const whole = data.answers[`runs|${question.metric ?? "-"}`] as RunsAnswer | undefined;
  const selection = question.selection;
  if (!whole || !selection) return whole ?? null;
  const { first, last, low, high, metric } = selection;
  // The selection may have been made in the plot of another metric.
  const known = Object.entries(data.answers).filter(([key]) => key.startsWith("runs|")).map(([, answer]) => answer as RunsAnswer);
  const marked = metric === null ? whole : known.find((answer) => answer.metric === metric);
  const values = new Map(marked?.runs.map((run) => [run.number, run.value]));
  const isInside = ({ number }: RunsAnswer["runs"][number]) => {
    const value = values.get(number) ?? null;
    return number >= first && number <= last && value !== null && (low === null || value >= low) && (high === null || value <= high);
  };
  const runs = whole.runs.map((run) => ({ ...run, selected: isInside(run) }));
  const count = runs.filter((run) => run.selected).length;
  const caption = `Selection: ${count} of ${runs.length} runs, no verdict. An exported page has no statistics of it: \`lotse open\` has them.`;
  return { ...whole, runs, selected: { caption, columns: [], rows: [] } };
}

type Functions = Extract<Question, { ask: "functions" }>;

/** Filters, turns and cuts the rows of a table. The server sorted them. */
function someRows(table: FunctionTable, question: Functions): FunctionTable | null {
  const matches = matcher(question.filter);
  const { within } = question;
  if (within?.group === "thread") return null;
  const groupOf = ({ function: fn }: FunctionRow) => (within?.group === "cycle" ? `<cycle ${fn?.cycle ?? 0}>` : fn?.[within?.group as "object" | "file" | "class"]);
  const belongs = (row: FunctionRow) => within === null || groupOf(row) === within.name;
  let rows = table.rows.filter((row) => matches(row.name) && belongs(row));
  if (question.ascending !== (question.sort === "name")) rows = rows.reverse();
  const cut = table.rows.length < table.all ? [{ place: null, message: `the exported page has ${table.rows.length} of ${table.all} rows`, loss: false }] : [];
  return {
    ...table,
    count: rows.length,
    rows: rows.slice(question.offset, question.offset + question.limit),
    remarks: [...table.remarks, ...cut],
  };
}

/** The tiles in another size; they were computed for 1200 by 680. */
function stretched(picture: TreemapPicture, width: number, height: number): TreemapPicture {
  const scale = (values: number[], factor: number) => values.map((value) => value * factor);
  const { tiles } = picture;
  const [x, y] = [width / 1200, height / 680];
  return { ...picture, tiles: { ...tiles, x: scale(tiles.x, x), width: scale(tiles.width, x), y: scale(tiles.y, y), height: scale(tiles.height, y) } };
}

function json(status: number, body: unknown): Response {
  return new Response(JSON.stringify(body), { status });
}

function problem(message: string): Response {
  return json(NOT_EXPORTED, { message, place: null });
}
