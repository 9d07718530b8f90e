//! A number of points as a formula.

use std::collections::BTreeMap;

use crate::algebra::{Overflow, Polynomial, Rational};
use crate::concrete::Values;
use crate::nest::{Symbol, Symbols};

/// How many points a domain has.
#[derive(Debug, Clone, PartialEq)]
pub struct Points {
    /// The number with the values at hand.
    pub number: u128,
    /// The number as a polynomial of parameters and quotients. It holds at the values at hand and at all others at which
    /// the same bounds are the largest and smallest; [`Points::at`] gives its value there, a new count the truth.
    pub formula: Polynomial,
    /// Symbols of the formula that stand for quotients of parameters.
    pub quotients: Vec<Quotient>,
}

/// A symbol for `floor(dividend / divisor)`.
#[derive(Debug, Clone, PartialEq)]
pub struct Quotient {
    /// The symbol.
    pub symbol: Symbol,
    /// A polynomial of parameters and earlier quotients.
    pub dividend: Polynomial,
    /// A positive constant.
    pub divisor: i128,
}

impl Points {
    /// The formula in the names of the source.
    pub fn display(&self, symbols: &Symbols) -> String {
        self.formula.display(|symbol| self.name(symbol, symbols))
    }

    /// The value of the formula with other values of the parameters.
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
