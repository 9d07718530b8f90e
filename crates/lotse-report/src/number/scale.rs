//! Scaled units: milliseconds for seconds, mebibytes for bytes, millions for counts.
//!
//! A column or an axis uses one scale for all its values; a single value uses the one that fits it.

use lotse_model::Unit;

use super::{SIGNIFICANT, Uncertain, significant, with_uncertainty};

/// A scaled unit, such as the millisecond.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct UnitScale {
    /// The size in base units.
    pub factor: f64,
    /// The symbol after a number; empty for none.
    pub symbol: &'static str,
    /// Whether integers are written without decimals.
    whole: bool,
}

/// A unit of time, for options that fix it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TimeUnit {
    Nanosecond,
    Microsecond,
    Millisecond,
    Second,
}

const fn scale(factor: f64, symbol: &'static str) -> UnitScale {
    UnitScale { factor, symbol, whole: false }
}

// Each list is in descending order; its last unit is used for all smaller values.
const TIMES: &[UnitScale] = &[scale(1.0, "s"), scale(1e-3, "ms"), scale(1e-6, "µs"), scale(1e-9, "ns")];
const SIZES: &[UnitScale] = &[
    scale(1_099_511_627_776.0, "TiB"),
    scale(1_073_741_824.0, "GiB"),
    scale(1_048_576.0, "MiB"),
    scale(1024.0, "KiB"),
    UnitScale { factor: 1.0, symbol: "B", whole: true },
];
const COUNTS: &[UnitScale] = &[
    scale(1e12, "T"),
    scale(1e9, "G"),
    scale(1e6, "M"),
    scale(1e3, "k"),
    UnitScale { factor: 1.0, symbol: "", whole: true },
];
const NUMBERS: &[UnitScale] = &[scale(1.0, "")];

impl UnitScale {
    /// The unit in which a value of this magnitude has one to three digits before the decimal point. Zero and values that
    /// are not finite get the base unit.
    pub fn fitting(unit: Unit, magnitude: f64) -> Self {
        let list = match unit {
            Unit::Seconds => TIMES,
            Unit::Bytes => SIZES,
            Unit::Count => COUNTS,
            Unit::Number => NUMBERS,
        };
        let base = list.iter().find(|scale| scale.factor == 1.0);
        let usable = magnitude.is_finite() && magnitude != 0.0;
        let fits = |scale: &&Self| usable && magnitude.abs() >= scale.factor;
        let smallest = if usable { list.last() } else { base };
        list.iter().find(fits).or(smallest).copied().unwrap_or(scale(1.0, ""))
    }

    /// The value with four significant digits and the symbol; integers of bytes and counts have no decimals.
    pub fn format(self, value: f64) -> String {
        let scaled = value / self.factor;
        if self.whole && scaled.fract() == 0.0 && scaled.abs() < 1e15 {
            return self.suffixed(&format!("{}", scaled as i64));
        }
        self.suffixed(&significant(scaled, SIGNIFICANT))
    }

    /// The mean with its uncertain digits in parentheses, and the symbol.
    pub fn with_uncertainty(self, mean: f64, sd: f64, options: Uncertain) -> String {
        self.suffixed(&with_uncertainty(mean / self.factor, sd / self.factor, options))
    }

    fn suffixed(self, number: &str) -> String {
        if self.symbol.is_empty() { number.to_owned() } else { format!("{number} {}", self.symbol) }
    }
}

impl From<TimeUnit> for UnitScale {
    fn from(unit: TimeUnit) -> Self {
        match unit {
            TimeUnit::Second => TIMES[0],
            TimeUnit::Millisecond => TIMES[1],
            TimeUnit::Microsecond => TIMES[2],
            TimeUnit::Nanosecond => TIMES[3],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{TimeUnit, UnitScale};
    use crate::number::Uncertain;
    use lotse_model::Unit;

    #[test]
    fn a_fixed_unit_is_kept() {
        assert_eq!(UnitScale::from(TimeUnit::Microsecond).format(1.5), "1500000 µs");
        assert_eq!(UnitScale::from(TimeUnit::Second).format(0.001_5), "0.001500 s");
    }

    #[test]
    fn counts_get_prefixes_and_numbers_nothing() {
        assert_eq!(UnitScale::fitting(Unit::Count, 1.5e9).format(1.5e9), "1.500 G");
        assert_eq!(UnitScale::fitting(Unit::Count, 15.0).format(15.0), "15");
        assert_eq!(UnitScale::fitting(Unit::Number, 1.5e9).symbol, "");
    }

    #[test]
    fn mean_and_deviation_share_the_unit() {
        let text = UnitScale::fitting(Unit::Seconds, 0.0123).with_uncertainty(
            0.012_345_6,
            5e-6,
            Uncertain::default(),
        );
        assert_eq!(text, "12.34(56) ms");
    }
}
