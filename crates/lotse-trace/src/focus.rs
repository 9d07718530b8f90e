//! The part of the run that efficiencies, shares and thresholds refer to.
//!
//! By default it lasts from the end of the last `MPI_Init` to the begin of the first `MPI_Finalize`, because starting and
//! ending MPI is neither work nor communication of the program; without these calls it is the whole run. Another part can be
//! requested ([`FocusOn`]): the whole run, or the time from the first enter to the last leave of a region, which is then cut
//! out of the run (`part`).

use lotse_model::id::{LocationId, PathId};
use lotse_model::trace::Ticks;
#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::Serialize;

use crate::class::Class;
use crate::efficiency::{Efficiency, efficiency_within};
use crate::retime::{Change, Factor};
use crate::store::{Call, Trace};

mod part;

pub use part::NoSuchRegion;
pub(crate) use part::{RegionInterval, RegionPart};

/// The requested part of the run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum FocusOn<'o> {
    /// The time between starting and ending MPI.
    #[default]
    Program,
    /// The whole run.
    Run,
    /// From the first enter to the last leave of a region, by its name or a pattern.
    Region(&'o str),
}

/// The interval that efficiencies and shares refer to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Focus {
    pub begin: Ticks,
    pub end: Ticks,
    /// Whether it is the whole run.
    pub is_whole: bool,
}

impl Focus {
    /// The whole trace for [`FocusOn::Run`], else the time between starting and ending MPI.
    pub fn new(trace: &Trace, on: FocusOn<'_>) -> Self {
        let whole = Self { begin: trace.first_tick(), end: trace.last_tick(), is_whole: true };
        if on == FocusOn::Run {
            return whole;
        }
        let (mut begin, mut end) = (None, None);
        for location in trace.cpu_locations() {
            let (started, ended) = ends(trace, location);
            begin = begin.max(started);
            end = [end, ended].into_iter().flatten().min();
        }
        match (begin.unwrap_or(whole.begin), end.unwrap_or(whole.end)) {
            (begin, end) if begin < end && (begin, end) != (whole.begin, whole.end) => {
                Self { begin, end, is_whole: false }
            }
            _ => whole,
        }
    }

    /// The time of one location between starting and ending MPI, by its own calls: it may begin to work before the last
    /// location has started MPI.
    pub(crate) fn of_location(trace: &Trace, location: LocationId) -> Self {
        let timeline = trace.timeline(location);
        let (started, ended) = ends(trace, location);
        let (begin, end) = (started.unwrap_or(timeline.first), ended.unwrap_or(timeline.last));
        match begin < end {
            true => Self { begin, end, is_whole: started.is_none() && ended.is_none() },
            false => Self { begin: timeline.first, end: timeline.last, is_whole: true },
        }
    }

    /// Its length.
    pub fn ticks(&self) -> Ticks {
        self.end - self.begin
    }

    /// The total time of all threads on CPUs within it; saturates.
    pub(crate) fn thread_time(&self, trace: &Trace) -> Ticks {
        let span = |location: LocationId| {
            let timeline = trace.timeline(location);
            timeline.last.min(self.end).saturating_sub(timeline.first.max(self.begin))
        };
        trace.cpu_locations().map(span).fold(0, Ticks::saturating_add)
    }

    /// The change in which communication takes no time, while starting and ending MPI keeps its time.
    pub(crate) fn ideal_network(trace: &Trace) -> Change {
        let is_communication = |class: Class| class.is_mpi() && class != Class::InitFinalize;
        Change::scaled(trace.paths.ids().filter(|&path| is_communication(trace.class_of(path))), Factor::ZERO)
    }

    /// The answer about it; `gain` is how much shorter the run is on an ideal network.
    pub(crate) fn answer(&self, trace: &Trace, gain: Option<Ticks>) -> FocusAnswer {
        let seconds = |at: Ticks| trace.seconds(at - trace.first_tick());
        let ideal = gain.map(|gain| self.ticks().saturating_sub(gain));
        FocusAnswer {
            what: if self.is_whole { WHOLE } else { BETWEEN }.to_owned(),
            is_cut_out: false,
            begin: seconds(self.begin),
            end: seconds(self.end),
            seconds: trace.seconds(self.ticks()),
            efficiency: efficiency_within(trace, (self.begin, self.end), ideal),
        }
    }
}

/// Descriptions of the focus.
const WHOLE: &str = "the whole run";
const BETWEEN: &str = "between MPI_Init and MPI_Finalize";

/// When a location left `MPI_Init`, and when it entered `MPI_Finalize`.
fn ends(trace: &Trace, location: LocationId) -> (Option<Ticks>, Option<Ticks>) {
    let timeline = trace.timeline(location);
    let name = |path: PathId| {
        let class = &trace.classes[trace.paths.region(path).index()];
        (class.class == Class::InitFinalize).then_some(class.name.as_str())
    };
    let uses = trace.uses[location.index()].iter().filter_map(|used| Some((name(used.path)?, used.visits)));
    let (ends, starts): (Vec<_>, Vec<_>) = uses.partition(|&(name, _)| name == "mpi_finalize");
    // These calls are near the begin and the end: the searches start there and stop after the known number of visits.
    let count = |calls: &[(&str, u64)]| calls.iter().map(|(_, visits)| *visits as usize).sum::<usize>();
    let is_start = |call: &&Call| name(call.path).is_some_and(|name| name != "mpi_finalize");
    let is_end = |call: &&Call| name(call.path) == Some("mpi_finalize");
    let started = timeline.calls.iter().filter(is_start).take(count(&starts)).last().map(|call| call.left);
    let ended = timeline.calls.iter().rev().filter(is_end).take(count(&ends)).last();
    (started, ended.map(|call| call.entered))
}

/// When a location had done all its work: when it entered `MPI_Finalize`, else the time of its last event.
pub(crate) fn end_of_work(trace: &Trace, location: LocationId) -> Ticks {
    ends(trace, location).1.unwrap_or(trace.timeline(location).last)
}

/// The part of the run that shares and efficiencies refer to, by the clocks that the analysis uses.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct FocusAnswer {
    /// A description of the part.
    pub what: String,
    /// Whether a region was requested: then waits, critical path, gains and findings are those of this part.
    pub is_cut_out: bool,
    /// Its begin, in seconds after the first event.
    pub begin: f64,
    /// Its end, in seconds after the first event.
    pub end: f64,
    /// Its length.
    pub seconds: f64,
    /// Its efficiencies; null where nothing ran on a CPU.
    pub efficiency: Option<Efficiency>,
}

#[cfg(test)]
mod tests {
    use super::{Focus, FocusOn};
    use crate::fixture::Script;

    /// Rank 0 starts MPI until 100, rank 1 until 300; they compute 400 and 200 ms and end MPI at 700 and 500.
    fn script() -> Script {
        let mut script = Script::processes(2);
        for (rank, (init, finalize)) in [(100, 700), (300, 500)].into_iter().enumerate() {
            script.enter(rank, 0, "main").call(rank, 0, init, "MPI_Init");
            script.call(rank, init, finalize, "work").call(rank, finalize, 1000, "MPI_Finalize");
            script.leave(rank, 1000, "main");
        }
        script
    }

    #[test]
    fn it_lies_between_the_last_init_and_the_first_finalize() {
        let trace = script().trace();
        let focus = Focus::new(&trace, FocusOn::Program);
        assert_eq!(focus, Focus { begin: 300, end: 500, is_whole: false });
        assert_eq!(focus.thread_time(&trace), 400);
        let whole = Focus::new(&trace, FocusOn::Run);
        assert_eq!(whole, Focus { begin: 0, end: 1000, is_whole: true });
        let answer = focus.answer(&trace, Some(0));
        assert_eq!((answer.begin, answer.end, answer.seconds), (0.3, 0.5, 0.2));
        let efficiency = answer.efficiency.unwrap();
        assert_eq!(efficiency.useful, [0.2, 0.2]);
        assert_eq!((efficiency.parallel_efficiency, efficiency.transfer_efficiency), (Some(1.0), Some(1.0)));
    }

    #[test]
    fn a_program_without_mpi_is_taken_whole() {
        let mut script = Script::processes(1);
        script.call(0, 5, 50, "work");
        let focus = Focus::new(&script.trace(), FocusOn::Program);
        assert_eq!(focus, Focus { begin: 5, end: 50, is_whole: true });
    }

    #[test]
    fn what_ends_before_it_begins_is_taken_whole() {
        let mut script = Script::processes(2);
        script.call(0, 0, 10, "MPI_Init").call(0, 10, 20, "MPI_Finalize").call(1, 30, 60, "MPI_Init");
        assert!(Focus::new(&script.trace(), FocusOn::Program).is_whole);
    }
}
