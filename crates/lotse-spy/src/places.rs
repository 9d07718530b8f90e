//! Chooses the place that a finding names: the line that accesses the structure, or the loop around it.
//!
//! If the loop is in the same function as the line, the line is named, since it lies in the loop. If a loop calls an accessor
//! or a helper function that accesses the structure, the loop is named, because it is what can run in parallel, and the line
//! is added as "through". No loop is named if a function between the loop and the line is recursive, because then the
//! accesses cannot be divided by iterations.

use lotse_formats::history::CarriedVariable;
use lotse_model::site::SourceSite;

use crate::instance::{CodeId, CodeTable, LoopId};
use crate::key_counts::KeyCounts;
use crate::nesting::{AccessSequence, IterationOrder};
use crate::protocol::PhaseSum;
use crate::rules::{PrimarySite, place, place_of_site};

/// The loop whose iterations make these phases.
pub(crate) fn loop_of_phases(codes: &CodeTable, phases: &PhaseSum) -> Option<LoopId> {
    let per_phase = |count: u64| count as f64 / phases.phases.max(1) as f64;
    codes.loops.loop_making(&AccessSequence {
        accesses: phases.events,
        loops: &phases.loops,
        executions: per_phase(phases.executions),
        iterations: per_phase(phases.iterations),
    })
}

/// Whether the iterations that make these phases must run in order; `None` if the loop is not known.
pub(crate) fn order_of_phases(codes: &CodeTable, phases: &PhaseSum) -> Option<IterationOrder> {
    Some(codes.loops.stats(loop_of_phases(codes, phases)?)?.order)
}

/// What may force the iterations that append elements to run in order, the most certain obstacle first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Obstacle {
    /// An iteration uses what an earlier one wrote in memory.
    Memory,
    /// The machine code carries a value in a register.
    Register,
    /// The iterations append to another structure, too, whose length may be part of the elements.
    OtherGrows,
    /// A library call may keep state from one iteration to the next.
    LibraryState,
    /// The machine code of the loop was not analysed, or the loop is not known.
    RegistersUnknown,
    /// None was found.
    Nothing,
}

impl Obstacle {
    /// The obstacle for the loop whose iterations make these phases.
    pub(crate) fn of_phases(codes: &CodeTable, phases: &PhaseSum) -> Self {
        let stats = loop_of_phases(codes, phases).and_then(|loop_id| codes.loops.stats(loop_id));
        let Some(stats) = stats else { return Self::RegistersUnknown };
        match (stats.order, stats.carried) {
            (_, Some(CarriedVariable::State)) => Self::Register,
            (IterationOrder::Required, _) => Self::Memory,
            _ if stats.grows_several => Self::OtherGrows,
            _ if stats.unclear.is_some() => Self::LibraryState,
            (_, None) => Self::RegistersUnknown,
            _ => Self::Nothing,
        }
    }

    /// How certain it is that the elements can be computed in parallel.
    pub(crate) fn certainty(self) -> f64 {
        match self {
            Self::Memory => 0.1,
            Self::Register | Self::OtherGrows | Self::LibraryState => 0.2,
            Self::RegistersUnknown => 0.4,
            Self::Nothing => 0.6,
        }
    }

    /// The condition under which the elements can be computed in parallel.
    pub(crate) fn condition(self) -> &'static str {
        match self {
            Self::Memory => {
                "as recorded, an iteration of the loop uses what an earlier one wrote in memory: only if that can be avoided"
            }
            Self::Register => {
                "the machine code carries a value in a register from one iteration of the loop to the next: only if no element \
                 needs it"
            }
            Self::OtherGrows => {
                "the same loop appends to another structure, too: only if no element contains a length of that one or a \
                 position in it, or needs another element"
            }
            Self::LibraryState => {
                "a library call in the loop reads what it left in an earlier iteration: only if no element depends on that"
            }
            Self::RegistersUnknown => {
                "if no element needs the one before (which variables the loop carries in registers was not looked at)"
            }
            Self::Nothing => "if no element needs the one before",
        }
    }
}

/// The primary site of phases: the loop whose iterations make them, or the line.
pub(crate) fn place_of_phases(codes: &CodeTable, phases: &PhaseSum) -> PrimarySite {
    let loop_id = loop_of_phases(codes, phases);
    loop_id.map_or(PrimarySite::Cause, |loop_id| place_of_loop(codes, &phases.codes, loop_id))
}

/// The primary site of accesses in a loop: the loop, or the line if that is in the same function.
pub(crate) fn place_of_loop(codes: &CodeTable, causes: &KeyCounts<CodeId>, loop_id: LoopId) -> PrimarySite {
    let is_further_out = causes.most().is_some_and(|code| is_further_out(codes, code, loop_id));
    if is_further_out { PrimarySite::Loop(loop_id) } else { PrimarySite::Cause }
}

/// Whether a loop is in another function than the line with the most accesses, with no recursive function in between.
fn is_further_out(codes: &CodeTable, code: CodeId, loop_id: LoopId) -> bool {
    let (Some(site), Some(line)) = (codes.loops.site(loop_id), codes.get(code)) else { return false };
    let Some(innermost) = line.chain.first() else { return false };
    let between = line.chain.iter().take_while(|caller| function(caller) != function(site));
    let mut functions = between.chain([site]).filter_map(|caller| caller.function.as_ref());
    // A library loop may call user code, for an iterator: such a loop is further in than the line.
    let is_further_in = codes.loops.lines(loop_id).iter().any(|line| function(line) == function(innermost));
    !is_further_in && !functions.any(|name| codes.recursive.contains(name))
}

/// Whether a source position is in a recursive function.
pub(crate) fn is_recursive(codes: &CodeTable, site: &SourceSite) -> bool {
    site.function.as_ref().is_some_and(|name| codes.recursive.contains(name))
}

/// The function of a source position. A closure belongs to the function that contains it.
fn function(site: &SourceSite) -> Option<&str> {
    let name = site.function.as_deref()?;
    Some(name.split_once("::{closure").map_or(name, |(name, _)| name))
}

/// The place with the most accesses: `main.rs:12`, or `main.rs:12 (through grid.rs:5)`.
pub(crate) fn cause_at(codes: &CodeTable, causes: &KeyCounts<CodeId>, primary_site: PrimarySite) -> String {
    let most = causes.most().and_then(|code| place(codes, code));
    let line = most.unwrap_or_else(|| "code without a known place".to_owned());
    match primary_site {
        PrimarySite::Loop(loop_id) => match codes.loops.site(loop_id) {
            Some(site) => format!("{} (through {line})", place_of_site(site)),
            None => line,
        },
        PrimarySite::Cause | PrimarySite::Creation => line,
    }
}

#[cfg(test)]
mod tests {
    use lotse_model::site::SourceSite;

    use super::{cause_at, place_of_loop};
    use crate::instance::{Code, CodeId, CodeTable, LoopId};
    use crate::key_counts::KeyCounts;
    use crate::rules::PrimarySite;

    fn at(file: &str, line: u32, function: &str) -> SourceSite {
        let (file, function) = (format!("src/{file}"), Some(function.to_owned()));
        SourceSite { file, line: Some(line), column: Some(5), function }
    }

    /// An access below callers, in a loop of `a::main`.
    fn found(chain: &[(&str, u32, &str)], recursive: &str) -> String {
        let mut codes = CodeTable::default();
        let chain = chain.iter().map(|&(file, line, function)| at(file, line, function)).collect();
        let code = codes.add(Code { method: None, chain });
        codes.loops.record_lines(LoopId(3), vec![at("main.rs", 20, "a::main"), at("main.rs", 9, "a::start")]);
        codes.recursive.insert(recursive.to_owned());
        let mut causes: KeyCounts<CodeId> = KeyCounts::default();
        causes.add(code, 7);
        let primary_site = place_of_loop(&codes, &causes, LoopId(3));
        assert_eq!(
            primary_site == PrimarySite::Loop(LoopId(3)),
            cause_at(&codes, &causes, primary_site).contains("through")
        );
        cause_at(&codes, &causes, primary_site)
    }

    #[test]
    fn a_loop_in_another_function_is_the_place() {
        let accessor: &[_] = &[("grid.rs", 5, "<a::Grid>::get"), ("main.rs", 22, "a::main")];
        assert_eq!(found(accessor, ""), "main.rs:20 (through grid.rs:5)");
        assert_eq!(found(accessor, "a::other"), "main.rs:20 (through grid.rs:5)");
        assert_eq!(found(accessor, "<a::Grid>::get"), "grid.rs:5", "an accessor that calls itself");
        assert_eq!(found(accessor, "a::main"), "grid.rs:5", "a loop in a function that calls itself");
    }

    #[test]
    fn in_the_function_of_the_loop_the_line_is_the_place() {
        assert_eq!(found(&[("main.rs", 22, "a::main")], ""), "main.rs:22");
        assert_eq!(
            found(&[("main.rs", 22, "a::main::{closure#0}"), ("main.rs", 20, "a::main")], ""),
            "main.rs:22"
        );
        assert_eq!(found(&[("main.rs", 9, "a::start")], ""), "main.rs:9", "the loop is further in");
        assert_eq!(found(&[], ""), "code without a known place");
    }
}
