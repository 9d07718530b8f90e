//! Distributes the time of a call path evenly over all locations that enter it.
//!
//! Where all locations make the same number of calls, the n-th call of each location gets the mean of all n-th calls,
//! because such programs work in steps and synchronise after each. Otherwise all calls of a location together get the mean.
//!
//! ```text
//! rank 0   work 800 | work 200        becomes   work 500 | work 500
//! rank 1   work 200 | work 800                  work 500 | work 500
//! ```

use std::collections::BTreeMap;

use lotse_model::id::{LocationId, PathId};
use lotse_model::trace::Ticks;
#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::Serialize;

use super::places::own_time;
use crate::retime::{Change, Stretched};
use crate::store::{Paths, Trace};

/// A call path whose time is distributed evenly over all locations that enter it.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct BalancedAnswer {
    /// The call path.
    pub callpath: String,
    /// How many locations enter it.
    pub locations: usize,
    /// The recorded time of the location that spends most in it.
    pub longest: f64,
    /// The time that each location gets.
    pub mean: f64,
    /// How many calls each location makes, where the n-th calls of all locations get their mean; null where the numbers
    /// differ and all calls of a location together get the mean.
    pub calls: Option<usize>,
}

/// Groups call paths that are the same path for OpenMP masters and workers.
pub(super) fn same_for_all_threads(trace: &Trace, paths: Vec<PathId>) -> Vec<Vec<PathId>> {
    let mut groups: BTreeMap<PathId, Vec<PathId>> = BTreeMap::new();
    paths.into_iter().for_each(|path| groups.entry(trace.paths.joined(path)).or_default().push(path));
    groups.into_values().collect()
}

/// An interval of exclusive time: the call path, its begin and its end.
type OwnInterval = (PathId, Ticks, Ticks);

/// The calls that a location makes, each with its intervals of exclusive time.
struct Caller {
    location: LocationId,
    /// The intervals of all calls.
    own: Vec<OwnInterval>,
    /// By call: the end of its intervals in `own`.
    ends: Vec<usize>,
}

/// Gives all locations that spend time in a call path the mean of that time. `same` are the paths of one group of
/// [`same_for_all_threads`].
pub(super) fn balanced(trace: &Trace, same: &[PathId]) -> Option<(Vec<Stretched>, BalancedAnswer)> {
    let time = |location: LocationId| same.iter().map(|&path| own_time(trace, location, path)).sum::<Ticks>();
    let locations: Vec<LocationId> = trace.cpu_locations().filter(|&location| time(location) > 0).collect();
    let longest = locations.iter().map(|&location| time(location)).max()?;
    let mean = mean(locations.iter().map(|&location| time(location)));
    let callers: Vec<Caller> = locations.iter().map(|&location| Caller::new(trace, location, same)).collect();
    let calls = calls_of_each(trace, &callers, same);
    let stretched = match calls {
        Some(_) => callers,
        None => callers.into_iter().map(Caller::joined).collect(),
    };
    let answer = BalancedAnswer {
        callpath: trace.path_name(*same.first()?),
        locations: locations.len(),
        longest: trace.seconds(longest),
        mean: trace.seconds(mean),
        calls,
    };
    Some((stretched_to_mean(&stretched), answer))
}

/// The change that distributes the time of call paths evenly over all locations that enter them; none where no location
/// does.
pub(crate) fn evened_out(trace: &Trace, paths: Vec<PathId>) -> Option<Change> {
    let groups = same_for_all_threads(trace, paths);
    let stretched =
        groups.iter().filter_map(|same| balanced(trace, same)).flat_map(|(stretched, _)| stretched);
    let stretched: Vec<Stretched> = stretched.collect();
    (!stretched.is_empty()).then(|| Change { stretched, ..Change::none() })
}

impl Caller {
    fn new(trace: &Trace, location: LocationId, same: &[PathId]) -> Self {
        let timeline = trace.timeline(location);
        let (mut own, mut ends) = (Vec::new(), Vec::new());
        let mut before = Paths::ROOT;
        for (step, (&at, &path)) in timeline.at.iter().zip(&timeline.path).enumerate() {
            if same.contains(&path) {
                let until = timeline.at.get(step + 1).copied().unwrap_or(timeline.last);
                if before == trace.paths.parent(path) && !own.is_empty() {
                    ends.push(own.len());
                }
                own.push((path, at, until));
            }
            before = path;
        }
        ends.extend((!own.is_empty()).then_some(own.len()));
        Self { location, own, ends }
    }

    /// Joins all calls to one.
    fn joined(self) -> Self {
        Self { ends: vec![self.own.len()], ..self }
    }

    /// The intervals of a call.
    fn call(&self, call: usize) -> &[OwnInterval] {
        let begin = call.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.own[begin..self.ends[call]]
    }

    fn own_time(&self, call: usize) -> Ticks {
        self.call(call).iter().map(|&(_, from, to)| to - from).sum()
    }
}

/// How many calls each location makes; none where the numbers differ, where calls cannot be distinguished, or where a call
/// without recorded time would have to take some.
fn calls_of_each(trace: &Trace, callers: &[Caller], same: &[PathId]) -> Option<usize> {
    let count = callers.first()?.ends.len();
    let visits = |caller: &Caller| {
        let uses = &trace.uses[caller.location.index()];
        let ours = uses.iter().filter(|used| same.contains(&used.path));
        ours.map(|used| used.visits).sum::<u64>()
    };
    let is_even = callers.iter().all(|it| it.ends.len() == count && visits(it) == count as u64);
    let takes_time = |call: usize| {
        let times = || callers.iter().map(|it| it.own_time(call));
        times().all(|ticks| ticks > 0) || times().all(|ticks| ticks == 0)
    };
    (is_even && (0..count).all(takes_time)).then_some(count)
}

/// Stretches every call to the mean of the calls with the same number.
fn stretched_to_mean(callers: &[Caller]) -> Vec<Stretched> {
    let mut stretched = Vec::new();
    for call in 0..callers.first().map_or(0, |it| it.ends.len()) {
        let mean = mean(callers.iter().map(|it| it.own_time(call)));
        for caller in callers {
            stretched.extend(stretch_call(caller, call, mean));
        }
    }
    stretched
}

/// Stretches the intervals of a call so that they take `mean` together; the last one gets what rounding leaves over.
fn stretch_call(caller: &Caller, call: usize, mean: Ticks) -> impl Iterator<Item = Stretched> + '_ {
    let own = caller.own_time(call).max(1);
    let share = move |ticks: Ticks| (u128::from(mean) * u128::from(ticks) / u128::from(own)) as Ticks;
    let mut passed = 0;
    caller.call(call).iter().map(move |&(path, from, to)| {
        let before = share(passed);
        passed += to - from;
        Stretched { location: caller.location, path, from, to, becomes: share(passed) - before }
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

    /// Each rank works for the given time in each step, and all ranks synchronise after it.
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

    /// Both ranks work 1000 in total, so that balancing the totals would gain nothing.
    #[test]
    fn each_step_is_balanced() {
        let answer = balanced(&[[800, 200], [200, 800]]);
        assert_eq!((answer.runtime, answer.predicted), (1.6, 1.0));
        assert_eq!((answer.balanced[0].calls, answer.balanced[0].mean), (Some(2), 1.0));
        let bound: f64 = answer.bounded_by.iter().map(|row| row.seconds).sum();
        assert!((bound - 1.0).abs() < 1e-9, "{:?}", answer.bounded_by);
    }

    /// A factor would be limited to some thousands.
    #[test]
    fn a_very_short_call_takes_its_share() {
        let answer = balanced(&[[40_000, 1], [1, 40_000]]);
        assert_eq!((answer.runtime, answer.predicted), (80.0, 40.0));
    }

    /// 1000 and 700 become 850 each: the first rank's calls 0.85 of what they were, the second's 850 in one: 510 + 850.
    #[test]
    fn totals_are_balanced_where_numbers_of_calls_differ() {
        let answer = balanced(&[[600, 0], [400, 700]]);
        assert_eq!((answer.runtime, answer.predicted), (1.3, 1.36));
        assert_eq!(answer.balanced[0].calls, None);
    }
}
