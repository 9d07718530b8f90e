//! Inclusive costs that files state themselves: these are used, whatever the calls add up to.
//!
//! They are the only exact inclusive costs of members of cycles. If `walk` and `visit` call each other, `walk` may take
//! all of the time, though most of it is spent in calls inside the cycle, which must not be added.

use lotse_model::Profile;
use lotse_model::profile::{Costs, Part};
use lotse_model::progress::Checked as _;

/// The inclusive costs that files state.
pub(super) struct StatedInclusive {
    costs: Costs,
    /// For each function, whether its cost is stated.
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
        for (row, function) in part.inclusive.function.iter().enumerate().checked() {
            costs.add(function.index(), part.inclusive.costs.row(row));
            known[function.index()] = true;
        }
    }
    Some(StatedInclusive { costs, known })
}

impl StatedInclusive {
    /// The stated costs, and for other functions the computed ones.
    pub(super) fn or_computed(self, computed: &Costs) -> Costs {
        let mut inclusive = Costs::new(computed.width(), computed.signed());
        for (row, known) in self.known.iter().enumerate() {
            inclusive.push(if *known { self.costs.row(row) } else { computed.row(row) });
        }
        inclusive
    }
}
