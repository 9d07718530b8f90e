//! Processes without any event that others communicate with, e.g. because their files are missing.
//!
//! ```text
//! rank 0    ├── work ──┤▒▒▒▒ barrier ▒▒▒▒├
//! rank 1    ├── work ──────────┤▒ barrier ▒├      rank 1 seems to be the last that arrives,
//! rank 2      (no events)                        but rank 2 was: all that is known is that it took part
//! ```

use std::collections::{BTreeMap, BTreeSet};

use lotse_model::id::{ProcessId, RegionId};
use lotse_model::trace::{Communicator, Ticks};

use super::gaps::{GapAnswer, GapKind, unexplained, unexplained_in};
use crate::matching::Collective;
use crate::store::Trace;

/// The gap of absent processes; `total_time` is the time of all threads on CPUs.
pub(super) fn absent(trace: &Trace, total_time: Ticks) -> Option<GapAnswer> {
    let recorded = recorded(trace);
    if recorded.is_empty() {
        return None;
    }
    let members: BTreeSet<ProcessId> =
        trace.definitions.communicators.iter().flat_map(members_of(trace)).collect();
    let absent: BTreeSet<ProcessId> = members.difference(&recorded).copied().collect();
    if absent.is_empty() {
        return None;
    }
    let links = &trace.links;
    let lacks: Vec<&Collective> =
        links.collectives.iter().filter(|it| lacks_member(trace, it, &absent)).collect();
    if lacks.is_empty() && links.unmatched_sends + links.unmatched_recvs == 0 {
        return None;
    }
    let mut sums = unexplained(trace);
    add_collectives(trace, &lacks, &mut sums);
    let counts = (absent.len() as u64, members.len() as u64);
    Some(unexplained_in(trace, total_time, GapKind::Processes, counts, sums))
}

/// The processes that have events.
fn recorded(trace: &Trace) -> BTreeSet<ProcessId> {
    let has_events = trace.locations().filter(|&it| !trace.timeline(it).at.is_empty());
    has_events.map(|it| trace.location(it).process).collect()
}

/// The processes of a communicator of several.
fn members_of(trace: &Trace) -> impl Fn(&Communicator) -> Vec<ProcessId> {
    |communicator| {
        let members = communicator.members.iter().chain(&communicator.remote).flatten();
        let members = members.filter(|_| !communicator.of_self);
        members.filter_map(|&it| trace.definitions.process_of(it)).collect()
    }
}

/// Whether an absent process is a member of a collective.
fn lacks_member(trace: &Trace, collective: &Collective, absent: &BTreeSet<ProcessId>) -> bool {
    let communicator = &trace.definitions.communicators[collective.communicator.index()];
    !collective.complete && members_of(trace)(communicator).iter().any(|process| absent.contains(process))
}

/// Adds the time in the calls of collectives, by region.
fn add_collectives(trace: &Trace, collectives: &[&Collective], sums: &mut BTreeMap<RegionId, Ticks>) {
    let calls = collectives.iter().flat_map(|it| &it.members).filter_map(|&op| trace.call_of(op));
    for call in calls {
        let sum = sums.entry(trace.paths.region(trace.path(call))).or_default();
        *sum = sum.saturating_add(trace.exit(call) - trace.enter(call));
    }
}

#[cfg(test)]
mod tests {
    use crate::fixture::Script;
    use crate::unrecorded::{GapKind, left_out};

    /// Kind, absent processes, all processes, calls.
    fn found(script: &Script) -> Vec<(GapKind, u64, u64, String)> {
        let (_, gaps) = left_out(&script.trace());
        gaps.into_iter().map(|gap| (gap.kind, gap.count, gap.of, gap.calls.join(","))).collect()
    }

    /// Ranks 0 and 1 of three, of which the last has no events.
    fn two_of_three() -> Script {
        let mut script = Script::processes(3);
        for rank in 0..2 {
            script.enter(rank, 0, "main").leave(rank, 1000, "main");
        }
        script
    }

    #[test]
    fn a_barrier_without_a_member_is_not_explained() {
        let mut script = Script::processes(3);
        for rank in 0..2 {
            script.enter(rank, 0, "main").barrier(rank, 300 + rank as u64, 900).leave(rank, 1000, "main");
        }
        assert_eq!(found(&script), [(GapKind::Processes, 1, 3, "MPI_Barrier".to_owned())]);
    }

    #[test]
    fn a_receive_from_a_process_without_events_is_not_explained() {
        let mut script = Script::processes(3);
        script.enter(0, 0, "main").recv(0, 100, 900, 2, 0).leave(0, 1000, "main");
        script.enter(1, 0, "main").leave(1, 1000, "main");
        assert_eq!(found(&script), [(GapKind::Processes, 1, 3, "MPI_Recv".to_owned())]);
    }

    #[test]
    fn a_process_that_nobody_communicates_with_is_no_gap() {
        assert_eq!(found(&two_of_three()), []);
    }
}
