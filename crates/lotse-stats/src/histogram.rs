//! Counts in bins of equal width.

use crate::descriptive::{maximum, minimum};
use crate::error::{Result, StatsError, check, finite};
use crate::quantile::quartiles;

/// The rule for the number of bins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bins {
    /// Exactly this many.
    Count(usize),
    /// Width 2 IQR / cbrt n (Freedman & Diaconis): robust, good for many values.
    FreedmanDiaconis,
    /// log2 n + 1 bins (Sturges): good for few values.
    Sturges,
    /// The narrower of the two, yet at most 2 sqrt n bins, as numpy's `auto`.
    Auto,
}

/// The limit for the number of bins, since a rule can ask for more than fit into memory.
pub const MOST_BINS: usize = 10_000;

/// Counts of values in adjoining bins.
#[derive(Debug, Clone, PartialEq)]
pub struct Histogram {
    /// Ascending borders, one more than there are bins. All bins but the last exclude their upper border.
    pub edges: Vec<f64>,
    pub counts: Vec<usize>,
}

impl Histogram {
    /// Counts at least one value. Constant values get one bin of width one around them.
    pub fn from_values(values: &[f64], bins: Bins) -> Result<Self> {
        check(values, 1)?;
        let (low, high) = (minimum(values)?, maximum(values)?);
        let count = bin_count(values, finite("the range", high - low)?, bins)?;
        let (low, high) = if low < high { (low, high) } else { (low - 0.5, high + 0.5) };
        let edges = edges(low, high, count);
        let mut counts = vec![0; count];
        for &value in values {
            // Compared with the edges instead of computed by a division, so that edges and counts agree.
            counts[edges[1..count].partition_point(|&edge| edge <= value)] += 1;
        }
        Ok(Self { edges, counts })
    }
}

fn edges(low: f64, high: f64, count: usize) -> Vec<f64> {
    let step = (high - low) / count as f64;
    (0..=count).map(|i| if i == count { high } else { low + step * i as f64 }).collect()
}

/// The number of bins for a range of values: the range divided by the width that the rule gives, at most [`MOST_BINS`].
fn bin_count(values: &[f64], range: f64, bins: Bins) -> Result<usize> {
    if let Bins::Count(count) = bins {
        let allowed = (1..=MOST_BINS).contains(&count);
        let error = StatsError::Parameter { name: "bin count", value: count as f64, range: "1 to 10000" };
        return if allowed { Ok(count) } else { Err(error) };
    }
    let n = values.len() as f64;
    let sturges = range / (n.log2() + 1.0);
    let freedman = 2.0 * quartiles(values)?.iqr() / n.cbrt();
    let width = match bins {
        Bins::FreedmanDiaconis => freedman,
        // At least half the width of the square-root rule, so that outliers do not lead to very many bins.
        Bins::Auto => freedman.max(range / n.sqrt() / 2.0).min(sturges),
        _ => sturges,
    };
    if width <= 0.0 {
        return Ok(1);
    }
    Ok(((range / width).ceil().max(1.0) as usize).min(MOST_BINS))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_on_borders_belong_to_the_upper_bin_and_the_last_to_the_last() {
        let histogram = Histogram::from_values(&[0.0, 1.0, 1.5, 2.0, 4.0], Bins::Count(4)).unwrap();
        assert_eq!(histogram.edges, [0.0, 1.0, 2.0, 3.0, 4.0]);
        assert_eq!(histogram.counts, [1, 2, 1, 1]);
    }

    #[test]
    fn constant_values_have_one_bin() {
        let histogram = Histogram::from_values(&[7.0; 9], Bins::Auto).unwrap();
        assert_eq!((histogram.edges, histogram.counts), (vec![6.5, 7.5], vec![9]));
    }

    #[test]
    fn a_far_outlier_cannot_ask_for_endless_bins() {
        let mut values: Vec<f64> = (0..100).map(f64::from).collect();
        values.push(1e300);
        assert_eq!(Histogram::from_values(&values, Bins::FreedmanDiaconis).unwrap().counts.len(), MOST_BINS);
    }
}
