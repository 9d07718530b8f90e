//! Waiting in the creation of communicators.

use lotse_model::Rule;

use super::{PRIOR, Pattern, Search};
use crate::class::{Class, RegionClass};
use crate::metric::{Bound, Metric};
use crate::store::CallRef;
use crate::waits::{Scene, WaitCollector};

pub(super) const PATTERN: Pattern =
    Pattern { rule: &RULE, metrics: &[&COMM_CREATE], search: Search::Meetings(creates_communicator, search) };

/// Waiting for others in the creation of a communicator.
static COMM_CREATE: Metric =
    Metric::wait("comm_create", "wait for a communicator", Class::OtherMpi, Bound::Upper);

static RULE: Rule = Rule {
    id: "comm_create",
    version: 1,
    title: "wait for a communicator: processes wait for each other to make a communicator",
    meaning: "Communicators are made by all their members together (MPI_Comm_create, MPI_Comm_dup, MPI_Comm_split, \
              MPI_Cart_create and their like). Processes that come early wait for the last.",
    computation: "min(max E_i, X) - E over the calls that belong together: by their collective record; where the \
                  recorder wrote none, the n-th calls of the same name at all processes that make such calls, if they \
                  make equally many. An upper bound: \
                  what the library must ask the others for is not known, and calls on different communicators may \
                  have been paired where no record tells them apart.",
    picture: "rank 0  ── compute ──┤Comm_split▒▒▒▒▒▒▒──├
rank 1  ── compute ───────────────┤Comm_split├
                                  ↑max E",
    example: "MPI_Comm_split entered at 0.1 and 0.25 s, left at 0.3 s: the first waits 0.15 s.",
    advice: "Make communicators once, before the work, and keep them. Where they are made again and again inside a \
             loop, \
             keep them in a table or use groups of ranks within one communicator.",
    thresholds: &[],
    prior: PRIOR,
    references: &[
        "M. Geimer, F. Wolf, B. Wylie, E. Ábrahám, D. Becker, B. Mohr: The Scalasca performance toolset architecture, 2010",
    ],
};

/// Collective calls that create a communicator.
const CREATING_CALLS: &[&str] = &[
    "mpi_comm_create",
    "mpi_comm_create_group",
    "mpi_comm_dup",
    "mpi_comm_dup_with_info",
    "mpi_comm_split",
    "mpi_comm_split_type",
    "mpi_intercomm_create",
    "mpi_intercomm_merge",
    "mpi_cart_create",
    "mpi_cart_sub",
    "mpi_graph_create",
    "mpi_dist_graph_create",
    "mpi_dist_graph_create_adjacent",
];

fn creates_communicator(class: &RegionClass) -> bool {
    CREATING_CALLS.contains(&class.name.as_str())
}

fn search(scene: &Scene<'_>, call: CallRef, collector: &mut WaitCollector) {
    if let Some(last) = scene.last_to_meet(call) {
        collector.add_wait_until(scene.trace, &COMM_CREATE, call, last.at, Some(last.location));
    }
}

#[cfg(test)]
mod tests {
    use lotse_model::trace::CollectiveOp;

    use crate::fixture::Script;
    use crate::patterns::cube_rows;

    #[test]
    fn without_records_calls_are_counted() {
        let mut script = Script::processes(2);
        script.call(0, 100, 300, "MPI_Comm_split");
        script.call(1, 250, 300, "MPI_Comm_split");
        assert_eq!(cube_rows(&script), [("comm_create", 0, "MPI_Comm_split".to_owned(), 150)]);
    }

    #[test]
    fn records_decide_which_calls_belong_together() {
        let mut script = Script::processes(2);
        // Without its records, the second process would have one call too few.
        let op = CollectiveOp::CreateHandle;
        script.call(0, 0, 10, "MPI_Comm_dup").collective(0, (100, 300), "MPI_Comm_dup", op, None);
        script.collective(1, (220, 300), "MPI_Comm_dup", op, None);
        assert_eq!(cube_rows(&script), [("comm_create", 0, "MPI_Comm_dup".to_owned(), 120)]);
    }
}
