//! Linear least squares with detection of linearly dependent columns.
//!
//! A column that is a linear combination of earlier ones gets no coefficient and
//! is listed as aliased. Solved by Householder's QR factorisation, which avoids
//! the squared condition number of the normal equations.

mod qr;

use crate::error::{Result, StatsError, check, check_positive, finite};
use crate::sum::sum;
use qr::Qr;

/// The columns of a linear model, all of the same length.
#[derive(Debug, Clone, PartialEq)]
pub struct DesignMatrix {
    columns: Vec<Vec<f64>>,
}

impl DesignMatrix {
    /// Needs at least one column; all values must be finite.
    pub fn new(columns: Vec<Vec<f64>>) -> Result<Self> {
        let Some(rows) = columns.first().map(Vec::len) else {
            return Err(StatsError::TooFew { needed: 1, present: 0 });
        };
        for column in &columns {
            check_length(rows, column.len())?;
            check(column, 1)?;
        }
        Ok(Self { columns })
    }

    fn rows(&self) -> usize {
        self.columns[0].len()
    }

    fn has_intercept(&self) -> bool {
        self.columns.iter().any(|column| column[0] != 0.0 && column.iter().all(|&x| x == column[0]))
    }

    fn scaled_by(&self, factors: &[f64]) -> Vec<Vec<f64>> {
        self.columns.iter().map(|column| scaled(column, factors)).collect()
    }
}

/// A fitted linear model.
#[derive(Debug, Clone, PartialEq)]
pub struct LinearFit {
    /// One per column; `None` where the column is aliased.
    pub coefficients: Vec<Option<f64>>,
    /// One per column; `None` where the column is aliased or no degree of freedom is left.
    pub standard_errors: Vec<Option<f64>>,
    /// Observed less fitted values, unweighted.
    pub residuals: Vec<f64>,
    /// Number of independent columns.
    pub rank: usize,
    /// Columns that are linear combinations of earlier ones.
    pub aliased: Vec<usize>,
    /// The number of observations minus the rank.
    pub residual_df: usize,
    /// Residual standard deviation; absent without degrees of freedom.
    pub sigma: Option<f64>,
    /// The explained share of the (weighted) sum of squares, about the mean if a column is constant and about zero
    /// otherwise; absent if that sum is zero.
    pub r_squared: Option<f64>,
}

/// The ordinary least-squares fit of the observations.
pub fn fit(design: &DesignMatrix, observed: &[f64]) -> Result<LinearFit> {
    fit_weighted(design, observed, &vec![1.0; observed.len()])
}

/// The fit that minimises the weighted sum of squared residuals. Rows are scaled by the square roots of their weights,
/// which turns it into an ordinary fit.
pub fn fit_weighted(design: &DesignMatrix, observed: &[f64], weights: &[f64]) -> Result<LinearFit> {
    check_length(design.rows(), observed.len())?;
    check_length(design.rows(), weights.len())?;
    check(observed, 1)?;
    check_positive(weights, 1)?;
    let roots: Vec<f64> = weights.iter().map(|w| w.sqrt()).collect();
    let qr = Qr::factorise(design.scaled_by(&roots));
    let solution = qr.solve(&scaled(observed, &roots));
    let residuals = residuals(design, observed, &solution);
    let residual_squares = finite("the fit", sum(residuals.iter().zip(weights).map(|(r, w)| w * r * r)))?;
    let residual_df = design.rows() - qr.rank();
    let sigma = (residual_df > 0).then(|| (residual_squares / residual_df as f64).sqrt());
    let unscaled_variances = qr.inverse_diagonal();
    Ok(LinearFit {
        standard_errors: unscaled_variances.into_iter().map(|v| Some(sigma? * v?.sqrt())).collect(),
        aliased: (0..solution.len()).filter(|&i| solution[i].is_none()).collect(),
        coefficients: solution,
        residuals,
        rank: qr.rank(),
        residual_df,
        sigma,
        r_squared: r_squared(residual_squares, observed, weights, design.has_intercept()),
    })
}

fn residuals(design: &DesignMatrix, observed: &[f64], solution: &[Option<f64>]) -> Vec<f64> {
    let used = || design.columns.iter().zip(solution).filter_map(|(column, c)| Some((column, (*c)?)));
    let fitted = |row: usize| sum(used().map(|(column, c)| column[row] * c));
    observed.iter().enumerate().map(|(row, y)| y - fitted(row)).collect()
}

fn r_squared(residual_squares: f64, observed: &[f64], weights: &[f64], about_mean: bool) -> Option<f64> {
    let total_weight = sum(weights.iter().copied());
    let weighted = sum(observed.iter().zip(weights).map(|(y, w)| y * w));
    let center = if about_mean { weighted / total_weight } else { 0.0 };
    let total = sum(observed.iter().zip(weights).map(|(y, w)| w * (y - center).powi(2)));
    (total > 0.0).then(|| 1.0 - residual_squares / total)
}

fn scaled(values: &[f64], factors: &[f64]) -> Vec<f64> {
    values.iter().zip(factors).map(|(x, f)| x * f).collect()
}

fn check_length(left: usize, right: usize) -> Result<()> {
    if left == right { Ok(()) } else { Err(StatsError::Unpaired { left, right }) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_copy_and_a_zero_column_are_aliased() {
        let x = vec![1.0, 2.0, 3.0, 4.0];
        let double = x.iter().map(|v| 2.0 * v + 1.0).collect();
        let design = DesignMatrix::new(vec![vec![1.0; 4], x, double, vec![0.0; 4]]).unwrap();
        let fit = fit(&design, &[3.0, 5.0, 7.0, 9.0]).unwrap();
        assert_eq!((fit.rank, fit.aliased.as_slice()), (2, &[2, 3][..]));
        assert!((fit.coefficients[0].unwrap() - 1.0).abs() < 1e-12);
        assert!((fit.coefficients[1].unwrap() - 2.0).abs() < 1e-12);
        assert_eq!(fit.standard_errors[2], None);
    }

    #[test]
    fn without_spare_observations_there_is_no_sigma() {
        let fit = fit(&DesignMatrix::new(vec![vec![1.0], vec![2.0]]).unwrap(), &[5.0]).unwrap();
        assert_eq!((fit.rank, fit.sigma, fit.standard_errors[0]), (1, None, None));
        assert_eq!(fit.r_squared, None);
    }

    #[test]
    fn lengths_must_agree() {
        let design = DesignMatrix::new(vec![vec![1.0, 1.0]]).unwrap();
        assert_eq!(fit(&design, &[1.0]), Err(StatsError::Unpaired { left: 2, right: 1 }));
        assert!(DesignMatrix::new(vec![vec![1.0], vec![]]).is_err());
        assert!(matches!(
            fit_weighted(&design, &[1.0, 2.0], &[1.0, 0.0]),
            Err(StatsError::NotPositive { .. })
        ));
    }
}
