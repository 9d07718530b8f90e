// Source lines beside assembly. The line of a finding, else the hottest line, is visible first.
// A click on a line marks its instructions, and the other way round.

import type { SideChoice, SourceAnswer } from "../../api/types.ts";
import { cut, fill, h } from "../../core/dom.ts";
import { batch, effect, untracked } from "../../core/signal.ts";
import { nameCell, remarkList } from "../shared/amount.ts";
import { asking } from "../shared/asking.ts";
import { choice, disposeAll, toggle } from "../shared/controls.ts";
import { fitColumns } from "../shared/fit.ts";
import { rowsOf, Table } from "../shared/table.ts";
import type { MountedView, View, ViewContext } from "../view.ts";
import { codeColumns, sourceColumns } from "./sourcecells.ts";
import { copyPlace, lineButtons, lineMenu, openPlace } from "./editor.ts";
import { codeRows, firstRow, hottestInstruction, isCompared, isInFile, rowJumps, rowOfLine, sourceRows, type CodeRow, type SourceRow } from "./sourcerows.ts";

export const sourceView: View = {
  id: "source",
  title: "Source and assembly",
  key: "s",
  fits: (about) => about.profile !== null,
  mount,
};

type Sides = "both" | "source" | "code";

function mount(context: ViewContext): MountedView {
  const sides = context.option<Sides>("sides", "both");
  const share = context.option("share", true);
  const title = h("div", { class: "calls-title" });
  const remarks = h("div", { class: "source-remarks", hidden: true, tabindex: 0 });
  const noCode = h("p", { class: "empty" });
  const source = makeSourceTable(context);
  const code = makeCodeTable(context);
  const codeSide = h("div", { class: "code-side" }, noCode, code.element);
  const content = h("div", { class: "fill-column" }, title, remarks, h("div", { class: "source-sides" }, source.element, codeSide));
  let shown: SourceAnswer | null = null;
  /** The choice of a side that the answer is to: labels must not run ahead of it. */
  let asked: SideChoice | null = null;
  let lines: SourceRow[] = [];
  let instructions: CodeRow[] = [];

  const draw = () => {
    // Read before the return: an effect follows only what it has read.
    const asShare = share.get();
    if (!shown) return;
    const jumps = rowJumps(shown, instructions);
    const compared = isCompared(shown);
    const style = { share: asShare, compared, side: context.about.kind === "comparison" ? sideOf(asked, compared) : "", caller: shown.function.function } as const;
    source.setColumns(fitColumns(sourceColumns(context, shown.events, style), costly(lines)));
    code.setColumns(fitColumns(codeColumns(context, shown.events, style, jumps), instructions));
    source.setRows(rowsOf(lines), "The profile does not name source lines for this function.");
    code.setRows(rowsOf(instructions), "");
  };
  const view = asking<SourceAnswer>(
    context,
    content,
    () => {
      const id = context.active.get();
      if (id === null) return null;
      return { ask: "source", scope: context.scope(), function: id, events: [...context.shared.events.get()], instructions: sides.get() !== "source" };
    },
    (answer) => {
      shown = answer;
      asked = untracked(() => context.scope().side);
      lines = sourceRows(answer);
      instructions = codeRows(answer);
      showTitle(title, answer);
      fill(remarks, remarkList(answer.remarks));
      remarks.hidden = answer.remarks.length === 0;
      draw();
      noCode.textContent = answer.code ? "" : answer.no_code;
      noCode.hidden = answer.code !== null;
      code.element.hidden = answer.code === null;
      codeSide.classList.toggle("narrow", answer.code === null);
      showFirst(context, answer, source, lines, code, instructions);
    },
    "Click a function to see its source.",
  );
  const atCursor = () => lines[source.cursor] ?? null;
  source.element.addEventListener("keydown", (event) => {
    const row = atCursor();
    if (!row || event.ctrlKey || event.metaKey || event.altKey) return;
    const action = { y: () => copyPlace(context, row), o: () => openPlace(context, row) }[event.key];
    if (!action) return;
    action();
    event.preventDefault();
    event.stopPropagation();
  });
  const line = lineButtons(context, atCursor);
  const controls = [
    choice<Sides>("what to show", sides, [["both", "source and assembly"], ["source", "source"], ["code", "assembly"]]),
    toggle("%", "shares of the total instead of amounts", share),
  ];
  const stops = [
    effect(draw),
    effect(() => {
      content.dataset["sides"] = sides.get();
    }),
    effect(() => {
      const line = context.shared.line.get();
      context.shared.lineFile.get();
      source.redecorate();
      code.redecorate();
      if (line !== null) showLine(context, source, lines, code, instructions, line);
    }),
  ];
  return {
    element: view.element,
    options: h("div", { class: "options" }, ...controls.map((control) => control.element), line.element),
    resize: () => {
      source.resize();
      code.resize();
    },
    dispose: () => disposeAll([view, line, ...controls, ...stops]),
  };
}

/** The profile that instructions, and lines without changes, are of. */
function sideOf(side: SideChoice | null, compared: boolean): "old" | "new" | "" {
  if (side === "old" || side === "new") return side;
  // Instructions beside both sources are those of the new one; for a function that one profile lacks a remark says which.
  return compared ? "new" : "";
}

/** The rows that decide how wide columns of costs and line numbers are. */
function costly(rows: readonly SourceRow[]): SourceRow[] {
  return rows.filter((row) => row.kind === "call" || (row.kind === "line" && (row.line.self.some((amount) => amount.value !== 0) || (row.line.changes ?? []).some((change) => change.old.value !== 0))));
}

function showTitle(target: HTMLElement, answer: SourceAnswer): void {
  const row = answer.function;
  const file = answer.files[0];
  const path = file?.found ?? file?.path ?? "file unknown";
  fill(target, h("strong", { title: cut(row.name, 1000) }, row.function ? nameCell(row.function) : cut(row.name)), h("span", { class: "dim", title: cut(path, 1000) }, cut(path, 200)));
}

function showFirst(context: ViewContext, answer: SourceAnswer, source: Table<SourceRow>, lines: SourceRow[], code: Table<CodeRow>, instructions: CodeRow[]): void {
  source.toStart();
  code.toStart();
  const line = context.shared.line.peek();
  if (line !== null && rowOfLine(lines, line) >= 0) return showLine(context, source, lines, code, instructions, line);
  const first = firstRow(lines, answer.function.function?.line ?? null);
  if (first >= 0) source.show(first, "middle");
  const instruction = hottestInstruction(instructions);
  if (instruction >= 0) code.show(instruction, "middle");
}

function showLine(context: ViewContext, source: Table<SourceRow>, lines: SourceRow[], code: Table<CodeRow>, instructions: CodeRow[], line: number): void {
  const row = rowOfLine(lines, line, context.shared.lineFile.peek());
  if (row >= 0) source.show(row, "middle");
  const instruction = instructions.findIndex((i) => i.kind === "instruction" && i.instruction.line === line);
  if (instruction >= 0) code.show(instruction, "middle");
}

function chooseLine(context: ViewContext, line: number, path: string | null): void {
  batch(() => {
    context.shared.line.set(line);
    context.shared.lineFile.set(path);
  });
}

function makeSourceTable(context: ViewContext): Table<SourceRow> {
  return new Table<SourceRow>("source lines", {
    choose: (row) => row.kind === "line" && row.line.line !== null && chooseLine(context, row.line.line, row.file.path),
    open: (row) => row.kind === "call" && context.activate(row.call.function.id, row.call.function.name),
    menu: (row, _, at) => (row.kind === "call" ? context.menu(at, row.call.function) : lineMenu(context, row, at)),
    classes: (row) => {
      const marked = row.kind === "line" && row.line.line !== null && row.line.line === context.shared.line.peek() && isInFile(row.file, context.shared.lineFile.peek());
      const status = row.kind === "line" && row.line.status !== "both" ? row.line.status : "";
      return `source-${row.kind} ${marked ? "marked" : ""} ${status}`;
    },
  });
}

function makeCodeTable(context: ViewContext): Table<CodeRow> {
  return new Table<CodeRow>("instructions", {
    choose: (row) => row.kind === "instruction" && row.instruction.line !== null && chooseLine(context, row.instruction.line, null),
    open: (row) => row.kind === "call" && context.activate(row.call.function.id, row.call.function.name),
    menu: (row, _, at) => row.kind === "call" && context.menu(at, row.call.function),
    classes: (row) => {
      const marked = row.instruction.line !== null && row.instruction.line === context.shared.line.peek();
      return `source-${row.kind} ${marked ? "marked" : ""}`;
    },
  });
}
