//! Finds event types that have costs of both signs, so that shares of the total are meaningless.
//!
//! A difference of two profiles, as written by `go tool pprof -diff_base`, has positive costs where the program became
//! slower and negative ones where it became faster. If they are 230 ms and -290 ms, the total is -60 ms, and 100 ms is
//! not -167 % of anything. A few slightly negative costs, as caused by clocks that go backwards, are ignored.

use lotse_model::Profile;
use lotse_model::profile::{Costs, Part};

/// The share of negative costs in the sum of all magnitudes that is ignored.
const IGNORED_SHARE: f64 = 0.01;

/// For each event type, whether a considerable part of its costs is negative.
pub(super) fn mixed(profile: &Profile) -> Vec<bool> {
    if !profile.signed {
        return vec![false; profile.events.len()];
    }
    let costs: Vec<&Costs> = profile.parts.iter().map(own_costs).collect();
    // The digest of an index has no costs of parts; then both signs must be assumed.
    let unknown = costs.iter().all(|costs| costs.rows() == 0);
    let is_mixed = |event: usize| {
        let rows = costs.iter().flat_map(|costs| (0..costs.rows()).map(move |row| costs.value(row, event)));
        let (mut below, mut all) = (0.0, 0.0);
        for cost in rows.map(|cost| cost as f64) {
            below += if cost < 0.0 { -cost } else { 0.0 };
            all += cost.abs();
        }
        unknown || below > IGNORED_SHARE * all
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
