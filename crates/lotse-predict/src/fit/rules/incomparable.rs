//! Rule: r^2 of models with and without a constant factor are different quantities.

use lotse_model::Rule;
use lotse_model::finding::Finding;
use lotse_model::rule::Threshold;

use super::{FitData, PRIOR};

pub(super) static RULE: Rule = Rule {
    id: "fit-incomparable-r2",
    version: 1,
    title: "r^2 of models with and without a constant factor cannot be compared",
    meaning: "With a constant factor r^2 is the share of the variation about the mean that is explained, without one it \
              is the share of the squares about zero. The second is larger for the same errors.",
    computation: "Fires when the two values differ by more than `difference` although the residual deviations differ by \
                  less than 5 %.",
    example: "0.9987 with and 0.99998 without a constant factor, with the same residual deviation of 0.0276.",
    picture: "",
    advice: "Compare residual deviations, or errors on data that were not fitted.",
    thresholds: &[Threshold { name: "difference", default: 1e-4, meaning: "difference of the two r^2" }],
    prior: PRIOR,
    references: &["T. O. Kvålseth: Cautionary note about R^2, The American Statistician 39, 1985"],
};

/// One finding if the two values of r^2 differ although the residual deviations are about the same.
pub(super) fn find(data: &FitData<'_>) -> Vec<Finding> {
    let (a, b) = (data.with_factor, data.without_factor);
    let values = (a.r_squared.zip(b.r_squared), a.sigma.zip(b.sigma));
    let (Some((centred, uncentred)), Some((s, t))) = values else { return Vec::new() };
    let least = data.thresholds.get(&RULE, "difference");
    if (uncentred - centred).abs() <= least || (s - t).abs() > 0.05 * s.max(t) {
        return Vec::new();
    }
    let text = format!(
        "r^2 is {centred:.6} about the mean with a constant factor and {uncentred:.6} about zero without, for residual \
         deviations of {s:.6} and {t:.6}"
    );
    vec![super::finding(
        data,
        &RULE,
        1.0,
        text,
        vec![("centred", centred), ("uncentred", uncentred), ("sigma", s)],
    )]
}
