//! What tasks wait for, which recorders do not write: the tasks that they depend on, and the calls that wait for tasks
//! (`taskwait`). Both show by what threads do meanwhile.
//!
//! ```text
//! thread 0  ┤make a, b├┤task a       ├ ·············┤      · waits for tasks, in no call that waits
//! thread 1  ┤barrier ▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒┤task b    ├        ▒ idle, and b has been made: it is not ready to run
//! ```
//!
//! A thread that idles takes a task as soon as there is one that may run. So tasks that have been made and do not begin
//! while threads idle depend on others. A thread that goes on right after the last task has ended that it made seems to
//! have waited for it, where it is then in what made the task; so does one that runs one of its tasks outside every barrier while
//! others of them have not ended. Both are signs and no proofs, so nothing but a caution follows from them.

use std::collections::BTreeMap;

use lotse_model::id::{LocationId, PathId};
use lotse_model::trace::{Event, Ticks};

use crate::class::Class;
use crate::store::{Paths, Timeline, Trace};

/// How long after the end of a task a thread goes on, at most, as a part of the time that it waited.
const PART: Ticks = 100;

/// What is known of the tasks of a trace.
#[derive(Debug, Default)]
pub(super) struct Waited {
    /// Tasks that were made and have run.
    pub(super) tasks: u64,
    /// Time of threads that idle while there are tasks that have not begun.
    pub(super) for_ready: Ticks,
    /// How often threads seem to wait for the tasks that they made, and how long.
    pub(super) for_ends: (u64, Ticks),
}

/// A recorder's number of a task, with the thread that it names.
type Key = (u32, u32);

/// A thread and the task that it runs.
type Place = (LocationId, Option<Key>);

/// Where a task was made: on which thread, in which task, in which call path.
type Maker = (LocationId, Option<Key>, PathId);

#[derive(Debug, Clone, Copy)]
struct Task {
    maker: Maker,
    created: Ticks,
    begun: Ticks,
    ended: Ticks,
}

/// From when to when.
type Span = (Ticks, Ticks);

pub(super) fn waited(trace: &Trace) -> Waited {
    let mut waited = Waited::default();
    for (_, threads) in trace.processes() {
        let (tasks, taken) = tasks(trace, &threads);
        waited.tasks += tasks.len() as u64;
        if tasks.is_empty() {
            continue;
        }
        let among = among_others(&tasks, &taken);
        waited.for_ends = (waited.for_ends.0 + among.0, waited.for_ends.1 + among.1);
        let pending = joined(tasks.iter().map(|task| (task.created, task.begun)).collect());
        for &thread in &threads {
            let idle = spans(trace, thread, is_idle);
            waited.for_ready = idle.fold(waited.for_ready, |sum, (_, span)| sum + overlap(&pending, span));
            let (count, ticks) = ends(trace, thread, &tasks);
            waited.for_ends = (waited.for_ends.0 + count, waited.for_ends.1 + ticks);
        }
    }
    waited
}

/// When and where tasks were made, and from when to when they ran.
#[derive(Debug, Default)]
struct Records {
    made: BTreeMap<Key, (Maker, Ticks)>,
    ran: BTreeMap<Key, Span>,
    taken: Vec<Taken>,
}

/// A task that a thread takes while it is in no barrier.
#[derive(Debug, Clone, Copy)]
struct Taken {
    by: Place,
    at: Ticks,
    until: Ticks,
    /// Whether the thread has just made it.
    at_once: bool,
}

/// The tasks of a process that were made and ran, in the order of their numbers.
fn tasks(trace: &Trace, threads: &[LocationId]) -> (Vec<Task>, Vec<Taken>) {
    let mut records = Records::default();
    threads.iter().for_each(|&thread| records.read(trace, thread));
    let Records { made, mut ran, taken } = records;
    // Some recorders number the tasks of each thread. Others number those of a process: then the number alone says
    // which task it is, and the thread may be the one that runs it.
    let is_of_process = made.keys().zip(made.keys().skip(1)).all(|(one, next)| one.0 != next.0);
    let key = |key: Key| if is_of_process { (key.0, 0) } else { key };
    if is_of_process {
        for ((generation, _), span) in std::mem::take(&mut ran) {
            let known = ran.entry((generation, 0)).or_insert(span);
            *known = (known.0.min(span.0), known.1.max(span.1));
        }
    }
    let task = |(number, (maker, created)): (Key, (Maker, Ticks))| {
        ran.get(&key(number)).map(|&(begun, ended)| Task { maker, created, begun, ended })
    };
    (made.into_iter().filter_map(task).collect(), taken)
}

impl Records {
    fn read(&mut self, trace: &Trace, location: LocationId) {
        let timeline = trace.timeline(location);
        let (mut running, mut just_made, mut open) = (None, None, None);
        if !timeline.ops.has(|event| matches!(event, Event::TaskCreate { .. } | Event::TaskSwitch { .. })) {
            return;
        }
        for op in &timeline.ops {
            let before = just_made.take();
            match op.event() {
                Event::TaskCreate { thread, generation, .. } => {
                    let step = timeline.at.partition_point(|&at| at <= op.at);
                    let path = step.checked_sub(1).map_or(Paths::ROOT, |step| timeline.path[step]);
                    self.made.insert((generation, thread), ((location, running, path), op.at));
                    just_made = Some((generation, thread));
                }
                Event::TaskSwitch { thread, generation, .. } => {
                    let next = (generation != 0).then_some((generation, thread));
                    self.switch(running, next, op.at);
                    if let Some(taken) = open.take() {
                        self.taken.push(Taken { until: op.at, ..taken });
                    }
                    if next.is_some() && !idles_before(trace, timeline, op.at) {
                        let (at, until, at_once) = (op.at, op.at, before == next);
                        open = Some(Taken { by: (location, running), at, until, at_once });
                    }
                    running = next;
                }
                _ => {}
            }
        }
    }

    fn switch(&mut self, from: Option<Key>, to: Option<Key>, at: Ticks) {
        for key in from.into_iter().chain(to) {
            let ran = self.ran.entry(key).or_insert((at, at));
            *ran = (ran.0.min(at), ran.1.max(at));
        }
    }
}

/// Whether a thread is in a barrier at a moment or right before it.
fn idles_before(trace: &Trace, timeline: &Timeline, at: Ticks) -> bool {
    let before = timeline.at.partition_point(|&step| step < at).saturating_sub(1);
    let behind = timeline.at.partition_point(|&step| step <= at);
    timeline.path[before..behind].iter().any(|&path| is_idle(trace.class_of(path)))
}

fn is_idle(class: Class) -> bool {
    matches!(class, Class::OpenMpBarrier | Class::OpenMp)
}

/// With so many tasks that have not ended, a runtime lets a thread run the next at once instead of queueing it.
const FULL: usize = 256;

/// How often threads run tasks while they seem to wait for others that they made as well, and how long.
fn among_others(tasks: &[Task], taken: &[Taken]) -> (u64, Ticks) {
    let mut made: BTreeMap<Place, (Vec<Ticks>, Vec<Ticks>)> = BTreeMap::new();
    for task in tasks {
        let (created, ended) = made.entry((task.maker.0, task.maker.1)).or_default();
        created.push(task.created);
        ended.push(task.ended);
    }
    for (created, ended) in made.values_mut() {
        created.sort_unstable();
        ended.sort_unstable();
    }
    let is_among = |taken: &&Taken| {
        let Some((created, ended)) = made.get(&taken.by) else { return false };
        let until = |times: &[Ticks]| times.partition_point(|&at| at <= taken.at);
        let open = until(created).saturating_sub(until(ended));
        open > 1 && !(taken.at_once && open > FULL)
    };
    let found = taken.iter().filter(is_among);
    found.fold((0, 0), |(count, ticks), taken| (count + 1, ticks + (taken.until - taken.at)))
}

/// Spans in their order, those that touch as one.
fn joined(mut spans: Vec<Span>) -> Vec<Span> {
    spans.sort_unstable();
    let mut joined: Vec<Span> = Vec::new();
    for span in spans {
        match joined.last_mut().filter(|last| span.0 <= last.1) {
            Some(last) => last.1 = last.1.max(span.1),
            None => joined.push(span),
        }
    }
    joined
}

/// How much of a span lies in others, which are in order and do not touch.
fn overlap(spans: &[Span], (from, to): Span) -> Ticks {
    let first = spans.partition_point(|span| span.1 <= from);
    let inside = spans[first..].iter().take_while(|span| span.0 < to);
    inside.map(|span| span.1.min(to) - span.0.max(from)).sum()
}

/// What a thread spends in calls of some classes themselves.
fn spans(
    trace: &Trace,
    thread: LocationId,
    wants: impl Fn(Class) -> bool,
) -> impl Iterator<Item = (PathId, Span)> {
    let timeline = trace.timeline(thread);
    let steps = timeline.at.windows(2).zip(&timeline.path);
    steps.filter(move |(_, path)| wants(trace.class_of(**path))).map(|(at, path)| (*path, (at[0], at[1])))
}

/// What was made in one place.
#[derive(Debug, Default)]
struct Made {
    /// When, in order.
    created: Vec<Ticks>,
    /// In the order of their ends.
    tasks: Vec<Task>,
}

/// How often a thread seems to wait for the tasks that it made without being in a call that waits, and how long.
fn ends(trace: &Trace, thread: LocationId, tasks: &[Task]) -> (u64, Ticks) {
    let mut made: BTreeMap<Maker, Made> = BTreeMap::new();
    for task in tasks.iter().filter(|task| task.maker.0 == thread) {
        let made = made.entry(task.maker).or_default();
        made.created.push(task.created);
        made.tasks.push(*task);
    }
    for made in made.values_mut() {
        made.created.sort_unstable();
        made.tasks.sort_unstable_by_key(|task| task.ended);
    }
    let running = running(trace, thread);
    let mut sum = (0, 0);
    for (path, span) in spans(trace, thread, |class| class == Class::Computation) {
        let switch = running.partition_point(|&(at, _)| at <= span.0);
        let inside = switch.checked_sub(1).and_then(|switch| running[switch].1);
        let ticks = made.get(&(thread, inside, path)).and_then(|made| made.waited_for(span));
        sum = ticks.map_or(sum, |ticks| (sum.0 + 1, sum.1 + ticks));
    }
    sum
}

/// Which task a thread is in from when on.
fn running(trace: &Trace, thread: LocationId) -> Vec<(Ticks, Option<Key>)> {
    let ops = trace.timeline(thread).ops.iter();
    let switches = ops.filter_map(|op| match op.event() {
        Event::TaskSwitch { thread, generation, .. } => {
            Some((op.at, (generation != 0).then_some((generation, thread))))
        }
        _ => None,
    });
    switches.collect()
}

impl Made {
    /// How much of a span comes after the last task was made, where it ends right after the last of all has ended.
    fn waited_for(&self, (from, to): Span) -> Option<Ticks> {
        let created = self.created.partition_point(|&at| at < to).checked_sub(1)?;
        let from = from.max(self.created[created]);
        let until = self.tasks.partition_point(|task| task.ended <= to);
        let last = self.tasks[..until].last().filter(|task| task.ended > from)?;
        let is_near = (to - last.ended).saturating_mul(PART) <= to - from;
        let is_open = || self.tasks[until..].iter().any(|task| task.created <= from);
        (is_near && !is_open()).then_some(to - from)
    }
}

#[cfg(test)]
mod tests;
