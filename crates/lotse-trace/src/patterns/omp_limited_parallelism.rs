//! Limited parallelism: parallel regions with fewer threads than the process has.

use lotse_model::Rule;
use lotse_model::id::{LocationId, PathId};
use lotse_model::trace::Ticks;

use super::omp_idle_threads::{outer_parallel_intervals, workers};
use super::omp_management::is_parallel;
use super::{PRIOR, Pattern, Search, WOLF_2003};
use crate::metric::{Bound, Metric};
use crate::store::{Paths, Trace};
use crate::waits::{Scene, WaitCollector};

pub(super) const PATTERN: Pattern =
    Pattern { rule: &RULE, metrics: &[&OMP_LIMITED_PARALLELISM], search: Search::Locations(search) };

/// Time of cores that parallel regions leave out.
pub(super) static OMP_LIMITED_PARALLELISM: Metric =
    Metric::share("omp_limited_parallelism", "limited parallelism", Bound::Exact);

static RULE: Rule = Rule {
    id: "omp_limited_parallelism",
    version: 1,
    title: "limited parallelism: a parallel region runs with fewer threads than there are",
    meaning: "Threads that take part in other parallel regions of the process are left out of this one, and their \
              cores are idle meanwhile.",
    computation: "For each thread that took part in some team of the master but not in this one: the duration of the \
                  region, from fork to join, at the call path of the fork. Together (largest team - actual team) x \
                  duration. Assumes a core for each thread. Exact.",
    picture: "master    ┤parallel (2)├──┤parallel (3)├
thread 1  ┤parallel    ├  ┤parallel    ├
thread 2  ▒▒▒▒▒▒▒▒▒▒▒▒▒▒  ┤parallel    ├",
    example: "Four threads, but a region of 0.5 s asks for two: two threads lose 0.5 s each.",
    advice: "Drop num_threads where it is no longer needed, give the region enough work for all threads, or run it \
             beside another one.",
    thresholds: &[],
    prior: PRIOR,
    references: &[WOLF_2003],
};

fn search(scene: &Scene<'_>, location: LocationId, collector: &mut WaitCollector) {
    let intervals = outer_parallel_intervals(scene.trace, location);
    let workers = workers(&intervals, location);
    for interval in &intervals {
        let path = serial_path(scene.trace, location, interval.from);
        let present = |worker| interval.team.begins.iter().any(|begin| begin.location == worker);
        for &worker in workers.iter().filter(|&&worker| !present(worker)) {
            collector.add_interval(&OMP_LIMITED_PARALLELISM, worker, path, (interval.from, interval.to));
        }
    }
}

/// The call path in which the master forked. The region may be entered in the same tick as the fork.
fn serial_path(trace: &Trace, master: LocationId, fork: Ticks) -> PathId {
    let timeline = trace.timeline(master);
    let path = timeline.step_at(fork).map_or(Paths::ROOT, |step| timeline.path[step]);
    if is_parallel(trace, path) { trace.paths.parent(path) } else { path }
}

#[cfg(test)]
mod tests {
    use crate::fixture::Script;
    use crate::patterns::cube_rows;

    #[test]
    fn threads_that_are_left_out_lose_the_time_of_the_region() {
        let mut script = Script::threads(4);
        script.enter(0, 0, "main");
        for (start, threads) in [(0, 4), (500, 2)] {
            script.fork(0, start, threads);
            for thread in 0..threads as usize {
                script.team(thread, (start, start + 500), "parallel", (start, start + 500));
            }
            script.join(0, start + 500);
        }
        script.leave(0, 1000, "main");
        let lost = |thread| ("omp_limited_parallelism", thread, "main".to_owned(), 500);
        assert_eq!(cube_rows(&script), [lost(2), lost(3)]);
    }
}
