//! A region that is the body of a loop.

use hashbrown::HashMap;
use lotse_model::id::{LocationId, PathId};
use lotse_model::trace::Ticks;

use super::{Found, Kind, LEAST_COUNT, Spans};
use crate::region_graph::inclusive_of;
use crate::store::{Paths, Timeline, Trace};

/// A loop covers at least this share of the threads' time, in percent.
const LEAST_COVERAGE: u128 = 50;

/// Candidates are looked at in the order of what they cover, not more than so many.
const MOST_CANDIDATES: usize = 32;

/// So many visits look like most of them, at least.
const LEAST_REGULARITY: f64 = 0.5;

pub(super) fn find(trace: &Trace, leaders: &[LocationId]) -> Option<Found> {
    candidates(trace, leaders).into_iter().take(MOST_CANDIDATES).find_map(|path| found(trace, leaders, path))
}

fn found(trace: &Trace, leaders: &[LocationId], path: PathId) -> Option<Found> {
    let spans: Vec<(LocationId, Spans)> =
        leaders.iter().map(|&it| (it, visits(trace, trace.timeline(it), path))).collect();
    let count = spans.first()?.1.len();
    if count < LEAST_COUNT || spans.iter().any(|(_, spans)| spans.len() != count) {
        return None;
    }
    let alike = |(location, spans): &(LocationId, Spans)| regularity(trace.timeline(*location), spans);
    let regularity = spans.iter().map(alike).fold(1.0, f64::min);
    let callpaths = vec![trace.path_name(path)];
    (regularity >= LEAST_REGULARITY).then_some(Found { kind: Kind::Region, callpaths, regularity, spans })
}

/// Paths visited equally often by all that cover enough, those that cover most first, then the outermost.
fn candidates(trace: &Trace, leaders: &[LocationId]) -> Vec<PathId> {
    let mut time = vec![0_u128; trace.paths.len()];
    let mut count: Vec<Option<u64>> = Vec::new();
    for (number, location) in leaders.iter().enumerate() {
        let uses = &trace.uses[location.index()];
        let inclusive = inclusive_of(&trace.paths, uses);
        time.iter_mut().zip(inclusive).for_each(|(sum, ticks)| *sum += u128::from(ticks));
        let mut visits = vec![0_u64; trace.paths.len()];
        uses.iter().for_each(|used| visits[used.path.index()] = used.visits);
        if number == 0 {
            count = visits.into_iter().map(Some).collect();
        } else {
            let same = |(known, visits): (&mut Option<u64>, u64)| *known = known.filter(|&it| it == visits);
            count.iter_mut().zip(visits).for_each(same);
        }
    }
    let least = trace.runtime() as u128 * leaders.len() as u128 * LEAST_COVERAGE;
    let fits = |path: &PathId| {
        let often = count.get(path.index()).copied().flatten().is_some_and(|it| it >= LEAST_COUNT as u64);
        often && !trace.class_of(*path).is_primitive() && time[path.index()] * 100 >= least
    };
    let mut fitting: Vec<PathId> = trace.paths.ids().skip(1).filter(fits).collect();
    fitting.sort_by_key(|&path| (std::cmp::Reverse(time[path.index()]), trace.paths.depth(path), path));
    fitting
}

/// When a path was visited: from the step that goes down to it until the step that goes back above it.
fn visits(trace: &Trace, timeline: &Timeline, path: PathId) -> Spans {
    let (parent, depth) = (trace.paths.parent(path), trace.paths.depth(path));
    let mut spans = Vec::new();
    let mut entered: Option<Ticks> = None;
    let mut before = Paths::ROOT;
    for (&at, &now) in timeline.at.iter().zip(&timeline.path) {
        if let Some(begin) = entered.filter(|_| trace.paths.depth(now) < depth) {
            spans.push((begin, at));
            entered = None;
        }
        if now == path && before == parent && entered.is_none() {
            entered = Some(at);
        }
        before = now;
    }
    spans.extend(entered.map(|begin| (begin, timeline.last)));
    spans
}

/// Share of the visits that have the most frequent number of primitive calls.
fn regularity(timeline: &Timeline, spans: &Spans) -> f64 {
    let mut seen: HashMap<usize, usize> = HashMap::new();
    for &(begin, end) in spans {
        let calls = timeline.call_from(end).saturating_sub(timeline.call_from(begin));
        *seen.entry(calls).or_default() += 1;
    }
    seen.values().copied().max().unwrap_or(0) as f64 / spans.len().max(1) as f64
}
