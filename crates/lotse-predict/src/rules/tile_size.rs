//! Rule: another tile size would use the caches better.

use lotse_model::Rule;
use lotse_model::finding::Finding;
use lotse_model::rule::Threshold;

use super::{LoopFinding, PRIOR, PredictedNest};
use crate::sweep::{tile_parameters, tiles};

pub(super) static RULE: Rule = Rule {
    id: "predict-tile-size",
    version: 1,
    title: "another tile size would be faster",
    meaning: "The loops work in tiles. Tiles that are too large do not fit the cache that they should stay in; tiles that are too small \
              spend their time on starting loops and use each line too rarely.",
    computation: "The parameter that is the step of the tiling loops is varied from 8 to 128. The rule fires if the fastest size takes at \
                  least `share` less time than the present one.",
    example: "A tiled transposition of floats with tiles of 512 touches 512 lines per column, more than a first cache of 768 lines keeps \
              beside the source.",
    picture: "",
    advice: "Use the size that `lotse predict FILE --tile` ranks first, and measure it beside the present one.",
    thresholds: &[Threshold {
        name: "share",
        default: 0.1,
        meaning: "share of the predicted time that is saved, at least",
    }],
    prior: PRIOR,
    references: &[
        "M. Lam, E. Rothberg, M. Wolf: The cache performance and optimizations of blocked algorithms, 1991",
    ],
};

/// Sizes that are tried; `--tile` ranks more of them.
const SIZES: &[i64] = &[8, 16, 32, 64, 128];

pub(super) fn find(nest: &PredictedNest<'_>) -> Vec<Finding> {
    describe(nest).into_iter().collect()
}

/// Predicts the time for a few tile sizes and reports the fastest one if it saves enough.
fn describe(nest: &PredictedNest<'_>) -> Option<Finding> {
    let function = nest.instance.function;
    let parameters = tile_parameters(function);
    let parameter = *parameters.first()?;
    let present = nest.instance.values.get(parameter)?;
    let ranked = tiles(function, nest.instance.values, (&parameters, SIZES), nest.assumptions).ok()?;
    let best = ranked.first()?;
    let saved = 1.0 - best.seconds / nest.prediction.seconds.max(f64::MIN_POSITIVE);
    if saved < nest.thresholds.get(&RULE, "share") {
        return None;
    }
    let time = nest.prediction.loops.iter().max_by(|a, b| a.seconds.total_cmp(&b.seconds))?;
    let (name, size) = (function.symbols.name(parameter), best.value);
    let what = if present > size { "too large" } else { "too small" };
    let text = format!(
        "tiles of {present} are {what}: with {name} = {size} the function takes {:.0} % less time",
        100.0 * saved
    );
    let numbers = vec![("present", present as f64), ("best", size as f64), ("saved", saved)];
    let recommendation = format!("set {name} to {size}");
    Some(nest.finding(&RULE, time, LoopFinding { saved, certainty: 0.6, text, numbers, recommendation }))
}

#[cfg(test)]
mod tests {
    use crate::rules::fixture::found;

    #[test]
    fn extreme_tiles_are_found() {
        let transpose = |tile: i64| {
            format!(
                "#define B {tile}\nfloat a[N][N], b[N][N]; void f(void) {{ for (int it = 0; it < N; it += B) for (int jt = 0; jt < N; jt += B) for (int i = it; i < it + B && i < N; i++) for (int j = jt; j < jt + B && j < N; j++) b[j][i] = a[i][j]; }}"
            )
        };
        let large = found("predict-tile-size", &transpose(2000), 4001);
        assert!(large[0].reason.text.contains("too large"), "{large:?}");
        let small = found("predict-tile-size", &transpose(1), 4001);
        assert!(small[0].reason.text.contains("too small"), "{small:?}");
    }
}
