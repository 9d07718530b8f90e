//! How values relate to a variable that is followed through one iteration of a loop.

/// How a value relates to the variable that is followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Relation {
    /// Not at all.
    Free,
    /// It is the variable and a constant, or an amount that the loop does not change.
    Moved(Option<i64>),
    /// It is the variable and one of several amounts: a condition decides.
    Counted,
    /// It is the variable combined with something else, in any order.
    Combined,
    /// It depends on the variable in another way.
    Dependent,
}

/// What is known where two ways meet.
pub(super) fn joined(a: Relation, b: Relation) -> Relation {
    use Relation::{Combined, Counted, Moved};
    match (a, b) {
        _ if a == b => a,
        (Moved(_) | Counted | Combined, Moved(_) | Counted | Combined) => Counted,
        _ => Relation::Dependent,
    }
}

/// Whether using a value needs the iterations before: counters and pointers do not.
pub(super) fn matters(value: Relation) -> bool {
    matches!(value, Relation::Counted | Relation::Combined | Relation::Dependent)
}

pub(super) fn moved(value: Relation) -> Relation {
    match value {
        Relation::Moved(_) => Relation::Moved(None),
        other => other,
    }
}

pub(super) fn beside(value: Relation) -> Relation {
    match value {
        Relation::Moved(_) => Relation::Combined,
        other => other,
    }
}

/// An amount and a value that has the variable.
pub(super) fn together(amount: Relation, value: Relation) -> Relation {
    match (amount, value) {
        (Relation::Moved(Some(more)), Relation::Moved(Some(known))) => {
            Relation::Moved(known.checked_add(more))
        }
        (Relation::Moved(_), Relation::Moved(_)) => Relation::Moved(None),
        (Relation::Dependent, _) | (_, Relation::Dependent) => Relation::Dependent,
        _ => Relation::Combined,
    }
}

/// Values that are combined in any order: at most one of them has the variable.
pub(super) fn combined(values: impl Iterator<Item = Relation>) -> Relation {
    let mut own = values.filter(|value| *value != Relation::Free);
    match (own.next(), own.next()) {
        (None, _) => Relation::Free,
        (Some(Relation::Moved(_) | Relation::Counted | Relation::Combined), None) => Relation::Combined,
        _ => Relation::Dependent,
    }
}

/// One of two values: the greatest or least one, if one of them is the variable.
pub(super) fn selected(a: Relation, b: Relation) -> Relation {
    match (a, b) {
        (Relation::Free, Relation::Free) => Relation::Free,
        (Relation::Dependent, _) | (_, Relation::Dependent) => Relation::Dependent,
        (Relation::Free, _) | (_, Relation::Free) => Relation::Combined,
        _ => joined(a, b),
    }
}

#[cfg(test)]
mod tests {
    use super::Relation::{Combined, Counted, Dependent, Free, Moved};
    use super::{combined, joined, selected, together};

    #[test]
    fn ways_that_meet() {
        assert_eq!(joined(Moved(Some(1)), Moved(Some(1))), Moved(Some(1)));
        assert_eq!(joined(Moved(Some(0)), Moved(Some(1))), Counted, "a condition counts");
        assert_eq!(joined(Combined, Moved(Some(0))), Counted);
        assert_eq!(joined(Free, Moved(Some(0))), Dependent, "overwritten on one way");
    }

    #[test]
    fn one_operand_may_have_the_variable() {
        assert_eq!(combined([Moved(Some(0)), Free].into_iter()), Combined);
        assert_eq!(combined([Combined, Moved(Some(0))].into_iter()), Dependent);
        assert_eq!(combined([Free].into_iter()), Free);
        assert_eq!(selected(Moved(Some(0)), Free), Combined, "the greatest value");
        assert_eq!(selected(Dependent, Free), Dependent);
        assert_eq!(together(Moved(Some(2)), Moved(Some(3))), Moved(Some(5)));
        assert_eq!(together(Moved(None), Moved(Some(3))), Moved(None));
    }
}
