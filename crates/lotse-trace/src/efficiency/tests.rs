//! Values computed by hand; 17 is the synthetic trace of that number.

use lotse_model::trace::{Event, EventKind, LocationKind, Paradigm, RegionRole};
use proptest::prelude::{prop, prop_assert, proptest};

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

/// An accelerator stream and a metric whose events go on after those of the CPUs.
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

/// The second thread communicates for 800 while the first waits for it in a barrier of the process: on an ideal network
/// neither would, yet the first thread's time outside MPI is 1000.
#[test]
fn waiting_for_a_thread_that_communicates_is_no_serialisation_above_one() {
    let mut script = Script::threads(2);
    script.define("!$omp ibarrier", RegionRole::ImplicitBarrier, Paradigm::OpenMp);
    script.enter(0, 0, "main").call(0, 200, 1000, "!$omp ibarrier").leave(0, 1000, "main");
    script.enter(1, 0, "main").call(1, 200, 1000, "MPI_Recv").leave(1, 1000, "main");
    let found = efficiency(&script.trace(), Some(200)).unwrap();
    assert_eq!((found.serialisation_efficiency, found.transfer_efficiency), (Some(1.0), Some(1.0)));
}

/// The first thread is inside MPI for 800 of 1000, the second computes all the time: 60 % of the processors' time is
/// computing, which is three times what the first thread has outside MPI.
#[test]
fn computing_beside_communication_cannot_be_divided_into_mpi_and_threads() {
    let mut script = Script::threads(2);
    script.enter(0, 0, "main").call(0, 200, 1000, "MPI_Recv").leave(0, 1000, "main");
    script.call(1, 0, 1000, "work");
    let found = efficiency(&script.trace(), None).unwrap();
    near(found.parallel_efficiency, 0.6);
    assert_eq!(found.omp_parallel_efficiency, None);
}

/// All ratios of a run that are known.
fn ratios(found: &Efficiency) -> Vec<f64> {
    let all = [
        found.load_balance,
        found.communication_efficiency,
        found.serialisation_efficiency,
        found.transfer_efficiency,
        found.parallel_efficiency,
        found.mpi_parallel_efficiency,
        found.omp_parallel_efficiency,
    ];
    all.into_iter().flatten().collect()
}

const REGIONS: [&str; 5] = ["work", "MPI_Recv", "MPI_Barrier", "!$omp ibarrier", "pthread_mutex_lock"];

proptest! {
    /// Four threads of two processes that do anything, and an ideal run of any length.
    #[test]
    fn efficiencies_are_between_nothing_and_all(
        calls in prop::collection::vec((0_usize..4, 0_usize..5, 0_u64..100, 0_u64..100), 0..60),
        ideal in 0_u64..10_000,
    ) {
        let mut script = Script::hybrid(&[2, 2]);
        script.define("!$omp ibarrier", RegionRole::ImplicitBarrier, Paradigm::OpenMp);
        let mut now = [0; 4];
        for (location, region, before, length) in calls {
            let from = now[location] + before;
            script.call(location, from, from + length, REGIONS[region]);
            now[location] = from + length;
        }
        let found = efficiency(&script.trace(), Some(ideal));
        for ratio in found.iter().flat_map(ratios) {
            prop_assert!((0.0..=1.0).contains(&ratio), "{found:?}");
        }
        let raw = found.map(|found| found.with_ideal_gain(Some(ideal as f64 / 1000.0 - 5.0)));
        for ratio in raw.iter().flat_map(ratios) {
            prop_assert!((0.0..=1.0).contains(&ratio), "{raw:?}");
        }
    }
}

/// One process with one thread that computes all the time, and one whose three threads compute 1000, 500 and 0: each of
/// the four threads counts as much.
#[test]
fn threads_count_equally_however_many_their_process_has() {
    let mut script = Script::hybrid(&[1, 3]);
    for (thread, worked) in [(0, 1000), (1, 1000), (2, 500), (3, 0)] {
        script.call(thread, 0, worked, "work").call(thread, worked, 1000, "pthread_mutex_lock");
    }
    script.call(0, 1000, 1000, "MPI_Barrier");
    let found = efficiency(&script.trace(), None).unwrap();
    near(found.parallel_efficiency, 2500.0 / 4000.0);
    near(found.omp_parallel_efficiency, 2500.0 / 4000.0);
}
