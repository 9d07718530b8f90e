//! Filters the functions of a list.

use std::borrow::Cow;

use lotse_host::Threads;
use lotse_model::Profile;
use lotse_model::id::FunctionId;
use lotse_model::progress::{Checked as _, NoProgress, checkpoint};
use lotse_model::work::map;
use regex::Regex;

use crate::analysis::{Analysis, Summary};
use crate::names::{DemangledNames, display, hint, literal, near, without_arguments};

/// Functions whose names one thread compares at a time.
const PIECE: usize = 16 << 10;

/// A pattern that is not a valid regular expression.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the pattern {pattern:?} is not a regular expression: {problem}")]
pub struct BadPattern {
    pattern: String,
    problem: String,
}

impl BadPattern {
    pub(crate) fn new(pattern: &str, error: &regex::Error) -> Self {
        Self { pattern: pattern.to_owned(), problem: pattern_problem(error) }
    }
}

/// What is wrong with a regular expression, in one line: the last of several, which repeat and underline the expression.
pub(crate) fn pattern_problem(error: &regex::Error) -> String {
    let text = error.to_string();
    let last = text.lines().last().unwrap_or("");
    last.strip_prefix("error: ").unwrap_or(last).to_owned()
}

/// A substring, or a regular expression between slashes.
#[derive(Debug, Clone)]
pub enum Pattern {
    /// Matches texts that contain it.
    Text(String),
    /// Matches only the same text.
    Whole(String),
    /// Matches only one of these texts.
    OneOf(Vec<String>),
    Expression(Regex),
}

impl Pattern {
    /// `/…/` is a regular expression, everything else is text.
    pub fn parse(pattern: &str) -> Result<Self, BadPattern> {
        let Some(inner) = pattern.strip_prefix('/').and_then(|rest| rest.strip_suffix('/')) else {
            return Ok(Self::Text(pattern.to_owned()));
        };
        Regex::new(inner).map(Self::Expression).map_err(|error| BadPattern::new(pattern, &error))
    }

    /// Whether a text matches.
    pub fn matches(&self, text: &str) -> bool {
        match self {
            Self::Text(piece) => text.contains(piece.as_str()),
            Self::Whole(whole) => text == whole,
            Self::OneOf(texts) => texts.iter().any(|whole| text == whole),
            Self::Expression(expression) => expression.is_match(text),
        }
    }

    /// Whether a displayed name matches, with or without its arguments.
    fn matches_name(&self, shown: &str) -> bool {
        self.matches(shown) || self.needs_short_name() && self.matches_short_name(shown)
    }

    /// Whether a name may match without its arguments, but not with them. Class and name are both parts of the displayed
    /// name, so that only a text that has a colon can be found between the two.
    fn needs_short_name(&self) -> bool {
        !matches!(self, Self::Text(piece) if !piece.contains(':'))
    }

    /// Whether a name that does not match with its arguments matches without them.
    fn matches_short_name(&self, shown: &str) -> bool {
        match (self, without_arguments(shown)) {
            // What is not in the whole name is in no part of it.
            (Self::Text(_), Cow::Borrowed(_)) => false,
            (_, short) => short != shown && self.matches(&short),
        }
    }
}

/// No function matches the filter.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("none of {count} functions is what was filtered for{}", hint(near))]
pub struct NothingMatches {
    count: usize,
    near: Vec<String>,
}

/// The patterns that a function must match, all of them.
#[derive(Debug, Clone, Default)]
pub struct Filter {
    /// The displayed name.
    pub name: Option<Pattern>,
    /// Executable or library.
    pub object: Option<Pattern>,
    pub file: Option<Pattern>,
    /// Class or module.
    pub class: Option<Pattern>,
}

impl Filter {
    /// Whether it accepts everything.
    pub fn is_empty(&self) -> bool {
        [&self.name, &self.object, &self.file, &self.class].into_iter().all(Option::is_none)
    }

    /// The error for a list that the filter leaves empty, with similar names.
    pub fn nothing_matches(&self, profile: &Profile, summary: &Summary) -> NothingMatches {
        let wanted = match &self.name {
            Some(Pattern::Text(text) | Pattern::Whole(text)) => text.clone(),
            Some(Pattern::Expression(expression)) => literal(expression.as_str()),
            Some(Pattern::OneOf(_)) | None => String::new(),
        };
        let active = profile.functions.ids().filter(|id| summary.active.get(id.index()) == Some(&true));
        let near = if wanted.is_empty() { Vec::new() } else { near(profile, active, &wanted) };
        NothingMatches { count: summary.functions, near }
    }

    /// Whether a function is shown.
    pub fn accepts(&self, profile: &Profile, function: FunctionId) -> bool {
        self.accepts_place(profile, function)
            && (!self.needs_name() || self.accepts_name(&display(profile, function)))
    }

    /// All functions of an analysis that are shown. Demangled names are kept with the analysis.
    pub fn accepted(&self, analysis: &Analysis<'_>) -> Vec<FunctionId> {
        let profile = analysis.profile;
        let placed = analysis.active().checked().filter(|&id| self.accepts_place(profile, id));
        if !self.needs_name() {
            return placed.collect();
        }
        let names = DemangledNames::of_analysis(analysis);
        let placed: Vec<FunctionId> = placed.collect();
        let accepted = |piece: &[FunctionId]| -> Vec<FunctionId> {
            // A copy for each piece: threads that share an expression wait for each other's memory.
            let filter = self.clone();
            let named = |id: &FunctionId| {
                // A regular expression takes long for a long name.
                checkpoint();
                filter.accepts_name(names.display(profile, *id))
            };
            piece.iter().copied().filter(named).collect()
        };
        let pieces: Vec<&[FunctionId]> = placed.chunks(PIECE).collect();
        map(&Threads::new("filtering", &mut NoProgress), pieces.len(), |at| accepted(pieces[at])).concat()
    }

    fn accepts_place(&self, profile: &Profile, function: FunctionId) -> bool {
        let fits = |pattern: &Option<Pattern>, text: Option<&str>| {
            pattern.as_ref().is_none_or(|pattern| text.is_some_and(|text| pattern.matches(text)))
        };
        fits(&self.object, profile.function_object(function))
            && fits(&self.file, profile.function_file(function))
    }

    /// Whether displayed names decide.
    fn needs_name(&self) -> bool {
        self.name.is_some() || self.class.is_some()
    }

    fn accepts_name(&self, shown: &str) -> bool {
        let is_in = |pattern: &Pattern| lotse_symbols::class(shown).is_some_and(|it| pattern.matches(it));
        self.name.as_ref().is_none_or(|pattern| pattern.matches_name(shown))
            && self.class.as_ref().is_none_or(is_in)
    }
}

#[cfg(test)]
mod tests {
    use super::{Filter, Pattern};
    use crate::analysis::tests::summed;
    use crate::analysis::{Analysis, CycleMode};

    /// What a filter accepts, function by function; the list of all must be the same.
    fn accepted(filter: &Filter) -> Vec<u32> {
        let names = [
            ("main", 1),
            ("_ZN3app4sortEv", 5),
            ("_ZN3lib4sortEi", 9),
            ("void a::f<int>(int)", 3),
            ("-[Set add:]", 2),
        ];
        let profile = summed(&names, &[]);
        let analysis = Analysis::of_default_parts(&profile, CycleMode::Folded);
        let one_by_one: Vec<_> = profile.functions.ids().filter(|&id| filter.accepts(&profile, id)).collect();
        assert_eq!(filter.accepted(&analysis), one_by_one, "{filter:?}");
        one_by_one.iter().map(|id| id.0).collect()
    }

    fn pattern(text: &str) -> Option<Pattern> {
        Some(Pattern::parse(text).unwrap())
    }

    #[test]
    fn similar_names_are_listed() {
        let profile = summed(&[("main", 1), ("_ZN3app4sortEv", 5)], &[]);
        let summary = Analysis::of_default_parts(&profile, CycleMode::Folded).into_summary();
        for text in ["/^sort!$/", "SORT", "sor"] {
            let error =
                Filter { name: pattern(text), ..Filter::default() }.nothing_matches(&profile, &summary);
            let expected = "none of 2 functions is what was filtered for; did you mean app::sort()?";
            assert_eq!(error.to_string(), expected, "{text}");
        }
        let error = Filter { object: pattern("x"), ..Filter::default() }.nothing_matches(&profile, &summary);
        assert_eq!(error.to_string(), "none of 2 functions is what was filtered for");
    }

    #[test]
    fn text_expressions_and_classes() {
        assert_eq!(accepted(&Filter { name: pattern("sort("), ..Filter::default() }), [1, 2]);
        assert_eq!(accepted(&Filter { name: pattern("/^main$|int/"), ..Filter::default() }), [0, 2, 3]);
        // Without arguments and with them; of a name whose class and function are not neighbours, too.
        assert_eq!(accepted(&Filter { name: pattern("a::f"), ..Filter::default() }), [3]);
        assert_eq!(accepted(&Filter { name: pattern("Set::add:"), ..Filter::default() }), [4]);
        assert_eq!(accepted(&Filter { name: pattern("/^Set::add:$/"), ..Filter::default() }), [4]);
        assert_eq!(accepted(&Filter { name: pattern("b::add"), ..Filter::default() }), [0; 0]);
        assert_eq!(accepted(&Filter { name: pattern("f<"), ..Filter::default() }), [3]);
        assert_eq!(accepted(&Filter { name: pattern("/^app::sort$/"), ..Filter::default() }), [1]);
        assert_eq!(accepted(&Filter { class: pattern("lib"), ..Filter::default() }), [2]);
        assert_eq!(accepted(&Filter { file: pattern("x.c"), ..Filter::default() }), [0; 0]);
        assert_eq!(accepted(&Filter::default()), [0, 1, 2, 3, 4]);
        let error = Pattern::parse("/(/").unwrap_err().to_string();
        assert!(error.starts_with("the pattern \"/(/\" is not a regular expression"), "{error}");
    }
}
