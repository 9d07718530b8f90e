//! Values computed by hand; 17 is the synthetic trace of that number.

use lotse_model::trace::{Event, EventKind, LocationKind, Paradigm, RegionRole};

use super::{Efficiency, efficiency};
use crate::fixture::{Script, WORLD};
use crate::phases::{Phase, cut};

/// Two ranks compute (0.8, 0.4) and (0.5, 0.9) seconds between barriers that take no time.
fn seventeen() -> Script {
    let mut script = Script::processes(2);
    script.enter(0, 0, "main").call(0, 0, 800, "phaseA").barrier(0, 800, 800);
    script.call(0, 800, 1200, "phaseB").barrier(0, 1200, 1700).leave(0, 1700, "main");
    script.enter(1, 0, "main").call(1, 0, 500, "phaseA").barrier(1, 500, 800);
    script.call(1, 800, 1700, "phaseB").barrier(1, 1700, 1700).leave(1, 1700, "main");
    script
}

#[track_caller]
fn near(have: Option<f64>, want: f64) {
    let have = have.expect("a ratio");
    assert!((have - want).abs() < 1e-9, "{have} instead of {want}");
}

#[test]
fn two_ranks_with_unequal_work() {
    let found = efficiency(&seventeen().trace(), Some(1700)).unwrap();
    assert_eq!((found.runtime, found.useful.as_slice()), (1.7, [1.2, 1.4].as_slice()));
    near(found.load_balance, 1.3 / 1.4);
    near(found.communication_efficiency, 1.4 / 1.7);
    near(found.parallel_efficiency, 1.3 / 1.7);
    near(found.transfer_efficiency, 1.0);
    near(found.serialisation_efficiency, 1.4 / 1.7);
    assert_eq!(found.omp_parallel_efficiency, None);
}

/// A stream of an accelerator and a metric that go on after the processors.
#[test]
fn only_time_on_processors_is_run_time() {
    let mut script = Script::hybrid(&[2, 2]);
    script.definitions.locations[1].kind = LocationKind::Accelerator;
    script.definitions.locations[3].kind = LocationKind::Metric;
    for rank in [0, 2] {
        script.enter(rank, 100, "main").call(rank, 100, 900, "MPI_Barrier").leave(rank, 1100, "main");
    }
    script.call(1, 0, 3000, "kernel").call(3, 50, 2000, "sampled");
    let found = efficiency(&script.trace(), Some(1000)).unwrap();
    assert_eq!((found.runtime, found.useful.as_slice()), (1.0, [0.2, 0.2].as_slice()));
    near(found.communication_efficiency, 0.2);
    near(found.parallel_efficiency, 0.2);
    near(found.transfer_efficiency, 1.0);
}

#[test]
fn a_phase_has_efficiencies_of_its_own() {
    let trace = seventeen().trace();
    let phase = cut(&trace, Phase { begin: 0, end: 800 }, &lotse_model::work::Sequential);
    let found = efficiency(&phase, None).unwrap();
    assert_eq!((found.runtime, found.useful.as_slice()), (0.8, [0.8, 0.5].as_slice()));
    near(found.load_balance, 0.65 / 0.8);
    near(found.communication_efficiency, 1.0);
    assert_eq!(found.serialisation_efficiency, None);
}

#[test]
fn what_runs_inside_mpi_is_not_useful_nor_is_reading_through_it() {
    let mut script = Script::processes(1);
    script.enter(0, 0, "main").enter(0, 100, "MPI_Reduce").call(0, 100, 150, "my_sum");
    script.leave(0, 200, "MPI_Reduce").call(0, 200, 300, "MPI_File_read").leave(0, 1000, "main");
    assert_eq!(efficiency(&script.trace(), None).unwrap().useful, [0.8]);
}

/// One process, two threads: the master computes 1000 of 1000 ms, of which 600 in a team whose worker computes 400
/// and waits 200.
#[test]
fn idle_and_waiting_threads_lower_the_efficiency() {
    let mut script = Script::threads(2);
    script.define("!$omp parallel", RegionRole::Parallel, Paradigm::OpenMp);
    script.define("!$omp ibarrier", RegionRole::ImplicitBarrier, Paradigm::OpenMp);
    let begin = Event::TeamBegin { team: WORLD };
    let end = Event::TeamEnd { team: WORLD };
    script.enter(0, 0, "main").event(0, 200, EventKind::ThreadTeamBegin, begin);
    script.call(0, 200, 800, "!$omp parallel").event(0, 800, EventKind::ThreadTeamEnd, end);
    script.leave(0, 1000, "main");
    script.event(1, 0, EventKind::Unknown, Event::Other).event(1, 200, EventKind::ThreadTeamBegin, begin);
    script.enter(1, 200, "!$omp parallel").call(1, 600, 800, "!$omp ibarrier");
    script.leave(1, 800, "!$omp parallel").event(1, 800, EventKind::ThreadTeamEnd, end);
    script.event(1, 1000, EventKind::Unknown, Event::Other);
    let found = efficiency(&script.trace(), None).unwrap();
    assert_eq!(found.useful, [1.0]);
    near(found.omp_parallel_efficiency, (1.0 + 0.4) / 2.0);
    near(found.parallel_efficiency, 0.7);
    assert_eq!(found.threads, 2);
}

#[test]
fn nothing_is_divided_by_nothing() {
    assert_eq!(efficiency(&Script::processes(0).trace(), None), None);
    let mut script = Script::processes(1);
    script.call(0, 5, 5, "main");
    let found = efficiency(&script.trace(), Some(0)).unwrap();
    let ratios = |it: &Efficiency| (it.load_balance, it.communication_efficiency, it.transfer_efficiency);
    assert_eq!(ratios(&found), (None, None, None));
}
