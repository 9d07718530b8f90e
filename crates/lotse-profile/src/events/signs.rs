//! Which event types have costs of both signs, so that there is no whole to take shares of.
//!
//! A difference of two profiles, as `go tool pprof -diff_base` writes it, has what grew above zero and what shrank
//! below: 230 ms and -290 ms are -60 ms together, and 100 ms are not -167 % of anything. A few costs a little below
//! zero, as clocks that go back leave them, change nothing.

use lotse_model::Profile;
use lotse_model::profile::{Costs, Part};

/// What may lie below zero, as a share of the sum of all magnitudes.
const LITTLE: f64 = 0.01;

/// For each event type whether a good part of its costs is below zero.
pub(super) fn mixed(profile: &Profile) -> Vec<bool> {
    if !profile.signed {
        return vec![false; profile.events.len()];
    }
    let costs: Vec<&Costs> = profile.parts.iter().map(own_costs).collect();
    // The front of an index has no costs. What is not known to be of one sign is not taken for it.
    let unknown = costs.iter().all(|costs| costs.rows() == 0);
    let is_mixed = |event: usize| {
        let rows = costs.iter().flat_map(|costs| (0..costs.rows()).map(move |row| costs.value(row, event)));
        let (mut below, mut all) = (0.0, 0.0);
        for cost in rows.map(|cost| cost as f64) {
            below += if cost < 0.0 { -cost } else { 0.0 };
            all += cost.abs();
        }
        unknown || below > LITTLE * all
    };
    (0..profile.events.len()).map(is_mixed).collect()
}

fn own_costs(part: &Part) -> &Costs {
    if part.samples.is_empty() { &part.own.costs } else { &part.samples.costs }
}

#[cfg(test)]
mod tests {
    use super::mixed;
    use crate::analysis::tests::summed;

    #[test]
    fn a_little_below_zero_is_no_difference() {
        let minus = |cost: i64| cost as u64;
        let check = |own: &[(&str, u64)], signed: bool, expected: bool| {
            let mut profile = summed(own, &[]);
            profile.signed = signed;
            profile.parts[0].own.costs = signed_copy(&profile.parts[0].own.costs, signed);
            assert_eq!(mixed(&profile), [expected], "{own:?}");
        };
        check(&[("f", 100), ("g", 50)], false, false);
        check(&[("f", 1000), ("g", minus(-5))], true, false);
        check(&[("f", 1000), ("g", minus(-500))], true, true);
        check(&[], true, true);
    }

    fn signed_copy(costs: &lotse_model::profile::Costs, signed: bool) -> lotse_model::profile::Costs {
        let mut copy = lotse_model::profile::Costs::new(costs.width(), signed);
        (0..costs.rows()).for_each(|row| copy.push(costs.row(row)));
        copy
    }
}
