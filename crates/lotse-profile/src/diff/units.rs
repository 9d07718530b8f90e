//! The functions of one profile as they are matched: those that differ only in a compiler's suffix or hash are one.

use std::borrow::Cow;

use hashbrown::{HashMap, HashSet};
use lotse_model::id::FunctionId;

use super::Rename;
use crate::analysis::Analysis;
use crate::names::{FunctionLabels, display};
use crate::report::base_name;

/// One function, or the variants of one.
#[derive(Debug, Clone)]
pub(super) struct Unit<'a> {
    /// At least one.
    pub(super) functions: Vec<FunctionId>,
    /// As shown, without suffixes and hashes, under its new name where it has one.
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
/// What names are matched under.
pub(super) struct Naming<'n> {
    /// All names of all profiles, without suffixes.
    known: &'n HashSet<String>,
    renames: &'n [Rename],
}

impl<'n> Naming<'n> {
    /// Names are changed by `renames`; a half called `.cold` belongs to its other half where that is `known`.
    pub(super) fn new(known: &'n HashSet<String>, renames: &'n [Rename]) -> Self {
        Self { known, renames }
    }

    /// The name to match a function by.
    pub(super) fn name<'a>(&self, analysis: &Analysis<'a>, function: FunctionId) -> Cow<'a, str> {
        let mut name = without_address(without_variant(display(analysis.profile, function)));
        let linked = analysis.profile.function_object(function).is_some();
        let whole = lotse_symbols::without_cold(&name).filter(|whole| linked && self.known.contains(whole));
        name = whole.map_or(name, Cow::Owned);
        let renamed = |name: Cow<'a, str>, rename: &Rename| rename.apply(&name).map_or(name, Cow::Owned);
        self.renames.iter().fold(name, renamed)
    }
}

/// The names of functions with any cost or call, without suffixes.
pub(super) fn plain_names(analysis: &Analysis<'_>) -> impl Iterator<Item = String> {
    let plain = |function| without_address(without_variant(display(analysis.profile, function)));
    analysis.active().map(move |function| plain(function).into_owned())
}

/// All functions with any cost or call, in the order of the profile.
pub(super) fn units<'a>(analysis: &Analysis<'a>, naming: &Naming<'_>) -> Vec<Unit<'a>> {
    let mut units: Vec<Unit<'a>> = Vec::new();
    let labels = FunctionLabels::new(analysis.profile);
    let mut places: HashMap<Key<'a>, usize> = HashMap::new();
    for function in analysis.active() {
        let unit = Unit { namesake: labels.is_shared(function), ..unit(analysis, function, naming) };
        let key = (unit.name.clone(), unit.object, unit.path, unit.namesake.then_some(unit.place));
        let place = *places.entry(key).or_insert(units.len());
        match units.get_mut(place) {
            Some(known) => known.functions.push(function),
            None => units.push(unit),
        }
    }
    units
}

fn unit<'a>(analysis: &Analysis<'a>, function: FunctionId, naming: &Naming<'_>) -> Unit<'a> {
    let profile = analysis.profile;
    Unit {
        functions: vec![function],
        name: naming.name(analysis, function),
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

fn without_variant(shown: Cow<'_, str>) -> Cow<'_, str> {
    match shown {
        Cow::Borrowed(shown) => lotse_symbols::without_variant(shown),
        Cow::Owned(shown) => Cow::Owned(lotse_symbols::without_variant(&shown).into_owned()),
    }
}

/// Python names a method of a built-in type by the address of the type, which differs from run to run:
/// `<built-in method __new__ of type object at 0x7f7783c5ea00>`.
fn without_address(name: Cow<'_, str>) -> Cow<'_, str> {
    const BEFORE: &str = " at 0x";
    let Some(start) = name.find(BEFORE).map(|at| at + BEFORE.len()) else { return name };
    let digits = name[start..].bytes().take_while(u8::is_ascii_hexdigit).count();
    if digits == 0 { name } else { Cow::Owned(format!("{}…{}", &name[..start], &name[start + digits..])) }
}

#[cfg(test)]
mod tests {
    use hashbrown::HashSet;

    use super::{Naming, units, without_address};
    use crate::analysis::tests::summed;
    use crate::analysis::{Analysis, Way};

    #[test]
    fn addresses_of_objects_are_no_part_of_a_name() {
        for (name, expected) in [
            ("<method __new__ of type object at 0x7f00ea00>", "<method __new__ of type object at 0x…>"),
            ("<f at 0xAB> g", "<f at 0x…> g"),
            ("0x4005d0", "0x4005d0"),
            ("look at 0x", "look at 0x"),
        ] {
            assert_eq!(without_address(name.into()), expected);
        }
    }

    #[test]
    fn variants_of_a_function_are_one() {
        let profile = summed(
            &[("_ZN3app4sort17h0123456789abcdefE", 1), ("main", 2), ("_ZN3app4sort17hfedcba9876543210E", 3)],
            &[],
        );
        let analysis = Analysis::of_default_parts(&profile, Way::Folded);
        let known = HashSet::new();
        let found = units(&analysis, &Naming::new(&known, &[]));
        let shown: Vec<(&str, usize)> =
            found.iter().map(|unit| (unit.name.as_ref(), unit.functions.len())).collect();
        assert_eq!(shown, [("app::sort", 2), ("main", 1)]);
    }
}
