// The pane layout for a document that has none yet.

import type { About } from "../api/types.ts";
import type { Layout, PaneLeaf } from "./layout.ts";

const leaf = (pane: string, view: string): PaneLeaf => ({ pane, view });

export function defaultLayout(about: About): Layout {
  switch (about.kind) {
    case "profile":
    case "comparison":
      return profileLayout(about.profile?.has_calls ?? false, about.kind === "comparison" ? 0.54 : 0.46);
    case "trace":
      return { split: "column", at: 0.7, first: leaf("p1", "timeline"), second: leaf("p2", "report") };
    case "bench":
      return { split: "row", at: 0.5, first: leaf("p1", "report"), second: leaf("p2", "runs") };
    default:
      return leaf("p1", "report");
  }
}

/** Function table left with a share of the width, callers and flame graph right, source below.
 * Without calls there is nothing to show on the right but the source. */
function profileLayout(hasCalls: boolean, table: number): Layout {
  if (!hasCalls) return { split: "row", at: 0.45, first: leaf("p1", "functions"), second: leaf("p4", "source") };
  return {
    split: "column",
    at: 0.6,
    first: {
      split: "row",
      at: table,
      first: leaf("p1", "functions"),
      second: { split: "column", at: 0.45, first: leaf("p2", "calls"), second: leaf("p3", "flame") },
    },
    second: leaf("p4", "source"),
  };
}
