//! The summary figures that hyperfine writes, computed as hyperfine does.

/// Mean, standard deviation, median and extremes of at least one value.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct HyperfineSummary {
    pub(crate) count: usize,
    pub(crate) mean: f64,
    /// Sample standard deviation; one value has none.
    pub(crate) stddev: Option<f64>,
    pub(crate) median: f64,
    pub(crate) min: f64,
    pub(crate) max: f64,
}

impl HyperfineSummary {
    /// The summary of the values; `None` if there are none.
    pub(crate) fn from_values(values: &[f64]) -> Option<Self> {
        let mut sorted = values.to_vec();
        sorted.sort_by(f64::total_cmp);
        let (&min, &max) = (sorted.first()?, sorted.last()?);
        // Summed in run order, so that the last bits agree with hyperfine's.
        let mean = mean(values)?;
        let squares: f64 = values.iter().map(|value| (value - mean) * (value - mean)).sum();
        let stddev = (values.len() > 1).then(|| (1.0 / (values.len() - 1) as f64 * squares).sqrt());
        Some(Self { count: values.len(), mean, stddev, median: median(&sorted), min, max })
    }
}

/// The arithmetic mean of at least one value.
pub(crate) fn mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

fn median(sorted: &[f64]) -> f64 {
    let middle = sorted.len() / 2;
    let at = |index: usize| sorted.get(index).copied().unwrap_or(f64::NAN);
    if sorted.len().is_multiple_of(2) {
        f64::midpoint(at(middle.wrapping_sub(1)), at(middle))
    } else {
        at(middle)
    }
}

#[cfg(test)]
mod tests {
    use super::HyperfineSummary;

    #[test]
    fn figures_agree_with_a_calculation_by_hand() {
        let summary = HyperfineSummary::from_values(&[8.0, 7.0, 12.0]).unwrap();
        assert_eq!((summary.mean, summary.median, summary.min, summary.max), (9.0, 8.0, 7.0, 12.0));
        assert_eq!(summary.stddev, Some(7f64.sqrt()));
        assert_eq!(HyperfineSummary::from_values(&[1.0, 2.0]).unwrap().median, 1.5);
        assert_eq!(HyperfineSummary::from_values(&[5.0]).unwrap().stddev, None);
        assert_eq!(HyperfineSummary::from_values(&[]), None);
    }
}
