//! Whether a trace determines efficiencies at all.
//!
//! Time counts as useful unless it is known to be something else. A trace without any record of communication, or without
//! definitions of its regions, would therefore seem perfectly efficient, although its efficiency is unknown.

use lotse_model::trace::{EventKind, LocationKind};
#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::Serialize;

use super::Efficiency;
use crate::class::Class;
use crate::store::{Paths, Trace};
use crate::unrecorded::has_only_arrows;

/// Why no efficiency is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Unknown {
    /// One thread and no MPI: there is nothing to compare.
    OneThread,
    /// Several threads or processes without any record of communication or synchronisation.
    NoCommunication,
    /// Of what several threads or processes wait for only arrows between their calls are recorded.
    OnlyArrows,
    /// Regions or locations have events, but no definition.
    LostDefinitions,
}

impl Unknown {
    /// The reason, in words.
    pub fn reason(self) -> &'static str {
        match self {
            Self::OneThread => "the run has one thread and no MPI",
            Self::NoCommunication => {
                "no communication or synchronisation of processes or threads is recorded"
            }
            Self::OnlyArrows => "of what threads wait for only arrows are recorded, and not when they wait",
            Self::LostDefinitions => "definitions of regions or locations are missing",
        }
    }
}

impl Efficiency {
    /// Removes the efficiencies that the trace does not determine.
    pub(super) fn only_known(self, trace: &Trace) -> Self {
        let unknown = unknown(trace, &self);
        let has_processes = unknown.is_none() && (self.useful.len() > 1 || has(trace, Class::is_mpi));
        let if_known = |value: Option<f64>| value.filter(|_| unknown.is_none());
        let if_processes = |value: Option<f64>| value.filter(|_| has_processes);
        Self {
            load_balance: if_processes(self.load_balance),
            communication_efficiency: if_processes(self.communication_efficiency),
            serialisation_efficiency: if_processes(self.serialisation_efficiency),
            transfer_efficiency: if_processes(self.transfer_efficiency),
            mpi_parallel_efficiency: if_processes(self.mpi_parallel_efficiency),
            parallel_efficiency: if_known(self.parallel_efficiency),
            omp_parallel_efficiency: if_known(self.omp_parallel_efficiency),
            unknown,
            ..self
        }
    }
}

fn unknown(trace: &Trace, found: &Efficiency) -> Option<Unknown> {
    if lost_definitions(trace) {
        return Some(Unknown::LostDefinitions);
    }
    if has_only_arrows(trace) {
        return Some(Unknown::OnlyArrows);
    }
    let communicates = has(trace, Class::is_mpi) || receives(trace) || !trace.links.collectives.is_empty();
    match (found.useful.len(), found.threads) {
        _ if communicates => None,
        (1, 1) => Some(Unknown::OneThread),
        (1, _) if synchronises(trace) => None,
        _ => Some(Unknown::NoCommunication),
    }
}

/// Whether a call path of some class occurs anywhere in the run.
fn has(trace: &Trace, wanted: impl Fn(Class) -> bool) -> bool {
    trace.paths.ids().skip(1).any(|path| wanted(trace.class_of(path)))
}

/// Whether a thread receives a message. Messages to accelerator streams only record launches.
fn receives(trace: &Trace) -> bool {
    const KINDS: [EventKind; 2] = [EventKind::MpiRecv, EventKind::MpiIrecv];
    trace.cpu_locations().any(|it| KINDS.iter().any(|&kind| trace.timeline(it).kinds.has(kind)))
}

/// Whether there are records of threads that start, end or wait for each other.
fn synchronises(trace: &Trace) -> bool {
    const TEAMS: [EventKind; 4] =
        [EventKind::ThreadFork, EventKind::ThreadTeamBegin, EventKind::ThreadCreate, EventKind::ThreadBegin];
    let of_threads =
        |class| matches!(class, Class::OpenMpBarrier | Class::OpenMp | Class::Lock | Class::Threading);
    has(trace, of_threads) || trace.timelines.iter().any(|it| TEAMS.iter().any(|&kind| it.kinds.has(kind)))
}

/// Whether threads entered undefined regions, or are not defined themselves.
fn lost_definitions(trace: &Trace) -> bool {
    let is_undefined = |path| path != Paths::ROOT && trace.paths.region(path).index() == 0;
    trace.cpu_locations().any(|location| {
        trace.location(location).kind == LocationKind::Unknown
            || trace.uses[location.index()].iter().any(|used| is_undefined(used.path))
    })
}

#[cfg(test)]
mod tests {
    use lotse_model::trace::{Event, EventKind, LocationKind};

    use super::Unknown;
    use crate::efficiency::{Efficiency, efficiency};
    use crate::fixture::{Script, WORLD};

    fn found(script: &Script) -> Efficiency {
        efficiency(&script.trace(), Some(500)).unwrap()
    }

    fn ratios(it: &Efficiency) -> [Option<f64>; 6] {
        [
            it.parallel_efficiency,
            it.load_balance,
            it.communication_efficiency,
            it.serialisation_efficiency,
            it.transfer_efficiency,
            it.omp_parallel_efficiency,
        ]
    }

    #[test]
    fn one_thread_has_nothing_to_be_compared_with() {
        let mut script = Script::processes(1);
        script.call(0, 0, 500, "main");
        let alone = found(&script);
        assert_eq!((alone.unknown, ratios(&alone)), (Some(Unknown::OneThread), [None; 6]));
        script.call(0, 500, 600, "MPI_Barrier");
        assert_eq!(found(&script).unknown, None, "what MPI takes of one process is known");
    }

    #[test]
    fn without_any_communication_efficiencies_are_unknown() {
        for mut script in [Script::processes(3), Script::threads(3)] {
            for location in 0..3 {
                script.call(location, 0, 500, "work");
            }
            let silent = found(&script);
            assert_eq!((silent.unknown, ratios(&silent)), (Some(Unknown::NoCommunication), [None; 6]));
        }
    }

    #[test]
    fn threads_that_wait_have_an_efficiency_but_no_load_balance_of_processes() {
        let mut script = Script::threads(2);
        script.call(0, 0, 500, "work").call(1, 0, 250, "work").call(1, 250, 500, "pthread_mutex_lock");
        let known = found(&script);
        assert_eq!((known.unknown, known.parallel_efficiency), (None, Some(0.75)));
        assert_eq!((known.load_balance, known.transfer_efficiency), (None, None));
    }

    /// An arrow says that something depends on something else, not that a thread waited for it.
    #[test]
    fn an_arrow_between_calls_is_no_record_of_waiting() {
        let mut script = Script::threads(3);
        for location in 0..3 {
            script.call(location, 0, 500, "work");
        }
        let (communicator, tag, length) = (WORLD, 0, 0);
        let send = Event::MpiSend { receiver: 1, communicator, tag, length };
        let receive = Event::MpiRecv { sender: 0, communicator, tag, length };
        script.with_record(0, (500, 600), "work", 550, (EventKind::MpiSend, send));
        script.with_record(1, (500, 600), "work", 560, (EventKind::MpiRecv, receive));
        let arrows = found(&script);
        assert_eq!((arrows.unknown, ratios(&arrows)), (Some(Unknown::OnlyArrows), [None; 6]));
    }

    #[test]
    fn lost_definitions_are_not_computing() {
        let mut script = Script::processes(2);
        for rank in 0..2 {
            script.call(rank, 0, 300, "work").barrier(rank, 300, 500);
        }
        assert_eq!(found(&script).unknown, None);
        script.definitions.locations[1].kind = LocationKind::Unknown;
        let lost = found(&script);
        assert_eq!((lost.unknown, ratios(&lost)), (Some(Unknown::LostDefinitions), [None; 6]));
    }
}
