//! Rule: the residuals depend systematically on a variable, so the model has the wrong form.

use lotse_model::Rule;
use lotse_model::finding::Finding;
use lotse_model::rule::Threshold;
use lotse_stats::distribution::t_two_sided;
use lotse_stats::least_squares::{self, DesignMatrix};

use super::{FitData, PRIOR};
use crate::fit::power::{Intercept, Observation};

pub(super) static RULE: Rule = Rule {
    id: "fit-residual-pattern",
    version: 1,
    title: "the residuals follow a variable",
    meaning: "The errors are not random: they are large at both ends of a variable and opposite in the middle. Inside the \
              data this hides in a small error, outside of it the error grows.",
    computation: "The square of the logarithm of the variable is added to the model; Student's t of its coefficient has a \
                  p value below `p`.",
    example: "Between N = 100 and 200 time grows as N^2.6, between 500 and 600 as N^2.97: one exponent cannot be both.",
    picture: "residual  +  ·               ·
          0     ·  ·        ·
          -           ·  ·      -> log N",
    advice: "Add what is missing (a term for small sizes, a constant), or fit fewer sizes.",
    thresholds: &[Threshold { name: "p", default: 0.01, meaning: "p value below" }],
    prior: PRIOR,
    references: &[
        "J. B. Ramsey: Tests for specification errors in classical linear regression, JRSS B 31, 1969",
    ],
};

/// Name, value and position among the exponents.
type Variable = (&'static str, fn(&Observation) -> f64, usize);

const VARIABLES: [Variable; 2] = [("X1", |row| row.x1, 0), ("X3", |row| row.x3, 2)];

pub(super) fn find(data: &FitData<'_>) -> Vec<Finding> {
    let tested = VARIABLES.iter().filter_map(|variable| curvature(data, *variable));
    let limit = data.thresholds.get(&RULE, "p");
    let systematic = tested.filter(|(_, _, p)| *p <= limit);
    let describe = |(name, curvature, p): (&str, f64, f64)| {
        let text = format!(
            "the residuals are systematic in {name}: log time is curved in log {name} (square term {curvature:+.4}, \
             p = {p:.1e}), so one exponent does not fit small and large sizes"
        );
        super::finding(data, &RULE, 1.0 - p, text, vec![("curvature", curvature), ("p", p)])
    };
    systematic.map(describe).collect()
}

/// The coefficient of the squared logarithm of one variable when it is added to the model, and its p value.
fn curvature(data: &FitData<'_>, (name, value, position): Variable) -> Option<(&'static str, f64, f64)> {
    data.with_factor.exponents[position]?;
    let rows = data.observations;
    let column =
        |value: fn(&Observation) -> f64| rows.iter().map(|row| value(row).log10()).collect::<Vec<_>>();
    let square: Vec<f64> = column(value).into_iter().map(|x| x * x).collect();
    let mut columns = vec![column(|row| row.x1), column(|row| row.x3), column(|row| row.x2)];
    if data.with_factor.intercept == Intercept::Free {
        columns.push(vec![1.0; rows.len()]);
    }
    columns.push(square);
    let times = column(|row| row.time);
    let fit = least_squares::fit(&DesignMatrix::new(columns).ok()?, &times).ok()?;
    let (coefficient, error) = ((*fit.coefficients.last()?)?, (*fit.standard_errors.last()?)?);
    Some((name, coefficient, t_two_sided(coefficient / error, fit.residual_df as f64)))
}
