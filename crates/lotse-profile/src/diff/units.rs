//! The functions of one profile as they are matched: those that differ only in a compiler's hash are one.

use std::borrow::Cow;

use hashbrown::HashMap;
use lotse_model::id::FunctionId;

use crate::analysis::Analysis;
use crate::names::{FunctionLabels, display};
use crate::report::base_name;

/// One function, or the variants of one.
#[derive(Debug, Clone)]
pub(super) struct Unit<'a> {
    /// At least one.
    pub(super) functions: Vec<FunctionId>,
    /// As shown, without hash.
    pub(super) name: Cow<'a, str>,
    /// The last piece of the object's path; empty where unknown.
    pub(super) object: &'a str,
    /// The source file; empty where unknown.
    pub(super) path: &'a str,
    /// Line and column of the definition; 0 where unknown.
    pub(super) place: (u32, u32),
    /// Whether another function of the profile has the same name in the same file, so that the place counts.
    pub(super) namesake: bool,
}

/// What is one: name, object, path, and the place where it counts.
type Key<'a> = (Cow<'a, str>, &'a str, &'a str, Option<(u32, u32)>);

/// All functions with any cost or call, in the order of the profile.
pub(super) fn units<'a>(analysis: &Analysis<'a>) -> Vec<Unit<'a>> {
    let mut units: Vec<Unit<'a>> = Vec::new();
    let labels = FunctionLabels::new(analysis.profile);
    let mut places: HashMap<Key<'a>, usize> = HashMap::new();
    for function in analysis.active() {
        let unit = Unit { namesake: labels.is_shared(function), ..unit(analysis, function) };
        let key = (unit.name.clone(), unit.object, unit.path, unit.namesake.then_some(unit.place));
        let place = *places.entry(key).or_insert(units.len());
        match units.get_mut(place) {
            Some(known) => known.functions.push(function),
            None => units.push(unit),
        }
    }
    units
}

fn unit<'a>(analysis: &Analysis<'a>, function: FunctionId) -> Unit<'a> {
    let profile = analysis.profile;
    Unit {
        functions: vec![function],
        name: without_hash(display(profile, function)),
        object: base_name(known(profile.function_object(function))),
        path: known(profile.function_file(function)),
        place: (profile.functions.line[function.index()], profile.functions.column[function.index()]),
        namesake: false,
    }
}

/// Profilers write question marks for what they do not know.
fn known(path: Option<&str>) -> &str {
    path.filter(|path| *path != "???").unwrap_or("")
}

fn without_hash(shown: Cow<'_, str>) -> Cow<'_, str> {
    match shown {
        Cow::Borrowed(shown) => lotse_symbols::without_hash(shown),
        Cow::Owned(shown) => Cow::Owned(lotse_symbols::without_hash(&shown).into_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::units;
    use crate::analysis::tests::summed;
    use crate::analysis::{Analysis, Way};

    #[test]
    fn variants_of_a_function_are_one() {
        let profile = summed(
            &[("_ZN3app4sort17h0123456789abcdefE", 1), ("main", 2), ("_ZN3app4sort17hfedcba9876543210E", 3)],
            &[],
        );
        let analysis = Analysis::of_default_parts(&profile, Way::Folded);
        let found = units(&analysis);
        let shown: Vec<(&str, usize)> =
            found.iter().map(|unit| (unit.name.as_ref(), unit.functions.len())).collect();
        assert_eq!(shown, [("app::sort", 2), ("main", 1)]);
    }
}
