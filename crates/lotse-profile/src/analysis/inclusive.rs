//! Inclusive costs of functions, in the way asked for.

use lotse_model::profile::Costs;

use super::{Analysis, Way, propagation, stacks};

/// Inclusive costs. Where the file has none for calls, they are spread as gprof does, and a note says so.
pub(super) fn inclusive(
    analysis: &mut Analysis<'_>,
    from_stacks: Option<stacks::Inclusive>,
    told: bool,
) -> Costs {
    if !told && analysis.way != Way::Gprof {
        analysis.way = Way::Gprof;
        analysis.notes.push(
            "the file has no inclusive costs: self costs were spread over callers in proportion to calls, as gprof \
             does; this is an estimate"
                .to_owned(),
        );
    }
    match (analysis.way, from_stacks) {
        (Way::Gprof, _) => propagation::spread(analysis),
        (Way::Folded, Some(known)) => capped(known.once, analysis),
        (Way::Raw, Some(known)) => raw(known.repeated, analysis),
        (Way::Folded, None) => {
            let sums = with_calls(analysis, |caller, callee| !analysis.cycles.inside(caller, callee));
            capped(sums, analysis)
        }
        (Way::Raw, None) => raw(with_calls(analysis, |_, _| true), analysis),
    }
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
            "raw inclusive costs count recursive calls again: {above} functions exceed the total"
        ));
    }
    inclusive
}

/// No function costs more than everything: files whose calls do not add up are cut, and a note says so.
fn capped(mut inclusive: Costs, analysis: &mut Analysis<'_>) -> Costs {
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
            cut += 1;
        }
    }
    analysis.notes.push(format!(
        "the calls of the file do not add up: the inclusive cost of {cut} functions exceeded the total and was cut to it"
    ));
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
