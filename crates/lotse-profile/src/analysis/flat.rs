//! Profiles without calls, as cachegrind and perf without call graphs write them: only self costs are known.
//!
//! Functions that were inlined into others are found all the same, but what the function itself called is not.

use lotse_model::Profile;

use super::Origin;

/// Where inclusive costs come from in a profile without calls; `None` for one that has calls, or no costs at all.
pub(super) fn flat_origin(profile: &Profile, totals: &[i128]) -> Option<Origin> {
    let has_calls = profile.parts.iter().any(|part| !part.calls.is_empty() || !part.inclusive.is_empty());
    if has_calls || totals.iter().all(|&total| total == 0) {
        return None;
    }
    let stacks = &profile.stacks;
    let upon = (0..stacks.len()).filter(|&stack| stacks.below[stack].is_some());
    let mut inlined = upon.map(|stack| profile.frames.get(stacks.frame[stack]).inlined).peekable();
    let origin = if inlined.peek().is_some() { Origin::Inlined } else { Origin::Nothing };
    inlined.all(|inlined| inlined).then_some(origin)
}

/// What a reader of the numbers must know.
pub(super) fn note(origin: Origin) -> Option<&'static str> {
    origin.lacks_calls().then_some("the file has no calls, so inclusive costs are unknown")
}

#[cfg(test)]
mod tests {
    use crate::analysis::tests::{stacked, summed};
    use crate::analysis::{Analysis, Origin, Way};

    #[test]
    fn only_a_profile_without_calls_is_flat() {
        let origin = |profile| Analysis::of_default_parts(&profile, Way::Folded).origin;
        assert_eq!(origin(summed(&[("a", 1), ("b", 2)], &[])), Origin::Nothing);
        assert_eq!(origin(summed(&[("a", 1), ("b", 2)], &[("a", "b", 1, 2)])), Origin::Calls);
        assert_eq!(origin(stacked(&[("a", 1), ("b", 2)])), Origin::Nothing);
        assert_eq!(origin(stacked(&[("a", 1), ("a;b", 2)])), Origin::Stacks);
        assert_eq!(origin(summed(&[("a", 0)], &[])), Origin::Calls);
    }
}
