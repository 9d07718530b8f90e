//! A cost in an answer: an exact integer if possible, else the nearest floating-point number.

use std::cmp::Ordering;

#[cfg(feature = "schema")]
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Serialize, Serializer};

/// A cost in an answer: exact if it is a sum of integers.
///
/// A `Real` that is not finite is absent, as a ratio with divisor 0. Equality and order are by value: `Exact(2)` equals
/// `Real(2.0)`. An absent cost equals nothing, and [`compare`](Self::compare) puts it below all others.
#[derive(Debug, Clone, Copy)]
pub enum Cost {
    Exact(i128),
    /// The nearest floating-point number.
    Real(f64),
}

impl Cost {
    /// A missing cost, such as the cost per call of a function that was never called.
    pub const ABSENT: Self = Self::Real(f64::NAN);

    /// The nearest floating-point number; NaN if absent.
    pub fn as_f64(self) -> f64 {
        match self {
            Self::Exact(exact) => exact as f64,
            Self::Real(real) if real.is_finite() => real,
            Self::Real(_) => f64::NAN,
        }
    }

    /// Whether the cost is missing.
    pub fn is_absent(self) -> bool {
        matches!(self, Self::Real(real) if !real.is_finite())
    }

    /// The absolute value.
    pub(crate) fn magnitude(self) -> Self {
        match self {
            Self::Exact(exact) => exact.checked_abs().map_or(Self::Real(self.as_f64().abs()), Self::Exact),
            Self::Real(real) => Self::Real(real.abs()),
        }
    }

    /// A total order by value; absent costs are equal to each other and below all others.
    pub fn compare(&self, other: &Self) -> Ordering {
        match (*self, *other) {
            (one, two) if one.is_absent() || two.is_absent() => two.is_absent().cmp(&one.is_absent()),
            (Self::Exact(one), Self::Exact(two)) => one.cmp(&two),
            (Self::Exact(one), Self::Real(two)) => exact_to_real(one, two),
            (Self::Real(one), Self::Exact(two)) => exact_to_real(two, one).reverse(),
            (Self::Real(one), Self::Real(two)) => one.partial_cmp(&two).unwrap_or(Ordering::Equal),
        }
    }
}

/// Compares without rounding, so that the order stays transitive above 2^53.
fn exact_to_real(exact: i128, real: f64) -> Ordering {
    let beyond = i128::MAX as f64;
    if real >= beyond {
        return Ordering::Less;
    }
    if real < -beyond {
        return Ordering::Greater;
    }
    let fraction = real.fract();
    exact.cmp(&(real.trunc() as i128)).then_with(|| 0.0.partial_cmp(&fraction).unwrap_or(Ordering::Equal))
}

impl PartialEq for Cost {
    fn eq(&self, other: &Self) -> bool {
        self.partial_cmp(other) == Some(Ordering::Equal)
    }
}

impl PartialOrd for Cost {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        let known = !self.is_absent() && !other.is_absent();
        known.then(|| self.compare(other))
    }
}

impl From<i128> for Cost {
    fn from(exact: i128) -> Self {
        Self::Exact(exact)
    }
}

impl Serialize for Cost {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match *self {
            // Not all serializers support 128 bits, so numbers that fit into 64 bits are written as such.
            Self::Exact(exact) => match (i64::try_from(exact), u64::try_from(exact)) {
                (Ok(small), _) => serializer.serialize_i64(small),
                (_, Ok(small)) => serializer.serialize_u64(small),
                _ => serializer.serialize_i128(exact),
            },
            absent if absent.is_absent() => serializer.serialize_none(),
            Self::Real(real) => serializer.serialize_f64(real),
        }
    }
}

#[cfg(feature = "schema")]
impl JsonSchema for Cost {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Cost".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": ["number", "null"] })
    }
}

#[cfg(test)]
mod tests {
    use std::cmp::Ordering;

    use super::Cost;

    #[test]
    fn a_cost_is_a_plain_number_in_json() {
        let written = |cost: Cost| serde_json::to_string(&cost).unwrap();
        assert_eq!(written(Cost::Exact(9_007_199_254_740_993)), "9007199254740993");
        assert_eq!(written(Cost::Exact(i128::MIN)), i128::MIN.to_string());
        assert_eq!(written(Cost::Exact(i128::from(u64::MAX))), u64::MAX.to_string());
        assert_eq!(written(Cost::Real(0.5)), "0.5");
        assert_eq!(written(Cost::ABSENT), "null");
        assert_eq!(written(Cost::Real(f64::NEG_INFINITY)), "null");
    }

    #[test]
    fn order_is_by_value_and_total() {
        let ascending = [
            Cost::ABSENT,
            Cost::Real(-1e39),
            Cost::Exact(i128::MIN),
            Cost::Real(-1.5),
            Cost::Exact(-1),
            Cost::Real(-0.5),
            Cost::Exact(0),
            Cost::Real(0.5),
            Cost::Real(9_007_199_254_740_992.0),
            Cost::Exact(9_007_199_254_740_993),
            Cost::Exact(i128::MAX),
            Cost::Real(1e39),
        ];
        for (left, one) in ascending.iter().enumerate() {
            for (right, two) in ascending.iter().enumerate() {
                assert_eq!(one.compare(two), left.cmp(&right), "{one:?} and {two:?}");
            }
        }
        assert_eq!(Cost::Exact(2), Cost::Real(2.0));
        assert_ne!(Cost::ABSENT, Cost::ABSENT);
        assert_eq!(Cost::ABSENT.compare(&Cost::Real(f64::INFINITY)), Ordering::Equal);
    }
}
