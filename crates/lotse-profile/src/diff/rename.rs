//! `OLD=NEW`: functions of the first profile that have another name in the others, as the user says.
//!
//! A text stands for itself wherever it is a word of the name, so that `old::=new::` renames a namespace and
//! `parse` does not touch `parser`. `/OLD/=NEW` is a regular expression, in whose NEW `$1` is the first group.

use regex_lite::Regex;

/// A renaming that cannot be understood.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadRename {
    /// No equals sign, or several.
    #[error("{0:?} is no renaming: write OLD=NEW, or /OLD/=NEW where a name has an equals sign")]
    Shape(String),
    /// Not an expression.
    #[error("the pattern {pattern:?} is no regular expression: {problem}")]
    Pattern {
        /// What was given.
        pattern: String,
        /// What is wrong with it.
        problem: String,
    },
}

/// Another name for some functions.
#[derive(Debug, Clone)]
pub struct Rename {
    old: Old,
    new: String,
    text: String,
}

#[derive(Debug, Clone)]
enum Old {
    Word(String),
    Expression(Regex),
}

impl Rename {
    /// Reads `OLD=NEW` or `/OLD/=NEW`.
    pub fn parse(text: &str) -> Result<Self, BadRename> {
        let shape = || BadRename::Shape(text.to_owned());
        if let Some((old, new)) = text.strip_prefix('/').and_then(|rest| rest.rsplit_once("/=")) {
            let bad = |error: regex_lite::Error| BadRename::Pattern {
                pattern: old.to_owned(),
                problem: error.to_string(),
            };
            let old = Old::Expression(Regex::new(old).map_err(bad)?);
            return Ok(Self { old, new: new.to_owned(), text: text.to_owned() });
        }
        let (old, new) = text.split_once('=').ok_or_else(shape)?;
        if old.is_empty() || new.is_empty() || new.contains('=') {
            return Err(shape());
        }
        Ok(Self { old: Old::Word(old.to_owned()), new: new.to_owned(), text: text.to_owned() })
    }

    /// As the user wrote it.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The new name of a function, if it gets one.
    pub fn apply(&self, name: &str) -> Option<String> {
        match &self.old {
            Old::Word(old) => replaced(name, old, &self.new),
            Old::Expression(old) => {
                old.is_match(name).then(|| old.replace_all(name, self.new.as_str()).into_owned())
            }
        }
    }
}

/// Replaces a text wherever no letter continues it.
fn replaced(name: &str, old: &str, new: &str) -> Option<String> {
    let letter = |letter: char| letter.is_alphanumeric() || letter == '_';
    let (mut result, mut rest, mut found) = (String::new(), name, false);
    while let Some(at) = rest.find(old) {
        let end = at + old.len();
        let before = rest[..at].chars().next_back().or_else(|| result.chars().next_back());
        let goes_on = |inside: Option<char>, outside: Option<char>| {
            inside.is_some_and(letter) && outside.is_some_and(letter)
        };
        let cut = goes_on(old.chars().next(), before)
            || goes_on(old.chars().next_back(), rest[end..].chars().next());
        result.push_str(&rest[..at]);
        result.push_str(if cut { old } else { new });
        found |= !cut;
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
    fn what_is_no_renaming_is_refused() {
        for text in ["parse", "=new", "gone=", "operator===equal", "/(/=x", ""] {
            assert!(Rename::parse(text).is_err(), "{text}");
        }
    }
}
