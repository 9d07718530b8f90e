//! Approximate sums of a function over many integers, from few evaluations.
//!
//! The cost of a loop's body is piecewise a polynomial of the loop's index. Three Gauss points integrate polynomials
//! of degree 5 exactly. If the sum of the two halves differs from the sum over the whole interval, the interval contains a
//! change between pieces and is halved again. The first and the last index, where tiles are cut off, are always evaluated.
//! If the first index and two others give equal values, all but the last are assumed to be equal: only the last tile differs.
//!
//! ```text
//! low   low+1 ······························ high-1   high
//! f()   └── Gauss points; halves, if they disagree ──┘  f()
//! ```

/// Intervals with no more integers than this are summed one by one.
const FEW: i128 = 8;
/// How often an interval is halved at most.
const DEPTH: u32 = 5;
/// Accepted difference between the whole and its halves, relative to the sum.
const TOLERANCE: f64 = 0.005;
/// Values whose relative difference is smaller count as equal.
const SAME: f64 = 0.002;

/// The sum of `f(x)` over `low..=high`, component by component.
pub(super) fn sum<E>(
    (low, high): (i128, i128),
    f: &mut impl FnMut(i128) -> Result<Vec<f64>, E>,
) -> Result<Vec<f64>, E> {
    if high - low < 4 {
        return sum_each(low, high, f);
    }
    let first = f(low)?;
    let inside = high - low - 1;
    let (a, b) = (f(low + 1 + inside * 3 / 10)?, f(high - 1 - inside * 2 / 10)?);
    let same = distance(&a, &b).max(distance(&first, &a)) <= SAME * norm(&a);
    let ends = added(first, &f(high)?);
    if same {
        return Ok(added(a.into_iter().map(|value| value * inside as f64).collect(), &ends));
    }
    let whole = gauss_sum(low + 1, high - 1, f)?;
    Ok(added(sum_refined(low + 1, high - 1, whole, DEPTH, f)?, &ends))
}

fn sum_each<E>(
    low: i128,
    high: i128,
    f: &mut impl FnMut(i128) -> Result<Vec<f64>, E>,
) -> Result<Vec<f64>, E> {
    (low..=high).try_fold(Vec::new(), |sum, x| Ok(added(f(x)?, &sum)))
}

/// The sum over `low..=high`, where `whole` is the estimate by one set of Gauss points. Halves the interval until the halves
/// agree with the whole, at most `depth` times.
fn sum_refined<E>(
    low: i128,
    high: i128,
    whole: Vec<f64>,
    depth: u32,
    f: &mut impl FnMut(i128) -> Result<Vec<f64>, E>,
) -> Result<Vec<f64>, E> {
    if depth == 0 {
        return Ok(whole);
    }
    if high - low < FEW {
        return sum_each(low, high, f);
    }
    let middle = low + (high - low) / 2;
    let (left, right) = (gauss_sum(low, middle, f)?, gauss_sum(middle + 1, high, f)?);
    let halves = added(left.clone(), &right);
    if distance(&halves, &whole) <= TOLERANCE * norm(&halves) {
        return Ok(halves);
    }
    let left = sum_refined(low, middle, left, depth - 1, f)?;
    Ok(added(sum_refined(middle + 1, high, right, depth - 1, f)?, &left))
}

/// The sum estimated by three Gauss points on the real interval from `low - 0.5` to `high + 0.5`.
fn gauss_sum<E>(
    low: i128,
    high: i128,
    f: &mut impl FnMut(i128) -> Result<Vec<f64>, E>,
) -> Result<Vec<f64>, E> {
    let count = (high - low + 1) as f64;
    let middle = (low as f64 + high as f64) / 2.0;
    let mut sum = Vec::new();
    for (node, weight) in [(-0.6_f64.sqrt(), 5.0 / 18.0), (0.0, 8.0 / 18.0), (0.6_f64.sqrt(), 5.0 / 18.0)] {
        let x = (middle + node * count / 2.0).round() as i128;
        let value = f(x.clamp(low, high))?;
        sum = added(value.into_iter().map(|v| v * weight * count).collect(), &sum);
    }
    Ok(sum)
}

fn norm(a: &[f64]) -> f64 {
    a.iter().map(|value| value.abs()).sum()
}

fn distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b).abs()).sum()
}

/// The sum of two vectors; a missing component is 0.
fn added(mut a: Vec<f64>, b: &[f64]) -> Vec<f64> {
    a.resize(a.len().max(b.len()), 0.0);
    a.iter_mut().zip(b).for_each(|(x, y)| *x += y);
    a
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use super::sum;

    /// Polynomials, a step and a kink, compared with the sum of all terms; the number of calls does not grow with the interval.
    #[test]
    fn sums_as_added_one_by_one() {
        type Named = (&'static str, fn(f64) -> f64);
        let functions: [Named; 4] = [
            ("constant", |_| 3.0),
            ("square", |x| x * x + 2.0 * x),
            ("step", |x| if x < 700.0 { 1.0 } else { 20.0 }),
            ("kink", |x| (x - 300.0).max(0.0)),
        ];
        for (name, function) in functions {
            for high in [3_i128, 50, 1000, 9999] {
                let mut calls = 0;
                let mut f = |x: i128| {
                    calls += 1;
                    Ok::<_, Infallible>(vec![function(x as f64)])
                };
                let got = sum((0, high), &mut f).unwrap()[0];
                let expected: f64 = (0..=high).map(|x| function(x as f64)).sum();
                assert!(
                    (got - expected).abs() <= 0.015 * expected.max(1.0),
                    "{name} {high}: {got} {expected}"
                );
                assert!(calls <= 120, "{name}: {calls} calls");
            }
        }
    }
}
