//! The units of expressions: powers of seconds and bytes, times a power of ten.

use lotse_model::Unit;
use lotse_model::profile::EventType;

/// The unit of an expression.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Quantity {
    seconds: i8,
    bytes: i8,
    /// The power of counts. A count may be added to a plain number, so this affects only the label.
    counts: i8,
    exponent: i8,
    form: Form,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Form {
    #[default]
    Plain,
    Percent,
    PerCall,
}

impl Quantity {
    /// A count.
    pub(super) const COUNT: Self = Self { counts: 1, ..Self::NUMBER };
    /// A plain number.
    pub(super) const NUMBER: Self = Self { seconds: 0, bytes: 0, counts: 0, exponent: 0, form: Form::Plain };
    /// A percentage.
    pub(super) const PERCENT: Self = Self { form: Form::Percent, ..Self::NUMBER };

    pub(super) fn new(unit: Unit, exponent: i8) -> Self {
        let base = match unit {
            Unit::Seconds => Self { seconds: 1, ..Self::NUMBER },
            Unit::Bytes => Self { bytes: 1, ..Self::NUMBER },
            Unit::Count => Self::COUNT,
            Unit::Number => Self::NUMBER,
        };
        Self { exponent, ..base }
    }

    pub(super) fn exponent(self) -> i8 {
        self.exponent
    }

    /// Whether two can be added, after one is scaled by a power of ten.
    pub(super) fn is_like(self, other: Self) -> bool {
        (self.seconds, self.bytes) == (other.seconds, other.bytes)
    }

    /// The unit of the sum of two quantities that can be added.
    pub(super) fn sum(self, other: Self) -> Self {
        Self {
            counts: self.counts.max(other.counts),
            exponent: self.exponent.min(other.exponent),
            form: if self.form == other.form { self.form } else { Form::Plain },
            ..self
        }
    }

    /// The unit of the product; `None` if a power is out of range.
    pub(super) fn product(self, other: Self) -> Option<Self> {
        let form = match (self == Self::NUMBER, other == Self::NUMBER) {
            (true, _) => other.form,
            (_, true) => self.form,
            _ => Form::Plain,
        };
        Some(Self {
            seconds: self.seconds.checked_add(other.seconds)?,
            bytes: self.bytes.checked_add(other.bytes)?,
            counts: self.counts.saturating_add(other.counts),
            exponent: self.exponent.checked_add(other.exponent)?,
            form,
        })
    }

    /// The unit of the ratio; `None` if a power is out of range.
    pub(super) fn ratio(self, other: Self) -> Option<Self> {
        Some(Self {
            seconds: self.seconds.checked_sub(other.seconds)?,
            bytes: self.bytes.checked_sub(other.bytes)?,
            counts: self.counts.saturating_sub(other.counts),
            // Quantities that can be added are scaled to the same power of ten before they are divided.
            exponent: if self.is_like(other) { 0 } else { self.exponent.checked_sub(other.exponent)? },
            form: if other == Self::NUMBER { self.form } else { Form::Plain },
        })
    }

    pub(super) fn per_call(self) -> Self {
        Self { form: Form::PerCall, ..self }
    }

    /// The nearest unit of the data model.
    pub(super) fn base(self) -> Unit {
        match (self.seconds, self.bytes, self.counts) {
            (1, 0, _) => Unit::Seconds,
            (0, 1, _) => Unit::Bytes,
            (0, 0, 1) => Unit::Count,
            _ => Unit::Number,
        }
    }

    /// The label of the unit, as shown in tables and answers.
    pub(super) fn label(self) -> String {
        match self.form {
            Form::Percent => "%".to_owned(),
            Form::PerCall => format!("{}/call", self.plain_label()),
            Form::Plain => self.plain_label(),
        }
    }

    fn plain_label(self) -> String {
        match self.base() {
            Unit::Number if (self.seconds, self.bytes) != (0, 0) => self.compound_label(),
            Unit::Number if self.exponent == 0 => "number".to_owned(),
            base => EventType::new("", base, self.exponent).unit_label(),
        }
    }

    fn compound_label(self) -> String {
        let powers = [("bytes", self.bytes), ("s", self.seconds)];
        let above: Vec<String> = powers.iter().filter_map(|&(name, power)| raised(name, power)).collect();
        let below = powers.iter().filter_map(|&(name, power)| raised(name, power.saturating_neg()));
        let above = if above.is_empty() { "1".to_owned() } else { above.join(" ") };
        let label = below.fold(above, |label, name| format!("{label}/{name}"));
        if self.exponent == 0 { label } else { format!("1e{} {label}", self.exponent) }
    }
}

fn raised(name: &str, power: i8) -> Option<String> {
    match power {
        ..=0 => None,
        1 => Some(name.to_owned()),
        _ => Some(format!("{name}^{power}")),
    }
}

#[cfg(test)]
mod tests {
    use lotse_model::Unit;

    use super::Quantity;

    #[test]
    fn labels_read_like_units() {
        let (ns, ms) = (Quantity::new(Unit::Seconds, -9), Quantity::new(Unit::Seconds, -3));
        let (bytes, count) = (Quantity::new(Unit::Bytes, 0), Quantity::COUNT);
        let table = [
            (Some(ns.sum(ms)), "ns"),
            (ns.ratio(ms), "number"),
            (ns.ratio(count), "ns"),
            (bytes.ratio(ns), "1e9 bytes/s"),
            (count.ratio(Quantity::new(Unit::Seconds, 0)), "1/s"),
            (ns.product(ns), "1e-18 s^2"),
            (count.product(Quantity::NUMBER), "count"),
            (count.ratio(count), "number"),
            (Some(ns.per_call()), "ns/call"),
            (Some(count.per_call()), "count/call"),
            (Quantity::PERCENT.product(Quantity::NUMBER), "%"),
        ];
        for (quantity, label) in table {
            assert_eq!(quantity.unwrap().label(), label);
        }
        assert!(!ns.is_like(count));
        assert_eq!((0..20).try_fold(ns, |product, _| product.product(ns)), None);
    }
}
