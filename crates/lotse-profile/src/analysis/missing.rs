//! What callers that were not recorded mean for inclusive costs.
//!
//! ```text
//! main;run;strlen          3 samples
//! main;[caller not recorded];strlen   2 samples    run may be the caller: it costs 3 to 5
//! ```
//!
//! Every function of user code that is not on such a stack may be missing there, so that its inclusive cost is a lower
//! bound. Code of the kernel is never missing: it does not call user code.

use lotse_formats::unwind::is_missing_caller;
use lotse_model::Profile;
use lotse_model::profile::Part;

use super::stacks::{children, visit};
use super::{Analysis, share};
use crate::events::default_event;

/// Costs are lower bounds if more than this share of the total may be missing in them. Nearly every recording by frame
/// pointers has a few such samples.
const LEAST: f64 = 0.01;

/// For each function whether it stands for callers that were not recorded.
pub(super) fn missing_callers(profile: &Profile) -> Vec<bool> {
    profile.functions.ids().map(|function| is_missing_caller(profile.function_name(function))).collect()
}

/// For each function whether stacks without it, which lack callers, cost more than a hundredth of the total; empty if none do.
pub(super) fn lower_bounds(analysis: &Analysis<'_>) -> Vec<bool> {
    let profile = analysis.profile;
    let missing = missing_callers(profile);
    let event = default_event(profile).unwrap_or(0);
    if profile.signed || analysis.totals.len() <= event || !missing.contains(&true) {
        return Vec::new();
    }
    let parts = analysis.parts.iter().map(|part| &profile.parts[part.index()]);
    let (cost, whole) = lacking(profile, parts, (&missing, event));
    let mut on_path = vec![0_u32; profile.functions.len()];
    let mut present = vec![0_i128; profile.functions.len()];
    visit(&children(profile), |node, entering| {
        let function = function_of(profile, node);
        if !entering {
            on_path[function] -= 1;
            return;
        }
        if on_path[function] == 0 {
            present[function] += cost[node];
        }
        on_path[function] += 1;
    });
    let least = |function: usize| share(whole - present[function], analysis.totals[event]);
    let is_user = |function| !profile.function_object(function).is_some_and(|it| it.starts_with("[kernel"));
    let is_lower = |function: lotse_model::id::FunctionId| {
        let row = function.index();
        analysis.inclusive.value(row, event) > 0 && !missing[row] && least(row) > LEAST && is_user(function)
    };
    let lower: Vec<bool> = profile.functions.ids().map(is_lower).collect();
    if lower.contains(&true) { lower } else { Vec::new() }
}

/// The cost of the samples that lack callers, for each stack with all stacks on top of it, and their sum.
fn lacking<'p>(
    profile: &Profile,
    parts: impl Iterator<Item = &'p Part>,
    (missing, event): (&[bool], usize),
) -> (Vec<i128>, i128) {
    let below = &profile.stacks.below;
    let mut lacks = vec![false; below.len()];
    for node in 0..below.len() {
        lacks[node] = missing[function_of(profile, node)] || below[node].is_some_and(|it| lacks[it.index()]);
    }
    let mut cost = vec![0_i128; below.len()];
    let mut whole = 0;
    for part in parts {
        for (row, stack) in part.samples.stack.iter().enumerate() {
            if let Some(stack) = stack.filter(|stack| lacks[stack.index()]) {
                let sample = part.samples.costs.value(row, event);
                cost[stack.index()] += sample;
                whole += sample;
            }
        }
    }
    for node in (0..below.len()).rev() {
        if let Some(below) = below[node] {
            cost[below.index()] += cost[node];
        }
    }
    (cost, whole)
}

fn function_of(profile: &Profile, stack: usize) -> usize {
    profile.frames.function[profile.stacks.frame[stack].index()].index()
}

#[cfg(test)]
mod tests {
    use crate::analysis::tests::stacked;
    use crate::analysis::{Analysis, CycleMode};

    /// The names of lower bounds and the members of cycles.
    fn found(stacks: &[(&str, u64)]) -> (Vec<String>, Vec<String>) {
        let profile = stacked(stacks);
        let analysis = Analysis::of_default_parts(&profile, CycleMode::Folded);
        let names = |flag: &dyn Fn(lotse_model::id::FunctionId) -> bool| -> Vec<String> {
            let ids = profile.functions.ids().filter(|&function| flag(function));
            ids.map(|function| profile.function_name(function).to_owned()).collect()
        };
        let cycles = &analysis.cycles;
        (
            names(&|function| analysis.is_lower_bound(function)),
            names(&|it| cycles.cycle[it.index()].is_some() || cycles.recursive[it.index()]),
        )
    }

    /// `parse` and `print` are each called by some function that was not recorded, and never by each other.
    #[test]
    fn missing_callers_connect_no_functions() {
        let stacks = [
            ("main;parse;[caller not recorded];parse", 50),
            ("main;print;[caller not recorded];print", 50),
            ("[outer callers not recorded];print;parse;[caller not recorded 2];print", 1),
        ];
        assert_eq!(found(&stacks).1, [""; 0]);
        let calls = [("main;a;b;a", 1), ("main;b", 1)];
        assert_eq!(found(&calls).1, ["a", "b"]);
    }

    #[test]
    fn functions_that_may_be_missing_have_lower_bounds() {
        let bounds = |marker: &str, cost| {
            found(&[("main;run;strlen", 100), (&format!("main;{marker};strlen"), cost)]).0
        };
        assert_eq!(bounds("[caller not recorded]", 50), ["run"]);
        assert_eq!(bounds("[caller not recorded]", 1), [""; 0], "hardly anything");
        assert_eq!(bounds("other", 50), [""; 0]);
        let outer = [("main;run", 100), ("[outer callers not recorded];malloc", 50)];
        assert_eq!(found(&outer).0, ["main", "run"]);
    }
}
