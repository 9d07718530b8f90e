//! Rule: the variables of the model are linearly dependent.

use lotse_model::Rule;
use lotse_model::finding::Finding;

use super::{FitData, PRIOR};

pub(super) static RULE: Rule = Rule {
    id: "fit-rank-deficient",
    version: 1,
    title: "the variables of the model determine each other",
    meaning: "One variable is a combination of the others on this data, so its exponent cannot be told from theirs. Any \
              value fits equally well, and the one that is printed is a convention.",
    computation: "The rank of the design matrix of logarithms, by QR factorisation, is below its number of columns.",
    example: "For square matrices the data grow as N^2 and the iterations as N^3, so log X3 = 1.5 log X2 + constant.",
    picture: "",
    advice: "Measure shapes in which data and iterations do not grow together, such as oblong matrices, or leave one \
             variable out.",
    thresholds: &[],
    prior: PRIOR,
    references: &["G. H. Golub, C. F. Van Loan: Matrix Computations, 4th edition, section 5.5"],
};

/// One finding if the rank of the design matrix is below its number of columns; names the variables without an exponent.
pub(super) fn find(data: &FitData<'_>) -> Vec<Finding> {
    let fit = data.with_factor;
    if fit.rank >= fit.columns {
        return Vec::new();
    }
    let names: Vec<&str> = ["X1", "X2", "X3"]
        .into_iter()
        .zip(fit.exponents)
        .filter(|(_, exponent)| exponent.is_none())
        .map(|(name, _)| name)
        .collect();
    let text = format!(
        "the {} columns of the model have rank {}: {} adds nothing to the others and gets no exponent",
        fit.columns,
        fit.rank,
        names.join(" and ")
    );
    vec![super::finding(
        data,
        &RULE,
        1.0,
        text,
        vec![("rank", fit.rank as f64), ("columns", fit.columns as f64)],
    )]
}
