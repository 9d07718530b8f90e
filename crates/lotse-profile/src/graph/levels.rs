//! Merges levels of recursion: callgrind distinguishes `f` from `f'2`, an `f` that was called below another `f`.
//!
//! The deeper levels only run below the first, so the inclusive cost of the first level includes them all.

use hashbrown::HashMap;
use lotse_model::Profile;
use lotse_model::id::{FileId, FunctionId, ObjectId};
use lotse_model::profile::{Costs, Functions};
use lotse_model::progress::Checked as _;

/// What all levels of a function have in common: name, object, file, line and column.
type Definition<'p> = (&'p str, ObjectId, FileId, (u32, u32));

/// Functions grouped to elements, one for all levels of a function.
#[derive(Debug)]
pub(super) struct Levels {
    /// The element of each function.
    pub(super) element: Vec<u32>,
    /// The first level of each element, or the lowest one that the profile has.
    pub(super) first: Vec<FunctionId>,
    /// Whether an element has several levels.
    pub(super) deeper: Vec<bool>,
}

impl Levels {
    /// Groups functions of equal name (without level), object and place of definition. Two functions of the same level are
    /// never one element: such functions are different ones, even if nothing in the profile tells them apart.
    pub(super) fn new(profile: &Profile) -> Self {
        let mut known: HashMap<Definition<'_>, u32> = HashMap::new();
        let (mut element, mut first, mut deeper) = (Vec::new(), Vec::new(), Vec::new());
        for id in profile.functions.ids().checked() {
            let name = profile.function_name(id);
            let Functions { object, file, line, column, .. } = &profile.functions;
            let place = (line[id.index()], column[id.index()]);
            let next = first.len() as u32;
            let key = (without_level(name), object[id.index()], file[id.index()], place);
            let known = *known.entry(key).or_insert(next);
            let is_known =
                first.get(known as usize).is_some_and(|&first| profile.function_name(first) == name);
            let number = if is_known { next } else { known };
            element.push(number);
            if number == next {
                first.push(id);
                deeper.push(false);
            } else {
                deeper[number as usize] = true;
                if without_level(name) == name {
                    first[number as usize] = id;
                }
            }
        }
        Self { element, first, deeper }
    }

    /// Costs of all levels added.
    pub(super) fn sums(&self, costs: &Costs) -> Costs {
        let mut sums = Costs::zeros(costs.width(), costs.signed(), self.first.len());
        for (row, &element) in self.element.iter().enumerate().take(costs.rows()).checked() {
            sums.add(element as usize, costs.row(row));
        }
        sums
    }

    /// Costs of the first level.
    pub(super) fn firsts(&self, costs: &Costs) -> Costs {
        let mut firsts = Costs::new(costs.width(), costs.signed());
        for first in self.first.iter().filter(|_| costs.width() > 0) {
            firsts.push(costs.row(first.index()));
        }
        firsts
    }

    /// Counts of all levels added.
    pub(super) fn counts(&self, counts: &[u64]) -> Vec<u64> {
        let mut sums = vec![0_u64; self.first.len()];
        for (&element, &count) in self.element.iter().zip(counts) {
            let sum = &mut sums[element as usize];
            *sum = sum.saturating_add(count);
        }
        sums
    }
}

/// A name without the level of recursion that callgrind appends: `f` for `f'2`.
pub(crate) fn without_level(name: &str) -> &str {
    match name.rsplit_once('\'') {
        Some((function, level)) if !function.is_empty() && is_level(level) => function,
        _ => name,
    }
}

fn is_level(text: &str) -> bool {
    !text.is_empty() && !text.starts_with('0') && text.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::{Levels, without_level};
    use crate::analysis::tests::summed;

    #[test]
    fn names_without_levels() {
        let cases =
            [("f'2", "f"), ("f(int)'13", "f(int)"), ("f", "f"), ("f'", "f'"), ("f'0", "f'0"), ("'2", "'2")];
        for (name, expected) in cases {
            assert_eq!(without_level(name), expected, "{name}");
        }
    }

    #[test]
    fn levels_are_one_element_led_by_the_first() {
        let profile = summed(&[("g'2", 1), ("f", 10), ("f'2", 30), ("g", 2), ("h'2", 5)], &[]);
        let levels = Levels::new(&profile);
        let names: Vec<&str> = levels.first.iter().map(|id| profile.function_name(*id)).collect();
        assert_eq!(names, ["g", "f", "h'2"]);
        assert_eq!(levels.deeper, [true, true, false]);
        let own = levels.sums(&profile.parts[0].own.costs);
        assert_eq!((0..3).map(|row| own.value(row, 0)).collect::<Vec<_>>(), [3, 40, 5]);
        assert_eq!(levels.counts(&[1, 2, 3, 4, 5]), [5, 5, 5]);
    }

    /// Python has many functions called `<listcomp>` in a file, and their levels do not tell whose they are.
    #[test]
    fn functions_of_one_name_at_other_places_are_different() {
        let mut profile = summed(&[("c", 1), ("d", 2), ("c'2", 4), ("e", 8)], &[]);
        let name = profile.functions.name[0];
        (profile.functions.name[1], profile.functions.name[3]) = (name, name);
        profile.functions.line = vec![2, 10, 10, 10];
        let levels = Levels::new(&profile);
        assert_eq!(levels.element, [0, 1, 1, 2]);
        assert_eq!(levels.deeper, [false, true, false]);
    }
}
