// Costs of a function in a comparison: always with the side that they are of.

import type { CostPair, SideChoice } from "../../api/types.ts";
import { markedText } from "./amount.ts";

export interface SideCosts {
  /** "old", "new", "old → new"; empty outside of comparisons. */
  side: string;
  self: string;
  /** Empty if there are no inclusive costs. */
  inclusive: string;
}

/** The shares of a function; `side` is null outside of comparisons. */
export function sideCosts(pair: CostPair, side: SideChoice | null): SideCosts {
  const texts = (which: "self" | "inclusive"): { old: string; now: string } => {
    const [amount, change] = which === "self" ? [pair.self, pair.self_change] : [pair.inclusive, pair.inclusive_change];
    return { old: change ? markedText(change.old, true) : "", now: amount ? markedText(amount, true) : "" };
  };
  const [self, inclusive] = [texts("self"), texts("inclusive")];
  if (side === null) return { side: "", self: self.now, inclusive: inclusive.now };
  // A function that is not compared has the costs of the only profile with it.
  if (!pair.self_change) return { side: "in one profile only", self: self.now, inclusive: inclusive.now };
  if (side === "old") return { side, self: self.old, inclusive: inclusive.old };
  if (side === "new") return { side, self: self.now, inclusive: inclusive.now };
  const both = ({ old, now }: { old: string; now: string }) => (old === "" ? now : `${old} → ${now}`);
  return { side: "old → new", self: both(self), inclusive: both(inclusive) };
}
