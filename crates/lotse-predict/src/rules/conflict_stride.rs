//! Rule: the row length is a power of two, so that the elements of a column compete for a few sets of the cache.

use lotse_model::Rule;
use lotse_model::finding::Finding;
use lotse_model::rule::Threshold;

use super::{LoopFinding, PRIOR, PredictedNest};
use crate::algebra::gcd;
use crate::concrete::{ConcreteLoop, Touch};
use crate::machine::Cache;

pub(super) static RULE: Rule = Rule {
    id: "predict-conflict-stride",
    version: 1,
    title: "elements compete for a few sets of a cache",
    meaning: "The distance between the elements that a loop touches is a multiple of a large power of two. They fall into a few \
              sets of the cache and displace each other, although the cache has room for all of them.",
    computation: "For a reference with a stride of at least a line: the sets it meets are sets / gcd(stride / line, sets). The rule \
                  fires if the elements of one execution need more places than these sets have and less than the cache has, and \
                  transfers take at least `share` of the function's time.",
    example: "A column of 512 doubles in rows of 4096 bytes meets one set of a first cache of 64 sets: 12 places for 512 lines.",
    picture: "set 0 |xxxxxxxxxxxx| <- 512 lines\nset 1 |            |\nset 2 |            |",
    advice: "Make rows a little longer than the power of two (one line more is enough), or copy a tile into a small array first.",
    thresholds: &[Threshold {
        name: "share",
        default: 0.1,
        meaning: "share of transfers of the predicted time, at least",
    }],
    prior: PRIOR,
    references: &["D. Bailey: Unfavorable strides in cache memory systems, 1995"],
};

pub(super) fn find(nest: &PredictedNest<'_>) -> Vec<Finding> {
    let loops = nest.innermost();
    loops.iter().filter_map(|(around, touches)| describe(nest, around, touches)).collect()
}

/// The finding for one innermost loop: the first reference whose lines need more ways than the sets they map to have.
fn describe(nest: &PredictedNest<'_>, around: &[&ConcreteLoop], touches: &[&Touch]) -> Option<Finding> {
    let inner = around.last()?;
    let time = nest.time_of(inner)?;
    let share = nest.share(time.transferring.min(time.seconds));
    if share < nest.thresholds.get(&RULE, "share") {
        return None;
    }
    let trips = time.iterations / time.entries.max(1.0);
    let conflicts = touches.iter().find_map(|touch| {
        let stride = touch.address.as_ref()?.factor(inner.variable).abs();
        let mut caches = nest.assumptions.machine.caches.iter();
        let (cache, places) = caches.find_map(|cache| Some((cache, usable_lines(cache, stride, trips)?)))?;
        Some((touch, stride, cache, places))
    });
    let (touch, stride, cache, places) = conflicts?;
    let name = nest.array_name(touch);
    let text = format!(
        "the loop touches {trips:.0} lines of {name}, {stride} bytes apart; they meet only {places} of the {} places of {}",
        cache.lines(),
        cache.name
    );
    let numbers = vec![("stride", stride as f64), ("lines", trips), ("places", places as f64)];
    let recommendation =
        format!("make the rows of {name} longer by one line ({} bytes), or copy tiles", cache.line);
    Some(nest.finding(
        &RULE,
        time,
        LoopFinding { saved: share, certainty: 0.7, text, numbers, recommendation },
    ))
}

/// The number of lines that the sets which lines at this stride map to can hold, if it is too small although the cache as a whole is
/// large enough.
fn usable_lines(cache: &Cache, stride: i128, lines: f64) -> Option<i128> {
    let line = i128::from(cache.line);
    if stride < line || stride % line != 0 {
        return None;
    }
    let sets = i128::from(cache.sets());
    let places = sets / gcd(stride / line, sets) * i128::from(cache.ways);
    (lines > places as f64 && lines <= 0.75 * cache.lines() as f64).then_some(places)
}

#[cfg(test)]
mod tests {
    use crate::rules::fixture::found;

    /// 512 rows of 4096 bytes: all lines of a column in one set of L1.
    #[test]
    fn powers_of_two_conflict_and_others_do_not() {
        let sum = "double a[N][N], s; void f(void) { for (int j = 0; j < N; j++) for (int i = 0; i < N; i++) s += a[i][j]; }";
        let findings = found("predict-conflict-stride", sum, 512);
        assert_eq!(findings.len(), 1);
        assert_eq!(findings[0].reason.data["places"], 12.0);
        assert_eq!(found("predict-conflict-stride", sum, 513), []);
    }
}
