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
            (Some(_), _) => None,
            (None, false) => Some(FunctionId::from(number)),
            (None, true) => self.old_of_new[number],
        }
    }

    /// The same name with the number of the comparison.
    pub(crate) fn renamed(&self, name: FunctionName, is_old: bool) -> FunctionName {
        FunctionName { id: self.number(name.id, is_old), ..name }
    }
}
