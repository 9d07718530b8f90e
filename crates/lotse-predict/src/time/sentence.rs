//! Why a loop takes its time, in a sentence.

use super::chain::Chain;
use super::estimate::Parts;
use super::transfers::Moved;
use super::{Assumptions, Limit};
use crate::compiled::Match;
use crate::concrete::Instance;
use crate::locality::Start;
use crate::nest::{NumberType, OperationKind};

pub(super) fn why(
    parts: &Parts<'_>,
    limit: &Limit,
    moved: &Moved,
    instance: &Instance<'_>,
    assumptions: Assumptions<'_>,
) -> String {
    if parts.row.iterations() == 0.0 {
        return "it has no iterations".to_owned();
    }
    let main = match limit {
        Limit::Chain => chain(parts, instance),
        Limit::LoopEntry => format!(
            "it has {} iterations at a time, and starting it takes longer than executing them",
            number(parts.row.iterations() / parts.row.entries.max(1.0))
        ),
        Limit::Transfer(from) => transfer(parts, from, moved, assumptions),
        Limit::Pages => format!(
            "its data are on more than {} pages, and {} in each iteration must be looked up",
            assumptions.machine.pages.entries,
            number(moved.pages.0 / parts.row.iterations().max(1.0))
        ),
        Limit::FrontEnd => {
            format!(
                "the core must decode {} instructions for each iteration",
                number(parts.throughput.instructions)
            )
        }
        Limit::Loads => busy(parts, "its loads"),
        Limit::Stores => busy(parts, "its stores"),
        Limit::FloatingPoint if parts.has_floats() => busy(parts, "its floating-point operations"),
        Limit::FloatingPoint => busy(parts, "its operations on vectors"),
        Limit::Division => busy(parts, "its divisions"),
        Limit::Integer => busy(parts, "integers, addresses and branches"),
        Limit::Calls => busy(parts, "calls of library functions"),
    };
    format!("{main}{}", vectors(parts))
}

fn busy(parts: &Parts<'_>, what: &str) -> String {
    format!("{what} take {} cycles for each iteration, longer than all else", number(parts.throughput.cycles))
}

fn vectors(parts: &Parts<'_>) -> String {
    match &parts.compiled {
        Some(Ok(found)) => return compiled(found),
        Some(Err(reason)) => return format!("; not taken from the compiled code, because {reason}"),
        None => {}
    }
    match (&parts.lanes, parts.row.is_innermost) {
        (lanes, true) if lanes.library => "; the compiler makes it a call of memcpy or memset".to_owned(),
        (lanes, true) if lanes.outer => {
            format!("; one instruction does {} iterations of the loop around", number(lanes.count))
        }
        (lanes, true) if lanes.count > 1.0 => {
            format!("; one instruction does {} iterations", number(lanes.count))
        }
        (lanes, true) => {
            lanes.refused.map_or_else(String::new, |reason| format!("; not vectorised, because {reason}"))
        }
        (_, false) => String::new(),
    }
}

fn compiled(found: &Match) -> String {
    let Match { header, iterations, occupation, .. } = found;
    let vectors = match occupation.vector > 0.0 {
        true => format!(" with vectors of {} bytes", number(occupation.vector)),
        false => String::new(),
    };
    let plural = if *iterations > 1.0 { "iterations" } else { "iteration" };
    format!(
        "; compiled, at {header:#x}: {} instructions do {} {plural}{vectors}",
        number(occupation.instructions),
        number(*iterations)
    )
}

fn chain(parts: &Parts<'_>, instance: &Instance<'_>) -> String {
    let Some(chain) = &parts.chain else { return "iterations wait for each other".to_owned() };
    let what = subject(chain, instance);
    let cycles = number(match &parts.compiled {
        Some(Ok(found)) => found.recurrence / found.iterations,
        _ => chain.cycles,
    });
    if chain.carried.through_memory {
        return format!(
            "each iteration waits {cycles} cycles until {what} of an earlier one is stored and loaded again"
        );
    }
    format!("each iteration waits {cycles} cycles for {what} of the one before")
}

/// What closes a chain: a scalar or an element.
fn subject(chain: &Chain, instance: &Instance<'_>) -> String {
    let array = chain.carried.array.and_then(|id| instance.function.arrays.get(id.0));
    match (&chain.carried.scalar, array) {
        (Some(name), _) => name.clone(),
        (None, Some(array)) => format!("the element of {}", array.name),
        (None, None) => "the value".to_owned(),
    }
}

/// The cycles of a floating-point reduction and what is accumulated, if that keeps the loop from being vectorised.
pub(super) fn reduction(parts: &Parts<'_>, instance: &Instance<'_>) -> Option<(f64, String)> {
    let chain = parts.chain.as_ref().filter(|chain| chain.is_reduction() && parts.row.is_innermost)?;
    let float = |(kind, number): &(OperationKind, NumberType)| {
        matches!(number, NumberType::F32 | NumberType::F64)
            && matches!(kind, OperationKind::Add | OperationKind::Multiply)
    };
    chain.operations.iter().any(float).then(|| (chain.cycles, subject(chain, instance)))
}

fn transfer(parts: &Parts<'_>, from: &str, moved: &Moved, assumptions: Assumptions<'_>) -> String {
    let level = moved.costliest().unwrap_or(0);
    let lines = moved.misses.get(level).copied().unwrap_or(0.0) / parts.row.iterations().max(1.0);
    let cache = assumptions.machine.caches.get(level).map_or("the cache", |cache| cache.name.as_str());
    let rate = match lines >= 0.95 {
        true => format!("{} lines in each iteration", number(lines)),
        false => format!("a line in every {} iterations", number(1.0 / lines.max(1e-12))),
    };
    // A cold cache has nothing, however little the data are.
    let missing = if assumptions.start == Start::Cold { "are not in" } else { "do not fit" };
    format!("its data {missing} {cache}: {rate} must come from {from}")
}

/// Two significant digits below 10, none after the point above.
fn number(value: f64) -> String {
    if value >= 10.0 || (value - value.round()).abs() < 0.05 {
        format!("{value:.0}")
    } else if value >= 1.0 {
        format!("{value:.1}")
    } else {
        format!("{value:.2}")
    }
}
