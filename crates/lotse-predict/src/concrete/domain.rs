//! The integer points on which something is executed.

use super::Linear;
use crate::nest::Symbol;

/// All integer points of `variables` at which every constraint is at least 0.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Domain {
    /// The outermost loop's first. An auxiliary variable comes after those that determine it.
    pub(crate) variables: Vec<Symbol>,
    /// Forms that must not be negative.
    pub(crate) constraints: Vec<Linear>,
}

impl Domain {
    pub(crate) fn require(&mut self, form: Linear) {
        if !self.constraints.contains(&form) {
            self.constraints.push(form);
        }
    }
}
