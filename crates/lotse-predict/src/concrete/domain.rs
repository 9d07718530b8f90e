//! Iteration domains: the integer points for which a loop body or a statement is executed.

use super::Linear;
use crate::nest::Symbol;

/// All integer points of `variables` at which every constraint is at least 0.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Domain {
    /// The variable of the outermost loop comes first; an auxiliary variable comes after those that determine it.
    pub(crate) variables: Vec<Symbol>,
    /// Linear forms that are at least 0 in the domain.
    pub(crate) constraints: Vec<Linear>,
}

impl Domain {
    /// Adds the constraint `form >= 0`.
    pub(crate) fn require(&mut self, form: Linear) {
        if !self.constraints.contains(&form) {
            self.constraints.push(form);
        }
    }
}
