//! The sum of squares of a slice: the second source of "How long will it take?".

pub fn norm(values: &[f64]) -> f64 {
    let mut sum = 0.0;
    for i in 0..values.len() {
        sum += values[i] * values[i];
    }
    sum
}
