//! Idle threads: workers are idle while the master runs serial code.

use std::collections::BTreeMap;

use lotse_model::Rule;
use lotse_model::id::{LocationId, PathId};
use lotse_model::trace::{Event, Ticks};

use super::{PRIOR, Pattern, Search, WOLF_2003};
use crate::matching::TeamInstance;
use crate::metric::{Bound, Metric};
use crate::store::{OpRef, Trace};
use crate::waits::{Scene, WaitCollector};

pub(super) const PATTERN: Pattern =
    Pattern { rule: &RULE, metrics: &[&OMP_IDLE_THREADS], search: Search::Locations(search) };

/// Time of cores that wait for the master's serial code.
pub(crate) static OMP_IDLE_THREADS: Metric = Metric::share("omp_idle_threads", "idle threads", Bound::Exact);

static RULE: Rule = Rule {
    id: "omp_idle_threads",
    version: 1,
    title: "idle threads: threads are idle while the master runs serial code",
    meaning: "Outside parallel regions the master computes alone, and the cores of its threads are idle. By Amdahl's \
              law this bounds what more threads can give.",
    computation: "For each thread that ever took part in a team of the master: the time that the master spends \
                  outside parallel regions, from its first event to its last, at the call paths of the master. \
                  Together duration of the serial phases x (team - 1). Assumes a core for each thread. Exact.",
    picture: "master    ── serial ──┤parallel├── serial ──┤parallel├
thread 1  ▒▒▒▒▒▒▒▒▒▒▒▒┤parallel├▒▒▒▒▒▒▒▒▒▒▒▒┤parallel├",
    example: "A master with 3 workers, 0.4 s of serial code in init and 0.6 s in the parallel region: 1.2 s idle.",
    advice: "Make the call paths with the most idle time parallel, or overlap them with parallel work: tasks, \
             sections, reading ahead.",
    thresholds: &[],
    prior: PRIOR,
    references: &[WOLF_2003],
};

fn search(scene: &Scene<'_>, location: LocationId, collector: &mut WaitCollector) {
    let intervals = outer_parallel_intervals(scene.trace, location);
    if intervals.is_empty() {
        return;
    }
    let workers = workers(&intervals, location);
    for (path, ticks) in serial(scene.trace, location, &intervals, collector.within()) {
        workers.iter().for_each(|&worker| collector.add_time(&OMP_IDLE_THREADS, worker, path, ticks));
    }
}

/// One execution of a parallel region, from fork to join on its master.
#[derive(Debug)]
pub(crate) struct ParallelInterval<'a> {
    pub(crate) from: Ticks,
    pub(crate) to: Ticks,
    pub(super) team: &'a TeamInstance,
}

/// The parallel intervals of a master in the order of time, without nested ones; empty for a thread that works for another.
pub(crate) fn outer_parallel_intervals(trace: &Trace, master: LocationId) -> Vec<ParallelInterval<'_>> {
    let mut intervals: Vec<ParallelInterval<'_>> = Vec::new();
    if trace.links.forked_by(master).next().is_none() || works_for_another(trace, master) {
        return intervals;
    }
    for team in trace.links.forked_by(master) {
        if team.begins.iter().all(|begin| begin.location != master) {
            return Vec::new();
        }
        let Some(fork) = team.fork else { continue };
        let from = trace.op(fork).at;
        if intervals.last().is_none_or(|last| from >= last.to) {
            intervals.push(ParallelInterval { from, to: end_of_team(trace, team, master), team });
        }
    }
    intervals
}

fn works_for_another(trace: &Trace, location: LocationId) -> bool {
    trace.timeline(location).ops.iter().enumerate().any(|(op, record)| {
        let op = OpRef { location, op: op as u32 };
        matches!(record.shape(), Event::TeamBegin { .. }) && trace.links.partner(op).is_some()
    })
}

/// When the master is alone again: at the join, or at the end of its part in the team if no join is recorded.
fn end_of_team(trace: &Trace, team: &TeamInstance, master: LocationId) -> Ticks {
    let timeline = trace.timeline(master);
    let Some(end) = team.ends.iter().find(|end| end.location == master) else { return timeline.last };
    let mut after = timeline.ops.from(end.op as usize + 1);
    let is_team_event = |event: &Event| {
        matches!(event, Event::Join | Event::Fork { .. } | Event::TeamBegin { .. } | Event::TeamEnd { .. })
    };
    let join = after.find(|op| is_team_event(op.shape())).filter(|op| *op.shape() == Event::Join);
    join.map_or(trace.op(*end).at, |join| join.at)
}

/// All threads that took part in some team, without the master.
pub(super) fn workers(intervals: &[ParallelInterval<'_>], master: LocationId) -> Vec<LocationId> {
    let all = intervals.iter().flat_map(|interval| &interval.team.begins).map(|begin| begin.location);
    let mut workers: Vec<LocationId> = all.filter(|&it| it != master).collect();
    workers.sort_unstable();
    workers.dedup();
    workers
}

/// The master's time outside of parallel regions within a span, by call path.
fn serial(
    trace: &Trace,
    master: LocationId,
    intervals: &[ParallelInterval<'_>],
    within: (Ticks, Ticks),
) -> BTreeMap<PathId, Ticks> {
    let timeline = trace.timeline(master);
    let ends = timeline.at.iter().skip(1).copied().chain([timeline.last]);
    let mut sums = BTreeMap::new();
    let mut next = 0;
    for ((&from, to), &path) in timeline.at.iter().zip(ends).zip(&timeline.path) {
        let (from, to) = (from.max(within.0), to.min(within.1));
        next += intervals[next..].iter().take_while(|interval| interval.to <= from).count();
        let parallel: Ticks = intervals[next..]
            .iter()
            .take_while(|interval| interval.from < to)
            .map(|interval| interval.to.min(to).saturating_sub(interval.from.max(from)))
            .sum();
        *sums.entry(path).or_insert(0) += to.saturating_sub(from).saturating_sub(parallel);
    }
    sums
}

#[cfg(test)]
mod tests {
    use crate::fixture::Script;
    use crate::patterns::cube_rows;

    #[test]
    fn workers_are_idle_where_the_master_is_alone() {
        let mut script = Script::threads(3);
        script.enter(0, 0, "main").call(0, 50, 100, "init").fork(0, 100, 3);
        script.team(0, (100, 300), "parallel", (100, 300)).join(0, 310).leave(0, 400, "main");
        script.team(1, (100, 300), "parallel", (100, 300));
        script.team(2, (100, 300), "parallel", (100, 300));
        let idle = |thread, path: &str, ticks| ("omp_idle_threads", thread, path.to_owned(), ticks);
        let expected =
            [idle(1, "main", 140), idle(2, "main", 140), idle(1, "main/init", 50), idle(2, "main/init", 50)];
        assert_eq!(cube_rows(&script), expected);
    }

    #[test]
    fn regions_inside_regions_are_no_serial_phases() {
        let mut script = Script::threads(3);
        script.fork(0, 0, 2).team_begin(0, 0, 1).fork(0, 100, 2).team_begin(0, 100, 2);
        script.team_end(0, 200, 2).join(0, 200).team_end(0, 500, 1).join(0, 500).call(0, 500, 600, "output");
        script.team_begin(1, 0, 1).team_end(1, 500, 1);
        script.team_begin(2, 100, 2).team_end(2, 200, 2);
        assert_eq!(cube_rows(&script), [("omp_idle_threads", 1, "output".to_owned(), 100)]);
    }
}
