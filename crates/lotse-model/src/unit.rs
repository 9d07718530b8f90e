//! Units as types, and the unit of a value whose kind is known only at run time.
//!
//! Formatting for people is in `lotse-report`.

#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A duration in seconds. Not a `std::time::Duration`: differences and means may be negative or tiny.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(transparent)]
pub struct Seconds(pub f64);

impl Seconds {
    /// From a clock that counts nanoseconds.
    pub fn from_nanos(nanos: u64) -> Self {
        Self(nanos as f64 / 1e9)
    }
}

impl From<std::time::Duration> for Seconds {
    fn from(duration: std::time::Duration) -> Self {
        Self(duration.as_secs_f64())
    }
}

/// A size in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(transparent)]
pub struct Bytes(pub u64);

/// A share of something, 0 to 1.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(try_from = "f64", into = "f64")]
#[cfg_attr(feature = "schema", schemars(with = "f64"))]
pub struct Share(f64);

/// The error for a number outside 0..=1.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("{0} is not a share: expected a number from 0 to 1")]
pub struct NotAShare(f64);

impl Share {
    /// A share of 0.
    pub const ZERO: Self = Self(0.0);
    /// A share of 1.
    pub const ONE: Self = Self(1.0);

    /// The value clamped to 0..=1; NaN becomes 0.
    pub fn clamped(value: f64) -> Self {
        Self(if value.is_nan() { 0.0 } else { value.clamp(0.0, 1.0) })
    }

    /// The number, 0 to 1.
    pub fn get(self) -> f64 {
        self.0
    }
}

impl TryFrom<f64> for Share {
    type Error = NotAShare;

    fn try_from(value: f64) -> Result<Self, NotAShare> {
        if (0.0..=1.0).contains(&value) { Ok(Self(value)) } else { Err(NotAShare(value)) }
    }
}

impl From<Share> for f64 {
    fn from(share: Share) -> Self {
        share.0
    }
}

/// The unit of a measured value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Unit {
    /// Seconds.
    Seconds,
    /// Bytes.
    Bytes,
    /// A number of things.
    Count,
    /// A number without a unit.
    #[default]
    Number,
}

impl Unit {
    /// The symbol after a number, empty where there is none.
    pub fn symbol(self) -> &'static str {
        match self {
            Self::Seconds => "s",
            Self::Bytes => "B",
            Self::Count | Self::Number => "",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Seconds, Share};

    #[test]
    fn a_share_outside_its_range_is_refused() {
        for bad in [-0.1, 1.1, f64::NAN] {
            assert!(Share::try_from(bad).is_err(), "{bad}");
        }
        let error = serde_json::from_str::<Share>("2").unwrap_err();
        assert!(error.to_string().contains("2 is not a share"), "{error}");
        assert_eq!(Share::clamped(7.0), Share::ONE);
        assert_eq!(Share::clamped(f64::NAN), Share::ZERO);
    }

    #[test]
    fn nanoseconds_become_seconds() {
        assert_eq!(Seconds::from_nanos(1_500_000_000), Seconds(1.5));
    }
}
