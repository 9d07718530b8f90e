//! Rule: the models with and without a constant factor are the same fit.

use lotse_model::Rule;
use lotse_model::finding::Finding;
use lotse_model::rule::Threshold;

use super::{FitData, PRIOR};

pub(super) static RULE: Rule = Rule {
    id: "fit-same-model",
    version: 1,
    title: "the models with and without a constant factor are the same fit",
    meaning: "Both models predict the same time for every observation. Choosing between them by r^2 or by exponents is \
              choosing between two ways to write one formula.",
    computation: "The residuals of both models differ by less than `difference` (in decimal logarithms) everywhere, and \
                  the design with a constant is rank deficient.",
    example: "With X2 proportional to N^2 and X3 to N^3, the constant factor can be written as a power of X2 and X3.",
    picture: "",
    advice: "Report one of them. Prefer the one with a constant factor: its r^2 is about the mean.",
    thresholds: &[Threshold {
        name: "difference",
        default: 1e-9,
        meaning: "largest difference of residuals",
    }],
    prior: PRIOR,
    references: &[],
};

pub(super) fn find(data: &FitData<'_>) -> Vec<Finding> {
    let (a, b) = (data.with_factor, data.without_factor);
    let difference = a.residuals.iter().zip(&b.residuals).map(|(x, y)| (x - y).abs()).fold(0.0, f64::max);
    let deficient = a.rank < a.columns;
    if !deficient || difference > data.thresholds.get(&RULE, "difference") {
        return Vec::new();
    }
    let text = "the models with and without a constant factor give the same residuals: they are one fit, written twice";
    vec![super::finding(data, &RULE, 1.0, text.to_owned(), vec![("difference", difference)])]
}
