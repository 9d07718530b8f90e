//! `lotse trace critical-path`: what bounds the run, and what would bound it next.

use lotse_model::trace::Ticks;
#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::Serialize;

use super::{Subject, rows};
use crate::answer::{ImbalanceAnswer, PathTimeAnswer};
use crate::class::Class;
use crate::critical::critical_path;
use crate::focus::FocusAnswer;
use crate::report::left_out::caution;
use crate::retime::{Change, Graph, longest};

/// `lotse trace critical-path --json`.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct CriticalPathAnswer {
    /// `lotse.trace.critical-path/1`.
    pub schema: &'static str,
    /// The part of the run that was analysed, where a region was requested; else null.
    pub focus: Option<FocusAnswer>,
    /// Length of the critical path, in seconds.
    pub length: f64,
    /// Names of the locations.
    pub location_names: Vec<String>,
    /// What the text calls them: `rank 2`.
    pub location_labels: Vec<String>,
    /// Its time by call path and location, the longest first.
    pub rows: Vec<PathTimeAnswer>,
    /// Its time by process, the longest first.
    pub processes: Vec<ProcessTimeAnswer>,
    /// Where it leads from one location to another.
    pub pairs: Vec<PairAnswer>,
    /// By call path: how much longer it is on the path than on average.
    pub imbalance: Vec<ImbalanceAnswer>,
    /// Idle time caused by the uneven distribution of call paths over processes.
    pub impact: Vec<ImpactAnswer>,
    /// The length of the longest path if the activities on the critical path took no time.
    pub rival_length: f64,
    /// The time on that path by call path and location.
    pub rival: Vec<PathTimeAnswer>,
    /// The most that shortening the critical path alone can gain.
    pub reachable_gain: f64,
    /// Why these numbers are not reliable: what the recorder left out, in words; null where nothing is missing.
    pub caution: Option<String>,
}

/// Time of a process on the critical path.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct ProcessTimeAnswer {
    /// The process, as recorded.
    pub process: String,
    /// What the text calls it: `rank 2`.
    pub label: String,
    /// How long it computes on the path.
    pub computing: f64,
    /// How long it communicates and synchronises on the path.
    pub communicating: f64,
}

/// A pair of locations between which the critical path changes.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct PairAnswer {
    /// The location that was waited for.
    pub from: u32,
    /// The location that waited.
    pub to: u32,
    /// How often the path goes from one to the other.
    pub count: u64,
    /// Time on the path from the end of the wait to the end of the waiting call.
    pub seconds: f64,
}

/// What the uneven distribution of a call path over the processes costs, summed over the processes. The time of a process
/// is the mean over those of its threads that entered the call path.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct ImpactAnswer {
    /// The call path.
    pub callpath: String,
    /// Idle time of processes that spend less time in it than the critical path does.
    pub critical: f64,
    /// Idle time of processes that never enter it.
    pub inter_partition: f64,
    /// Time that processes spend in it beyond that on the critical path.
    pub non_critical: f64,
}

/// Computes the critical path and its rival: the path that would be longest if this one's activities took no time.
pub fn critical(subject: &Subject) -> CriticalPathAnswer {
    let trace = &subject.trace;
    let path = critical_path(trace, &subject.waits);
    let graph = Graph::new(trace, &subject.waits);
    let without = Change { spans: path.segments.clone(), ..Change::default() };
    let rival = longest(&graph, trace, &without);
    let seconds = |ticks: Ticks| trace.seconds(ticks);
    let sorted = |mut rows: Vec<PathTimeAnswer>| {
        rows.sort_by(|a, b| b.seconds.total_cmp(&a.seconds));
        rows
    };
    let pairs = path.pairs.iter().map(|pair| PairAnswer {
        from: pair.from.0,
        to: pair.to.0,
        count: pair.count,
        seconds: seconds(pair.ticks),
    });
    let impact = path.imbalance.iter().map(|row| ImpactAnswer {
        callpath: trace.path_name(row.path),
        critical: seconds(row.critical),
        inter_partition: seconds(row.inter_partition),
        non_critical: seconds(row.non_critical),
    });
    CriticalPathAnswer {
        schema: "lotse.trace.critical-path/1",
        focus: subject.part_answer(),
        length: seconds(path.length),
        location_labels: trace.location_labels(),
        location_names: trace.definitions.locations.iter().map(|it| it.name.clone()).collect(),
        rows: sorted(rows::path_times(trace, &path.rows)),
        processes: processes(subject, &path),
        pairs: pairs.collect(),
        imbalance: rows::imbalances(trace, &path),
        impact: impact.collect(),
        rival_length: seconds(rival.length),
        rival: sorted(rows::path_times(trace, &rival.rows)),
        reachable_gain: seconds(path.length.saturating_sub(rival.length)),
        caution: caution(&subject.facts),
    }
}

/// Sums the critical path's time by process, split into computation and communication, the longest first.
fn processes(subject: &Subject, path: &crate::critical::CriticalPath) -> Vec<ProcessTimeAnswer> {
    let trace = &subject.trace;
    let mut sums: std::collections::BTreeMap<_, (Ticks, Ticks)> = std::collections::BTreeMap::new();
    for row in &path.rows {
        let sum = sums.entry(trace.location(row.location).process).or_default();
        let class = trace.class_of(row.path);
        match class.is_primitive() && class != Class::AcceleratorCall {
            true => sum.1 += row.ticks,
            false => sum.0 += row.ticks,
        }
    }
    let name = |process: lotse_model::id::ProcessId| {
        trace.definitions.processes.get(process.index()).map_or_else(String::new, |it| it.name.clone())
    };
    let answer = |(process, (computing, communicating))| ProcessTimeAnswer {
        process: name(process),
        label: trace.process_label(process),
        computing: trace.seconds(computing),
        communicating: trace.seconds(communicating),
    };
    let mut answers: Vec<ProcessTimeAnswer> = sums.into_iter().map(answer).collect();
    let total = |it: &ProcessTimeAnswer| it.computing + it.communicating;
    answers.sort_by(|a, b| total(b).total_cmp(&total(a)));
    answers
}
