//! Profiles without calls, as written by cachegrind and by perf without call graphs: only self costs are known.
//!
//! Debug information may show inlined functions as callees, but real calls stay unknown.

use lotse_model::Profile;

use super::InclusiveOrigin;

/// The origin of inclusive costs in a profile without calls; `None` for one that has calls, or no costs at all.
pub(super) fn flat_origin(profile: &Profile, totals: &[i128]) -> Option<InclusiveOrigin> {
    let has_calls = profile.parts.iter().any(|part| !part.calls.is_empty() || !part.inclusive.is_empty());
    if has_calls || totals.iter().all(|&total| total == 0) {
        return None;
    }
    let stacks = &profile.stacks;
    let with_caller = (0..stacks.len()).filter(|&stack| stacks.below[stack].is_some());
    let mut inlined = with_caller.map(|stack| profile.frames.get(stacks.frame[stack]).inlined).peekable();
    let origin = if inlined.peek().is_some() { InclusiveOrigin::Inlined } else { InclusiveOrigin::Nothing };
    inlined.all(|inlined| inlined).then_some(origin)
}

/// A note that inclusive costs are unknown, if they are.
pub(super) fn note(origin: InclusiveOrigin) -> Option<&'static str> {
    origin.lacks_calls().then_some("the file has no calls, so inclusive costs are unknown")
}

#[cfg(test)]
mod tests {
    use crate::analysis::tests::{stacked, summed};
    use crate::analysis::{Analysis, CycleMode, InclusiveOrigin};

    #[test]
    fn only_a_profile_without_calls_is_flat() {
        let origin = |profile| Analysis::of_default_parts(&profile, CycleMode::Folded).origin;
        assert_eq!(origin(summed(&[("a", 1), ("b", 2)], &[])), InclusiveOrigin::Nothing);
        assert_eq!(origin(summed(&[("a", 1), ("b", 2)], &[("a", "b", 1, 2)])), InclusiveOrigin::Calls);
        assert_eq!(origin(stacked(&[("a", 1), ("b", 2)])), InclusiveOrigin::Nothing);
        assert_eq!(origin(stacked(&[("a", 1), ("a;b", 2)])), InclusiveOrigin::Stacks);
        assert_eq!(origin(summed(&[("a", 0)], &[])), InclusiveOrigin::Calls);
    }
}
