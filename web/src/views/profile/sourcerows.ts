// Source lines and instructions as rows of a table. Pure.

import type { CallSite, Instruction, SourceAnswer, SourceFile, SourceLine } from "../../api/types.ts";

export type SourceRow =
  | { kind: "file"; file: SourceFile }
  | { kind: "line"; file: SourceFile; line: SourceLine }
  | { kind: "call"; file: SourceFile; line: SourceLine; call: CallSite };

export type CodeRow =
  | { kind: "instruction"; instruction: Instruction; index: number }
  | { kind: "call"; instruction: Instruction; index: number; call: CallSite };

/** All files of an answer; a file has a head where there are several, or its text is missing. */
export function sourceRows(answer: SourceAnswer): SourceRow[] {
  const rows: SourceRow[] = [];
  for (const file of answer.files) {
    const isRenamed = file.old_path !== null && file.old_path !== file.path;
    if (answer.files.length > 1 || file.found === null || isRenamed) rows.push({ kind: "file", file });
    for (const line of file.lines) {
      rows.push({ kind: "line", file, line });
      for (const call of line.calls) rows.push({ kind: "call", file, line, call });
    }
  }
  return rows;
}

export function codeRows(answer: SourceAnswer): CodeRow[] {
  const rows: CodeRow[] = [];
  answer.code?.instructions.forEach((instruction, index) => {
    rows.push({ kind: "instruction", instruction, index });
    for (const call of instruction.calls) rows.push({ kind: "call", instruction, index, call });
  });
  return rows;
}

/** Where a line is, for an editor; null if that is unknown. A line that only the old source has is in that file. */
export function placeOf(row: SourceRow): { path: string; line: number; isFound: boolean } | null {
  if (row.kind === "file") return null;
  const isOld = row.line.line === null && row.line.old_line !== null;
  const line = isOld ? row.line.old_line : row.line.line;
  const found = isOld ? row.file.old_found : row.file.found;
  const path = found ?? (isOld ? row.file.old_path : row.file.path);
  return line === null || path === null ? null : { path, line, isFound: found !== null };
}

/** Whether rows have the costs of two profiles. */
export function isCompared(answer: SourceAnswer): boolean {
  return answer.files.some((file) => file.lines.some((line) => line.changes !== null));
}

/** The row of the line with the highest self cost of the first event type; -1 if no line has any. */
export function hottestRow(rows: readonly SourceRow[]): number {
  let best = -1;
  let most = 0;
  rows.forEach((row, index) => {
    const cost = row.kind === "line" && row.line.line !== null ? (row.line.self[0]?.value ?? 0) : 0;
    if (cost > most) [best, most] = [index, cost];
  });
  return best;
}

/** The row to show first: the hottest line, else the line of the definition; -1 for none. */
export function firstRow(rows: readonly SourceRow[], definition: number | null): number {
  const hottest = hottestRow(rows);
  return hottest >= 0 || definition === null ? hottest : rowOfLine(rows, definition);
}

export function hottestInstruction(rows: readonly CodeRow[]): number {
  let best = -1;
  let most = 0;
  rows.forEach((row, index) => {
    const cost = row.kind === "instruction" ? (row.instruction.self[0]?.value ?? 0) : 0;
    if (cost > most) [best, most] = [index, cost];
  });
  return best;
}

/** Whether a chosen line is in this file; a path of null says nothing about it. */
export function isInFile(file: SourceFile, path: string | null): boolean {
  return path === null || file.path === path || file.old_path === path;
}

/** The row of a line: in the file with this path if it has the line, else in the function's own file, which is the first. */
export function rowOfLine(rows: readonly SourceRow[], line: number, path: string | null = null): number {
  const isLine = (row: SourceRow) => row.kind === "line" && row.line.line === line;
  const there = path === null ? -1 : rows.findIndex((row) => isLine(row) && isInFile(row.file, path));
  return there >= 0 ? there : rows.findIndex(isLine);
}

/** A piece of a jump arrow in one row. */
export interface ArrowPiece {
  lane: number;
  /** Which halves of the row the vertical line crosses. */
  above: boolean;
  below: boolean;
  /** The horizontal end in this row, if any. */
  end: "from" | "to" | null;
  text: string;
}

/** The rows of the jumps: like `Code.jumps`, with rows in place of instructions. */
export interface RowJump {
  from: number;
  to: number;
  lane: number;
  text: string;
}

export function rowJumps(answer: SourceAnswer, rows: readonly CodeRow[]): RowJump[] {
  const rowOf = new Map<number, number>();
  rows.forEach((row, index) => row.kind === "instruction" && rowOf.set(row.index, index));
  return (answer.code?.jumps ?? []).flatMap((jump) => {
    const from = rowOf.get(jump.from);
    const to = rowOf.get(jump.to);
    return from === undefined || to === undefined ? [] : [{ ...jump, from, to }];
  });
}

/** What to draw in a row: the pieces of all jumps that start, end or pass there. */
export function arrowPieces(jumps: readonly RowJump[], row: number): ArrowPiece[] {
  return jumps.flatMap((jump) => {
    const [top, bottom] = jump.from < jump.to ? [jump.from, jump.to] : [jump.to, jump.from];
    if (row < top || row > bottom) return [];
    const end = row === jump.to ? "to" : row === jump.from ? "from" : null;
    return [{ lane: jump.lane, above: row > top, below: row < bottom, end, text: jump.text } as const];
  });
}
