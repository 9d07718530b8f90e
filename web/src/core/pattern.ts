// Filters by name, as the server understands them, for pages without one. The server's regular expressions are those of
// Rust: flags stand in the expression, and there is nothing that looks around or refers back.

export class BadPattern extends Error {}

/** A text, or a regular expression between slashes. */
export function matcher(filter: string): (name: string) => boolean {
  const expression = /^\/(.*)\/$/.exec(filter)?.[1];
  if (expression === undefined) return (name) => name.includes(filter);
  const regular = translated(expression);
  return (name) => regular.test(name);
}

/** The browser's form of an expression of the server. */
function translated(expression: string): RegExp {
  const [leading = "", flags = ""] = /^\(\?([ims]*)\)/.exec(expression) ?? [];
  const rest = expression.slice(leading.length).replaceAll("(?P<", "(?<");
  if (/\(\?(=|!|<=|<!)/.test(rest)) throw new BadPattern("look-around is not supported in regular expressions");
  if (/(^|[^\\])(\\\\)*\\([1-9]|k<)/.test(rest)) throw new BadPattern("backreferences are not supported in regular expressions");
  try {
    return new RegExp(rest, flags);
  } catch (error) {
    const why = (error as Error).message.replace(/^Invalid regular expression: /, "");
    throw new BadPattern(`this is no regular expression that an exported page knows: ${why}`);
  }
}
