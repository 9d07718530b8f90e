//! Names of functions: how they are displayed, and how a user's text is matched with them.

use std::borrow::Cow;

use lotse_model::Profile;
use lotse_model::id::FunctionId;
use lotse_model::progress::Checked as _;

use crate::analysis::Analysis;
use crate::events::default_event;

mod demangled;
mod labels;

pub(crate) use demangled::DemangledNames;
pub use labels::FunctionLabels;
pub(crate) use labels::{NameCounts, placed_names};

/// The displayed name: demangled, and `(unnamed)` if it is empty.
pub fn display(profile: &Profile, function: FunctionId) -> Cow<'_, str> {
    match profile.function_name(function) {
        name if name.trim().is_empty() => "(unnamed)".into(),
        name => lotse_symbols::demangle(name),
    }
}

/// No function has a name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("no function is called {wanted:?}{}", hint(near))]
pub struct UnknownFunction {
    wanted: String,
    near: Vec<String>,
}

/// `; did you mean …?`; empty if there are no similar names.
pub(crate) fn hint(near: &[String]) -> String {
    if near.is_empty() { String::new() } else { format!("; did you mean {}?", near.join(", ")) }
}

/// The function that a text names, and others that it matches as well.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundFunction {
    /// The costliest of the best matches.
    pub function: FunctionId,
    /// The other best matches.
    pub others: Vec<FunctionId>,
}

impl FoundFunction {
    /// A note that the text matches other functions too, with their names and how to choose one; `None` if there are none.
    pub fn note(&self, analysis: &Analysis<'_>, wanted: &str) -> Option<String> {
        const MOST: usize = 5;
        let labels = FunctionLabels::new(analysis.profile);
        let others: Vec<String> = self.others.iter().take(MOST).map(|id| labels.candidate(*id)).collect();
        let more = self.others.len().saturating_sub(MOST);
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        let example = others.first()?;
        Some(format!(
            "{wanted:?} fits {} functions; this is {}, the costliest; the others are {}{more}; to choose one, \
             give it as listed: {example:?}",
            self.others.len() + 1,
            labels.candidate(self.function),
            others.join(", "),
        ))
    }
}

/// How well a name matches; the best first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum NameMatch {
    /// The name as in the file or as displayed.
    Whole,
    /// The name without class and arguments.
    Short,
    /// A part of the name.
    Part,
}

/// Finds a function by its whole name, by its place (`app.js:2`, `run (app.js:2:14)`), by the name without class and
/// arguments, or by a part of the name; the first kind of match that any function has is used.
pub fn find(analysis: &Analysis<'_>, wanted: &str) -> Result<FoundFunction, UnknownFunction> {
    let profile = analysis.profile;
    let matching: Vec<(NameMatch, FunctionId)> = profile
        .functions
        .ids()
        .checked()
        .filter_map(|id| Some((name_match(profile, id, wanted)?, id)))
        .collect();
    let event = default_event(profile);
    let cost = |id: &FunctionId| event.map_or(0, |event| analysis.inclusive.value(id.index(), event));
    let Some(best) = matching.iter().map(|(kind, _)| *kind).min() else {
        let mut functions: Vec<FunctionId> = analysis.active().collect();
        functions.sort_by_key(|id| std::cmp::Reverse(cost(id)));
        let near = near(profile, functions.into_iter(), wanted);
        return Err(UnknownFunction { wanted: wanted.to_owned(), near });
    };
    let mut best: Vec<FunctionId> =
        matching.into_iter().filter(|(kind, _)| *kind == best).map(|(_, id)| id).collect();
    best.sort_by_key(|id| std::cmp::Reverse(cost(id)));
    let function = best.remove(0);
    Ok(FoundFunction { function, others: best })
}

fn name_match(profile: &Profile, function: FunctionId, wanted: &str) -> Option<NameMatch> {
    let name = profile.function_name(function);
    if name == wanted {
        return Some(NameMatch::Whole);
    }
    let display = lotse_symbols::demangle(name);
    if display == wanted || labels::is_label_of(profile, function, wanted) {
        Some(NameMatch::Whole)
    } else if lotse_symbols::short(&display) == wanted {
        Some(NameMatch::Short)
    } else {
        (!wanted.is_empty() && display.contains(wanted)).then_some(NameMatch::Part)
    }
}

/// Class and name of a displayed function, without return type, template arguments and parameters: `app::sort` for
/// `void app::sort<int>(int)`.
pub(crate) fn without_arguments(display: &str) -> Cow<'_, str> {
    let short = lotse_symbols::short(display);
    let Some(class) = lotse_symbols::class(display).filter(|_| !short.is_empty()) else {
        return short.into();
    };
    // Mostly both are neighbours in the name, and nothing is copied. They are parts of it, so that addresses tell where.
    let start = class.as_ptr().addr().wrapping_sub(display.as_ptr().addr());
    let joined = display.get(start..).and_then(|rest| rest.get(..class.len() + 2 + short.len()));
    let parts = joined.and_then(|joined| joined.strip_prefix(class)?.strip_prefix("::"));
    match (joined, parts) {
        (Some(joined), Some(after)) if after == short => joined.into(),
        _ => format!("{class}::{short}").into(),
    }
}

/// The letters and digits of a regular expression, without its operators.
pub(crate) fn literal(expression: &str) -> String {
    expression.chars().filter(|letter| letter.is_alphanumeric() || matches!(letter, '_' | ':')).collect()
}

/// The number of similar names that an error lists.
const MOST_NEAR: usize = 3;

/// The names among `functions` that are similar to the wanted one: the most similar first, then in the given order.
pub(crate) fn near(
    profile: &Profile,
    functions: impl Iterator<Item = FunctionId>,
    wanted: &str,
) -> Vec<String> {
    let wanted = base_of(wanted).to_lowercase();
    let similar = |id: FunctionId| {
        let name = display(profile, id).into_owned();
        Some((distance_if_similar(&base_of(&name).to_lowercase(), &wanted)?, name))
    };
    let mut names: Vec<(usize, String)> = functions.checked().filter_map(similar).collect();
    names.sort_by_key(|(distance, _)| *distance);
    let mut near: Vec<String> = Vec::new();
    for (_, name) in names {
        if near.len() < MOST_NEAR && !near.contains(&name) {
            near.push(name);
        }
    }
    near
}

/// The name without class, module, arguments and place.
fn base_of(name: &str) -> &str {
    let name = name.split([' ', '[']).next().filter(|word| !word.is_empty()).unwrap_or(name);
    let short = lotse_symbols::short(name);
    short.rsplit(['.', ':']).next().filter(|last| !last.is_empty()).unwrap_or(short)
}

/// The edit distance of two names, if it is small or one name contains the other; `None` if they are not similar.
fn distance_if_similar(name: &str, wanted: &str) -> Option<usize> {
    const LONGEST: usize = 64;
    if name.is_empty() || wanted.is_empty() || name.len().max(wanted.len()) > LONGEST {
        return None;
    }
    let distance = edit_distance(name, wanted);
    let allowed = wanted.chars().count().div_ceil(3).clamp(1, 4);
    let contains = (wanted.len() > 2 && name.contains(wanted)) || (name.len() > 2 && wanted.contains(name));
    (distance <= allowed || contains).then_some(distance)
}

/// The edit distance (Levenshtein): how many characters have to be changed, added or removed.
fn edit_distance(one: &str, other: &str) -> usize {
    let other: Vec<char> = other.chars().collect();
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (above, from) in one.chars().enumerate() {
        let mut corner = row[0];
        row[0] = above + 1;
        for (left, &to) in other.iter().enumerate() {
            let change = corner + usize::from(from != to);
            corner = row[left + 1];
            row[left + 1] = change.min(corner + 1).min(row[left] + 1);
        }
    }
    row[other.len()]
}

#[cfg(test)]
mod tests {
    use super::{base_of, display, distance_if_similar, edit_distance, find};
    use crate::analysis::tests::summed;
    use crate::analysis::{Analysis, CycleMode};

    fn found(wanted: &str) -> Result<(String, usize), String> {
        let own = [("main", 1), ("_ZN3app4sortEv", 5), ("_ZN3lib4sortEv", 9), ("sorted", 20)];
        let profile = summed(&own, &[]);
        let analysis = Analysis::of_default_parts(&profile, CycleMode::Folded);
        let found = find(&analysis, wanted).map_err(|error| error.to_string())?;
        Ok((display(&profile, found.function).into_owned(), found.others.len()))
    }

    #[test]
    fn whole_names_win_over_short_ones_and_those_over_pieces() {
        assert_eq!(found("_ZN3app4sortEv"), Ok(("app::sort()".into(), 0)));
        assert_eq!(found("app::sort()"), Ok(("app::sort()".into(), 0)));
        assert_eq!(found("sort"), Ok(("lib::sort()".into(), 1)));
        assert_eq!(found("sor"), Ok(("sorted".into(), 2)));
    }

    #[test]
    fn a_wrong_name_is_answered_with_near_ones() {
        let error = found("soted").unwrap_err();
        assert_eq!(error, "no function is called \"soted\"; did you mean sorted?");
        assert_eq!(found("xyz"), Err("no function is called \"xyz\"".into()));
    }

    #[test]
    fn distances() {
        assert_eq!(
            (edit_distance("main", "mian"), edit_distance("main", "man"), edit_distance("main", "xyzq")),
            (2, 1, 4)
        );
        assert_eq!(distance_if_similar("checksum", "check"), Some(3));
        assert_eq!((distance_if_similar("main", "xyzq"), distance_if_similar("f", "g")), (None, Some(1)));
        assert_eq!(
            (base_of("app.Tree.walk"), base_of("walk [a.py:10]"), base_of("<lambda>")),
            ("walk", "walk", "<lambda>")
        );
    }
}
