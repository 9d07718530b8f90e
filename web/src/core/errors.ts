// Errors as the page shows them: what, where, what to do.

import type { Problem } from "../api/types.ts";

/** An error that the server reported. */
export class ServerError extends Error {
  constructor(
    readonly status: number,
    readonly problem: Problem,
  ) {
    super(problem.message);
  }
}

/** The server could not be reached. */
export class ConnectionError extends Error {}

/** Whether a question was given up because a newer one replaced it. */
export function isAbort(error: unknown): boolean {
  return error instanceof DOMException && error.name === "AbortError";
}

/** The question belonged to an outdated revision of the document. */
export function isOutdated(error: unknown): boolean {
  return error instanceof ServerError && error.status === 409;
}

/** The status of questions that an exported page has no answer to. */
export const NOT_EXPORTED = 410;

/** Whether asking again cannot help: an exported page does not have the answer. */
export function isNotExported(error: unknown): boolean {
  return error instanceof ServerError && error.status === NOT_EXPORTED;
}

export function describe(error: unknown): Problem {
  if (error instanceof ServerError) return error.problem;
  if (error instanceof Error) return { message: error.message, place: null };
  return { message: String(error), place: null };
}
