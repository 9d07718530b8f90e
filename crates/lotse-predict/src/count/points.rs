//! The number of points of a domain and its formula.

use std::collections::BTreeMap;

use crate::algebra::{Overflow, Polynomial, Rational};
use crate::concrete::Values;
use crate::nest::{Symbol, Symbols};

/// How many points a domain has.
#[derive(Debug, Clone, PartialEq)]
pub struct Points {
    /// The exact number for the given parameter values.
    pub number: u128,
    /// The number as a polynomial of parameters and quotients. It is valid for the given values and for all others for which
    /// the same bounds are the largest and the smallest. [`Points::at`] evaluates it; only a new count is exact for all values.
    pub formula: Polynomial,
    /// Symbols of the formula that stand for quotients of parameters.
    pub quotients: Vec<Quotient>,
}

/// A symbol for `floor(dividend / divisor)`.
#[derive(Debug, Clone, PartialEq)]
pub struct Quotient {
    pub symbol: Symbol,
    /// A polynomial of parameters and earlier quotients.
    pub dividend: Polynomial,
    /// A positive constant.
    pub divisor: i128,
}

impl Points {
    /// The formula as text, with the names of parameters in the source.
    pub fn display(&self, symbols: &Symbols) -> String {
        self.formula.display(|symbol| self.name(symbol, symbols))
    }

    /// The value of the formula for other parameter values.
    pub fn at(&self, values: &Values) -> Result<Rational, Overflow> {
        let mut all: BTreeMap<Symbol, i128> =
            values.iter().map(|(s, value)| (s, i128::from(value))).collect();
        for Quotient { symbol, dividend, divisor } in &self.quotients {
            let value = dividend.evaluate(|inner| all.get(&inner).copied().unwrap_or(0))?;
            all.insert(*symbol, value.to_integer().ok_or(Overflow)?.div_euclid(*divisor));
        }
        self.formula.evaluate(|symbol| all.get(&symbol).copied().unwrap_or(0))
    }

    fn name(&self, symbol: Symbol, symbols: &Symbols) -> String {
        match self.quotients.iter().find(|quotient| quotient.symbol == symbol) {
            None => symbols.name(symbol).to_owned(),
            Some(Quotient { dividend, divisor, .. }) => {
                format!("floor(({})/{divisor})", dividend.display(|inner| self.name(inner, symbols)))
            }
        }
    }
}
