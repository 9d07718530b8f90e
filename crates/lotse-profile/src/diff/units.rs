//! The units of matching: the functions of a profile, those that differ only in a compiler's suffix or hash merged.

use std::borrow::Cow;

use hashbrown::{HashMap, HashSet};
use lotse_model::id::FunctionId;
use lotse_model::progress::Checked as _;

use super::Rename;
use crate::analysis::Analysis;
use crate::names::{FunctionLabels, display};
use crate::report::base_name;

/// A function, or all variants of one.
#[derive(Debug, Clone)]
pub(super) struct MatchUnit<'a> {
    /// At least one.
    pub(super) functions: Vec<FunctionId>,
    /// The displayed name without suffixes and hashes, after renaming.
    pub(super) name: Cow<'a, str>,
    /// The object without directories; empty if unknown.
    pub(super) object: &'a str,
    /// The source file; empty if unknown.
    pub(super) path: &'a str,
    /// Line and column of the definition; 0 if unknown.
    pub(super) place: (u32, u32),
    /// Whether another function of the profile has the same name and file, so that the place distinguishes them.
    pub(super) namesake: bool,
}

/// What all variants of a function have in common: name, object, path, and the place of namesakes.
type UnitKey<'a> = (Cow<'a, str>, &'a str, &'a str, Option<(u32, u32)>);
/// How names are changed before they are matched.
pub(super) struct NameRules<'n> {
    /// All names of all profiles, without suffixes.
    known: &'n HashSet<String>,
    renames: &'n [Rename],
}

impl<'n> NameRules<'n> {
    /// Names are changed by `renames`; the split-off part `f.cold` of a function is matched as `f` if that is `known`.
    pub(super) fn new(known: &'n HashSet<String>, renames: &'n [Rename]) -> Self {
        Self { known, renames }
    }

    /// The name to match a function by.
    pub(super) fn name<'a>(&self, analysis: &Analysis<'a>, function: FunctionId) -> Cow<'a, str> {
        let mut name = plain_name(display(analysis.profile, function));
        let linked = analysis.profile.function_object(function).is_some();
        let whole = lotse_symbols::without_cold(&name).filter(|whole| linked && self.known.contains(whole));
        name = whole.map_or(name, Cow::Owned);
        let renamed = |name: Cow<'a, str>, rename: &Rename| rename.apply(&name).map_or(name, Cow::Owned);
        self.renames.iter().fold(name, renamed)
    }
}

/// The names of active functions (with any cost or call), without suffixes.
pub(super) fn plain_names(analysis: &Analysis<'_>) -> impl Iterator<Item = String> {
    analysis
        .active()
        .checked()
        .map(move |function| plain_name(display(analysis.profile, function)).into_owned())
}

/// A displayed name without the suffixes of compilers and addresses.
pub(super) fn plain_name(shown: Cow<'_, str>) -> Cow<'_, str> {
    without_address(without_variant(shown))
}

/// All active functions as units, in the order of the profile.
pub(super) fn units<'a>(analysis: &Analysis<'a>, naming: &NameRules<'_>) -> Vec<MatchUnit<'a>> {
    let mut units: Vec<MatchUnit<'a>> = Vec::new();
    let labels = FunctionLabels::new(analysis.profile);
    let mut places: HashMap<UnitKey<'a>, usize> = HashMap::new();
    for function in analysis.active().checked() {
        let unit = MatchUnit { namesake: labels.is_shared(function), ..unit(analysis, function, naming) };
        let key = (unit.name.clone(), unit.object, unit.path, unit.namesake.then_some(unit.place));
        let place = *places.entry(key).or_insert(units.len());
        match units.get_mut(place) {
            Some(known) => known.functions.push(function),
            None => units.push(unit),
        }
    }
    units
}

fn unit<'a>(analysis: &Analysis<'a>, function: FunctionId, naming: &NameRules<'_>) -> MatchUnit<'a> {
    let profile = analysis.profile;
    MatchUnit {
        functions: vec![function],
        name: naming.name(analysis, function),
        object: base_name(known(profile.function_object(function))),
        path: known(profile.function_file(function)),
        place: (profile.functions.line[function.index()], profile.functions.column[function.index()]),
        namesake: false,
    }
}

/// A path, or nothing for the question marks that profilers write for unknown paths.
fn known(path: Option<&str>) -> &str {
    path.filter(|path| *path != "???").unwrap_or("")
}

fn without_variant(shown: Cow<'_, str>) -> Cow<'_, str> {
    match shown {
        Cow::Borrowed(shown) => lotse_symbols::without_variant(shown),
        Cow::Owned(shown) => Cow::Owned(lotse_symbols::without_variant(&shown).into_owned()),
    }
}

/// Replaces an address in a name by an ellipsis. Python names a method of a built-in type by the address of the type,
/// which differs from run to run: `<built-in method __new__ of type object at 0x7f7783c5ea00>`.
fn without_address(name: Cow<'_, str>) -> Cow<'_, str> {
    const BEFORE: &str = " at 0x";
    let Some(start) = name.find(BEFORE).map(|at| at + BEFORE.len()) else { return name };
    let digits = name[start..].bytes().take_while(u8::is_ascii_hexdigit).count();
    if digits == 0 { name } else { Cow::Owned(format!("{}…{}", &name[..start], &name[start + digits..])) }
}

#[cfg(test)]
mod tests {
    use hashbrown::HashSet;

    use super::{NameRules, units, without_address};
    use crate::analysis::tests::summed;
    use crate::analysis::{Analysis, CycleMode};

    #[test]
    fn addresses_of_objects_are_removed_from_names() {
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
        let analysis = Analysis::of_default_parts(&profile, CycleMode::Folded);
        let known = HashSet::new();
        let found = units(&analysis, &NameRules::new(&known, &[]));
        let shown: Vec<(&str, usize)> =
            found.iter().map(|unit| (unit.name.as_ref(), unit.functions.len())).collect();
        assert_eq!(shown, [("app::sort", 2), ("main", 1)]);
    }
}
