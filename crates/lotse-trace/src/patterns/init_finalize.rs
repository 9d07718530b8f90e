//! Waiting in `MPI_Init` and `MPI_Finalize`: processes start and end together.

use lotse_model::Rule;

use super::{PRIOR, Pattern, Search};
use crate::class::{Class, RegionClass};
use crate::metric::{Bound, Metric};
use crate::store::CallRef;
use crate::waits::{Scene, WaitCollector};

pub(super) const PATTERN: Pattern = Pattern {
    rule: &RULE,
    metrics: &[&INIT_FINALIZE],
    search: Search::Meetings(is_init_or_finalize, search),
};

/// Waiting for others to start or to end.
static INIT_FINALIZE: Metric =
    Metric::wait("init_finalize", "wait in MPI_Init or MPI_Finalize", Class::InitFinalize, Bound::Upper);

static RULE: Rule = Rule {
    id: "init_finalize",
    version: 1,
    title: "wait in MPI_Init or MPI_Finalize: processes wait for each other in MPI_Init or MPI_Finalize",
    meaning: "Most MPI libraries let nobody out of MPI_Init, MPI_Init_thread and MPI_Finalize before all are in. Processes \
              that come early lose the time; in MPI_Finalize that is the unevenness of the last phase.",
    computation: "min(max E_i, X) - E over the calls that belong together: by their collective record; where the \
                  recorder wrote none, the n-th calls of the same name at all processes that make such calls, if they \
                  make equally many. An upper bound: the standard does \
                  not ask the calls to wait.",
    picture: "rank 0  ── compute ──┤Finalize▒▒▒▒▒▒▒──├
rank 1  ── compute ─────────────┤Finalize├
                                ↑max E",
    example: "MPI_Finalize entered at 2.0 and 2.4 s, left at 2.5 s: the first waits 0.4 s.",
    advice: "In MPI_Init: look at how the job is started, at slow file systems and slow nodes. In MPI_Finalize: give the \
             last phase of the program evenly to all.",
    thresholds: &[],
    prior: PRIOR,
    references: &[
        "M. Geimer, F. Wolf, B. Wylie, E. Ábrahám, D. Becker, B. Mohr: The Scalasca performance toolset architecture, 2010",
    ],
};

fn is_init_or_finalize(class: &RegionClass) -> bool {
    class.class == Class::InitFinalize
}

fn search(scene: &Scene<'_>, call: CallRef, collector: &mut WaitCollector) {
    if let Some(last) = scene.last_to_meet(call) {
        collector.add_wait_until(scene.trace, &INIT_FINALIZE, call, last.at, Some(last.location));
    }
}

#[cfg(test)]
mod tests {
    use crate::fixture::Script;
    use crate::patterns::cube_rows;

    #[test]
    fn the_early_wait_for_the_last_to_come() {
        let mut script = Script::processes(2);
        script.call(0, 0, 90, "MPI_Init").call(0, 2000, 2500, "MPI_Finalize");
        script.call(1, 30, 90, "MPI_Init").call(1, 2400, 2500, "MPI_Finalize");
        let expected = [
            ("init_finalize", 0, "MPI_Init".to_owned(), 30),
            ("init_finalize", 0, "MPI_Finalize".to_owned(), 400),
        ];
        assert_eq!(cube_rows(&script), expected);
    }

    #[test]
    fn who_never_starts_is_not_waited_for() {
        let mut script = Script::processes(3);
        script.call(0, 0, 90, "MPI_Init").call(1, 30, 90, "MPI_Init").call(2, 500, 600, "compute");
        assert_eq!(cube_rows(&script), [("init_finalize", 0, "MPI_Init".to_owned(), 30)]);
    }
}
