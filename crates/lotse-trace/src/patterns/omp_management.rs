//! Management of OpenMP threads: the time between the fork and a thread's enter into the parallel region.

use lotse_model::Rule;
use lotse_model::id::PathId;
use lotse_model::trace::{Event, EventKind, RegionRole, Ticks};

use super::{PRIOR, Pattern, Search, WOLF_2003};
use crate::metric::{Bound, Metric};
use crate::store::{OpRef, Paths, Timeline, Trace};
use crate::waits::{Scene, WaitCollector};

pub(super) const PATTERN: Pattern = Pattern {
    rule: &RULE,
    metrics: &[&OMP_MANAGEMENT],
    search: Search::Records(&[EventKind::ThreadTeamBegin], search),
};

/// Time between a fork and the begin of a thread's part of the parallel region.
pub(super) static OMP_MANAGEMENT: Metric =
    Metric::share("omp_management", "thread management", Bound::Exact).from_records();

static RULE: Rule = Rule {
    id: "omp_management",
    version: 1,
    title: "thread management: threads start late in a parallel region",
    meaning: "Between the master's fork and a thread's begin in the parallel region the runtime system creates or \
              wakes threads. The first parallel region is often more expensive than the others, because threads are \
              created then.",
    computation: "E(parallel region on the thread) - time of the fork on the master; for the master as well. Exact.",
    picture: "master    ─ serial ─┤fork▒┤parallel ───
thread 1             ▒▒▒▒▒▒▒┤parallel ─
                    ↑fork   ↑E",
    example: "Fork at 0.100 s; the master enters the region at 0.110 s, its thread at 0.125 s: 0.010 and 0.025 s.",
    advice: "Make fewer and larger parallel regions: one region around several loops, or around the loop that calls \
             them. Keep threads awake between regions (OMP_WAIT_POLICY=active) where nobody else needs the cores.",
    thresholds: &[],
    prior: PRIOR,
    references: &[WOLF_2003],
};

fn search(scene: &Scene<'_>, op: OpRef, collector: &mut WaitCollector) {
    let trace = scene.trace;
    let Some(fork) = trace.links.partner(op).or_else(|| trace.links.other_half(op)) else { return };
    let (begun, path) = parallel(trace, op);
    collector.add_interval(&OMP_MANAGEMENT, op.location, path, (trace.op(fork).at, begun));
}

/// When a thread's part of a parallel region began, and its call path. Recorders differ in whether the region is
/// entered before the team begins or after.
fn parallel(trace: &Trace, begin: OpRef) -> (Ticks, PathId) {
    let timeline = trace.timeline(begin.location);
    let at = trace.op(begin).at;
    let until = next_team_event(timeline, begin.op).unwrap_or(timeline.last);
    let first = timeline.at.partition_point(|&step| step < at);
    let mut steps = (first..timeline.at.len()).take_while(|&step| timeline.at[step] <= until);
    match steps.find(|&step| enters_parallel(trace, timeline, step)) {
        Some(step) => (timeline.at[step], timeline.path[step]),
        None => (at, timeline.step_at(at).map_or(Paths::ROOT, |step| timeline.path[step])),
    }
}

/// The time of the next event of a team after a record.
fn next_team_event(timeline: &Timeline, op: u32) -> Option<Ticks> {
    let mut after = timeline.ops.from(op as usize + 1);
    let is_team_event =
        |event: &Event| matches!(event, Event::TeamBegin { .. } | Event::TeamEnd { .. } | Event::Fork { .. });
    after.find(|op| is_team_event(op.shape())).map(|op| op.at)
}

fn enters_parallel(trace: &Trace, timeline: &Timeline, step: usize) -> bool {
    let path = timeline.path[step];
    let before = step.checked_sub(1).map_or(Paths::ROOT, |before| timeline.path[before]);
    trace.paths.depth(path) > trace.paths.depth(before) && is_parallel(trace, path)
}

/// Whether a call path ends in a parallel region.
pub(super) fn is_parallel(trace: &Trace, path: PathId) -> bool {
    let region = &trace.definitions.regions[trace.paths.region(path).index()];
    path != Paths::ROOT
        && (region.role == RegionRole::Parallel
            || region.name.to_ascii_lowercase().starts_with("!$omp parallel"))
}

#[cfg(test)]
mod tests {
    use crate::fixture::Script;
    use crate::patterns::cube_rows;

    #[test]
    fn threads_start_after_the_fork() {
        let mut script = Script::threads(2);
        script.enter(0, 0, "main").fork(0, 100, 2);
        script.team(0, (105, 310), "parallel", (110, 300)).join(0, 320).leave(0, 320, "main");
        script.team(1, (120, 305), "parallel", (125, 300));
        let expected = [
            ("omp_management", 0, "main/parallel".to_owned(), 10),
            ("omp_management", 1, "main/parallel".to_owned(), 25),
            ("omp_idle_threads", 1, "main".to_owned(), 100),
        ];
        assert_eq!(cube_rows(&script), expected);
    }

    #[test]
    fn each_execution_of_a_region_has_its_own_fork() {
        let mut script = Script::threads(2);
        for start in [0, 1000] {
            script.fork(0, start, 2).team(0, (start, start + 100), "parallel", (start, start + 100));
            script.join(0, start + 100);
            script.team(1, (start + 30, start + 100), "parallel", (start + 40, start + 100));
        }
        let management: Vec<_> =
            cube_rows(&script).into_iter().filter(|(metric, ..)| *metric == "omp_management").collect();
        assert_eq!(management, [("omp_management", 1, "parallel".to_owned(), 80)]);
    }
}
