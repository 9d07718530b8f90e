//! Inclusive costs that files state themselves: they count, whatever the calls add up to.
//!
//! A function in a cycle has an inclusive cost of its own there, which calls alone cannot tell: `walk`, which calls
//! `visit`, which calls `walk`, takes all of the time, though most of it is spent in calls inside the cycle.

use lotse_model::Profile;
use lotse_model::profile::{Costs, Part};

/// What files state.
pub(super) struct StatedInclusive {
    costs: Costs,
    /// For each function whether they state it.
    known: Vec<bool>,
}

/// The sums of what the parts state; `None` unless all of them state inclusive costs.
pub(super) fn stated(profile: &Profile, parts: &[&Part]) -> Option<StatedInclusive> {
    if parts.is_empty() || profile.events.is_empty() || parts.iter().any(|part| part.inclusive.is_empty()) {
        return None;
    }
    let functions = profile.functions.len();
    let mut costs = Costs::zeros(profile.events.len(), profile.signed, functions);
    let mut known = vec![false; functions];
    for part in parts {
        for (row, function) in part.inclusive.function.iter().enumerate() {
            costs.add(function.index(), part.inclusive.costs.row(row));
            known[function.index()] = true;
        }
    }
    Some(StatedInclusive { costs, known })
}

impl StatedInclusive {
    /// What is stated, and for other functions what was worked out.
    pub(super) fn over(self, worked_out: &Costs) -> Costs {
        let mut inclusive = Costs::new(worked_out.width(), worked_out.signed());
        for (row, known) in self.known.iter().enumerate() {
            inclusive.push(if *known { self.costs.row(row) } else { worked_out.row(row) });
        }
        inclusive
    }
}
