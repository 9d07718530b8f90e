//! The sentence that explains what limits a loop.

use super::chain::Chain;
use super::estimate::LoopModel;
use super::transfers::LoopTraffic;
use super::{Assumptions, Limit};
use crate::compiled::CompiledMatch;
use crate::concrete::Instance;
use crate::locality::Start;
use crate::nest::{NumberType, OperationKind};

/// The explanation of a limit, with cycles or lines per iteration, and a clause about vectorisation.
pub(super) fn why(
    model: &LoopModel<'_>,
    limit: &Limit,
    traffic: &LoopTraffic,
    instance: &Instance<'_>,
    assumptions: Assumptions<'_>,
) -> String {
    if model.row.iterations() == 0.0 {
        return "it has no iterations".to_owned();
    }
    let main = match limit {
        Limit::Chain => chain(model, instance),
        Limit::LoopEntry => format!(
            "it has {} iterations at a time, and starting it takes longer than executing them",
            number(model.row.iterations() / model.row.entries.max(1.0))
        ),
        Limit::Transfer(from) => transfer(model, from, traffic, assumptions),
        Limit::Pages => format!(
            "its data are on more than {} pages, and {} in each iteration must be looked up",
            assumptions.machine.pages.entries,
            number(traffic.pages.0 / model.row.iterations().max(1.0))
        ),
        Limit::FrontEnd => {
            format!(
                "the core must decode {} instructions for each iteration",
                number(model.throughput.instructions)
            )
        }
        Limit::Loads => busy(model, "its loads"),
        Limit::Stores => busy(model, "its stores"),
        Limit::FloatingPoint if model.has_floats() => busy(model, "its floating-point operations"),
        Limit::FloatingPoint => busy(model, "its operations on vectors"),
        Limit::Division => busy(model, "its divisions"),
        Limit::Integer => busy(model, "integers, addresses and branches"),
        Limit::Calls => busy(model, "calls of library functions"),
    };
    format!("{main}{}", vectors(model))
}

fn busy(model: &LoopModel<'_>, what: &str) -> String {
    format!("{what} take {} cycles for each iteration, longer than all else", number(model.throughput.cycles))
}

/// The clause about the compiled loop or, without compiled code, about vectorisation or why there is none.
fn vectors(model: &LoopModel<'_>) -> String {
    match &model.compiled {
        Some(Ok(found)) => return compiled(found),
        Some(Err(reason)) => return format!("; not taken from the compiled code, because {reason}"),
        None => {}
    }
    match (&model.lanes, model.row.is_innermost) {
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

fn compiled(found: &CompiledMatch) -> String {
    let CompiledMatch { header, iterations, occupancy, .. } = found;
    let vectors = match occupancy.vector > 0.0 {
        true => format!(" with vectors of {} bytes", number(occupancy.vector)),
        false => String::new(),
    };
    let plural = if *iterations > 1.0 { "iterations" } else { "iteration" };
    format!(
        "; compiled, at {header:#x}: {} instructions do {} {plural}{vectors}",
        number(occupancy.instructions),
        number(*iterations)
    )
}

fn chain(model: &LoopModel<'_>, instance: &Instance<'_>) -> String {
    let Some(chain) = &model.chain else { return "iterations wait for each other".to_owned() };
    let what = subject(chain, instance);
    let cycles = number(match &model.compiled {
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

/// The scalar or array element that carries a chain from one iteration to the next.
fn subject(chain: &Chain, instance: &Instance<'_>) -> String {
    let array = chain.carried.array.and_then(|id| instance.function.arrays.get(id.0));
    match (&chain.carried.scalar, array) {
        (Some(name), _) => name.clone(),
        (None, Some(array)) => format!("the element of {}", array.name),
        (None, None) => "the value".to_owned(),
    }
}

/// The cycles of a floating-point reduction in an innermost loop, and the name of the accumulator.
pub(super) fn reduction(model: &LoopModel<'_>, instance: &Instance<'_>) -> Option<(f64, String)> {
    let chain = model.chain.as_ref().filter(|chain| chain.is_reduction() && model.row.is_innermost)?;
    let float = |(kind, number): &(OperationKind, NumberType)| {
        matches!(number, NumberType::F32 | NumberType::F64)
            && matches!(kind, OperationKind::Add | OperationKind::Multiply)
    };
    chain.operations.iter().any(float).then(|| (chain.cycles, subject(chain, instance)))
}

fn transfer(
    model: &LoopModel<'_>,
    from: &str,
    traffic: &LoopTraffic,
    assumptions: Assumptions<'_>,
) -> String {
    let level = traffic.costliest_cache().unwrap_or(0);
    let lines = traffic.misses.get(level).copied().unwrap_or(0.0) / model.row.iterations().max(1.0);
    let cache = assumptions.machine.caches.get(level).map_or("the cache", |cache| cache.name.as_str());
    let rate = match lines >= 0.95 {
        true => format!("{} lines in each iteration", number(lines)),
        false => format!("a line in every {} iterations", number(1.0 / lines.max(1e-12))),
    };
    // A cold cache is empty, however small the data are.
    let missing = if assumptions.start == Start::Cold { "are not in" } else { "do not fit" };
    format!("its data {missing} {cache}: {rate} must come from {from}")
}

/// A number with two significant digits below 10 and without decimals from 10 on.
fn number(value: f64) -> String {
    if value >= 10.0 || (value - value.round()).abs() < 0.05 {
        format!("{value:.0}")
    } else if value >= 1.0 {
        format!("{value:.1}")
    } else {
        format!("{value:.2}")
    }
}
