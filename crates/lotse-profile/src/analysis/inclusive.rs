//! Inclusive costs of functions, in the way asked for.

use lotse_model::profile::Costs;

use super::stated::StatedInclusive;
use super::{Analysis, Origin, Way, entering, propagation, stacks};

/// An excess of less than this part of the total shows in no share: callgrind misses 2 of 200,000,000 instructions.
const SLACK: u64 = 1_000_000;

/// What is known beside self costs and calls.
pub(super) struct Known {
    /// Inclusive costs from stacks.
    pub(super) stacks: Option<stacks::Inclusive>,
    /// Inclusive costs that the files state.
    pub(super) stated: Option<StatedInclusive>,
    /// Whether calls have inclusive costs.
    pub(super) calls: bool,
}

/// Inclusive costs. Where the file has none, they are spread as gprof does, and a note says so.
pub(super) fn inclusive(analysis: &mut Analysis<'_>, known: Known) -> Costs {
    let stated = known.stated.filter(|_| analysis.way == Way::Folded);
    if !known.calls && stated.is_none() && analysis.way != Way::Gprof {
        analysis.way = Way::Gprof;
        analysis.notes.push(
            "the file has no inclusive costs: self costs were spread over callers in proportion to calls, as gprof \
             does; this is an estimate"
                .to_owned(),
        );
    }
    analysis.origin = match (analysis.way, &known.stacks, &stated) {
        (Way::Gprof, ..) => Origin::Counts,
        (_, Some(_), _) => Origin::Stacks,
        (_, None, Some(_)) => Origin::File,
        (_, None, None) => Origin::Calls,
    };
    match (analysis.way, known.stacks, stated) {
        (Way::Gprof, ..) => {
            let mut inclusive = propagation::spread(analysis);
            entering::raise(&mut inclusive, analysis);
            inclusive
        }
        (Way::Folded, Some(known), _) => capped(known.once, analysis, 0),
        (Way::Raw, Some(known), _) => raw(known.repeated, analysis),
        (Way::Folded, None, Some(stated)) => from_file(stated, known.calls, analysis),
        (Way::Folded, None, None) => {
            let mut inclusive = folded(analysis);
            entering::raise(&mut inclusive, analysis);
            capped(inclusive, analysis, 0)
        }
        (Way::Raw, None, _) => raw(with_calls(analysis, |_, _| true), analysis),
    }
}

fn folded(analysis: &Analysis<'_>) -> Costs {
    with_calls(analysis, |caller, callee| !analysis.cycles.inside(caller, callee))
}

/// What the file states. Where it does not state what calls cost, that is shared out by their numbers.
fn from_file(stated: StatedInclusive, calls: bool, analysis: &mut Analysis<'_>) -> Costs {
    let worked_out = if calls { folded(analysis) } else { analysis.own.clone() };
    // Self costs that were rounded one by one can add up to less than a sum that was rounded once.
    let rounding = analysis.own.rows() as u64 / 2 + 1;
    let inclusive = capped(stated.over(&worked_out), analysis, rounding);
    if !calls {
        propagation::share_out(analysis, &inclusive);
        analysis.notes.push(
            "the file does not say what calls cost: the inclusive cost of a function was shared out among its \
             callers in proportion to calls; costs of calls are estimates"
                .to_owned(),
        );
    }
    inclusive
}

/// Self costs plus those of the calls that count.
fn with_calls(
    analysis: &Analysis<'_>,
    counts: impl Fn(lotse_model::id::FunctionId, lotse_model::id::FunctionId) -> bool,
) -> Costs {
    let mut inclusive = analysis.own.clone();
    if inclusive.width() == 0 {
        return inclusive;
    }
    let calls = &analysis.calls;
    for (row, (&caller, &callee)) in calls.caller.iter().zip(&calls.callee).enumerate() {
        if counts(caller, callee) {
            inclusive.add(caller.index(), calls.costs.row(row));
        }
    }
    inclusive
}

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

/// No function costs more than everything: files whose calls do not add up are cut, and a note says so where they
/// exceed the total by more than rounding or a few instructions around a switch of the profiler explain.
fn capped(mut inclusive: Costs, analysis: &mut Analysis<'_>, rounding: u64) -> Costs {
    if inclusive.signed() || above_total(&inclusive, analysis) == 0 {
        return inclusive;
    }
    let limits: Vec<u64> =
        analysis.totals.iter().map(|&total| u64::try_from(total).unwrap_or(u64::MAX)).collect();
    let mut cut = 0;
    for row in 0..inclusive.rows() {
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

fn above_total(inclusive: &Costs, analysis: &Analysis<'_>) -> usize {
    if inclusive.signed() {
        return 0;
    }
    let exceeds = |row: &usize| {
        inclusive.row(*row).iter().zip(&analysis.totals).any(|(&cost, &total)| i128::from(cost) > total)
    };
    (0..inclusive.rows()).filter(exceeds).count()
}
