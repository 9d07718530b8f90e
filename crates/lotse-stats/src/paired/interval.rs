//! A closed interval that may be unbounded, never NaN.

/// A confidence interval. An end that the data cannot pin down is infinite.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Interval {
    /// The lower end; minus infinity when there is none.
    pub lower: f64,
    /// The upper end; infinity when there is none.
    pub upper: f64,
}

impl Interval {
    /// The interval that says nothing.
    pub const UNBOUNDED: Self = Self { lower: f64::NEG_INFINITY, upper: f64::INFINITY };

    /// The interval of one value that is known exactly.
    pub fn point(value: f64) -> Self {
        Self { lower: value, upper: value }
    }

    /// Whether both ends are finite.
    pub fn is_bounded(&self) -> bool {
        self.lower.is_finite() && self.upper.is_finite()
    }

    /// Whether `value` lies inside, the ends included.
    pub fn contains(&self, value: f64) -> bool {
        (self.lower..=self.upper).contains(&value)
    }

    /// Whether the whole interval lies inside `outer`.
    pub fn within(&self, outer: &Self) -> bool {
        self.lower >= outer.lower && self.upper <= outer.upper
    }

    /// Half the distance of the ends, infinite when one of them is.
    pub fn half_width(&self) -> f64 {
        if self.is_bounded() { 0.5 * (self.upper - self.lower) } else { f64::INFINITY }
    }

    /// Both ends through an increasing function.
    pub(crate) fn map(self, increasing: impl Fn(f64) -> f64) -> Self {
        Self { lower: increasing(self.lower), upper: increasing(self.upper) }
    }
}
