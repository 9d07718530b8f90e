//! The abstract domain: how a value relates to the tracked variable's value at the beginning of the iteration.

/// How a value relates to the tracked variable.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum VariableRelation {
    /// The value does not depend on the variable.
    Unrelated,
    /// The variable plus a constant, or plus a loop-invariant amount that is not known (`None`).
    Offset(Option<i64>),
    /// The variable plus one of several amounts, depending on a condition.
    Counted,
    /// The variable combined with something else by an associative operation, so that the order does not matter.
    Combined,
    /// The value depends on the variable in another way.
    Dependent,
}

/// The relation where two control-flow paths meet.
pub(super) fn joined(a: VariableRelation, b: VariableRelation) -> VariableRelation {
    use VariableRelation::{Combined, Counted, Offset};
    match (a, b) {
        _ if a == b => a,
        (Offset(_) | Counted | Combined, Offset(_) | Counted | Combined) => Counted,
        _ => VariableRelation::Dependent,
    }
}

/// Whether using a value requires earlier iterations; counters and pointers do not.
pub(super) fn needs_earlier_iterations(value: VariableRelation) -> bool {
    matches!(value, VariableRelation::Counted | VariableRelation::Combined | VariableRelation::Dependent)
}

/// The value plus a loop-invariant amount.
pub(super) fn plus_invariant(value: VariableRelation) -> VariableRelation {
    match value {
        VariableRelation::Offset(_) => VariableRelation::Offset(None),
        other => other,
    }
}

/// The value plus an amount that the loop changes.
pub(super) fn plus_varying(value: VariableRelation) -> VariableRelation {
    match value {
        VariableRelation::Offset(_) => VariableRelation::Combined,
        other => other,
    }
}

/// The sum of an amount and a value that depends on the variable.
pub(super) fn sum_of(amount: VariableRelation, value: VariableRelation) -> VariableRelation {
    match (amount, value) {
        (VariableRelation::Offset(Some(more)), VariableRelation::Offset(Some(known))) => {
            VariableRelation::Offset(known.checked_add(more))
        }
        (VariableRelation::Offset(_), VariableRelation::Offset(_)) => VariableRelation::Offset(None),
        (VariableRelation::Dependent, _) | (_, VariableRelation::Dependent) => VariableRelation::Dependent,
        _ => VariableRelation::Combined,
    }
}

/// An associative combination of values, of which at most one may depend on the variable.
pub(super) fn combined(values: impl Iterator<Item = VariableRelation>) -> VariableRelation {
    let mut own = values.filter(|value| *value != VariableRelation::Unrelated);
    match (own.next(), own.next()) {
        (None, _) => VariableRelation::Unrelated,
        (
            Some(VariableRelation::Offset(_) | VariableRelation::Counted | VariableRelation::Combined),
            None,
        ) => VariableRelation::Combined,
        _ => VariableRelation::Dependent,
    }
}

/// A selection of one of two values; if one of them is the variable, this is a maximum or minimum.
pub(super) fn selected(a: VariableRelation, b: VariableRelation) -> VariableRelation {
    match (a, b) {
        (VariableRelation::Unrelated, VariableRelation::Unrelated) => VariableRelation::Unrelated,
        (VariableRelation::Dependent, _) | (_, VariableRelation::Dependent) => VariableRelation::Dependent,
        (VariableRelation::Unrelated, _) | (_, VariableRelation::Unrelated) => VariableRelation::Combined,
        _ => joined(a, b),
    }
}

#[cfg(test)]
mod tests {
    use super::VariableRelation::{Combined, Counted, Dependent, Offset, Unrelated};
    use super::{combined, joined, selected, sum_of};

    #[test]
    fn paths_that_meet() {
        assert_eq!(joined(Offset(Some(1)), Offset(Some(1))), Offset(Some(1)));
        assert_eq!(joined(Offset(Some(0)), Offset(Some(1))), Counted, "a condition counts");
        assert_eq!(joined(Combined, Offset(Some(0))), Counted);
        assert_eq!(joined(Unrelated, Offset(Some(0))), Dependent, "overwritten on one path");
    }

    #[test]
    fn one_operand_may_depend_on_the_variable() {
        assert_eq!(combined([Offset(Some(0)), Unrelated].into_iter()), Combined);
        assert_eq!(combined([Combined, Offset(Some(0))].into_iter()), Dependent);
        assert_eq!(combined([Unrelated].into_iter()), Unrelated);
        assert_eq!(selected(Offset(Some(0)), Unrelated), Combined, "the greatest value");
        assert_eq!(selected(Dependent, Unrelated), Dependent);
        assert_eq!(sum_of(Offset(Some(2)), Offset(Some(3))), Offset(Some(5)));
        assert_eq!(sum_of(Offset(None), Offset(Some(3))), Offset(None));
    }
}
