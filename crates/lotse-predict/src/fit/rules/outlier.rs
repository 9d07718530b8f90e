//! Rule: one observation does not follow the others and influences the result.

use lotse_model::Rule;
use lotse_model::finding::Finding;
use lotse_model::rule::Threshold;
use lotse_stats::distribution::t_two_sided;

use super::{FitData, PRIOR};
use crate::fit::power::{self, Observation};

pub(super) static RULE: Rule = Rule {
    id: "fit-outlier",
    version: 1,
    title: "one observation does not follow the others",
    meaning: "The model misses one observation by more than chance allows. Least squares lets it pull the exponents.",
    computation: "The residual divided by its deviation as estimated from the other observations (Student's t), with a \
                  p value below `p` after Bonferroni's correction for the number of observations. The effect is the \
                  change of each exponent when the observation is left out.",
    example: "Of 42 measurements one took 21 % less time than its neighbours: without it the exponent of X1 is smaller \
              by 40 %.",
    picture: "",
    advice: "Measure this point again. If it stands, the model lacks what makes it different; if not, leave it out and \
             say so.",
    thresholds: &[Threshold { name: "p", default: 0.01, meaning: "corrected p value below" }],
    prior: PRIOR,
    references: &["R. D. Cook, S. Weisberg: Residuals and Influence in Regression, 1982"],
};

pub(super) fn find(data: &FitData<'_>) -> Vec<Finding> {
    let fit = data.with_factor;
    let count = data.observations.len();
    let df = fit.residual_df.saturating_sub(1) as f64;
    let surprising = |index: &usize| {
        let t = fit.studentized(*index);
        t.is_some_and(|t| t_two_sided(t, df) * count as f64 <= data.thresholds.get(&RULE, "p"))
    };
    (0..count).filter(surprising).filter_map(|index| describe(data, index)).collect()
}

/// The finding for one outlier; the model is fitted again without it to show its influence on the exponents.
fn describe(data: &FitData<'_>, index: usize) -> Option<Finding> {
    let fit = data.with_factor;
    let mut others: Vec<Observation> = data.observations.to_vec();
    others.remove(index);
    let without = power::fit(&others, fit.intercept).ok()?;
    let changes = fit.exponents.iter().zip(without.exponents).map(|(with, without)| {
        let (with, without) = (with.unwrap_or(0.0), without.unwrap_or(0.0));
        if with == 0.0 { 0.0 } else { (with - without) / with }
    });
    let changes: Vec<f64> = changes.collect();
    let (most, change) =
        changes.iter().enumerate().max_by(|a, b| a.1.abs().total_cmp(&b.1.abs())).map(|(i, c)| (i, *c))?;
    // The relative error of the model: fitted over observed time, minus 1.
    let error = 10_f64.powf(-fit.residuals[index]) - 1.0;
    let label = data.labels.get(index).map_or("an observation", String::as_str);
    let text = format!(
        "{label}: the model is off by {:+.2} % (leverage {:.2}); this one observation carries {:.0} % of p{}",
        100.0 * error,
        fit.leverages[index],
        100.0 * change.abs(),
        most + 1
    );
    let numbers = vec![
        ("residual", error),
        ("leverage", fit.leverages[index]),
        ("change", change),
        ("studentized", fit.studentized(index)?),
    ];
    Some(super::finding(data, &RULE, 0.99, text, numbers))
}
