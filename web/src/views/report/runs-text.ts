// Texts around the plot of runs: legend and table twin.

import type { RunsAnswer } from "../../api/types.ts";
import { cut, h, s } from "../../core/dom.ts";
import type { Theme } from "../../derive/theme.ts";
import { programMark } from "../../derive/runs.ts";
import { lineColour, programColour } from "../../draw/runs.ts";
import { TWIN_ROWS, type TwinTable } from "../pictures/twin.ts";

/** By the shape of a mark. */
const OUTLINES = ["M 1,6 a 5 5 0 1 0 10 0 a 5 5 0 1 0 -10 0 Z", "M 2,2 H 10 V 10 H 2 Z", "M 6,1 L 11,10 H 1 Z", "M 6,1 L 11,6 L 6,11 L 1,6 Z", "M 6,11 L 11,2 H 1 Z"];

/** Programs with their shapes and colours, and what hollow marks and crosses mean. */
export function programLegend(answer: RunsAnswer, theme: Theme, marked = 0): HTMLElement[] {
  const entry = (shape: string, fill: string, text: string, stroke = theme.fg) =>
    h("span", {}, s("svg", { width: 12, height: 12, "aria-hidden": "true" }, s("path", { d: shape, fill, stroke })) as unknown as HTMLElement, cut(text, 60));
  const programs = answer.programs.map((name, program) => entry(OUTLINES[programMark(program, theme.hues.length - 1).shape]!, programColour(theme, program), name, lineColour(theme, program)));
  const contended = answer.runs.some((run) => run.contended) ? [entry(OUTLINES[0]!, "none", "hollow: had to share its CPU")] : [];
  const failed = answer.runs.some((run) => run.value === null) ? [entry("M 2,2 L 10,10 M 10,2 L 2,10", "none", "no value")] : [];
  const evidence = marked > 0 ? [entry(OUTLINES[0]!, "none", `ring: ${marked === 1 ? "the run" : `the ${marked} runs`} of the finding`, theme.more)] : [];
  return [...programs, ...contended, ...failed, ...evidence];
}

/** The runs as a table: those of the selection if there is one, else all. */
export function runsTwin(answer: RunsAnswer, marked: ReadonlySet<number> = new Set()): TwinTable {
  const isSelection = answer.selected !== null;
  const listed = answer.runs.filter((run) => !isSelection || run.selected);
  const shown = listed.slice(0, TWIN_ROWS);
  const cutText = shown.length < listed.length ? `, the first ${shown.length} of them` : "";
  return {
    caption: isSelection ? `Selection, no verdict: ${listed.length} of ${answer.runs.length} runs${cutText}` : `All ${listed.length} runs${cutText}`,
    columns: ["run", answer.metric, "round", "place", "remark"],
    rows: shown.map((run) => ({
      fn: null,
      name: answer.programs[run.program] ?? "",
      cells: [String(run.number), run.text, String(run.round), String(run.place), [run.contended ? "shared its CPU" : "", marked.has(run.number) ? "of the finding" : ""].filter(Boolean).join(", ")],
    })),
  };
}
