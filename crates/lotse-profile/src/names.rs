//! Functions by name: how they are shown, and which one a user means.

use std::borrow::Cow;

use lotse_model::Profile;
use lotse_model::id::FunctionId;

use crate::analysis::Analysis;
use crate::events::default_event;

mod labels;

pub use labels::FunctionLabels;

/// The name a person reads.
pub fn display(profile: &Profile, function: FunctionId) -> Cow<'_, str> {
    lotse_symbols::demangle(profile.function_name(function))
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
    let Some(best) = fitting.iter().map(|(fit, _)| *fit).min() else {
        return Err(UnknownFunction {
            asked: asked.to_owned(),
            near: near(profile, analysis.active(), asked),
        });
    };
    let mut best: Vec<FunctionId> =
        fitting.into_iter().filter(|(fit, _)| *fit == best).map(|(_, id)| id).collect();
    let event = default_event(profile);
    let cost = |id: &FunctionId| event.map_or(0, |event| analysis.inclusive.value(id.index(), event));
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

/// Functions among some whose name resembles the one asked for.
pub(crate) fn near(
    profile: &Profile,
    functions: impl Iterator<Item = FunctionId>,
    asked: &str,
) -> Vec<String> {
    let wanted = asked.to_lowercase();
    let resembles = |name: &str| {
        let name = lotse_symbols::short(name).to_lowercase();
        !name.is_empty() && (name.contains(&wanted) || distance_at_most(&name, &wanted, 2))
    };
    let names = functions.map(|id| display(profile, id).into_owned());
    names.filter(|name| resembles(name)).take(3).collect()
}

/// Whether a few changed, added or removed characters make one word the other.
fn distance_at_most(one: &str, other: &str, limit: usize) -> bool {
    if one.len().abs_diff(other.len()) > limit || one.len() > 64 {
        return false;
    }
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
    row[other.len()] <= limit
}

#[cfg(test)]
mod tests {
    use super::{display, distance_at_most, find};
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
        assert!(error.contains("no function is called \"soted\"; did you mean"), "{error}");
        assert_eq!(found("xyz"), Err("no function is called \"xyz\"".into()));
    }

    #[test]
    fn distances() {
        assert!(distance_at_most("main", "mian", 2) && distance_at_most("main", "man", 1));
        assert!(!distance_at_most("main", "xyzq", 2));
    }
}
