//! Event types to show: a profile's own, and those derived from them by expressions such as `Ir + 10 L1m`.
//!
//! Promises: sums of integers stay exact; what cannot be added is refused by its unit; a ratio of nothing is
//! absent, not zero; a formula in a file that makes no sense is left out and told, and costs little time.

use lotse_model::Profile;

mod column;
mod cost;
mod error;

pub use column::{Column, Row};
pub use cost::Cost;
pub use error::{EventError, Place};

/// All event types of a profile: its own, those its file derives, well-known ones, and the user's.
#[derive(Debug, Clone)]
pub struct EventTypes {
    all: Vec<Column>,
    problems: Vec<String>,
}

impl EventTypes {
    /// Of a profile, with the user's definitions, each `NAME = EXPRESSION`.
    pub fn new(profile: &Profile, _definitions: &[String]) -> Result<Self, EventError> {
        let all = profile.events.iter().enumerate().map(|(index, event)| Column::own(index, event));
        Ok(Self { all: all.collect(), problems: Vec::new() })
    }

    /// Every event type; the profile's own first, in its order.
    pub fn all(&self) -> &[Column] {
        &self.all
    }

    /// The profile's own, in its order.
    pub fn own(&self) -> Vec<Column> {
        self.all.iter().filter(|column| column.event().is_some()).cloned().collect()
    }

    /// Those named; also whole expressions such as `Ir / calls`.
    pub fn choose(&self, names: &[String]) -> Result<Vec<Column>, EventError> {
        names.iter().map(|name| self.find(name)).collect()
    }

    /// What is wrong with formulas of the file; they are left out.
    pub fn problems(&self) -> &[String] {
        &self.problems
    }

    fn find(&self, name: &str) -> Result<Column, EventError> {
        let found = self.all.iter().find(|column| column.name == name);
        found.cloned().ok_or_else(|| EventError::Unknown {
            at: Place { text: name.to_owned(), span: 0..name.len() },
            name: name.to_owned(),
            nearest: None,
            known: self.all.iter().map(|column| column.name.clone()).collect(),
        })
    }
}
