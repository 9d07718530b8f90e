//! The length of the run with its efficiencies, and how far these are known.

use lotse_report::number::{format_percent, format_seconds};

use super::super::accelerators;
use crate::answer::{Answer, Facts};
use crate::efficiency::{Efficiency, Unknown};
use crate::metric::Bound;
use crate::unrecorded::Hidden;

/// The length of the run, and the efficiencies of the focus.
pub(super) fn summary(answer: &Answer) -> String {
    let run = &answer.corrected;
    let head = format!("{} on {}", format_seconds(run.runtime), accelerators::places(&answer.facts));
    let Some(pop) = &answer.focus.efficiency else { return head };
    match pop.unknown {
        Some(Unknown::OneThread) => return head,
        Some(unknown) => return format!("{head}; efficiencies are unknown: {}", unknown.reason()),
        None => {}
    }
    let own = match answer.focus.seconds < run.runtime {
        true => format!(", {} of it {}", format_seconds(answer.focus.seconds), answer.focus.what),
        false => String::new(),
    };
    let whole_run = run.pop.as_ref().and_then(|pop| pop.parallel_efficiency).filter(|_| !own.is_empty());
    let whole_run = whole_run.map_or_else(String::new, |whole_run| {
        format!(" there; {} over the whole run", format_percent(whole_run, 1))
    });
    format!("{head}{own}; {}{whole_run}", efficiencies(pop, &answer.facts))
}

/// The efficiencies that are known, in a sentence.
fn efficiencies(pop: &Efficiency, facts: &Facts) -> String {
    // With missing dependencies the computed run on an ideal network is too short.
    let (serial, transfer) = match facts.hidden {
        Hidden::Nothing => ("", ""),
        Hidden::Causes | Hidden::Waits => ("at most ", "at least "),
    };
    let parallel = bound_words(pop);
    let known = [
        ("parallel efficiency", parallel, pop.parallel_efficiency),
        ("load balance", "", pop.load_balance),
        ("serialisation", serial, pop.serialisation_efficiency),
        ("transfer", transfer, pop.transfer_efficiency),
        ("threads", "", pop.omp_parallel_efficiency.filter(|_| pop.threads > pop.useful.len())),
    ];
    let words = known.iter().filter_map(|(name, bound, value)| Some((name, bound, (*value)?)));
    let words = words.map(|(name, bound, value)| format!("{name} {bound}{}", format_percent(value, 1)));
    let rest = match (facts.hidden, facts.incomplete_locations.is_empty()) {
        (Hidden::Waits, _) => ", its parts unknown",
        (_, false) => " (lost events count as no work), its parts unknown",
        _ => "",
    };
    words.collect::<Vec<_>>().join(", ") + rest
}

/// Which bound a parallel efficiency is, before its number.
pub(in crate::report) fn bound_words(pop: &Efficiency) -> &'static str {
    match pop.bound {
        Some(Bound::Upper) => "at most ",
        Some(Bound::Lower) => "at least ",
        Some(Bound::Exact) | None => "",
    }
}

#[cfg(test)]
mod tests {
    use lotse_model::id::LocationId;
    use lotse_model::work::Sequential;
    use lotse_report::Options as Rendering;

    use crate::analyze::{Options, analyze};
    use crate::fixture::Script;
    use crate::store::Trace;

    fn report(trace: Trace) -> String {
        let answer = analyze(trace, &Options::usual("a trace"), &Sequential).unwrap();
        let terminal = lotse_report::format::named("terminal").unwrap();
        let text = terminal.to_string(&super::super::analyze(&answer, 10), Rendering::default()).unwrap();
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    /// Rank 1 lost what it did after 300.
    #[test]
    fn a_cut_recording_says_so_first_and_marks_its_efficiency() {
        let mut script = Script::processes(2);
        script.enter(0, 0, "main").call(0, 0, 800, "compute").call(0, 800, 1000, "MPI_Barrier");
        script.leave(0, 1000, "main").call(1, 0, 300, "compute");
        let mut trace = script.trace();
        trace.incomplete = vec![LocationId(1)];
        let text = report(trace);
        assert!(text.starts_with("The recording is incomplete: 1 of 2 locations lost events"), "{text}");
        let known = "parallel efficiency at least 55.0 % (lost events count as no work), its parts unknown";
        assert!(text.contains(known), "{text}");
    }

    /// All ranks call MPI_Barrier, of which only the times are recorded.
    #[test]
    fn calls_of_mpi_without_records_leave_waits_and_critical_path_open() {
        let mut script = Script::processes(2);
        for rank in 0..2 {
            let came = 300 + 400 * rank as u64;
            script.enter(rank, 0, "main").call(rank, came, 800, "MPI_Barrier").leave(rank, 1000, "main");
        }
        let text = report(script.trace());
        assert!(!text.contains("No location waits"), "{text}");
        assert!(text.starts_with("How long locations wait for each other is not known"), "{text}");
        assert!(text.contains("another may be what the run waited for"), "{text}");
    }
}
