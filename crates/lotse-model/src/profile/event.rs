//! The event types of a profile (time, instructions, bytes), and types that a file derives from others.

use crate::unit::Unit;

/// A kind of event that a profile counts.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EventType {
    /// The name in the file.
    pub name: String,
    /// The long name, where the file has one.
    pub title: Option<String>,
    pub unit: Unit,
    /// A cost of 1 is 10^exponent units: -9 for nanoseconds.
    pub exponent: i8,
    /// Whether callers do not inherit it, so that functions have self costs only: numbers of calls in pstats.
    pub self_only: bool,
}

impl EventType {
    /// An event type that counts occurrences.
    pub fn count(name: &str) -> Self {
        Self::new(name, Unit::Count, 0)
    }

    /// An event type whose costs are multiples of 10^exponent units.
    pub fn new(name: &str, unit: Unit, exponent: i8) -> Self {
        Self { name: name.to_owned(), title: None, unit, exponent, self_only: false }
    }

    /// The same event type, which callers do not inherit.
    pub fn without_inclusive(self) -> Self {
        Self { self_only: true, ..self }
    }

    /// The unit of a cost of 1: `ns`, `10ns`, `bytes`, `count`, `1e-6`.
    pub fn unit_label(&self) -> String {
        match self.unit {
            Unit::Seconds => seconds_label(self.exponent),
            Unit::Bytes if self.exponent == 0 => "bytes".to_owned(),
            Unit::Bytes => format!("1e{} bytes", self.exponent),
            Unit::Count | Unit::Number if self.exponent == 0 => "count".to_owned(),
            Unit::Count | Unit::Number => format!("1e{}", self.exponent),
        }
    }

    /// A cost in the unit itself (seconds, bytes, occurrences); for display, not for sums.
    pub fn in_unit(&self, cost: f64) -> f64 {
        if self.exponent < 0 {
            cost / 10_f64.powi(-i32::from(self.exponent))
        } else {
            cost * 10_f64.powi(i32::from(self.exponent))
        }
    }
}

fn seconds_label(exponent: i8) -> String {
    let named = [(0, "s"), (-3, "ms"), (-6, "us"), (-9, "ns"), (-12, "ps")];
    let above = named.into_iter().find(|&(power, _)| power <= exponent);
    match above {
        Some((power, name)) if power == exponent => name.to_owned(),
        Some((power, name)) if exponent - power < 9 => {
            format!("{}{name}", 10_u32.pow((exponent - power) as u32))
        }
        _ => format!("1e{exponent} s"),
    }
}

/// The sampling period: one sample per `length` occurrences of `event`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Period {
    pub event: EventType,
    pub length: i64,
}

/// An event type that the file derives from others, for example `Ir + 10 L1m`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Formula {
    pub name: String,
    /// The long name, where the file has one.
    pub title: Option<String>,
    /// The formula as in the file.
    pub text: String,
}

#[cfg(test)]
mod tests {
    use super::EventType;
    use crate::unit::Unit;

    #[test]
    fn units_read_like_units() {
        let label = |unit, exponent| EventType::new("x", unit, exponent).unit_label();
        let seconds: Vec<String> =
            [0, -2, -3, -6, -8, -9, -12, -13, 3].map(|power| label(Unit::Seconds, power)).into();
        assert_eq!(seconds, ["s", "10ms", "ms", "us", "10ns", "ns", "ps", "1e-13 s", "1000s"]);
        assert_eq!(label(Unit::Bytes, 0), "bytes");
        assert_eq!(label(Unit::Count, 0), "count");
        assert_eq!(label(Unit::Number, -6), "1e-6");
    }

    #[test]
    fn a_cost_is_a_number_of_the_unit() {
        assert_eq!(EventType::new("Time_(10ns)", Unit::Seconds, -8).in_unit(150.0), 1.5e-6);
    }
}
