//! The place that a finding names: the line that accesses, or the loop that makes it do so.
//!
//! Where the loop is in the function of the line, the line is the better place: it lies in the loop. Where a loop calls an
//! accessor or a helper that accesses the structure, the loop is what can run in parallel, and the line is how it gets there.
//! No loop is named where functions between the loop and the line call themselves, for then iterations are not what
//! the accesses are divided by.

use lotse_formats::history::CarriedVariable;
use lotse_model::site::SourceSite;

use crate::instance::{CodeId, CodeTable, LoopId};
use crate::nesting::{Order, Row};
use crate::protocol::PhaseSum;
use crate::rules::{Main, place, place_of_site};
use crate::tally::Tally;

/// The loop whose iterations make phases.
pub(crate) fn loop_of_phases(codes: &CodeTable, phases: &PhaseSum) -> Option<LoopId> {
    let for_each = |count: u64| count as f64 / phases.phases.max(1) as f64;
    codes.loops.carrying(&Row {
        accesses: phases.events,
        loops: &phases.loops,
        executions: for_each(phases.executions),
        iterations: for_each(phases.iterations),
    })
}

/// What the order of the iterations that make phases matters for; nothing where the loop is not known.
pub(crate) fn order_of_phases(codes: &CodeTable, phases: &PhaseSum) -> Option<Order> {
    Some(codes.loops.run(loop_of_phases(codes, phases)?)?.order)
}

/// What the iterations that make phases hand on in registers; nothing where that is not known.
pub(crate) fn carried_by_phases(codes: &CodeTable, phases: &PhaseSum) -> Option<CarriedVariable> {
    codes.loops.run(loop_of_phases(codes, phases)?)?.carried
}

/// The place of phases: the loop whose iterations make them, or the line.
pub(crate) fn place_of_phases(codes: &CodeTable, phases: &PhaseSum) -> Main {
    let of_loop = loop_of_phases(codes, phases);
    of_loop.map_or(Main::Cause, |of_loop| place_of_loop(codes, &phases.codes, of_loop))
}

/// The place of what a loop does: the loop, or the line where that is in the same function.
pub(crate) fn place_of_loop(codes: &CodeTable, causes: &Tally<CodeId>, of_loop: LoopId) -> Main {
    let is_further_out = causes.most().is_some_and(|code| is_further_out(codes, code, of_loop));
    if is_further_out { Main::Loop(of_loop) } else { Main::Cause }
}

fn is_further_out(codes: &CodeTable, code: CodeId, of_loop: LoopId) -> bool {
    let (Some(site), Some(line)) = (codes.loops.site(of_loop), codes.get(code)) else { return false };
    let Some(innermost) = line.chain.first() else { return false };
    let between = line.chain.iter().take_while(|caller| function(caller) != function(site));
    let mut functions = between.chain([site]).filter_map(|caller| caller.function.as_ref());
    // The library may call the user's code in a loop, for an iterator: that loop is further in.
    let is_further_in = codes.loops.lines(of_loop).iter().any(|line| function(line) == function(innermost));
    !is_further_in && !functions.any(|name| codes.recursive.contains(name))
}

/// Whether a place is in a function that calls itself.
pub(crate) fn is_recursive(codes: &CodeTable, site: &SourceSite) -> bool {
    site.function.as_ref().is_some_and(|name| codes.recursive.contains(name))
}

/// The function of a place. A closure belongs to the function that has it.
fn function(site: &SourceSite) -> Option<&str> {
    let name = site.function.as_deref()?;
    Some(name.split_once("::{closure").map_or(name, |(name, _)| name))
}

/// The place that caused most: `main.rs:12`, or `main.rs:12 (through grid.rs:5)`.
pub(crate) fn cause_at(codes: &CodeTable, causes: &Tally<CodeId>, main: Main) -> String {
    let most = causes.most().and_then(|code| place(codes, code));
    let line = most.unwrap_or_else(|| "code without a known place".to_owned());
    match main {
        Main::Loop(of_loop) => match codes.loops.site(of_loop) {
            Some(site) => format!("{} (through {line})", place_of_site(site)),
            None => line,
        },
        Main::Cause | Main::Creation => line,
    }
}

#[cfg(test)]
mod tests {
    use lotse_model::site::SourceSite;

    use super::{cause_at, place_of_loop};
    use crate::instance::{Code, CodeId, CodeTable, LoopId};
    use crate::rules::Main;
    use crate::tally::Tally;

    fn at(file: &str, line: u32, function: &str) -> SourceSite {
        let (file, function) = (format!("src/{file}"), Some(function.to_owned()));
        SourceSite { file, line: Some(line), column: Some(5), function }
    }

    /// An access below callers, in a loop of `a::main`.
    fn found(chain: &[(&str, u32, &str)], recursive: &str) -> String {
        let mut codes = CodeTable::default();
        let chain = chain.iter().map(|&(file, line, function)| at(file, line, function)).collect();
        let code = codes.add(Code { method: None, chain });
        codes.loops.placed(LoopId(3), vec![at("main.rs", 20, "a::main"), at("main.rs", 9, "a::start")]);
        codes.recursive.insert(recursive.to_owned());
        let mut causes: Tally<CodeId> = Tally::default();
        causes.add(code, 7);
        let main = place_of_loop(&codes, &causes, LoopId(3));
        assert_eq!(main == Main::Loop(LoopId(3)), cause_at(&codes, &causes, main).contains("through"));
        cause_at(&codes, &causes, main)
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
