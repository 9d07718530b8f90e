//! Numbers of functions in a comparison: those of the new profile, and after them those that only the old one has.

use lotse_model::id::FunctionId;
use lotse_profile::diff::FunctionDiff;

use crate::api::FunctionName;

/// Which functions of two profiles are the same.
#[derive(Debug, Default)]
pub(crate) struct FunctionIds {
    new_count: usize,
    /// For each function of the old profile, its number in the comparison.
    of_old: Vec<u32>,
    /// For each function of the new profile, the same one in the old profile.
    old_of_new: Vec<Option<FunctionId>>,
}

impl FunctionIds {
    pub(crate) fn new(rows: &[FunctionDiff], [old_count, new_count]: [usize; 2]) -> Self {
        let mut ids = Self {
            new_count,
            of_old: (0..old_count).map(|old| (new_count + old) as u32).collect(),
            old_of_new: vec![None; new_count],
        };
        for row in rows {
            let [old, new] = row.ids.as_slice() else { continue };
            if let Some(first) = new.first() {
                old.iter().for_each(|it| ids.of_old[it.index()] = first.0);
            }
            new.iter().for_each(|it| ids.old_of_new[it.index()] = old.first().copied());
        }
        ids
    }

    /// The number in the comparison of a function of one profile.
    pub(crate) fn number(&self, function: u32, is_old: bool) -> u32 {
        match is_old {
            true => self.of_old.get(function as usize).copied().unwrap_or(function),
            false => function,
        }
    }

    /// The function of one profile with a number of the comparison.
    pub(crate) fn in_profile(&self, number: u32, is_old: bool) -> Option<FunctionId> {
        let number = number as usize;
        match (number.checked_sub(self.new_count), is_old) {
            (Some(old), true) if old < self.of_old.len() => Some(FunctionId::from(old)),
            // The number is from before a rename that made the function one of the new profile.
            (Some(old), false) => {
                self.of_old.get(old).filter(|&&id| (id as usize) < self.new_count).map(|&id| FunctionId(id))
            }
            (Some(_), true) => None,
            (None, false) => Some(FunctionId::from(number)),
            (None, true) => self.old_of_new[number],
        }
    }

    /// The same name with the number of the comparison.
    pub(crate) fn renamed(&self, name: FunctionName, is_old: bool) -> FunctionName {
        FunctionName { id: self.number(name.id, is_old), ..name }
    }
}

#[cfg(test)]
mod tests {
    use lotse_model::id::FunctionId;

    use super::FunctionIds;

    /// Two functions of the old profile, three of the new one; old 0 is new 2.
    fn ids() -> FunctionIds {
        FunctionIds { new_count: 3, of_old: vec![2, 4], old_of_new: vec![None, None, Some(FunctionId(0))] }
    }

    #[test]
    fn a_function_of_both_profiles_has_one_number() {
        let ids = ids();
        assert_eq!((ids.number(0, true), ids.number(2, false)), (2, 2));
        assert_eq!(
            (ids.in_profile(2, true), ids.in_profile(2, false)),
            (Some(FunctionId(0)), Some(FunctionId(2)))
        );
    }

    #[test]
    fn functions_of_one_profile_are_in_that_one_only() {
        let ids = ids();
        let gone = ids.number(1, true);
        assert_eq!((ids.in_profile(gone, true), ids.in_profile(gone, false)), (Some(FunctionId(1)), None));
        assert_eq!((ids.in_profile(0, true), ids.in_profile(0, false)), (None, Some(FunctionId(0))));
    }

    #[test]
    fn numbers_beyond_both_profiles_are_no_functions() {
        for number in [5, 6, u32::MAX] {
            assert_eq!(
                (ids().in_profile(number, true), ids().in_profile(number, false)),
                (None, None),
                "{number}"
            );
        }
    }
}
