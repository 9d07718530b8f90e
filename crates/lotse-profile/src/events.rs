//! Event types to show: a profile's own, and those derived from them by expressions such as `Ir + 10 L1m`.
//!
//! Guarantees: sums of integers stay exact; costs of different units cannot be added; a ratio with divisor 0 is absent,
//! not 0; a wrong formula in a file is left out with a note, and takes little time.
//!
//! The language has `+ - * /`, parentheses, decimal numbers, names, `calls` (how often a row was called, unless the
//! profile has an event type of that name), `min(…)`, `max(…)`, `total(x)` (x of the whole profile), `percent(x)`
//! (100 x / total(x)) and `per_call(x)` (x / calls). A number or parenthesis before a name multiplies it, and
//! binds tighter than `/`. The longest known name matches: with an event type `a-b`, `a-b` is that name and `a - b` a
//! difference. Any name can be written in backticks.

use std::collections::HashMap;

use lotse_model::Profile;

mod boundary;
mod builtin;
mod column;
mod compile;
mod cost;
mod default;
mod definitions;
mod error;
mod expression;
mod names;
mod notes;
mod order;
mod program;
mod quantity;
mod signs;
mod token;
mod value;

use column::EventTraits;
pub use column::{Column, CostRow, ranking};
pub use cost::Cost;
pub use default::default_event;
pub(crate) use default::{default_name, rank};
pub use error::{EventError, ExpressionSpan};
pub use notes::column_notes;

use compile::{Scope, compile};
use definitions::{Derived, derive};
use expression::Expression;
use names::Names;

/// All event types of a profile: its own, those its file derives, well-known ones, and the user's.
#[derive(Debug, Clone)]
pub struct EventTypes {
    all: Vec<Column>,
    by_name: HashMap<String, usize>,
    names: Names,
    problems: Vec<String>,
    traits: EventTraits,
}

impl EventTypes {
    /// The event types of a profile, with the user's definitions, each `NAME = EXPRESSION`.
    ///
    /// A definition may replace a formula of the file or a well-known event type, but not an event type of the profile.
    pub fn new(profile: &Profile, definitions: &[String]) -> Result<Self, EventError> {
        let own = profile.events.iter().enumerate().map(|(index, event)| Column::own(index, event));
        let mut all: Vec<Column> = own.collect();
        if let Some(default) = default_event(profile) {
            all[default].ranks = true;
        }
        let Derived { columns, problems } = derive(profile, &all, definitions)?;
        all.extend(columns);
        let self_only = profile.events.iter().map(|event| event.self_only).collect();
        let traits = EventTraits { mixed: signs::mixed(profile), self_only };
        let all: Vec<Column> = all.into_iter().map(|column| column.with_traits(&traits)).collect();
        let mut by_name = HashMap::new();
        for (index, column) in all.iter().enumerate() {
            by_name.entry(column.name.clone()).or_insert(index);
        }
        let names = Names::new(by_name.keys().cloned());
        Ok(Self { all, by_name, names, problems, traits })
    }

    /// Every event type: the profile's own, then the file's formulas, well-known ones, the user's.
    pub fn all(&self) -> &[Column] {
        &self.all
    }

    /// The event type that is shown and ranked by unless another is chosen.
    pub fn default(&self) -> Option<&Column> {
        self.all.iter().find(|column| column.ranks)
    }

    /// The profile's own event types, in its order; rows are ranked by the default one.
    pub fn own(&self) -> Vec<Column> {
        self.all.iter().filter(|column| column.event().is_some()).cloned().collect()
    }

    /// Event types by name, or expressions such as `Ir / calls`. Rows are ranked by the first.
    pub fn choose(&self, names: &[String]) -> Result<Vec<Column>, EventError> {
        let plain = |column| Column { ranks: false, ..column };
        names.iter().map(|name| self.find(name).map(plain)).collect()
    }

    /// Errors in formulas of the file, which are left out.
    pub fn problems(&self) -> &[String] {
        &self.problems
    }

    fn find(&self, text: &str) -> Result<Column, EventError> {
        if let Some(column) = self.column(text) {
            return Ok(column.clone());
        }
        let expression = Expression::parse(text, 0, &self.names)?;
        let compiled = compile(&expression, self)?;
        let column = Column::derived(text.trim(), None, expression.written(), compiled);
        Ok(column.with_traits(&self.traits))
    }
}

impl Scope for EventTypes {
    fn column(&self, name: &str) -> Option<&Column> {
        self.by_name.get(name).map(|&index| &self.all[index])
    }

    fn known(&self) -> Vec<String> {
        self.all.iter().map(|column| column.name.clone()).collect()
    }
}

#[cfg(test)]
mod tests;
