//! What can be wrong with an event type that is asked for or defined, told with the place in its text.

use std::borrow::Cow;
use std::ops::Range;

use super::boundary::boundary;

/// An event type that does not exist or cannot be worked out.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EventError {
    /// Not an expression.
    #[error("{at}: {problem}")]
    Syntax {
        /// Where.
        at: Place,
        /// What was expected there.
        problem: String,
    },
    /// A name that nothing has.
    #[error("{at}: {}", unknown(.name, .nearest.as_deref(), .known))]
    Unknown {
        /// Where.
        at: Place,
        /// The name.
        name: String,
        /// A name that is spelt much like it.
        nearest: Option<String>,
        /// All names there are.
        known: Vec<String>,
    },
    /// Things that cannot be added or compared.
    #[error("{at}: cannot {verb} {left} and {right}")]
    Units {
        /// Where.
        at: Place,
        /// What was tried: `add`, `subtract`, `compare`.
        verb: &'static str,
        /// The left side, with its unit.
        left: String,
        /// The right side, with its unit.
        right: String,
    },
    /// Definitions that need each other.
    #[error("event types are defined by each other: {}", round(.circle))]
    Circle {
        /// The names; the last is the first again.
        circle: Vec<String>,
    },
    /// A definition of a name that has one.
    #[error("in {definition:?}: the event type {name} exists already")]
    Taken {
        /// The definition.
        definition: String,
        /// The name.
        name: String,
    },
}

impl EventError {
    /// Where in the text, if it is about a place in one.
    pub fn place(&self) -> Option<&Place> {
        match self {
            Self::Syntax { at, .. } | Self::Unknown { at, .. } | Self::Units { at, .. } => Some(at),
            Self::Circle { .. } | Self::Taken { .. } => None,
        }
    }
}

/// A place in the text of a definition or an expression.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("in {:?}, column {}", excerpt(.text, .span), column(.text, .span))]
pub struct Place {
    /// The whole text.
    pub text: String,
    /// The bytes of it that are meant; empty at the end of the text.
    pub span: Range<usize>,
}

impl Place {
    /// The column, in characters from 1.
    pub fn column(&self) -> usize {
        column(&self.text, &self.span)
    }
}

fn column(text: &str, span: &Range<usize>) -> usize {
    text.get(..span.start).map_or(1, |before| before.chars().count() + 1)
}

/// Texts may be long, messages must not.
fn excerpt(text: &str, span: &Range<usize>) -> String {
    const AROUND: usize = 60;
    let start = boundary(text, span.start.saturating_sub(AROUND));
    let end = boundary(text, span.start.saturating_add(AROUND).min(text.len()));
    let (before, after) = (if start > 0 { "…" } else { "" }, if end < text.len() { "…" } else { "" });
    format!("{before}{}{after}", &text[start..end])
}

fn unknown(name: &str, nearest: Option<&str>, known: &[String]) -> String {
    const SHOWN: usize = 40;
    let hint = nearest.map_or(String::new(), |nearest| format!(", did you mean {nearest}?"));
    let listed = known.iter().take(SHOWN).map(|name| short(name)).collect::<Vec<_>>().join(", ");
    let more = known.len().saturating_sub(SHOWN);
    let rest = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("there is no event type {:?}{hint}; there are {listed}{rest}", short(name))
}

/// All of a small circle, the beginning of a large one.
fn round(circle: &[String]) -> String {
    const SHOWN: usize = 10;
    let shown: Vec<Cow<'_, str>> = circle.iter().take(SHOWN).map(|name| short(name)).collect();
    let rest = circle.last().filter(|_| circle.len() > SHOWN);
    let rest = rest.map_or(String::new(), |last| format!(" -> … -> {}", short(last)));
    format!("{}{rest}", shown.join(" -> "))
}

/// Files may have names as long as they like.
pub(super) fn short(name: &str) -> Cow<'_, str> {
    const MOST: usize = 60;
    match boundary(name, MOST) {
        end if end < name.len() => Cow::Owned(format!("{}…", &name[..end])),
        _ => Cow::Borrowed(name),
    }
}
