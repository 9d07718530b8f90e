//! Detects unrecorded waiting for tasks: dependences between tasks, and calls that wait for tasks (`taskwait`). Both show in
//! what threads do meanwhile.
//!
//! ```text
//! thread 0  ┤create a, b├┤task a     ├ ·············┤      · waits for tasks, in no recorded waiting call
//! thread 1  ┤barrier ▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒┤task b    ├        ▒ idle although b has been created: b is not ready
//! ```
//!
//! An idle thread runs a task as soon as one is ready. Hence tasks that have been created and do not begin while threads are
//! idle depend on others. A thread that continues right after the end of the last task that it created, in the call path that
//! created the task, seems to have waited for it; so does a thread that runs one of its own tasks outside of all barriers
//! while others of its tasks have not ended. Both are indications and no proofs, so only a caution follows from them.

use std::collections::BTreeMap;

use lotse_model::id::{LocationId, PathId};
use lotse_model::trace::{Event, Ticks};

use crate::class::Class;
use crate::store::{Paths, Timeline, Trace};

/// A thread continues within 1/100 of its waiting time after the end of the task.
const TOLERANCE: Ticks = 100;

/// Unrecorded waiting for tasks in a trace.
#[derive(Debug, Default)]
pub(super) struct TaskWaits {
    /// Number of tasks that were created and have run.
    pub(super) tasks: u64,
    /// Time of threads that are idle while there are tasks that have not begun.
    pub(super) for_ready: Ticks,
    /// How often threads seem to wait for the tasks that they created, and how long.
    pub(super) for_ends: (u64, Ticks),
}

/// A recorder's number of a task, with the thread that it names.
type TaskKey = (u32, u32);

/// A thread, and the task that it runs.
type RunningOn = (LocationId, Option<TaskKey>);

/// Where a task was created: on which thread, in which task, in which call path.
type CreationSite = (LocationId, Option<TaskKey>, PathId);

#[derive(Debug, Clone, Copy)]
struct Task {
    site: CreationSite,
    created: Ticks,
    begun: Ticks,
    ended: Ticks,
}

/// An interval: begin and end.
type TickInterval = (Ticks, Ticks);

/// Sums the waiting over all processes: idle time of threads while tasks are pending, time in which threads run tasks
/// among others of theirs, and time until the ends of their last tasks.
pub(super) fn waited(trace: &Trace) -> TaskWaits {
    let mut waited = TaskWaits::default();
    for (_, threads) in trace.processes() {
        let (tasks, started) = tasks(trace, &threads);
        waited.tasks += tasks.len() as u64;
        if tasks.is_empty() {
            continue;
        }
        let among = waits_among_others(&tasks, &started);
        waited.for_ends = (waited.for_ends.0 + among.0, waited.for_ends.1 + among.1);
        let pending = union(tasks.iter().map(|task| (task.created, task.begun)).collect());
        for &thread in &threads {
            let idle = spans(trace, thread, is_idle);
            waited.for_ready = idle.fold(waited.for_ready, |sum, (_, span)| sum + overlap(&pending, span));
            let (count, ticks) = waits_for_ends(trace, thread, &tasks);
            waited.for_ends = (waited.for_ends.0 + count, waited.for_ends.1 + ticks);
        }
    }
    waited
}

/// When and where tasks were created, and from when to when they ran.
#[derive(Debug, Default)]
struct TaskRecords {
    created_tasks: BTreeMap<TaskKey, (CreationSite, Ticks)>,
    ran: BTreeMap<TaskKey, TickInterval>,
    started: Vec<StartedTask>,
}

/// A task that a thread begins while it is in no barrier.
#[derive(Debug, Clone, Copy)]
struct StartedTask {
    by: RunningOn,
    at: Ticks,
    until: Ticks,
    /// Whether the thread created it right before.
    at_once: bool,
}

/// The tasks of a process that were created and ran, in the order of their numbers.
fn tasks(trace: &Trace, threads: &[LocationId]) -> (Vec<Task>, Vec<StartedTask>) {
    let mut records = TaskRecords::default();
    threads.iter().for_each(|&thread| records.read(trace, thread));
    let TaskRecords { created_tasks, mut ran, started } = records;
    // Some recorders number the tasks of each thread, others those of a process. In the latter case the number alone
    // identifies the task, and the recorded thread may be the one that runs it.
    let is_of_process =
        created_tasks.keys().zip(created_tasks.keys().skip(1)).all(|(one, next)| one.0 != next.0);
    let key = |key: TaskKey| if is_of_process { (key.0, 0) } else { key };
    if is_of_process {
        for ((generation, _), span) in std::mem::take(&mut ran) {
            let known = ran.entry((generation, 0)).or_insert(span);
            *known = (known.0.min(span.0), known.1.max(span.1));
        }
    }
    let task = |(number, (site, created)): (TaskKey, (CreationSite, Ticks))| {
        ran.get(&key(number)).map(|&(begun, ended)| Task { site, created, begun, ended })
    };
    (created_tasks.into_iter().filter_map(task).collect(), started)
}

impl TaskRecords {
    /// Reads the creations and switches of a thread. A task that begins outside of all barriers is kept in `open` until
    /// the next switch.
    fn read(&mut self, trace: &Trace, location: LocationId) {
        let timeline = trace.timeline(location);
        let (mut running, mut just_created, mut open) = (None, None, None);
        if !timeline.ops.has(|event| matches!(event, Event::TaskCreate { .. } | Event::TaskSwitch { .. })) {
            return;
        }
        for op in &timeline.ops {
            let before = just_created.take();
            match op.event() {
                Event::TaskCreate { thread, generation, .. } => {
                    let step = timeline.at.partition_point(|&at| at <= op.at);
                    let path = step.checked_sub(1).map_or(Paths::ROOT, |step| timeline.path[step]);
                    self.created_tasks.insert((generation, thread), ((location, running, path), op.at));
                    just_created = Some((generation, thread));
                }
                Event::TaskSwitch { thread, generation, .. } => {
                    let next = (generation != 0).then_some((generation, thread));
                    self.switch(running, next, op.at);
                    if let Some(started) = open.take() {
                        self.started.push(StartedTask { until: op.at, ..started });
                    }
                    if next.is_some() && !idles_before(trace, timeline, op.at) {
                        let (at, until, at_once) = (op.at, op.at, before == next);
                        open = Some(StartedTask { by: (location, running), at, until, at_once });
                    }
                    running = next;
                }
                _ => {}
            }
        }
    }

    fn switch(&mut self, from: Option<TaskKey>, to: Option<TaskKey>, at: Ticks) {
        for key in from.into_iter().chain(to) {
            let ran = self.ran.entry(key).or_insert((at, at));
            *ran = (ran.0.min(at), ran.1.max(at));
        }
    }
}

/// Whether a thread is in a barrier at a time or right before it.
fn idles_before(trace: &Trace, timeline: &Timeline, at: Ticks) -> bool {
    let before = timeline.at.partition_point(|&step| step < at).saturating_sub(1);
    let after = timeline.at.partition_point(|&step| step <= at);
    timeline.path[before..after].iter().any(|&path| is_idle(trace.class_of(path)))
}

fn is_idle(class: Class) -> bool {
    matches!(class, Class::OpenMpBarrier | Class::OpenMp)
}

/// With this many unfinished tasks, a runtime may execute a new task at once instead of queueing it.
const FULL: usize = 256;

/// How often threads run tasks while they seem to wait for other tasks that they created, and how long.
fn waits_among_others(tasks: &[Task], started: &[StartedTask]) -> (u64, Ticks) {
    let mut created_tasks: BTreeMap<RunningOn, (Vec<Ticks>, Vec<Ticks>)> = BTreeMap::new();
    for task in tasks {
        let (created, ended) = created_tasks.entry((task.site.0, task.site.1)).or_default();
        created.push(task.created);
        ended.push(task.ended);
    }
    for (created, ended) in created_tasks.values_mut() {
        created.sort_unstable();
        ended.sort_unstable();
    }
    let is_among = |started: &&StartedTask| {
        let Some((created, ended)) = created_tasks.get(&started.by) else { return false };
        let until = |times: &[Ticks]| times.partition_point(|&at| at <= started.at);
        let open = until(created).saturating_sub(until(ended));
        open > 1 && !(started.at_once && open > FULL)
    };
    let found = started.iter().filter(is_among);
    found.fold((0, 0), |(count, ticks), started| (count + 1, ticks + (started.until - started.at)))
}

/// The union of intervals, as sorted disjoint intervals.
fn union(mut spans: Vec<TickInterval>) -> Vec<TickInterval> {
    spans.sort_unstable();
    let mut union: Vec<TickInterval> = Vec::new();
    for span in spans {
        match union.last_mut().filter(|last| span.0 <= last.1) {
            Some(last) => last.1 = last.1.max(span.1),
            None => union.push(span),
        }
    }
    union
}

/// The length of the intersection of an interval with others, which are sorted and disjoint.
fn overlap(spans: &[TickInterval], (from, to): TickInterval) -> Ticks {
    let first = spans.partition_point(|span| span.1 <= from);
    let inside = spans[first..].iter().take_while(|span| span.0 < to);
    inside.map(|span| span.1.min(to) - span.0.max(from)).sum()
}

/// The intervals of a thread in call paths of the selected classes.
fn spans(
    trace: &Trace,
    thread: LocationId,
    selects: impl Fn(Class) -> bool,
) -> impl Iterator<Item = (PathId, TickInterval)> {
    let timeline = trace.timeline(thread);
    let steps = timeline.at.windows(2).zip(&timeline.path);
    steps.filter(move |(_, path)| selects(trace.class_of(**path))).map(|(at, path)| (*path, (at[0], at[1])))
}

/// The tasks that were created at one place.
#[derive(Debug, Default)]
struct CreatedTasks {
    /// Their times of creation, sorted.
    created: Vec<Ticks>,
    /// The tasks, in the order of their ends.
    tasks: Vec<Task>,
}

/// How often a thread seems to wait for the tasks that it created without being in a waiting call, and how long.
fn waits_for_ends(trace: &Trace, thread: LocationId, tasks: &[Task]) -> (u64, Ticks) {
    let mut created_tasks: BTreeMap<CreationSite, CreatedTasks> = BTreeMap::new();
    for task in tasks.iter().filter(|task| task.site.0 == thread) {
        let created_tasks = created_tasks.entry(task.site).or_default();
        created_tasks.created.push(task.created);
        created_tasks.tasks.push(*task);
    }
    for created_tasks in created_tasks.values_mut() {
        created_tasks.created.sort_unstable();
        created_tasks.tasks.sort_unstable_by_key(|task| task.ended);
    }
    let running = running(trace, thread);
    let mut sum = (0, 0);
    for (path, span) in spans(trace, thread, Class::is_program) {
        let switch = running.partition_point(|&(at, _)| at <= span.0);
        let inside = switch.checked_sub(1).and_then(|switch| running[switch].1);
        let ticks = created_tasks
            .get(&(thread, inside, path))
            .and_then(|created_tasks| created_tasks.waited_for(span));
        sum = ticks.map_or(sum, |ticks| (sum.0 + 1, sum.1 + ticks));
    }
    sum
}

/// The task switches of a thread: time, and the task from then on.
fn running(trace: &Trace, thread: LocationId) -> Vec<(Ticks, Option<TaskKey>)> {
    let ops = trace.timeline(thread).ops.iter();
    let switches = ops.filter_map(|op| match op.event() {
        Event::TaskSwitch { thread, generation, .. } => {
            Some((op.at, (generation != 0).then_some((generation, thread))))
        }
        _ => None,
    });
    switches.collect()
}

impl CreatedTasks {
    /// The part of an interval after the creation of the last task, if the interval ends right after the end of the last
    /// task.
    fn waited_for(&self, (from, to): TickInterval) -> Option<Ticks> {
        let created = self.created.partition_point(|&at| at < to).checked_sub(1)?;
        let from = from.max(self.created[created]);
        let until = self.tasks.partition_point(|task| task.ended <= to);
        let last = self.tasks[..until].last().filter(|task| task.ended > from)?;
        let is_near = (to - last.ended).saturating_mul(TOLERANCE) <= to - from;
        let is_open = || self.tasks[until..].iter().any(|task| task.created <= from);
        (is_near && !is_open()).then_some(to - from)
    }
}

#[cfg(test)]
mod tests;
