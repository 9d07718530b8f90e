//! Least squares with coefficients that cannot be negative, made robust against outliers.
//!
//! Times are sums of non-negative parts (cycles for an operation, for a miss), so a negative constant has no meaning. The
//! active-set method of Lawson and Hanson ("Solving Least Squares Problems", 1974) starts with all coefficients 0 and frees one at
//! a time. Rows are divided by their time, so that relative errors count, and rows with large residuals get Huber's weights.

use lotse_stats::StatsError;
use lotse_stats::descriptive::median_absolute_deviation;
use lotse_stats::least_squares::{DesignMatrix, fit_weighted};
use lotse_stats::quantile::{QuantileType, quantile};

/// Residuals beyond this many standard deviations lose weight (95 % efficiency for normal errors).
const HUBER: f64 = 1.345;
/// Upper limit on rounds of reweighting, and on freed columns per column of the design.
const ROUNDS: usize = 50;

/// A fitted non-negative model.
#[derive(Debug, Clone, PartialEq)]
pub struct NonNegativeFit {
    /// One for each column; none is negative.
    pub coefficients: Vec<f64>,
    /// Fitted divided by observed times.
    pub ratios: Vec<f64>,
    /// Weights of the last round; below 1 for outliers.
    pub weights: Vec<f64>,
}

impl NonNegativeFit {
    /// The interval of measured divided by fitted times that contains the share `level` of the rows.
    pub fn interval(&self, level: f64) -> Result<(f64, f64), StatsError> {
        let observed: Vec<f64> = self.ratios.iter().map(|ratio| 1.0 / ratio).collect();
        let tail = (1.0 - level) / 2.0;
        let at = |q: f64| quantile(&observed, q, QuantileType::Eight);
        Ok((at(tail)?, at(1.0 - tail)?))
    }
}

/// Fits `times` by a sum of non-negative multiples of the columns, by iteratively reweighted least squares.
pub fn fit(columns: &[Vec<f64>], times: &[f64]) -> Result<NonNegativeFit, StatsError> {
    let relative: Vec<Vec<f64>> = columns
        .iter()
        .map(|column| column.iter().zip(times).map(|(value, time)| value / time).collect())
        .collect();
    let mut weights = vec![1.0; times.len()];
    let mut coefficients = active_set(&relative, &weights)?;
    for _ in 0..ROUNDS {
        let next = huber(&residuals(&relative, &coefficients))?;
        let moved = next.iter().zip(&weights).map(|(a, b): (&f64, &f64)| (a - b).abs()).fold(0.0, f64::max);
        weights = next;
        coefficients = active_set(&relative, &weights)?;
        if moved < 1e-6 {
            break;
        }
    }
    let ratios = residuals(&relative, &coefficients).iter().map(|residual| 1.0 - residual).collect();
    Ok(NonNegativeFit { coefficients, ratios, weights })
}

/// 1 minus the fitted value of each row; all measured values are 1, because rows are divided by their time.
fn residuals(columns: &[Vec<f64>], coefficients: &[f64]) -> Vec<f64> {
    let rows = columns.first().map_or(0, Vec::len);
    let fitted =
        |row: usize| columns.iter().zip(coefficients).map(|(column, c)| column[row] * c).sum::<f64>();
    (0..rows).map(|row| 1.0 - fitted(row)).collect()
}

/// Huber's weights: 1 up to a limit that depends on the robust standard deviation, then inversely proportional to the residual.
fn huber(residuals: &[f64]) -> Result<Vec<f64>, StatsError> {
    let deviation = 1.4826 * median_absolute_deviation(residuals)?;
    let limit = HUBER * deviation.max(1e-9);
    Ok(residuals
        .iter()
        .map(|residual| if residual.abs() <= limit { 1.0 } else { limit / residual.abs() })
        .collect())
}

/// Weighted least squares with non-negative coefficients. In each round the column with the steepest descent of the error among
/// those whose coefficient is fixed at 0 is freed; the search ends when no such column would reduce the error.
fn active_set(columns: &[Vec<f64>], weights: &[f64]) -> Result<Vec<f64>, StatsError> {
    let mut free: Vec<usize> = Vec::new();
    let mut solution = vec![0.0; columns.len()];
    for _ in 0..ROUNDS * columns.len().max(1) {
        let left = residuals(columns, &solution);
        let gradient = |index: usize| -> f64 {
            columns[index].iter().zip(&left).zip(weights).map(|((value, r), w)| value * r * w).sum()
        };
        let scale =
            |index: usize| columns[index].iter().map(|value| value * value).sum::<f64>().sqrt().max(1e-300);
        let candidates = (0..columns.len()).filter(|index| !free.contains(index));
        let best = candidates
            .map(|index| (index, gradient(index) / scale(index)))
            .max_by(|a, b| a.1.total_cmp(&b.1));
        let Some((index, _)) = best.filter(|(_, steepness)| *steepness > 1e-10) else { break };
        free.push(index);
        solution = feasible(columns, weights, &mut free, &solution)?;
    }
    Ok(solution)
}

/// The non-negative solution on the free columns. Moves from `from` towards the unconstrained least-squares solution; where a
/// coefficient becomes 0 first, its column is fixed at 0 again and the remaining system is solved.
fn feasible(
    columns: &[Vec<f64>],
    weights: &[f64],
    free: &mut Vec<usize>,
    from: &[f64],
) -> Result<Vec<f64>, StatsError> {
    let mut current = from.to_vec();
    loop {
        let design = DesignMatrix::new(free.iter().map(|index| columns[*index].clone()).collect())?;
        let ones = vec![1.0; weights.len()];
        let fitted = fit_weighted(&design, &ones, weights)?.coefficients;
        let target: Vec<(usize, f64)> =
            free.iter().zip(fitted).map(|(index, value)| (*index, value.unwrap_or(0.0))).collect();
        let blocked = target.iter().filter(|(_, value)| *value < 0.0);
        let steps = blocked.map(|(index, value)| current[*index] / (current[*index] - value));
        let Some(step) = steps.min_by(f64::total_cmp) else {
            current.fill(0.0);
            target.iter().for_each(|(index, value)| current[*index] = *value);
            return Ok(current);
        };
        for (index, value) in &target {
            current[*index] += step * (value - current[*index]);
        }
        free.retain(|index| current[*index] > 1e-12);
        if free.is_empty() {
            return Ok(vec![0.0; columns.len()]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::fit;

    fn close(values: &[f64], expected: &[f64]) {
        let same = values.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-6);
        assert!(same && values.len() == expected.len(), "{values:?} {expected:?}");
    }

    /// Times that are sums of two parts and not of the third.
    #[test]
    fn exact_sums_are_found() {
        let x: Vec<f64> = (1..=20).map(f64::from).collect();
        let columns = vec![x.clone(), x.iter().map(|x| x * x).collect(), x.iter().map(|x| 1.0 / x).collect()];
        let times: Vec<f64> = x.iter().map(|x| 2.0 * x + 0.5 * x * x).collect();
        close(&fit(&columns, &times).unwrap().coefficients, &[2.0, 0.5, 0.0]);
    }

    /// Ordinary least squares would give the second column -1.
    #[test]
    fn nothing_becomes_negative() {
        let x: Vec<f64> = (10..=30).map(f64::from).collect();
        let columns = vec![x.clone(), vec![1.0; x.len()]];
        let times: Vec<f64> = x.iter().map(|x| x - 1.0).collect();
        let fit = fit(&columns, &times).unwrap();
        assert_eq!(fit.coefficients[1], 0.0);
        assert!((0.9..1.0).contains(&fit.coefficients[0]), "{:?}", fit.coefficients);
    }

    #[test]
    fn an_outlier_hardly_matters() {
        let x: Vec<f64> = (1..=21).map(f64::from).collect();
        let times: Vec<f64> = x
            .iter()
            .map(|x| if *x == 7.0 { 70.0 } else { 3.0 * x * (1.0 + 0.01 * (x % 3.0 - 1.0)) })
            .collect();
        let fit = fit(&[x], &times).unwrap();
        assert!((fit.coefficients[0] - 3.0).abs() < 0.03, "{:?}", fit.coefficients);
        assert!(fit.weights[6] < 0.1);
        let (low, high) = fit.interval(0.8).unwrap();
        assert!(low > 0.97 && high < 1.03, "{low} {high}");
    }
}
