//! Inclusive costs of functions, from the best source that the file has.

use lotse_model::profile::Costs;
use lotse_model::progress::Checked as _;

use super::stated::StatedInclusive;
use super::{Analysis, CycleMode, InclusiveOrigin, entering, propagation, stacks};

/// An excess below `total / SLACK` gets no note, because no share shows it: callgrind misses 2 of 200,000,000
/// instructions.
const SLACK: u64 = 1_000_000;

/// What the file has besides self costs and calls.
pub(super) struct KnownInclusive {
    /// Inclusive costs from stacks.
    pub(super) stacks: Option<stacks::StackInclusive>,
    /// Inclusive costs that the files state.
    pub(super) stated: Option<StatedInclusive>,
    pub(super) calls_have_costs: bool,
}

/// Computes inclusive costs and records their origin. If the file has none, self costs are spread as gprof does, and
/// a note says so.
pub(super) fn inclusive(analysis: &mut Analysis<'_>, known: KnownInclusive) -> Costs {
    let stated = known.stated.filter(|_| analysis.cycle_mode == CycleMode::Folded);
    if !known.calls_have_costs && stated.is_none() && analysis.cycle_mode != CycleMode::Gprof {
        analysis.cycle_mode = CycleMode::Gprof;
        analysis.notes.push(
            "the file has no inclusive costs: self costs were spread over callers in proportion to calls, as gprof \
             does; this is an estimate"
                .to_owned(),
        );
    }
    analysis.origin = match (analysis.cycle_mode, &known.stacks, &stated) {
        (CycleMode::Gprof, ..) => InclusiveOrigin::Counts,
        (_, Some(_), _) => InclusiveOrigin::Stacks,
        (_, None, Some(_)) => InclusiveOrigin::File,
        (_, None, None) => InclusiveOrigin::Calls,
    };
    match (analysis.cycle_mode, known.stacks, stated) {
        (CycleMode::Gprof, ..) => {
            let mut inclusive = propagation::spread(analysis);
            entering::raise(&mut inclusive, analysis);
            inclusive
        }
        (CycleMode::Folded, Some(known), _) => capped(known.once, analysis, 0),
        (CycleMode::Raw, Some(known), _) => raw(known.repeated, analysis),
        (CycleMode::Folded, None, Some(stated)) => from_file(stated, known.calls_have_costs, analysis),
        (CycleMode::Folded, None, None) => {
            let mut inclusive = folded(analysis);
            entering::raise(&mut inclusive, analysis);
            capped(inclusive, analysis, 0)
        }
        (CycleMode::Raw, None, _) => raw(with_calls(analysis, |_, _| true), analysis),
    }
}

/// Self costs plus the costs of calls that leave the caller's cycle.
fn folded(analysis: &Analysis<'_>) -> Costs {
    with_calls(analysis, |caller, callee| !analysis.cycles.inside(caller, callee))
}

/// The inclusive costs that the file states. If it does not state costs of calls, these are computed by dividing the
/// cost of each callee among its callers in proportion to the numbers of calls.
fn from_file(stated: StatedInclusive, calls_have_costs: bool, analysis: &mut Analysis<'_>) -> Costs {
    let computed = if calls_have_costs { folded(analysis) } else { Costs::clone(&analysis.own) };
    // Self costs that were rounded one by one can add up to less than a sum that was rounded once.
    let rounding = analysis.own.rows() as u64 / 2 + 1;
    let inclusive = capped(stated.or_computed(&computed), analysis, rounding);
    if !calls_have_costs {
        propagation::divide_among_calls(analysis, &inclusive);
        analysis.notes.push(
            "the file does not say what calls cost: the inclusive cost of a function was shared out among its \
             callers in proportion to calls; costs of calls are estimates"
                .to_owned(),
        );
    }
    inclusive
}

/// Self costs plus the costs of those calls that `counts` accepts.
fn with_calls(
    analysis: &Analysis<'_>,
    counts: impl Fn(lotse_model::id::FunctionId, lotse_model::id::FunctionId) -> bool,
) -> Costs {
    let mut inclusive = Costs::clone(&analysis.own);
    if inclusive.width() == 0 {
        return inclusive;
    }
    let calls = &analysis.calls;
    for (row, (&caller, &callee)) in calls.caller.iter().zip(&calls.callee).enumerate().checked() {
        if counts(caller, callee) {
            inclusive.add(caller.index(), calls.costs.row(row));
        }
    }
    inclusive
}

/// Returns the costs unchanged, with a note if they exceed the total.
fn raw(inclusive: Costs, analysis: &mut Analysis<'_>) -> Costs {
    let above = above_total(&inclusive, analysis);
    if above > 0 {
        analysis.notes.push(format!(
            "raw inclusive costs count recursive calls again: {above} {} the total",
            if above == 1 { "function exceeds" } else { "functions exceed" }
        ));
    }
    inclusive
}

/// Cuts inclusive costs to the total, for files whose calls do not add up. A note says so if the excess is more than
/// rounding explains, or the few instructions that are missed while the profiler is switched on or off.
fn capped(mut inclusive: Costs, analysis: &mut Analysis<'_>, rounding: u64) -> Costs {
    if inclusive.signed() || above_total(&inclusive, analysis) == 0 {
        return inclusive;
    }
    let limits: Vec<u64> =
        analysis.totals.iter().map(|&total| u64::try_from(total).unwrap_or(u64::MAX)).collect();
    let mut cut = 0;
    for row in (0..inclusive.rows()).checked() {
        let over: Vec<u64> =
            inclusive.row(row).iter().zip(&limits).map(|(cost, limit)| cost.saturating_sub(*limit)).collect();
        if over.iter().any(|&over| over > 0) {
            inclusive.subtract(row, &over);
            let slack = |limit: &u64| rounding.max(limit / SLACK);
            cut += usize::from(over.iter().zip(&limits).any(|(&over, limit)| over > slack(limit)));
        }
    }
    if cut > 0 {
        analysis.notes.push(format!(
            "the costs of the file do not add up: the inclusive cost of {cut} {} exceeded the total and was cut to it",
            if cut == 1 { "function" } else { "functions" }
        ));
    }
    inclusive
}

/// The number of functions whose inclusive cost exceeds the total.
fn above_total(inclusive: &Costs, analysis: &Analysis<'_>) -> usize {
    if inclusive.signed() {
        return 0;
    }
    let exceeds = |row: &usize| {
        inclusive.row(*row).iter().zip(&analysis.totals).any(|(&cost, &total)| i128::from(cost) > total)
    };
    (0..inclusive.rows()).filter(exceeds).count()
}
