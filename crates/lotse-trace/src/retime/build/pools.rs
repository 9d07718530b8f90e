//! Work that threads share, recognised at a lock.
//!
//! Threads that take pieces of work from a common queue keep one another from it when they hold a lock while they
//! work: whoever has the lock takes one piece after the other, and the rest waits with the first piece in hand.
//!
//! ```text
//! thread 1   ┤ job ├┤ job ├┤ job ├┤ job ├           four jobs
//! thread 2   ┤ · · · waits for the lock · · ┤ job ├  one job
//! ```
//!
//! No record says that the work is shared, but who had how much of it shows: threads with the same code would not be
//! given four jobs and one. So the work is taken to be shared where those with much less of it waited for the lock
//! most of the time. Once they need not wait, each takes the next job as soon as it is free.

use std::collections::BTreeMap;

use hashbrown::HashMap;
use lotse_model::id::{LocationId, PathId};
use lotse_model::trace::Ticks;

use super::super::graph::{Dependency, Graph, Job, Member, Pool, What};
use crate::store::{Paths, Trace};

/// A thread has much less work than another when it has at most one part in so many of the other's.
const MUCH_LESS: usize = 2;

/// What one thread did with a lock.
#[derive(Debug, Clone, Default)]
struct Part {
    /// The paths of the calls that acquire it.
    acquires: Vec<PathId>,
    /// How long it waited for it.
    waited: Ticks,
}

impl Graph {
    /// Finds the work that threads share. The lines have to be in order.
    pub(super) fn find_pools(&mut self, trace: &Trace) {
        for parts in parts(self, trace).into_values() {
            if let Some((path, members)) = shared(trace, &parts)
                && members.iter().all(|(location, jobs)| self.is_free(*location, jobs))
            {
                self.add_pool(trace, path, &members);
            }
        }
    }

    fn add_pool(&mut self, trace: &Trace, path: PathId, members: &[Pieces]) {
        self.members.resize(trace.timelines.len(), None);
        if members.iter().any(|(location, _)| self.members[location.index()].is_some()) {
            return;
        }
        let pool = self.pools.len() as u32;
        let mut jobs = Vec::new();
        for (location, spans) in members {
            let entries = &self.lines[location.index()].entries;
            let place = |at: Ticks| entries.partition_point(|entry| entry.at < at) as u32;
            let (Some(first), Some(last)) = (spans.first(), spans.last()) else { continue };
            let behind = entries.partition_point(|entry| entry.at <= last.1) as u32;
            let end = |span: &Span| if span == last { behind } else { place(span.1) };
            jobs.extend(spans.iter().map(|span| Job {
                location: *location,
                from: span.0,
                to: span.1,
                entries: (place(span.0), end(span)),
            }));
            self.members[location.index()] =
                Some(Member { pool, from: first.0, until: last.1, entries: (place(first.0), behind) });
        }
        jobs.sort_by_key(|job| (job.from, job.location));
        self.pools.push(Pool { path, jobs });
    }

    /// Whether a thread meets no others while it works but at locks and by messages of threads: work cannot be taken
    /// by another thread across a barrier.
    fn is_free(&self, location: LocationId, jobs: &[Span]) -> bool {
        let (Some(first), Some(last)) = (jobs.first(), jobs.last()) else { return false };
        let line = &self.lines[location.index()];
        let during = line.entries.iter().filter(|entry| first.0 <= entry.at && entry.at <= last.1);
        let mut entries = during.map(|entry| match entry.what {
            What::Starts { .. } => false,
            what => {
                line.needs[what.needs()].iter().all(|need| matches!(need.dependency(), Dependency::Source(_)))
            }
        });
        entries.all(|free| free)
    }
}

/// From when to when.
type Span = (Ticks, Ticks);

/// The pieces of work of a thread.
type Pieces = (LocationId, Vec<Span>);

/// By lock: what each thread did with it.
fn parts(graph: &Graph, trace: &Trace) -> BTreeMap<u32, BTreeMap<LocationId, Part>> {
    let mut parts: BTreeMap<u32, BTreeMap<LocationId, Part>> = BTreeMap::new();
    for (location, line) in trace.locations().zip(&graph.lines) {
        let mut of_location: HashMap<u32, Part> = HashMap::new();
        for entry in &line.entries {
            let What::Acquires { holding } = entry.what else { continue };
            let holding = &graph.holdings[holding as usize];
            let part = of_location.entry(holding.lock).or_default();
            part.acquires.push(holding.path);
            part.waited += (entry.resume - entry.at).saturating_sub(holding.if_free);
        }
        for (lock, part) in of_location {
            parts.entry(lock).or_default().insert(location, part);
        }
    }
    parts
}

/// The call that a piece of shared work begins with, and the pieces of each thread.
fn shared(trace: &Trace, parts: &BTreeMap<LocationId, Part>) -> Option<(PathId, Vec<Pieces>)> {
    let (&busiest, most) = parts.iter().max_by_key(|(_, part)| part.acquires.len())?;
    let least = parts.values().map(|part| part.acquires.len()).min()?;
    if parts.len() < 2 || least * MUCH_LESS > most.acquires.len() {
        return None;
    }
    let process = |location: LocationId| trace.location(location).process;
    if parts.keys().any(|&location| process(location) != process(busiest)) {
        return None;
    }
    let path = job_path(trace, busiest, most)?;
    let spans = parts.keys().map(|&location| (location, spans(trace, location, path)));
    let spans: Vec<Pieces> = spans.filter(|(_, spans)| !spans.is_empty()).collect();
    let end = spans.iter().filter_map(|(_, spans)| spans.last()).map(|span| span.1).max()?;
    let most = spans.iter().map(|(_, spans)| spans.len()).max()?;
    let starved = |(location, jobs): &Pieces| {
        jobs.len() * MUCH_LESS > most || 2 * parts[location].waited >= end - jobs[0].0
    };
    let uneven = spans.iter().any(|(_, jobs)| jobs.len() * MUCH_LESS <= most);
    (spans.len() > 1 && uneven && spans.iter().all(starved)).then_some((path, spans))
}

/// The outermost call that a thread makes as often as it acquires the lock.
fn job_path(trace: &Trace, location: LocationId, part: &Part) -> Option<PathId> {
    let &first = part.acquires.first()?;
    if part.acquires.iter().any(|&path| path != first) {
        return None;
    }
    let visits = |path: PathId| {
        let uses = &trace.uses[location.index()];
        uses.binary_search_by_key(&path, |used| used.path).map_or(0, |at| uses[at].visits)
    };
    let above = std::iter::successors(Some(first), |&path| Some(trace.paths.parent(path)));
    let jobs = above.take_while(|&path| path != Paths::ROOT && visits(path) == part.acquires.len() as u64);
    jobs.last()
}

/// The pieces of work of a thread: each lasts until the next begins, the last one until its call ends.
fn spans(trace: &Trace, location: LocationId, job: PathId) -> Vec<Span> {
    let timeline = trace.timeline(location);
    let outside = trace.paths.parent(job);
    let mut spans: Vec<Span> = Vec::new();
    let mut before = Paths::ROOT;
    for (&at, &path) in timeline.at.iter().zip(&timeline.path) {
        if path == job && before == outside {
            if let Some(last) = spans.last_mut() {
                last.1 = at;
            }
            spans.push((at, timeline.last));
        } else if path == outside
            && let Some(last) = spans.last_mut().filter(|last| last.1 == timeline.last)
        {
            last.1 = at;
        }
        before = path;
    }
    spans
}

#[cfg(test)]
mod tests;
