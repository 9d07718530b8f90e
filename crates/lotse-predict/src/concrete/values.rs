//! Values of parameters.

use std::collections::BTreeMap;

use crate::nest::{Function, Symbol};

/// The values of a function's parameters.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Values(BTreeMap<Symbol, i64>);

impl Values {
    /// The function's default values, overridden by those given by name; names that the function does not have are ignored.
    pub fn named(function: &Function, values: &[(&str, i64)]) -> Self {
        let known = values.iter().filter_map(|(name, value)| {
            let symbol = function.symbols.find_parameter(name)?;
            Some((symbol, *value))
        });
        Self(function.defaults.iter().copied().chain(known).collect())
    }

    /// Sets the value of one parameter.
    pub fn set(&mut self, parameter: Symbol, value: i64) {
        self.0.insert(parameter, value);
    }

    /// The value of a parameter, if it has one.
    pub fn get(&self, parameter: Symbol) -> Option<i64> {
        self.0.get(&parameter).copied()
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (Symbol, i64)> {
        self.0.iter().map(|(symbol, value)| (*symbol, *value))
    }
}
