//! Functions by name: how they are shown, and which one a user means.

use std::borrow::Cow;

use lotse_model::Profile;
use lotse_model::id::FunctionId;

use crate::analysis::Analysis;
use crate::events::default_event;

mod labels;

pub use labels::FunctionLabels;

/// The name a person reads; a row of a table without one would be blank.
pub fn display(profile: &Profile, function: FunctionId) -> Cow<'_, str> {
    match profile.function_name(function) {
        name if name.trim().is_empty() => "(unnamed)".into(),
        name => lotse_symbols::demangle(name),
    }
}

/// A name that no function or several have.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("no function is called {asked:?}{}", hint(near))]
pub struct UnknownFunction {
    asked: String,
    near: Vec<String>,
}

/// `; did you mean …?`; nothing where no name is near.
pub(crate) fn hint(near: &[String]) -> String {
    if near.is_empty() { String::new() } else { format!("; did you mean {}?", near.join(", ")) }
}

/// A function, and others that the name fits as well.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// The costliest of those that fit best.
    pub function: FunctionId,
    /// The others that fit as well.
    pub others: Vec<FunctionId>,
}

impl Found {
    /// Says that the name fits other functions too, which, and how to choose; nothing where it fits one.
    pub fn note(&self, analysis: &Analysis<'_>, asked: &str) -> Option<String> {
        const MOST: usize = 5;
        let labels = FunctionLabels::new(analysis.profile);
        let others: Vec<String> = self.others.iter().take(MOST).map(|id| labels.candidate(*id)).collect();
        let more = self.others.len().saturating_sub(MOST);
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        let example = others.first()?;
        Some(format!(
            "{asked:?} fits {} functions; this is {}, the costliest; the others are {}{more}; to choose one, \
             give it as listed: {example:?}",
            self.others.len() + 1,
            labels.candidate(self.function),
            others.join(", "),
        ))
    }
}

/// How well a name fits; the best first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Fit {
    /// The name as in the file or as shown.
    Whole,
    /// The name without class and arguments.
    Short,
    /// A piece of the name.
    Piece,
}

/// The function a user means: by whole name, by its place (`app.js:2`, `run (app.js:2:14)`), by the name without
/// class and arguments, or by a piece of it.
pub fn find(analysis: &Analysis<'_>, asked: &str) -> Result<Found, UnknownFunction> {
    let profile = analysis.profile;
    let fitting: Vec<(Fit, FunctionId)> =
        profile.functions.ids().filter_map(|id| Some((fit(profile, id, asked)?, id))).collect();
    let event = default_event(profile);
    let cost = |id: &FunctionId| event.map_or(0, |event| analysis.inclusive.value(id.index(), event));
    let Some(best) = fitting.iter().map(|(fit, _)| *fit).min() else {
        let mut functions: Vec<FunctionId> = analysis.active().collect();
        functions.sort_by_key(|id| std::cmp::Reverse(cost(id)));
        let near = near(profile, functions.into_iter(), asked);
        return Err(UnknownFunction { asked: asked.to_owned(), near });
    };
    let mut best: Vec<FunctionId> =
        fitting.into_iter().filter(|(fit, _)| *fit == best).map(|(_, id)| id).collect();
    best.sort_by_key(|id| std::cmp::Reverse(cost(id)));
    let function = best.remove(0);
    Ok(Found { function, others: best })
}

fn fit(profile: &Profile, function: FunctionId, asked: &str) -> Option<Fit> {
    let name = profile.function_name(function);
    if name == asked {
        return Some(Fit::Whole);
    }
    let display = lotse_symbols::demangle(name);
    if display == asked || labels::names_place(profile, function, asked) {
        Some(Fit::Whole)
    } else if lotse_symbols::short(&display) == asked {
        Some(Fit::Short)
    } else {
        (!asked.is_empty() && display.contains(asked)).then_some(Fit::Piece)
    }
}

/// Class and name of a function as shown, without what it returns and takes: `app::sort` for `void app::sort<int>(int)`.
pub(crate) fn without_arguments(display: &str) -> String {
    let short = lotse_symbols::short(display);
    match lotse_symbols::class(display) {
        Some(class) if !short.is_empty() => format!("{class}::{short}"),
        _ => short.to_owned(),
    }
}

/// The letters and digits that an expression looks for, without what has a meaning in expressions.
pub(crate) fn literal(expression: &str) -> String {
    expression.chars().filter(|letter| letter.is_alphanumeric() || matches!(letter, '_' | ':')).collect()
}

/// How many similar names an error lists.
const MOST_NEAR: usize = 3;

/// Functions among some whose name resembles the one asked for: the most similar first, of equals the earlier.
pub(crate) fn near(
    profile: &Profile,
    functions: impl Iterator<Item = FunctionId>,
    asked: &str,
) -> Vec<String> {
    let wanted = base_of(asked).to_lowercase();
    let similar = |id: FunctionId| {
        let name = display(profile, id).into_owned();
        Some((unlikeness(&base_of(&name).to_lowercase(), &wanted)?, name))
    };
    let mut names: Vec<(usize, String)> = functions.filter_map(similar).collect();
    names.sort_by_key(|(unlike, _)| *unlike);
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

/// How many characters differ between two names, where few do or one is a piece of the other; `None` where they
/// are unlike.
fn unlikeness(name: &str, wanted: &str) -> Option<usize> {
    const LONGEST: usize = 64;
    if name.is_empty() || wanted.is_empty() || name.len().max(wanted.len()) > LONGEST {
        return None;
    }
    let distance = distance(name, wanted);
    let allowed = wanted.chars().count().div_ceil(3).clamp(1, 4);
    let piece = (wanted.len() > 2 && name.contains(wanted)) || (name.len() > 2 && wanted.contains(name));
    (distance <= allowed || piece).then_some(distance)
}

/// How many characters have to be changed, added or removed to make one word the other.
fn distance(one: &str, other: &str) -> usize {
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
    use super::{base_of, display, distance, find, unlikeness};
    use crate::analysis::tests::summed;
    use crate::analysis::{Analysis, Way};

    fn found(asked: &str) -> Result<(String, usize), String> {
        let own = [("main", 1), ("_ZN3app4sortEv", 5), ("_ZN3lib4sortEv", 9), ("sorted", 20)];
        let profile = summed(&own, &[]);
        let analysis = Analysis::of_default_parts(&profile, Way::Folded);
        let found = find(&analysis, asked).map_err(|error| error.to_string())?;
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
        assert_eq!((distance("main", "mian"), distance("main", "man"), distance("main", "xyzq")), (2, 1, 4));
        assert_eq!(unlikeness("checksum", "check"), Some(3));
        assert_eq!((unlikeness("main", "xyzq"), unlikeness("f", "g")), (None, Some(1)));
        assert_eq!(
            (base_of("app.Tree.walk"), base_of("walk [a.py:10]"), base_of("<lambda>")),
            ("walk", "walk", "<lambda>")
        );
    }
}
