//! Errors in names and definitions of event types, with their place in the text.

use std::borrow::Cow;
use std::ops::Range;

use super::boundary::boundary;

/// An event type that does not exist or cannot be computed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EventError {
    #[error("{at}: {problem}")]
    Syntax { at: ExpressionSpan, problem: String },
    /// No event type has this name.
    #[error("{at}: {}", unknown(.name, .nearest.as_deref(), .known))]
    Unknown {
        at: ExpressionSpan,
        name: String,
        /// A name with similar spelling.
        nearest: Option<String>,
        known: Vec<String>,
    },
    /// Operands whose units differ.
    #[error("{at}: cannot {verb} {left} and {right}")]
    Units {
        at: ExpressionSpan,
        /// `add`, `subtract` or `compare`.
        verb: &'static str,
        /// The left operand, with its unit.
        left: String,
        /// The right operand, with its unit.
        right: String,
    },
    /// Definitions that depend on each other.
    #[error("event types are defined by each other: {}", circle_text(.circle))]
    Circle {
        /// The names in the order of dependency; the last is the first again.
        circle: Vec<String>,
    },
    /// A definition of a name that exists already.
    #[error("in {definition:?}: the event type {name} exists already")]
    Taken { definition: String, name: String },
}

impl EventError {
    /// The place of the error in the text, if it has one.
    pub fn place(&self) -> Option<&ExpressionSpan> {
        match self {
            Self::Syntax { at, .. } | Self::Unknown { at, .. } | Self::Units { at, .. } => Some(at),
            Self::Circle { .. } | Self::Taken { .. } => None,
        }
    }
}

/// A range in the text of a definition or an expression.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("in {:?}, column {}", excerpt(.text, .span), column(.text, .span))]
pub struct ExpressionSpan {
    /// The whole text.
    pub text: String,
    /// The bytes of the range; empty at the end of the text.
    pub span: Range<usize>,
}

impl ExpressionSpan {
    /// The column, in characters from 1.
    pub fn column(&self) -> usize {
        column(&self.text, &self.span)
    }
}

fn column(text: &str, span: &Range<usize>) -> usize {
    text.get(..span.start).map_or(1, |before| before.chars().count() + 1)
}

/// The text around a range, shortened for messages.
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

/// The names of a circle, shortened if it is large.
fn circle_text(circle: &[String]) -> String {
    const SHOWN: usize = 10;
    let shown: Vec<Cow<'_, str>> = circle.iter().take(SHOWN).map(|name| short(name)).collect();
    let rest = circle.last().filter(|_| circle.len() > SHOWN);
    let rest = rest.map_or(String::new(), |last| format!(" -> … -> {}", short(last)));
    format!("{}{rest}", shown.join(" -> "))
}

/// A name, shortened for messages: names in files may be arbitrarily long.
pub(super) fn short(name: &str) -> Cow<'_, str> {
    const MOST: usize = 60;
    match boundary(name, MOST) {
        end if end < name.len() => Cow::Owned(format!("{}…", &name[..end])),
        _ => Cow::Borrowed(name),
    }
}
