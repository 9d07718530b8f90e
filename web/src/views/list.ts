// All views. A new view is one file and one line here; the order is that of the pane's menu.

import { flameView } from "./pictures/flame.ts";
import { graphView } from "./pictures/graph.ts";
import { timelineView } from "./pictures/timeline.ts";
import { treemapView } from "./pictures/treemap.ts";
import { callsView } from "./profile/calls.ts";
import { dataView } from "./profile/data.ts";
import { eventsView } from "./profile/events.ts";
import { functionsView } from "./profile/functions.ts";
import { linesView } from "./profile/lines.ts";
import { partsView } from "./profile/parts.ts";
import { sourceView } from "./profile/source.ts";
import { reportView } from "./report/report.ts";
import { runsView } from "./report/runs.ts";
import type { View } from "./view.ts";

export const VIEWS: readonly View[] = [
  functionsView,
  callsView,
  sourceView,
  linesView,
  flameView,
  graphView,
  treemapView,
  partsView,
  dataView,
  eventsView,
  timelineView,
  reportView,
  runsView,
];
