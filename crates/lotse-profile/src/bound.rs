//! What a number says about the true one: that it is exact, or on which side of it it lies.

#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::Serialize;

/// Whether a cost is exact or a bound.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Bound {
    #[default]
    Exact,
    /// The true cost is at most this.
    AtMost,
    /// The true cost is at least this.
    AtLeast,
}

impl Bound {
    /// `AtLeast` if something is only a lower bound.
    pub fn at_least(is_lower: bool) -> Self {
        if is_lower { Self::AtLeast } else { Self::Exact }
    }

    /// `AtMost` unless something is exact.
    pub fn at_most_unless(exact: bool) -> Self {
        if exact { Self::Exact } else { Self::AtMost }
    }

    /// Whether the number is the true one.
    pub fn is_exact(&self) -> bool {
        *self == Self::Exact
    }

    /// The sign before a number; empty if it is exact.
    pub fn sign(self) -> &'static str {
        match self {
            Self::Exact => "",
            Self::AtMost => "≤",
            Self::AtLeast => "≥",
        }
    }

    /// What the difference and the ratio of two costs are; `None` if nothing is known about them, because both costs may be
    /// wrong in the same direction.
    pub fn of_change(old: Self, new: Self) -> Option<Self> {
        match (old, new) {
            (Self::Exact, new) => Some(new),
            (Self::AtMost, Self::Exact | Self::AtLeast) => Some(Self::AtLeast),
            (Self::AtLeast, Self::Exact | Self::AtMost) => Some(Self::AtMost),
            (Self::AtMost, Self::AtMost) | (Self::AtLeast, Self::AtLeast) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Bound;

    /// Whether a number may be the true one, by its bound.
    fn allows(bound: Bound, stated: i32, truth: i32) -> bool {
        match bound {
            Bound::Exact => truth == stated,
            Bound::AtMost => truth <= stated,
            Bound::AtLeast => truth >= stated,
        }
    }

    #[test]
    fn a_change_is_what_all_possible_costs_say() {
        const ALL: [Bound; 3] = [Bound::Exact, Bound::AtMost, Bound::AtLeast];
        let (old, new) = (10, 14);
        for (of_old, of_new) in ALL.into_iter().flat_map(|one| ALL.map(|two| (one, two))) {
            let true_costs = |bound, stated| (0..30).filter(move |&truth| allows(bound, stated, truth));
            let differences: Vec<i32> = true_costs(of_old, old)
                .flat_map(|old| true_costs(of_new, new).map(move |new| new - old))
                .collect();
            let right =
                ALL.into_iter().find(|&bound| differences.iter().all(|&it| allows(bound, new - old, it)));
            assert_eq!(Bound::of_change(of_old, of_new), right, "{of_old:?} {of_new:?}");
        }
    }
}
