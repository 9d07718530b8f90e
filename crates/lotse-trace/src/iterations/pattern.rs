//! A sequence of primitive calls that repeats.
//!
//! The calls of a location, without those inside others, are a sequence of symbols: their call paths. For each symbol
//! that occurs often enough, the stretches from one occurrence to the next are compared. A symbol marks iterations
//! where most stretches are equal and together span most of the run; of such symbols the one that occurs most often
//! gives the smallest period, of equals the first to occur. A period of different calls is preferred to one call again
//! and again, which tells little and has to repeat more often to count.

use hashbrown::HashMap;
use lotse_model::Workers;
use lotse_model::id::{LocationId, PathId};
use lotse_model::work;

use super::{Found, Kind, LEAST_COUNT, Spans};
use crate::store::{Timeline, Trace};

/// So many stretches are equal, at least.
const LEAST_REGULARITY: f64 = 0.8;

/// The stretches span at least this share of the run time.
const LEAST_COVERAGE: f64 = 0.5;

/// A single call is a period where it repeats so often.
const LEAST_SINGLE: usize = 10;

/// What repeats on one location.
struct Repeated {
    period: Vec<PathId>,
    regularity: f64,
    spans: Spans,
}

/// Locations that repeat something equally often; where they differ, those of the most frequent count.
pub(super) fn find(trace: &Trace, leaders: &[LocationId], workers: &dyn Workers) -> Option<Found> {
    let repeated = work::map(workers, leaders.len(), |at| repeated(trace, trace.timeline(leaders[at])));
    let all: Vec<(LocationId, Repeated)> =
        leaders.iter().copied().zip(repeated).filter_map(|(location, it)| Some((location, it?))).collect();
    let agreeing = |count: usize| all.iter().filter(|(_, it)| it.spans.len() == count).count();
    let counts = all.iter().map(|(_, it)| it.spans.len());
    let count = counts.max_by_key(|&count| (agreeing(count), count))?;
    let kept: Vec<(LocationId, Repeated)> =
        all.into_iter().filter(|(_, it)| it.spans.len() == count).collect();
    let callpaths = kept[0].1.period.iter().map(|&path| trace.path_name(path)).collect();
    let regularity = kept.iter().map(|(_, it)| it.regularity).fold(1.0, f64::min);
    let spans = kept.into_iter().map(|(location, it)| (location, it.spans)).collect();
    Some(Found { kind: Kind::Pattern, callpaths, regularity, spans })
}

fn repeated(trace: &Trace, timeline: &Timeline) -> Option<Repeated> {
    let calls = outer_calls(timeline);
    let symbols: Vec<PathId> = calls.iter().map(|&call| timeline.call_path(call)).collect();
    let hashes = hashes(&symbols);
    let least = trace.runtime() as f64 * LEAST_COVERAGE;
    let marker = |at: Vec<usize>| {
        let span = timeline.enter(calls[at[at.len() - 1]]) - timeline.enter(calls[at[0]]);
        let (period, regularity) = most_frequent(&at, &hashes);
        let often = if period.1 - period.0 == 1 { LEAST_SINGLE } else { LEAST_COUNT };
        let fits = span as f64 >= least && regularity >= LEAST_REGULARITY && at.len() > often;
        fits.then_some(Marker { at, period, regularity })
    };
    let markers = occurrences(&symbols).into_iter().filter_map(marker);
    let Marker { at, period: (from, to), regularity } = markers.max_by_key(Marker::rank)?;
    let spans = spans(timeline, &calls, &at, to - from);
    Some(Repeated { period: symbols[from..to].to_vec(), regularity, spans })
}

/// A symbol that marks iterations.
struct Marker {
    /// Where it stands.
    at: Vec<usize>,
    /// From where to where the most frequent stretch first goes.
    period: (usize, usize),
    regularity: f64,
}

impl Marker {
    /// The highest is the best: different calls, the smallest period, the first to occur.
    fn rank(&self) -> (bool, usize, std::cmp::Reverse<usize>) {
        (self.period.1 - self.period.0 > 1, self.at.len(), std::cmp::Reverse(self.at[0]))
    }
}

/// Calls that are not inside another.
fn outer_calls(timeline: &Timeline) -> Vec<u32> {
    let mut until = 0;
    let mut outer = Vec::new();
    for (number, call) in timeline.calls.iter().enumerate() {
        if call.enter >= until {
            outer.push(number as u32);
            until = call.exit;
        }
    }
    outer
}

/// Where each symbol stands, the symbols in the order of their first occurrence.
fn occurrences(symbols: &[PathId]) -> Vec<Vec<usize>> {
    let mut numbers: HashMap<PathId, usize> = HashMap::new();
    let mut places: Vec<Vec<usize>> = Vec::new();
    for (at, symbol) in symbols.iter().enumerate() {
        let number = *numbers.entry(*symbol).or_insert_with(|| {
            places.push(Vec::new());
            places.len() - 1
        });
        places[number].push(at);
    }
    places
}

const BASE: u64 = 0x0100_0000_01b3;

/// Hashes of all beginnings of the sequence, and powers of the base, so that any stretch has its hash at once.
fn hashes(symbols: &[PathId]) -> Vec<(u64, u64)> {
    let mut hashes = Vec::with_capacity(symbols.len() + 1);
    let (mut hash, mut power) = (0_u64, 1_u64);
    hashes.push((hash, power));
    for symbol in symbols {
        // Mixed, because small numbers next to each other would often give the same sums.
        let mixed = (u64::from(symbol.0) + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(29);
        hash = hash.wrapping_mul(BASE).wrapping_add(mixed);
        power = power.wrapping_mul(BASE);
        hashes.push((hash, power));
    }
    hashes
}

/// The stretch that most are equal to, and the share of those.
fn most_frequent(at: &[usize], hashes: &[(u64, u64)]) -> ((usize, usize), f64) {
    let hash = |from: usize, to: usize| {
        (to - from, hashes[to].0.wrapping_sub(hashes[from].0.wrapping_mul(hashes[to - from].1)))
    };
    let mut seen: HashMap<(usize, u64), (usize, usize)> = HashMap::new();
    for pair in at.windows(2) {
        seen.entry(hash(pair[0], pair[1])).or_insert((0, pair[0])).0 += 1;
    }
    let most = seen.iter().max_by_key(|(_, (count, first))| (*count, std::cmp::Reverse(*first)));
    let Some((&(length, _), &(count, first))) = most else { return ((0, 0), 0.0) };
    ((first, first + length), count as f64 / (at.len() - 1) as f64)
}

/// From one occurrence to the next; the last lasts as many calls as a period has, where there are so many.
fn spans(timeline: &Timeline, calls: &[u32], at: &[usize], period: usize) -> Spans {
    let enter = |place: usize| timeline.enter(calls[place]);
    let mut spans: Spans = at.windows(2).map(|pair| (enter(pair[0]), enter(pair[1]))).collect();
    let last = at[at.len() - 1];
    if let Some(&end) = calls.get(last + period - 1) {
        spans.push((enter(last), timeline.exit(end)));
    }
    spans
}
