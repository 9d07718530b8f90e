//! Sums of functions over many integers from few values.
//!
//! Costs of a loop's body are polynomials of its index between changes of regime. Three Gauss points integrate polynomials
//! of degree 5 exactly; where two halves disagree with the whole, the interval has a change of regime and is halved again.
//! The first and the last index, where tiles are cut off, are always evaluated themselves. If the first index and
//! two others give equal values, all do but the last: nothing but the last tile differs.

/// Intervals with no more integers than this are summed one by one.
const FEW: i128 = 8;
/// How often an interval is halved.
const DEPTH: u32 = 5;
/// A disagreement that is accepted, as a share of the sum.
const TOLERANCE: f64 = 0.005;
/// Two values that differ by less are equal, as a share of them.
const SAME: f64 = 0.002;

/// The sum of `f(x)` over `low..=high`, component by component.
pub(super) fn sum<E>(
    (low, high): (i128, i128),
    f: &mut impl FnMut(i128) -> Result<Vec<f64>, E>,
) -> Result<Vec<f64>, E> {
    if high - low < 4 {
        return each(low, high, f);
    }
    let first = f(low)?;
    let inside = high - low - 1;
    let (a, b) = (f(low + 1 + inside * 3 / 10)?, f(high - 1 - inside * 2 / 10)?);
    let same = distance(&a, &b).max(distance(&first, &a)) <= SAME * size(&a);
    let ends = added(first, &f(high)?);
    if same {
        return Ok(added(a.into_iter().map(|value| value * inside as f64).collect(), &ends));
    }
    let whole = gauss(low + 1, high - 1, f)?;
    Ok(added(refined(low + 1, high - 1, whole, DEPTH, f)?, &ends))
}

fn each<E>(low: i128, high: i128, f: &mut impl FnMut(i128) -> Result<Vec<f64>, E>) -> Result<Vec<f64>, E> {
    (low..=high).try_fold(Vec::new(), |sum, x| Ok(added(f(x)?, &sum)))
}

fn refined<E>(
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
        return each(low, high, f);
    }
    let middle = low + (high - low) / 2;
    let (left, right) = (gauss(low, middle, f)?, gauss(middle + 1, high, f)?);
    let halves = added(left.clone(), &right);
    if distance(&halves, &whole) <= TOLERANCE * size(&halves) {
        return Ok(halves);
    }
    let left = refined(low, middle, left, depth - 1, f)?;
    Ok(added(refined(middle + 1, high, right, depth - 1, f)?, &left))
}

/// Three Gauss points on the interval from half before the first to half after the last integer.
fn gauss<E>(low: i128, high: i128, f: &mut impl FnMut(i128) -> Result<Vec<f64>, E>) -> Result<Vec<f64>, E> {
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

fn size(a: &[f64]) -> f64 {
    a.iter().map(|value| value.abs()).sum()
}

fn distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b).abs()).sum()
}

/// Component by component; a missing component is 0.
fn added(mut a: Vec<f64>, b: &[f64]) -> Vec<f64> {
    a.resize(a.len().max(b.len()), 0.0);
    a.iter_mut().zip(b).for_each(|(x, y)| *x += y);
    a
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use super::sum;

    /// Polynomials, a step and a kink against the sum of all terms; calls do not grow with the interval.
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
