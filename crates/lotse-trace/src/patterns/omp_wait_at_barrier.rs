//! Wait at OpenMP barrier: all threads wait for the last one to arrive.

use lotse_model::Rule;
use lotse_model::trace::{RegionRole, Ticks};

use super::{PRIOR, Pattern, Search, WOLF_2003};
use crate::class::{Class, RegionClass};
use crate::metric::{Bound, Metric};
use crate::store::{CallRef, Trace};
use crate::waits::{Cause, Scene, Wait, WaitCollector};

pub(super) const PATTERN: Pattern =
    Pattern { rule: &RULE, metrics: &[&IMPLICIT, &EXPLICIT], search: Search::Calls(is_barrier, search) };

/// Waiting at the end of a parallel region or of a worksharing construct.
pub(super) static IMPLICIT: Metric = Metric::wait(
    "omp_wait_at_implicit_barrier",
    "wait at implicit OpenMP barrier",
    Class::OpenMpBarrier,
    Bound::Exact,
)
.from_records();

/// Waiting at an explicit barrier of the program.
pub(super) static EXPLICIT: Metric = Metric::wait(
    "omp_wait_at_explicit_barrier",
    "wait at explicit OpenMP barrier",
    Class::OpenMpBarrier,
    Bound::Exact,
)
.from_records();

static RULE: Rule = Rule {
    id: "omp_wait_at_barrier",
    version: 1,
    title: "wait at OpenMP barrier: threads wait at a barrier for the last of them",
    meaning: "The threads of a team came to a barrier at different times, and none goes on before the last is there. \
              At the implicit barrier of a loop or of a parallel region this is how unequal shares of the work show.",
    computation: "max over the team of E - E(barrier), within the same instance of the barrier: the n-th barrier \
                  that each thread meets in one run of the parallel region. A thread that runs tasks in the barrier \
                  has come when the last of them has ended, and waits between them. Exact.",
    picture: "thread 0  ── work ──┤barrier▒▒▒▒▒▒▒▒▒├──
thread 1  ── work ───────────┤barrier▒├──
thread 2  ── work ───────────────────┤├──
                    ↑E                ↑last E",
    example: "Three threads come at 0.5, 0.8 and 1.0 s: the first waits 0.5 s, the second 0.2 s, the third not.",
    advice: "Share the work more evenly: another schedule (dynamic, guided, smaller chunks), collapsed loops, tasks. \
             Where two loops need no order between them, say nowait.",
    thresholds: &[],
    prior: PRIOR,
    references: &[WOLF_2003],
};

fn is_barrier(class: &RegionClass) -> bool {
    class.class == Class::OpenMpBarrier
}

fn search(scene: &Scene<'_>, call: CallRef, collector: &mut WaitCollector) {
    add_barrier_wait(scene.trace, metric(scene.trace, call), call, collector);
}

/// Adds the wait of a barrier call for the last thread to arrive. Threads may run tasks in the barrier: a thread has
/// arrived when its last task has ended, and it also waits between tasks.
pub(super) fn add_barrier_wait(
    trace: &Trace,
    metric: &'static Metric,
    call: CallRef,
    collector: &mut WaitCollector,
) {
    let Some(members) = trace.links.barrier(call) else { return };
    let arrivals = members.iter().map(|&member| (arrival(trace, member), member));
    let Some((until, last)) = arrivals.max_by_key(|&(at, member)| (at, trace.enter(member))) else { return };
    let begin = arrival(trace, call);
    let end = until.min(trace.exit(call));
    let cause = Some(Cause { location: last.location, at: end });
    let wait = Wait { metric: Some(metric), call, begin, end, cause, causal: true, is_overlapped: false };
    collector.add(trace, wait);
    for (begin, end) in between_tasks(trace, call, begin) {
        collector.add_one_of_several(trace, Wait { begin, end, cause: None, causal: false, ..wait });
    }
}

/// When a thread has arrived at a barrier: at the end of the last task that it runs there, or at the enter.
fn arrival(trace: &Trace, call: CallRef) -> Ticks {
    let timeline = trace.timeline(call.location);
    let steps = &timeline.calls[call.call as usize];
    let mut inside = (steps.enter as usize + 1..steps.exit as usize).rev();
    let last = inside.find(|&step| trace.class_of(timeline.path[step]).is_program());
    last.map_or(trace.enter(call), |step| timeline.at[step + 1])
}

/// The intervals before `until` in which a thread in a barrier runs no task.
fn between_tasks(trace: &Trace, call: CallRef, until: Ticks) -> impl Iterator<Item = (Ticks, Ticks)> {
    let timeline = trace.timeline(call.location);
    let steps = &timeline.calls[call.call as usize];
    let inside =
        (steps.enter as usize..steps.exit as usize).take_while(move |&step| timeline.at[step] < until);
    let idle = inside.filter(|&step| !trace.class_of(timeline.path[step]).is_program());
    idle.map(|step| (timeline.at[step], timeline.at[step + 1]))
}

fn metric(trace: &Trace, call: CallRef) -> &'static Metric {
    let region = trace.paths.region(trace.path(call));
    let role = trace.definitions.regions[region.index()].role;
    let implicit = role == RegionRole::ImplicitBarrier || trace.class(call).name.contains("implicit");
    if implicit { &IMPLICIT } else { &EXPLICIT }
}

#[cfg(test)]
mod tests {
    use lotse_model::trace::{Paradigm, RegionRole};

    use crate::fixture::Script;
    use crate::patterns::cube_rows;

    const BARRIER: &str = "!$omp implicit barrier @a.c:20";

    /// The second thread runs a task in the barrier from 600 to 900, the first one from 700 to 750.
    #[test]
    fn a_thread_that_runs_tasks_in_a_barrier_waits_between_them() {
        let mut script = Script::threads(3);
        script.define(BARRIER, RegionRole::ImplicitBarrier, Paradigm::OpenMp);
        for (thread, task) in [(0, Some((700, 750))), (1, Some((600, 900))), (2, None)] {
            script.enter(thread, 0, "work").enter(thread, 500, BARRIER);
            if let Some((from, to)) = task {
                script.call(thread, from, to, "task");
            }
            script.leave(thread, 910, BARRIER).leave(thread, 1000, "work");
        }
        let path = || format!("work/{BARRIER}");
        let metric = "omp_wait_at_implicit_barrier";
        let waits: Vec<_> = cube_rows(&script).into_iter().filter(|row| row.0 == metric).collect();
        assert_eq!(
            waits,
            [(metric, 0, path(), 200 + 150), (metric, 1, path(), 100), (metric, 2, path(), 400)]
        );
    }

    #[test]
    fn all_threads_wait_for_the_last_one() {
        let mut script = Script::threads(3);
        script.define(BARRIER, RegionRole::ImplicitBarrier, Paradigm::OpenMp);
        for (thread, arrival) in [(0, 500), (1, 800), (2, 1000)] {
            script.enter(thread, 0, "work").call(thread, arrival, 1010, BARRIER).leave(thread, 1010, "work");
        }
        let path = format!("work/{BARRIER}");
        let metric = "omp_wait_at_implicit_barrier";
        assert_eq!(cube_rows(&script), [(metric, 0, path.clone(), 500), (metric, 1, path, 200)]);
    }

    #[test]
    fn explicit_barriers_are_distinguished_and_matched_in_their_order() {
        let mut script = Script::threads(2);
        script.define("!$omp barrier", RegionRole::Barrier, Paradigm::OpenMp);
        script.call(0, 100, 310, "!$omp barrier").call(0, 400, 410, "!$omp barrier");
        script.call(1, 300, 310, "!$omp barrier").call(1, 350, 410, "!$omp barrier");
        let metric = "omp_wait_at_explicit_barrier";
        let path = "!$omp barrier".to_owned();
        assert_eq!(cube_rows(&script), [(metric, 0, path.clone(), 200), (metric, 1, path, 50)]);
    }
}
