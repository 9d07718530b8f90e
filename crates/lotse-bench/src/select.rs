//! Selection of programs of a suite or a result by name, tag, or number in the suite, as in temci.
//!
//! A query is a name, tag or number, or a regular expression that matches one of them completely.

use regex::Regex;

/// Included and excluded programs.
#[derive(Debug, Clone, Default)]
pub struct Selection {
    include: Vec<Query>,
    exclude: Vec<Query>,
}

#[derive(Debug, Clone)]
struct Query {
    text: String,
    /// `None` if the text is not a regular expression; it may still be a name.
    pattern: Option<Regex>,
}

/// The properties by which a program is selected.
#[derive(Debug, Clone, Copy)]
pub struct Candidate<'a> {
    pub name: &'a str,
    pub tags: &'a [String],
    /// Its number in the suite, from 0; results have none.
    pub number: Option<usize>,
}

/// A query that chooses nothing.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SelectError {
    /// A query that fits no program.
    #[error("no program has the name, tag or number '{query}'; there are {known}")]
    Nothing {
        query: String,
        /// The names there are.
        known: String,
    },
    /// All programs are excluded.
    #[error("no program is left of {known}")]
    Empty {
        /// The names there are.
        known: String,
    },
}

impl Selection {
    /// The included programs (all if empty) without the excluded ones.
    pub fn new(include: &[String], exclude: &[String]) -> Self {
        let query =
            |text: &String| Query { text: text.clone(), pattern: Regex::new(&format!("^(?:{text})$")).ok() };
        Self { include: include.iter().map(query).collect(), exclude: exclude.iter().map(query).collect() }
    }

    /// Whether a program is selected.
    pub fn keeps(&self, candidate: Candidate<'_>) -> bool {
        let any = |queries: &[Query]| queries.iter().any(|query| query.fits(candidate));
        (self.include.is_empty() || any(&self.include)) && !any(&self.exclude)
    }

    /// Refuses queries that match no program, which are probably mistyped.
    pub fn check(&self, candidates: &[Candidate<'_>]) -> Result<(), SelectError> {
        let known = || candidates.iter().map(|candidate| candidate.name).collect::<Vec<_>>().join(", ");
        let matches_none = |query: &&Query| !candidates.iter().any(|candidate| query.fits(*candidate));
        if let Some(query) = self.include.iter().chain(&self.exclude).find(matches_none) {
            return Err(SelectError::Nothing { query: query.text.clone(), known: known() });
        }
        let empty = !candidates.is_empty() && !candidates.iter().any(|candidate| self.keeps(*candidate));
        if empty { Err(SelectError::Empty { known: known() }) } else { Ok(()) }
    }
}

impl Query {
    fn fits(&self, candidate: Candidate<'_>) -> bool {
        let number = candidate.number.map(|number| number.to_string());
        let is = |text: &str| {
            text == self.text || self.pattern.as_ref().is_some_and(|pattern| pattern.is_match(text))
        };
        is(candidate.name)
            || candidate.tags.iter().any(|tag| is(tag))
            || number.is_some_and(|number| is(&number))
    }
}

#[cfg(test)]
mod tests {
    use super::{Candidate, Selection};

    fn texts(list: &[&str]) -> Vec<String> {
        list.iter().map(|&text| text.to_owned()).collect()
    }

    fn chosen(include: &[&str], exclude: &[&str]) -> String {
        let tags = [texts(&["fast", "c"]), texts(&["slow"]), texts(&[])];
        let names = ["sort (a", "sort b", "2x"];
        let all: Vec<Candidate> =
            (0..3).map(|i| Candidate { name: names[i], tags: &tags[i], number: Some(i) }).collect();
        let selection = Selection::new(&texts(include), &texts(exclude));
        match selection.check(&all) {
            Err(error) => error.to_string(),
            Ok(()) => {
                let kept = all.iter().filter(|one| selection.keeps(**one));
                kept.map(|one| one.name).collect::<Vec<_>>().join("|")
            }
        }
    }

    #[test]
    fn names_tags_numbers_and_patterns_choose() {
        for (include, exclude, expected) in [
            (&[][..], &[][..], "sort (a|sort b|2x"),
            (&["fast"], &[], "sort (a"),
            (&["sort .*"], &[], "sort (a|sort b"),
            (&["sort"], &[], "no program has the name, tag or number 'sort'; there are sort (a, sort b, 2x"),
            (&["sort (a"], &[], "sort (a"),
            (&["2"], &[], "2x"),
            (&["0", "slow"], &[], "sort (a|sort b"),
            (&[], &["slow|c"], "2x"),
            (&["sort .*"], &["fast"], "sort b"),
            (&["fast"], &["c"], "no program is left of sort (a, sort b, 2x"),
        ] {
            assert_eq!(chosen(include, exclude), expected, "{include:?} {exclude:?}");
        }
    }
}
