//! The part of the run between the first enter and the last leave of a region over all locations. If the region is called
//! repeatedly, the time between its calls belongs to that part too; the description says how much of the part its calls take.

use std::collections::BTreeSet;

use lotse_model::id::{LocationId, PathId};
use lotse_model::trace::Ticks;
use lotse_report::number::format_percent;

use super::{Focus, FocusAnswer};
use crate::analyze::Subject;
use crate::answer::CorrectedAnswer;
use crate::efficiency::efficiency;
use crate::retime::{Change, Graph, recorded_under_change};
use crate::store::{Paths, Trace, short_name};

/// No region or call path of the trace has this name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("no region or call path is called '{name}'")]
pub struct NoSuchRegion {
    /// The name that was requested.
    pub name: String,
    /// The short names of all regions that were entered.
    pub known: BTreeSet<String>,
}

/// The time from the first enter to the last leave of a region.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RegionInterval {
    pub(crate) begin: Ticks,
    pub(crate) end: Ticks,
    what: String,
}

impl RegionInterval {
    /// The interval of all call paths that a name or pattern matches.
    pub(crate) fn of_region(trace: &Trace, name: &str) -> Result<Self, NoSuchRegion> {
        let none = || NoSuchRegion { name: name.to_owned(), known: entered_regions(trace) };
        let named = trace.paths_named(name);
        let inside = inside(&trace.paths, &named);
        let spans = trace.locations().filter_map(|location| span(trace, location, &inside));
        let join = |one: TimeInRegion, other: TimeInRegion| TimeInRegion {
            begin: one.begin.min(other.begin),
            end: one.end.max(other.end),
            ticks: one.ticks.saturating_add(other.ticks),
        };
        let span = spans.reduce(join).filter(|span| span.begin < span.end).ok_or_else(none)?;
        let part = Focus { begin: span.begin, end: span.end, is_whole: false };
        let share = span.ticks as f64 / part.thread_time(trace).max(1) as f64;
        let calls = match visits(trace, &named) {
            1 => "whose call takes".to_owned(),
            many => format!("whose {many} calls take"),
        };
        let what = format!(
            "from the first enter to the last leave of {name}, {calls} {} of that time",
            format_percent(share.min(1.0), 1)
        );
        Ok(Self { begin: span.begin, end: span.end, what })
    }
}

/// When a location is in a region.
#[derive(Debug, Clone, Copy)]
struct TimeInRegion {
    begin: Ticks,
    end: Ticks,
    /// Time in the region between `begin` and `end`.
    ticks: Ticks,
}

/// By call path: whether it is one of these or lies below one.
fn inside(paths: &Paths, named: &[PathId]) -> Vec<bool> {
    let mut inside = vec![false; paths.len()];
    named.iter().for_each(|path| inside[path.index()] = true);
    for path in paths.ids().skip(1) {
        inside[path.index()] |= inside[paths.parent(path).index()];
    }
    inside
}

fn span(trace: &Trace, location: LocationId, inside: &[bool]) -> Option<TimeInRegion> {
    let timeline = trace.timeline(location);
    let ends = timeline.at.iter().skip(1).copied().chain([timeline.last]);
    let steps = timeline.at.iter().copied().zip(ends).zip(&timeline.path);
    let mut found: Option<TimeInRegion> = None;
    for ((begin, end), _) in steps.filter(|(_, path)| inside[path.index()]) {
        let span = found.get_or_insert(TimeInRegion { begin, end, ticks: 0 });
        (span.end, span.ticks) = (end, span.ticks + (end - begin));
    }
    found
}

fn visits(trace: &Trace, named: &[PathId]) -> u64 {
    let named: BTreeSet<PathId> = named.iter().copied().collect();
    let uses = trace.uses.iter().flatten().filter(|used| named.contains(&used.path));
    uses.map(|used| used.visits).sum()
}

fn entered_regions(trace: &Trace) -> BTreeSet<String> {
    let used = trace.uses.iter().flatten().filter(|used| used.visits > 0);
    used.map(|used| short_name(trace.region_name(trace.paths.region(used.path))).to_owned()).collect()
}

/// The part that was cut out, and results about the run that it was cut out of.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct RegionPart {
    what: String,
    begin: f64,
    end: f64,
    /// The run by the clocks that the analysis uses.
    pub(crate) run: CorrectedAnswer,
    /// The length of the run on an ideal network, if it was computed.
    pub(crate) ideal: Option<Ticks>,
}

impl RegionPart {
    /// Describes a part of a run, before it is cut out of `run`.
    pub(crate) fn new(run: &Subject, interval: &RegionInterval, quick: bool) -> Self {
        let ideal = (!quick).then(|| ideal(run));
        let seconds = |at: Ticks| run.trace.seconds(at - run.trace.first_tick());
        Self {
            what: interval.what.clone(),
            begin: seconds(interval.begin),
            end: seconds(interval.end),
            run: run.by_used_clocks(ideal),
            ideal,
        }
    }
}

/// The length of a run on an ideal network.
fn ideal(run: &Subject) -> Ticks {
    let changes = [Change::none(), Change::ideal_network()];
    let outcomes = Graph::new(&run.trace, &run.waits).run(&run.trace, &changes);
    recorded_under_change(&run.trace, outcomes[0].length, outcomes[1].length)
}

impl Subject {
    /// The run by the clocks that the analysis uses; `ideal` is its length on an ideal network.
    pub(crate) fn by_used_clocks(&self, ideal: Option<Ticks>) -> CorrectedAnswer {
        CorrectedAnswer {
            clocks: self.correction.is_some(),
            runtime: self.trace.seconds(self.trace.runtime()),
            pop: efficiency(&self.trace, ideal).map(|pop| pop.only_bounds(&self.facts)),
        }
    }

    /// The answer about the part that was cut out, if one was.
    pub(crate) fn part_answer(&self) -> Option<FocusAnswer> {
        self.part.as_ref().map(|_| self.focus_answer(None))
    }

    /// The answer about the focus; `gain` is how much shorter it is on an ideal network.
    pub(crate) fn focus_answer(&self, gain: Option<Ticks>) -> FocusAnswer {
        let answer = self.focus.answer(&self.trace, gain);
        let efficiency = answer.efficiency.map(|pop| pop.only_bounds(&self.facts));
        let answer = FocusAnswer { efficiency, ..answer };
        match &self.part {
            Some(part) => {
                let what = part.what.clone();
                FocusAnswer { what, is_cut_out: true, begin: part.begin, end: part.end, ..answer }
            }
            None => answer,
        }
    }
}

#[cfg(test)]
mod tests {
    use lotse_model::work::Sequential;

    use super::{NoSuchRegion, RegionInterval};
    use crate::analyze::{NoSuchPart, Options, Subject, analyze};
    use crate::fixture::Script;
    use crate::focus::FocusOn;

    /// Two ranks start for 200 ms, solve twice (rank 0 for 100 and 100 ms, rank 1 for 300 and 100), synchronise after each,
    /// and end after 100 ms.
    fn script() -> Script {
        let mut script = Script::processes(2);
        for (rank, first) in [100, 300].into_iter().enumerate() {
            script.enter(rank, 0, "int main()").call(rank, 0, 200, "start");
            script.call(rank, 200, 200 + first, "void ns::solve(int)").barrier(rank, 200 + first, 500);
            script.call(rank, 500, 600, "void ns::solve(int)").barrier(rank, 600, 610);
            script.leave(rank, 710, "int main()");
        }
        script
    }

    #[test]
    fn it_reaches_from_the_first_enter_to_the_last_leave() {
        let trace = script().trace();
        for name in ["solve", "ns::solve", "void ns::solve(int)", "main/*::sol*", "main/solve"] {
            let found = RegionInterval::of_region(&trace, name).unwrap();
            assert_eq!((found.begin, found.end), (200, 600), "{name}");
            // 100 + 300 + 100 + 100 of 2 x 400.
            let calls = format!("of {name}, whose 4 calls take 75.0 % of that time");
            assert!(found.what.ends_with(&calls), "{}", found.what);
        }
        let NoSuchRegion { name, known } = RegionInterval::of_region(&trace, "slove").unwrap_err();
        assert_eq!(name, "slove");
        assert!(known.contains("ns::solve") && known.contains("start"), "{known:?}");
    }

    #[test]
    fn the_analysis_is_about_it_and_the_run_stays_known() {
        let options = Options { focus: FocusOn::Region("solve"), ..Options::usual("t") };
        let whole = analyze(script().trace(), &Options::usual("t"), &Sequential).unwrap();
        let part = analyze(script().trace(), &options, &Sequential).unwrap();
        assert_eq!((part.focus.begin, part.focus.end, part.focus.seconds), (0.2, 0.6, 0.4));
        // Computing takes 200 + 400 of 800 ms there, of the run all but 210 + 10 of 1420.
        assert_eq!(part.focus.efficiency.as_ref().unwrap().parallel_efficiency, Some(0.75));
        assert_eq!(part.critical_path_length, 0.4);
        assert_eq!(part.losses[0].share, 0.25);
        assert_eq!(
            (&part.severities, &part.pop, &part.totals),
            (&whole.severities, &whole.pop, &whole.totals)
        );
        assert_eq!((&part.corrected, &part.facts), (&whole.corrected, &whole.facts));
    }

    #[test]
    fn a_name_that_means_nothing_is_refused() {
        let options = Options { focus: FocusOn::Region("none"), ..Options::usual("t") };
        let refused = Subject::new(script().trace(), &options, &Sequential).unwrap_err();
        assert!(matches!(refused, NoSuchPart::Region(_)));
        assert_eq!(refused.to_string(), "no region or call path is called 'none'");
    }
}
