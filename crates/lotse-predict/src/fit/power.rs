//! The power model: least squares on logarithms, with rank and leverages.

use lotse_stats::StatsError;
use lotse_stats::least_squares::{self, DesignMatrix, LinearFit};

/// One measured execution.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Observation {
    /// Footprint in per cent of the cache.
    pub x1: f64,
    /// Size of the data divided by that of the cache.
    pub x2: f64,
    /// Number of iterations of all loops.
    pub x3: f64,
    /// Measured time, in any unit.
    pub time: f64,
}

/// Whether the model has a constant factor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Intercept {
    /// Y = a X1^p1 X2^p2 X3^p3.
    Free,
    /// The same with a = 1.
    None,
}

/// A fitted power model.
#[derive(Debug, Clone, PartialEq)]
pub struct PowerFit {
    pub intercept: Intercept,
    /// log10 of the constant factor; 0 without one.
    pub log_factor: f64,
    /// p1, p2, p3; `None` if the variable is determined by the others.
    pub exponents: [Option<f64>; 3],
    /// Number of linearly independent columns of the design matrix.
    pub rank: usize,
    /// Number of columns of the design matrix.
    pub columns: usize,
    /// Explained share of the sum of squares: about the mean with a constant factor, about zero without.
    pub r_squared: Option<f64>,
    /// Residual standard deviation of the decimal logarithms.
    pub sigma: Option<f64>,
    /// log10 of the observed time minus log10 of the fitted time, in the order of the observations.
    pub residuals: Vec<f64>,
    /// Residual degrees of freedom: number of observations minus rank.
    pub residual_df: usize,
    /// How much each observation determines its own fitted value, 0 to 1.
    pub leverages: Vec<f64>,
}

/// Fits the model to observations; all values must be positive.
pub fn fit(observations: &[Observation], intercept: Intercept) -> Result<PowerFit, StatsError> {
    let design = design(observations, intercept)?;
    let times: Vec<f64> = observations.iter().map(|row| row.time.log10()).collect();
    let fit = least_squares::fit(&design, &times)?;
    let leverages = leverages(&design, observations.len())?;
    Ok(PowerFit::new(fit, intercept, leverages))
}

impl PowerFit {
    fn new(fit: LinearFit, intercept: Intercept, leverages: Vec<f64>) -> Self {
        let at = |index: usize| fit.coefficients.get(index).copied().flatten();
        // The columns are [1,] X1, X3, X2 in this order, so that of dependent variables X2 is left out, as in the paper.
        let first = usize::from(intercept == Intercept::Free);
        let log_factor = if intercept == Intercept::Free { at(0).unwrap_or(0.0) } else { 0.0 };
        Self {
            intercept,
            log_factor,
            exponents: [at(first), at(first + 2), at(first + 1)],
            rank: fit.rank,
            columns: fit.coefficients.len(),
            r_squared: fit.r_squared,
            sigma: fit.sigma,
            residuals: fit.residuals,
            residual_df: fit.residual_df,
            leverages,
        }
    }

    /// The time that the model predicts.
    pub fn predict(&self, x1: f64, x2: f64, x3: f64) -> f64 {
        let [p1, p2, p3] = self.exponents.map(|exponent| exponent.unwrap_or(0.0));
        10_f64.powf(self.log_factor + p1 * x1.log10() + p2 * x2.log10() + p3 * x3.log10())
    }

    /// The residual deviation as a relative error: 10^s - 1.
    pub fn relative_error(&self) -> Option<f64> {
        self.sigma.map(|sigma| 10_f64.powf(sigma) - 1.0)
    }

    /// The externally studentized residual of one observation: divided by its standard deviation as estimated from all others.
    pub fn studentized(&self, index: usize) -> Option<f64> {
        let (residual, leverage) = (*self.residuals.get(index)?, *self.leverages.get(index)?);
        let rest = 1.0 - leverage;
        let squares: f64 = self.residuals.iter().map(|residual| residual * residual).sum();
        let df = self.residual_df.checked_sub(1).filter(|df| *df > 0)? as f64;
        let variance = (squares - residual * residual / rest) / df;
        (rest > 1e-9 && variance > 0.0).then(|| residual / (variance * rest).sqrt())
    }
}

fn design(observations: &[Observation], intercept: Intercept) -> Result<DesignMatrix, StatsError> {
    let column = |value: fn(&Observation) -> f64| observations.iter().map(|row| value(row).log10()).collect();
    let mut columns: Vec<Vec<f64>> = vec![column(|row| row.x1), column(|row| row.x3), column(|row| row.x2)];
    if intercept == Intercept::Free {
        columns.insert(0, vec![1.0; observations.len()]);
    }
    DesignMatrix::new(columns)
}

/// The diagonal of the hat matrix. Fitting the unit vector of a row leaves the residual 1 - leverage in that row.
fn leverages(design: &DesignMatrix, rows: usize) -> Result<Vec<f64>, StatsError> {
    (0..rows)
        .map(|row| {
            let unit: Vec<f64> = (0..rows).map(|other| f64::from(u8::from(other == row))).collect();
            Ok(1.0 - least_squares::fit(design, &unit)?.residuals[row])
        })
        .collect()
}
