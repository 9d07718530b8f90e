//! Rule: the model is applied outside the range of its data.

use lotse_model::Rule;
use lotse_model::finding::Finding;
use lotse_model::rule::Threshold;

use super::{FitData, PRIOR};
use crate::fit::power::Observation;

pub(super) static RULE: Rule = Rule {
    id: "fit-extrapolation",
    version: 1,
    title: "the model is asked beyond its data",
    meaning: "Outside of the range of the data nothing checks the form of the model, and its error grows with the \
              distance.",
    computation: "A variable of the point lies outside of the range of the observations by more than the factor `beyond`. \
                  The drift is the factor by which the model and a time proportional to the iterations come apart from \
                  the nearest observation to that point.",
    example: "Fitted for N = 100 to 600, time grows as N^2.806 in the model; at N = 2000 that is 21 % less than N^3.",
    picture: "",
    advice: "Measure a larger size, or use the analytic model, whose terms have a meaning at any size.",
    thresholds: &[Threshold {
        name: "beyond",
        default: 1.05,
        meaning: "factor beyond the range of the data",
    }],
    prior: PRIOR,
    references: &[],
};

pub(super) fn find(data: &FitData<'_>) -> Vec<Finding> {
    data.unmeasured.iter().filter_map(|(point, label)| describe(data, *point, label)).collect()
}

/// Name and value of a variable.
type Variable = (&'static str, fn(&Observation) -> f64);

/// The finding for one point that lies outside the range of the observations.
fn describe(data: &FitData<'_>, point: [f64; 3], label: &str) -> Option<Finding> {
    let beyond = data.thresholds.get(&RULE, "beyond");
    let variables: [Variable; 3] = [("X1", |row| row.x1), ("X2", |row| row.x2), ("X3", |row| row.x3)];
    let outside = |((name, value), coordinate): (&Variable, f64)| {
        let values = || data.observations.iter().map(*value);
        let (low, high) = (values().fold(f64::INFINITY, f64::min), values().fold(0.0, f64::max));
        let factor = (coordinate / high).max(low / coordinate);
        (factor > beyond).then_some((*name, factor))
    };
    let found: Vec<(&str, f64)> = variables.iter().zip(point).filter_map(outside).collect();
    let (name, factor) = found.iter().copied().max_by(|a, b| a.1.total_cmp(&b.1))?;
    let drift = drift(data, point)?;
    let text = format!(
        "{label}: {name} is {factor:.1} times beyond the data; there the model has drifted by {:+.0} % from a time \
         proportional to the iterations",
        100.0 * drift
    );
    Some(super::finding(data, &RULE, 0.9, text, vec![("factor", factor), ("drift", drift)]))
}

/// How far the growth of the model, from the nearest observation to the point, deviates from the growth of the iterations.
fn drift(data: &FitData<'_>, [x1, x2, x3]: [f64; 3]) -> Option<f64> {
    let nearest = data.observations.iter().min_by(|a, b| {
        let distance =
            |row: &Observation| (row.x3.log10() - x3.log10()).abs() + (row.x1.log10() - x1.log10()).abs();
        distance(a).total_cmp(&distance(b))
    })?;
    let fit = data.with_factor;
    let growth = fit.predict(x1, x2, x3) / fit.predict(nearest.x1, nearest.x2, nearest.x3);
    Some(growth / (x3 / nearest.x3) - 1.0)
}
