// Why a picture is empty, in one sentence.

import type { About, Scope } from "../api/types.ts";

/** `what` is "flame graph", "treemap" or "call graph". */
export function emptyReason(about: About, scope: Scope, what: string): string {
  const patterns = [
    scope.focus && `focus on “${short(scope.focus)}”`,
    scope.ignore && `ignore “${short(scope.ignore)}”`,
    scope.hide && `hide “${short(scope.hide)}”`,
  ].filter((text): text is string => !!text);
  if (patterns.length > 0) return `Nothing is left with the filter ${patterns.join(", ")}. Clear it to see all functions.`;
  const event = about.profile?.events.find((type) => type.name === (scope.event ?? about.profile?.default_event));
  if (event && !event.adds_up) return `${event.title ?? event.name} does not add up, so a ${what} cannot show it. Choose another event type.`;
  if (about.profile && !about.profile.has_calls && what === "call graph") {
    return "This profile has no calls: it was recorded without call stacks, so there is no call graph. The function table has all costs.";
  }
  if (scope.parts && scope.parts.length > 0) return "The chosen parts have no costs of this event type. Choose other parts.";
  if (scope.side === "difference") return "Both profiles have the same costs here.";
  return "This profile has no costs of this event type.";
}

function short(text: string): string {
  return text.length > 60 ? `${text.slice(0, 59)}…` : text;
}
