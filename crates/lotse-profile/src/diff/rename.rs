//! `--rename OLD=NEW`: names of functions in the first profile that the others have under a new name.
//!
//! OLD matches whole words of a name, so that `old::=new::` renames a namespace and `parse` does not match `parser`.
//! In `/OLD/=NEW`, OLD is a regular expression, and `$1` in NEW is its first group.

use std::borrow::Cow;

use regex::Regex;

use super::units::plain_name;
use crate::filter::pattern_problem;

/// Why a renaming is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadRename {
    /// It has no equals sign, or several.
    #[error("{0:?} is not a renaming: write OLD=NEW, or /OLD/=NEW if a name has an equals sign")]
    Shape(String),
    #[error("the pattern {pattern:?} is not a regular expression: {problem}")]
    Pattern { pattern: String, problem: String },
}

/// A parsed renaming.
#[derive(Debug, Clone)]
pub struct Rename {
    old: OldName,
    new: String,
    text: String,
}

#[derive(Debug, Clone)]
enum OldName {
    /// A whole name.
    Whole(String),
    Word(String),
    Expression(Regex),
}

impl Rename {
    /// Reads `OLD=NEW` or `/OLD/=NEW`.
    pub fn parse(text: &str) -> Result<Self, BadRename> {
        let shape = || BadRename::Shape(text.to_owned());
        if let Some((old, new)) = text.strip_prefix('/').and_then(|rest| rest.rsplit_once("/=")) {
            let bad = |error: regex::Error| BadRename::Pattern {
                pattern: old.to_owned(),
                problem: pattern_problem(&error),
            };
            let old = OldName::Expression(Regex::new(old).map_err(bad)?);
            return Ok(Self { old, new: new.to_owned(), text: text.to_owned() });
        }
        let (old, new) = text.split_once('=').ok_or_else(shape)?;
        if old.is_empty() || new.is_empty() || new.contains('=') {
            return Err(shape());
        }
        Ok(Self { old: OldName::Word(old.to_owned()), new: new.to_owned(), text: text.to_owned() })
    }

    /// A renaming of one function: the whole of its displayed name, as comparisons propose it.
    pub fn whole(old: &str, new: &str) -> Self {
        let [old, new] = [old, new].map(|name| plain_name(Cow::Borrowed(name)).into_owned());
        Self { text: format!("{old}={new}"), old: OldName::Whole(old), new }
    }

    /// As the user wrote it.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The new name of a function, if the renaming matches it.
    pub fn apply(&self, name: &str) -> Option<String> {
        match &self.old {
            OldName::Whole(old) => (name == old).then(|| self.new.clone()),
            OldName::Word(old) => replaced(name, old, &self.new),
            OldName::Expression(old) => {
                old.is_match(name).then(|| old.replace_all(name, self.new.as_str()).into_owned())
            }
        }
    }
}

/// Replaces `old` wherever it is not part of a longer word.
fn replaced(name: &str, old: &str, new: &str) -> Option<String> {
    let is_letter = |letter: char| letter.is_alphanumeric() || letter == '_';
    let (mut result, mut rest, mut found) = (String::new(), name, false);
    while let Some(at) = rest.find(old) {
        let end = at + old.len();
        let before = rest[..at].chars().next_back().or_else(|| result.chars().next_back());
        let is_continued = |inside: Option<char>, outside: Option<char>| {
            inside.is_some_and(is_letter) && outside.is_some_and(is_letter)
        };
        let in_word = is_continued(old.chars().next(), before)
            || is_continued(old.chars().next_back(), rest[end..].chars().next());
        result.push_str(&rest[..at]);
        result.push_str(if in_word { old } else { new });
        found |= !in_word;
        rest = &rest[end..];
    }
    found.then(|| result + rest)
}

#[cfg(test)]
mod tests {
    use super::Rename;

    fn renamed(rename: &str, name: &str) -> Option<String> {
        Rename::parse(rename).unwrap().apply(name)
    }

    #[test]
    fn words_and_expressions() {
        for (rename, name, expected) in [
            ("parse=read", "parse", Some("read")),
            ("parse=read", "app::parse(int)", Some("app::read(int)")),
            ("parse=read", "parser", None),
            ("parse=read", "parse_all", None),
            ("old::=new::", "old::f(old::T)", Some("new::f(new::T)")),
            ("old::=new::", "bold::f()", None),
            ("/^f([0-9])$/=g$1", "f7", Some("g7")),
            ("/operator==/=equal", "A::operator==(B)", Some("A::equal(B)")),
            ("/^f$/=g", "ff", None),
        ] {
            assert_eq!(renamed(rename, name).as_deref(), expected, "{rename} {name}");
        }
    }

    #[test]
    fn whole_names_are_not_parsed() {
        let rename = Rename::whole("A::operator==(B)", "A::equal(B) [clone .isra.0]");
        assert_eq!(rename.apply("A::operator==(B)").as_deref(), Some("A::equal(B)"));
        assert_eq!(rename.apply("A::operator==(B, C)"), None);
    }

    #[test]
    fn invalid_renamings_are_refused() {
        for text in ["parse", "=new", "gone=", "operator===equal", "/(/=x", ""] {
            assert!(Rename::parse(text).is_err(), "{text}");
        }
    }
}
