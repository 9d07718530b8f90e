//! Work that is spread evenly over all who do it.
//!
//! Where all locations make the same number of calls, the first call of each takes the mean of all first calls, and so
//! on: programs do their work step by step and meet after each step. Else all calls of a location together take the mean.

use std::collections::BTreeMap;

use lotse_model::id::{LocationId, PathId};
use lotse_model::trace::Ticks;
use schemars::JsonSchema;
use serde::Serialize;

use super::places::own_time;
use crate::retime::Stretched;
use crate::store::{Paths, Trace};

/// Work that is spread evenly over all who do it.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct BalancedAnswer {
    /// The call path.
    pub callpath: String,
    /// How many locations do it.
    pub locations: usize,
    /// The time of the location that has most of it.
    pub longest: f64,
    /// The time that each gets.
    pub mean: f64,
    /// How many calls each location makes, where each of them takes the mean of all locations; null where the numbers
    /// differ, and all calls of a location together take the mean.
    pub calls: Option<usize>,
}

/// Call paths that are the same for masters and workers, together.
pub(super) fn same_for_all_threads(trace: &Trace, paths: Vec<PathId>) -> Vec<Vec<PathId>> {
    let mut groups: BTreeMap<PathId, Vec<PathId>> = BTreeMap::new();
    paths.into_iter().for_each(|path| groups.entry(trace.paths.joined(path)).or_default().push(path));
    groups.into_values().collect()
}

/// A piece of own time: the call path, from when, until when.
type Piece = (PathId, Ticks, Ticks);

/// The calls that a location makes, each with its own time.
struct Caller {
    location: LocationId,
    calls: Vec<Vec<Piece>>,
}

/// Lets all locations that spend time in a call path spend the mean of it there. `same` are that path as masters and
/// as workers have it.
pub(super) fn balanced(trace: &Trace, same: &[PathId]) -> Option<(Vec<Stretched>, BalancedAnswer)> {
    let time = |location: LocationId| same.iter().map(|&path| own_time(trace, location, path)).sum::<Ticks>();
    let locations: Vec<LocationId> = trace.cpu_locations().filter(|&location| time(location) > 0).collect();
    let longest = locations.iter().map(|&location| time(location)).max()?;
    let mean = mean(locations.iter().map(|&location| time(location)));
    let callers: Vec<Caller> = locations.iter().map(|&location| Caller::new(trace, location, same)).collect();
    let calls = calls_of_each(trace, &callers, same);
    let stretched = match calls {
        Some(_) => callers,
        None => callers.into_iter().map(Caller::together).collect(),
    };
    let answer = BalancedAnswer {
        callpath: trace.path_name(*same.first()?),
        locations: locations.len(),
        longest: trace.seconds(longest),
        mean: trace.seconds(mean),
        calls,
    };
    Some((evened(&stretched), answer))
}

impl Caller {
    fn new(trace: &Trace, location: LocationId, same: &[PathId]) -> Self {
        let timeline = trace.timeline(location);
        let mut calls: Vec<Vec<Piece>> = Vec::new();
        let mut before = Paths::ROOT;
        for (step, (&at, &path)) in timeline.at.iter().zip(&timeline.path).enumerate() {
            if same.contains(&path) {
                let until = timeline.at.get(step + 1).copied().unwrap_or(timeline.last);
                if before == trace.paths.parent(path) || calls.is_empty() {
                    calls.push(Vec::new());
                }
                calls.last_mut().into_iter().for_each(|call| call.push((path, at, until)));
            }
            before = path;
        }
        Self { location, calls }
    }

    /// All calls as one.
    fn together(self) -> Self {
        Self { calls: vec![self.calls.into_iter().flatten().collect()], ..self }
    }

    fn own_time(&self, call: usize) -> Ticks {
        self.calls[call].iter().map(|&(_, from, to)| to - from).sum()
    }
}

/// How many calls each location makes; none where that differs, where the calls cannot be told apart, or where a call that
/// takes no time would have to take some.
fn calls_of_each(trace: &Trace, callers: &[Caller], same: &[PathId]) -> Option<usize> {
    let count = callers.first()?.calls.len();
    let visits = |caller: &Caller| {
        let uses = &trace.uses[caller.location.index()];
        let ours = uses.iter().filter(|used| same.contains(&used.path));
        ours.map(|used| used.visits).sum::<u64>()
    };
    let is_even = callers.iter().all(|it| it.calls.len() == count && visits(it) == count as u64);
    let takes_time = |call: usize| {
        let times = || callers.iter().map(|it| it.own_time(call));
        times().all(|ticks| ticks > 0) || times().all(|ticks| ticks == 0)
    };
    (is_even && (0..count).all(takes_time)).then_some(count)
}

/// Every call takes the mean of those with the same number.
fn evened(callers: &[Caller]) -> Vec<Stretched> {
    let mut stretched = Vec::new();
    for call in 0..callers.first().map_or(0, |it| it.calls.len()) {
        let mean = mean(callers.iter().map(|it| it.own_time(call)));
        for caller in callers {
            stretched.extend(spread(caller, call, mean));
        }
    }
    stretched
}

/// The pieces of a call, which take as long as said together. What rounding leaves over goes to the last.
fn spread(caller: &Caller, call: usize, mean: Ticks) -> impl Iterator<Item = Stretched> + '_ {
    let own = caller.own_time(call).max(1);
    let share = move |ticks: Ticks| (u128::from(mean) * u128::from(ticks) / u128::from(own)) as Ticks;
    let mut passed = 0;
    caller.calls[call].iter().map(move |&(path, from, to)| {
        let begun = share(passed);
        passed += to - from;
        Stretched { location: caller.location, path, from, to, becomes: share(passed) - begun }
    })
}

fn mean(times: impl ExactSizeIterator<Item = Ticks>) -> Ticks {
    let count = times.len().max(1) as u128;
    (times.map(u128::from).sum::<u128>() / count) as Ticks
}

#[cfg(test)]
mod tests {
    use lotse_model::work::Sequential;

    use crate::analyze::{Clocks, Options, Request, Subject, WhatIfAnswer, what_if};
    use crate::fixture::Script;

    /// Each rank works as long as said in each step, and all meet after it.
    fn balanced(steps: &[[u64; 2]]) -> WhatIfAnswer {
        let mut script = Script::processes(2);
        (0..2).for_each(|rank| {
            script.enter(rank, 0, "main");
        });
        let mut begin = 0;
        for work in steps {
            let end = begin + work.iter().max().unwrap();
            for (rank, &ticks) in work.iter().enumerate() {
                if ticks > 0 {
                    script.call(rank, begin, begin + ticks, "work");
                }
                script.barrier(rank, begin + ticks, end);
            }
            begin = end;
        }
        (0..2).for_each(|rank| {
            script.leave(rank, begin, "main");
        });
        let options = Options { clock: Clocks::Raw, ..Options::usual("t") };
        let subject = Subject::new(script.trace(), &options, &Sequential).unwrap();
        what_if(&subject, &Request { balanced: vec!["work".to_owned()], ..Request::default() }).unwrap()
    }

    /// Together both ranks work 1000, so that evening out the sums would gain nothing.
    #[test]
    fn each_step_is_evened_out() {
        let answer = balanced(&[[800, 200], [200, 800]]);
        assert_eq!((answer.runtime, answer.predicted), (1.6, 1.0));
        assert_eq!((answer.balanced[0].calls, answer.balanced[0].mean), (Some(2), 1.0));
        let bound: f64 = answer.bounded_by.iter().map(|row| row.seconds).sum();
        assert!((bound - 1.0).abs() < 1e-9, "{:?}", answer.bounded_by);
    }

    /// A factor would be limited to some thousands.
    #[test]
    fn a_call_of_hardly_any_time_takes_its_part() {
        let answer = balanced(&[[40_000, 1], [1, 40_000]]);
        assert_eq!((answer.runtime, answer.predicted), (80.0, 40.0));
    }

    /// 1000 and 700 become 850 each: the first rank's calls 0.85 of what they were, the second's 850 in one: 510 + 850.
    #[test]
    fn sums_are_evened_out_where_numbers_of_calls_differ() {
        let answer = balanced(&[[600, 0], [400, 700]]);
        assert_eq!((answer.runtime, answer.predicted), (1.3, 1.36));
        assert_eq!(answer.balanced[0].calls, None);
    }
}
