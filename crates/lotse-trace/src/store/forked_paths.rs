//! Joins the call paths of worker threads to the call path that forked them.
//!
//! A worker's record begins with its part of a parallel region, a master's record with `main`:
//!
//! ```text
//! master   main ─┤fork ┤main/!$omp parallel ┤main/!$omp parallel/work ├ …
//! worker               ┤!$omp parallel      ┤!$omp parallel/work      ├ …
//! ```
//!
//! Both are the same code, so the worker's path is also named `main/!$omp parallel/work`. A top-level path of workers stays
//! as it is if it was forked by several paths, or if it is also a top-level path of a forking thread.
//!
//! A recorder of OMPT callbacks without fork records (eztrace) shows the fork by the names of its regions:
//!
//! ```text
//! master   Working/OpenMP implicit task/OpenMP parallel/OpenMP implicit task/work
//! worker   Working/OpenMP implicit task/work
//! ```

use hashbrown::{HashMap, HashSet};
use lotse_model::id::{LocationId, PathId};

use super::{OpRef, Paths, Trace};

/// By top-level path of worker threads: the only path that forked them.
pub(super) fn find(trace: &Trace) -> HashMap<PathId, PathId> {
    let mut found: HashMap<PathId, Option<PathId>> = HashMap::new();
    let mut seen: HashSet<(PathId, PathId)> = HashSet::new();
    for team in &trace.links.teams {
        let Some(fork) = team.fork else { continue };
        let master = path_at(trace, fork);
        let workers = |op: &&OpRef| op.location != fork.location;
        let begins = team.begins.iter().filter(workers).map(|&begin| first_path(trace, begin));
        let ends = team.ends.iter().filter(workers).map(|&end| first_path(trace, end));
        let ends = ends.map(|path| path.filter(|&path| trace.is_team_end_path(path)));
        for top in begins.chain(ends).flatten() {
            if seen.insert((top, master)) {
                let by = forked_by(trace, top, master);
                found.entry(top).and_modify(|known| *known = common_path(trace, *known, by)).or_insert(by);
            }
        }
    }
    let forking: Vec<LocationId> =
        trace.links.teams.iter().filter_map(|team| team.fork).map(|fork| fork.location).collect();
    let forking: HashSet<LocationId> = forking.into_iter().collect();
    let only_of_workers = |top: &PathId| !forking.iter().any(|&master| is_used(trace, master, *top));
    let joined = found.into_iter().filter_map(|(top, by)| Some((top, by?)));
    joined.filter(|(top, _)| only_of_workers(top)).chain(below_implicit_tasks(trace)).collect()
}

/// By path directly below the implicit task of workers: the master's implicit task inside the parallel region, if there is
/// exactly one such path.
fn below_implicit_tasks(trace: &Trace) -> HashMap<PathId, PathId> {
    let processes = trace.processes();
    let masters: Vec<LocationId> = processes.iter().map(|(_, threads)| threads[0]).collect();
    let mut inner: HashSet<PathId> = HashSet::new();
    for used in masters.iter().flat_map(|master| &trace.uses[master.index()]) {
        if is_implicit_task(trace, used.path) && is_parallel(trace, trace.paths.parent(used.path)) {
            inner.insert(used.path);
        }
    }
    let mut inner = inner.into_iter();
    let (Some(fork), None) = (inner.next(), inner.next()) else { return HashMap::new() };
    let workers = processes.iter().flat_map(|(_, threads)| &threads[1..]);
    let paths = workers.flat_map(|worker| &trace.uses[worker.index()]).map(|used| used.path);
    let begins = paths.filter(|&path| {
        let task = trace.paths.parent(path);
        is_implicit_task(trace, task) && !is_parallel(trace, trace.paths.parent(task))
    });
    let only_theirs = begins.filter(|&path| !masters.iter().any(|&master| is_used(trace, master, path)));
    only_theirs.map(|path| (path, fork)).collect()
}

fn is_implicit_task(trace: &Trace, path: PathId) -> bool {
    is_called(trace, path, "openmp implicit task")
}

fn is_parallel(trace: &Trace, path: PathId) -> bool {
    is_called(trace, path, "openmp parallel")
}

fn is_called(trace: &Trace, path: PathId, name: &str) -> bool {
    path != Paths::ROOT && trace.classes[trace.paths.region(path).index()].name == name
}

/// The call path of a thread at the time of a record.
fn path_at(trace: &Trace, op: OpRef) -> PathId {
    let timeline = trace.timeline(op.location);
    timeline.step_at(trace.op(op).at).map_or(Paths::ROOT, |step| timeline.path[step])
}

/// The first path that a thread enters after a record, if it is a top-level path.
fn first_path(trace: &Trace, begin: OpRef) -> Option<PathId> {
    let timeline = trace.timeline(begin.location);
    let from = timeline.at.partition_point(|&at| at < trace.op(begin).at);
    let path = timeline.path[from..].iter().copied().find(|&path| path != Paths::ROOT)?;
    (trace.paths.parent(path) == Paths::ROOT).then_some(path)
}

/// The path of the forking thread below which it has the region of a top-level path of its workers.
fn forked_by(trace: &Trace, top: PathId, master: PathId) -> Option<PathId> {
    let (paths, region) = (&trace.paths, trace.paths.region(top));
    let by = match paths.find_child(master, region) {
        Some(_) => master,
        None if paths.region(master) == region => paths.parent(master),
        None => return None,
    };
    (by != Paths::ROOT).then_some(by)
}

/// One of two paths if they are equal or have the same name: recorders may define a function once per location.
fn common_path(trace: &Trace, a: Option<PathId>, b: Option<PathId>) -> Option<PathId> {
    let (a, b) = (a?, b?);
    (a == b || trace.path_name(a) == trace.path_name(b)).then_some(a)
}

fn is_used(trace: &Trace, location: LocationId, path: PathId) -> bool {
    trace.uses[location.index()].binary_search_by_key(&path, |used| used.path).is_ok()
}

#[cfg(test)]
mod tests {
    use crate::fixture::Script;
    use crate::store::Trace;

    /// Two threads; each of the given paths forks once, and both threads execute `work` in the team.
    fn forked(by: &[&str]) -> Trace {
        let mut script = Script::threads(2);
        script.enter(0, 0, "main");
        for (&name, start) in by.iter().zip((0..).step_by(1000)) {
            script.enter(0, start + 10, name).fork(0, start + 20, 2);
            for thread in [0, 1] {
                script.team_begin(thread, start + 30, 1).enter(thread, start + 40, "parallel");
                script.call(thread, start + 50, start + 90, "work").leave(thread, start + 100, "parallel");
                script.team_end(thread, start + 110, 1);
            }
            script.join(0, start + 120).leave(0, start + 130, name);
        }
        script.leave(0, 9000, "main");
        script.trace()
    }

    fn names(trace: &Trace, location: usize) -> Vec<String> {
        let used = trace.uses[location].iter().filter(|used| used.visits > 0);
        used.map(|used| trace.path_name(used.path)).collect()
    }

    #[test]
    fn the_path_of_a_worker_begins_with_its_fork() {
        let trace = forked(&["solve"]);
        assert_eq!(
            names(&trace, 1),
            ["main/solve/parallel", "main/solve/parallel/work", "main/solve/(end of parallel region)"]
        );
        let work = trace.paths_named("main/solve/parallel/work");
        assert_eq!(work.len(), 2, "the master's and the workers'");
        assert_eq!(trace.paths_named("solve/parallel/work"), work);
        assert_eq!(trace.paths_named("*/parallel/work"), work);
        assert!(work.iter().all(|&path| trace.paths.joined(path) == work[0]));
    }

    /// OMPT callbacks as eztrace records them: the record of a worker has no parallel region.
    #[test]
    fn implicit_tasks_of_workers_are_those_of_the_master() {
        let mut script = Script::threads(2);
        let (task, parallel) = ("OpenMP implicit task", "OpenMP parallel");
        script.enter(0, 0, "Working").enter(0, 1, task).call(0, 2, 3, "alone").enter(0, 5, parallel);
        script.enter(0, 6, task).call(0, 7, 20, "work").leave(0, 30, task).leave(0, 31, parallel);
        script.enter(1, 6, "Working").enter(1, 7, task).call(1, 8, 28, "work").call(1, 28, 29, "alone");
        let trace = script.trace();
        let inner = "Working/OpenMP implicit task/OpenMP parallel/OpenMP implicit task/work";
        assert_eq!(trace.paths_named(inner).len(), 2);
        assert!(names(&trace, 1).contains(&inner.to_owned()));
        let alone = "Working/OpenMP implicit task/alone";
        assert!(names(&trace, 1).contains(&alone.to_owned()), "the master has it outside of the region too");
    }

    #[test]
    fn a_worker_path_with_several_forks_is_not_joined() {
        let trace = forked(&["solve", "write"]);
        assert_eq!(names(&trace, 1), ["parallel", "parallel/work", "(end of parallel region)"]);
        assert_eq!(trace.paths_named("parallel/work").len(), 3, "by its end, all of them");
    }
}
