//! Householder's QR factorisation that leaves out linearly dependent columns.
//!
//! Columns are processed in order. From each, its projection onto the previous
//! columns is removed; if the remainder is no larger than a rounding error, the
//! column is dependent and left out.

use crate::sum::sum;

/// A remainder below this share of the column's norm counts as rounding error.
const DEPENDENT_BELOW: f64 = 1e-10;

/// The factorisation: Q as reflections, R as columns.
pub(super) struct Qr {
    /// One Householder vector per independent column; number i acts on the rows from i on.
    reflections: Vec<Vec<f64>>,
    /// The columns of R, each from its first row to its diagonal.
    upper: Vec<Vec<f64>>,
    /// The indices of the independent columns in the original matrix.
    independent: Vec<usize>,
    /// The number of columns of the original matrix.
    columns: usize,
}

impl Qr {
    pub(super) fn factorise(columns: Vec<Vec<f64>>) -> Self {
        let mut qr = Self {
            reflections: Vec::new(),
            upper: Vec::new(),
            independent: Vec::new(),
            columns: columns.len(),
        };
        for (index, column) in columns.into_iter().enumerate() {
            qr.add_column(index, column);
        }
        qr
    }

    pub(super) fn rank(&self) -> usize {
        self.independent.len()
    }

    /// Extends the factorisation by a column, unless it depends on the previous ones.
    fn add_column(&mut self, index: usize, mut column: Vec<f64>) {
        let length = norm(&column);
        self.reflect(&mut column);
        let row = self.rank();
        let remainder = if row < column.len() { norm(&column[row..]) } else { 0.0 };
        if remainder <= DEPENDENT_BELOW * length {
            return;
        }
        let diagonal = if column[row] > 0.0 { -remainder } else { remainder };
        let mut reflection = column.split_off(row);
        reflection[0] -= diagonal;
        let scale = norm(&reflection);
        reflection.iter_mut().for_each(|x| *x /= scale);
        column.push(diagonal);
        self.reflections.push(reflection);
        self.upper.push(column);
        self.independent.push(index);
    }

    /// Applies all reflections so far.
    fn reflect(&self, column: &mut [f64]) {
        for (row, reflection) in self.reflections.iter().enumerate() {
            let below = &mut column[row..];
            let twice = 2.0 * sum(below.iter().zip(reflection).map(|(x, v)| x * v));
            below.iter_mut().zip(reflection).for_each(|(x, v)| *x -= twice * v);
        }
    }

    /// The coefficients of the least-squares solution by original column; `None` for dependent columns.
    pub(super) fn solve(&self, observed: &[f64]) -> Vec<Option<f64>> {
        let mut right = observed.to_vec();
        self.reflect(&mut right);
        right.truncate(self.rank());
        self.back_substitute(&mut right);
        self.spread_out(&right)
    }

    /// The diagonal of the inverse of R'R by original column: the variances of the coefficients in units of sigma².
    pub(super) fn inverse_diagonal(&self) -> Vec<Option<f64>> {
        let mut diagonal = vec![0.0; self.rank()];
        for unit in 0..self.rank() {
            let mut column = vec![0.0; self.rank()];
            column[unit] = 1.0;
            self.back_substitute(&mut column);
            diagonal.iter_mut().zip(&column).for_each(|(d, x)| *d += x * x);
        }
        self.spread_out(&diagonal)
    }

    fn back_substitute(&self, right: &mut [f64]) {
        for i in (0..right.len()).rev() {
            right[i] /= self.upper[i][i];
            let solved = right[i];
            right[..i].iter_mut().zip(&self.upper[i]).for_each(|(x, r)| *x -= r * solved);
        }
    }

    /// Values of the independent columns, at their indices in the original matrix.
    fn spread_out(&self, values: &[f64]) -> Vec<Option<f64>> {
        let mut all = vec![None; self.columns];
        self.independent.iter().zip(values).for_each(|(&index, &value)| all[index] = Some(value));
        all
    }
}

/// The Euclidean norm, scaled so that squares neither overflow nor underflow.
fn norm(values: &[f64]) -> f64 {
    let largest = values.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
    if largest == 0.0 {
        return 0.0;
    }
    largest * sum(values.iter().map(|x| (x / largest).powi(2))).sqrt()
}
