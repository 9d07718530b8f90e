//! Waiting in the creation of windows for one-sided communication, if it is recorded by calls alone.

use lotse_model::Rule;

use super::{HERMANNS_2009, PRIOR, Pattern, Search};
use crate::class::{Class, RegionClass};
use crate::metric::{Bound, Metric};
use crate::store::CallRef;
use crate::waits::{Scene, WaitCollector};

pub(super) const PATTERN: Pattern =
    Pattern { rule: &RULE, metrics: &[&WIN_CREATE], search: Search::Meetings(creates_window, search) };

/// Waiting for others in the creation of a window.
static WIN_CREATE: Metric = Metric::wait("win_create", "wait for a window", Class::Rma, Bound::Upper);

static RULE: Rule = Rule {
    id: "win_create",
    version: 1,
    title: "wait for a window: processes wait for each other to make a window",
    meaning: "A window is made by all members of a communicator together (MPI_Win_create, MPI_Win_allocate and their \
              like). \
              Processes that come early wait for the last. Windows whose making has a record of one-sided communication \
              are counted with the fences.",
    computation: "min(max E_i, X) - E over the calls that belong together: by their collective record; where the \
                  recorder wrote none, the n-th calls of the same name at all processes that make such calls, if they \
                  make equally many. An upper bound: \
                  what the library must ask the others for is not known.",
    picture: "rank 0  ── compute ──┤Win_create▒▒▒▒▒▒▒──├
rank 1  ── compute ───────────────┤Win_create├
                                  ↑max E",
    example: "MPI_Win_create entered at 0.1 and 0.25 s, left at 0.3 s: the first waits 0.15 s.",
    advice: "Make windows once and keep them; make them large enough, or with MPI_Win_create_dynamic, rather than again \
             and again.",
    thresholds: &[],
    prior: PRIOR,
    references: &[HERMANNS_2009],
};

/// Collective calls that create a window.
const CREATING_CALLS: &[&str] =
    &["mpi_win_create", "mpi_win_create_dynamic", "mpi_win_allocate", "mpi_win_allocate_shared"];

fn creates_window(class: &RegionClass) -> bool {
    CREATING_CALLS.contains(&class.name.as_str())
}

fn search(scene: &Scene<'_>, call: CallRef, collector: &mut WaitCollector) {
    if let Some(last) = scene.last_to_meet(call) {
        collector.add_wait_until(scene.trace, &WIN_CREATE, call, last.at, Some(last.location));
    }
}

#[cfg(test)]
mod tests {
    use crate::fixture::Script;
    use crate::patterns::{amounts, cube_rows};

    #[test]
    fn the_early_wait_for_the_last_to_come() {
        let mut script = Script::processes(2);
        script.call(0, 100, 300, "MPI_Win_create");
        script.call(1, 250, 300, "MPI_Win_create");
        assert_eq!(cube_rows(&script), [("win_create", 0, "MPI_Win_create".to_owned(), 150)]);
    }

    #[test]
    fn windows_with_records_belong_to_rma_wait_at_fence() {
        let mut script = Script::processes(2);
        script.fence(0, (100, 300), "MPI_Win_create").fence(1, (250, 300), "MPI_Win_create");
        assert_eq!(amounts(&script, "win_create"), []);
    }
}
