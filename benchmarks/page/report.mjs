// Medians, least and most, and the tables.

/** The middle one of some numbers, or the mean of the middle two. */
export function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const half = sorted.length / 2;
  return sorted.length % 2 === 1 ? sorted[Math.floor(half)] : (sorted[half - 1] + sorted[half]) / 2;
}

const UNITS = {
  s: { by: 1000, digits: 2 },
  ms: { by: 1, digits: 0 },
  MB: { by: 1e6, digits: 0 },
  times: { by: 1, digits: 2 },
};

function text(value, unit) {
  const { by, digits } = UNITS[unit];
  const shown = value / by;
  return shown.toFixed(unit === "ms" && shown < 10 ? 1 : digits);
}

export class Report {
  rows = [];

  /** Adds a row: numbers of one kind in milliseconds, bytes or as ratios. The goal is for the median, or for the most. */
  add(what, values, unit, goal = null, goalOf = "median") {
    const middle = median(values);
    const compared = goalOf === "most" ? Math.max(...values) : middle;
    const range = values.length > 1 ? ` (${text(Math.min(...values), unit)} to ${text(Math.max(...values), unit)})` : "";
    const isMet = goal === null ? "" : compared <= goal ? "yes" : "**no**";
    this.rows.push([what, `${text(middle, unit)} ${unit}${range}`, values.length, goal === null ? "" : `${text(goal, unit)} ${unit}${goalOf === "most" ? " at most" : ""}`, isMet]);
  }

  print() {
    table(["what", "median (least to most)", "n", "goal", "goal met"], this.rows);
  }
}

export function table(head, rows) {
  const line = (cells) => `| ${cells.join(" | ")} |`;
  console.log([line(head), line(head.map(() => "---")), ...rows.map(line)].join("\n"));
  console.log();
}
