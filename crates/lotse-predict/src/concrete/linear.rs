//! Linear forms: integer multiples of variables plus a polynomial of parameters, such as `48*t + 8*j + 8*N^2`.

use std::collections::BTreeMap;

use crate::algebra::{Overflow, Polynomial, Rational};
use crate::nest::Symbol;

/// A linear form of loop variables.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Linear {
    /// The factors of variables; none is 0.
    terms: BTreeMap<Symbol, i128>,
    /// The part without variables: a polynomial of parameters that takes integer values.
    pub(crate) rest: Polynomial,
}

impl Linear {
    pub(crate) fn integer(value: i128) -> Self {
        Self { terms: BTreeMap::new(), rest: Polynomial::integer(value) }
    }

    pub(crate) fn rest_only(rest: Polynomial) -> Self {
        Self { terms: BTreeMap::new(), rest }
    }

    pub(crate) fn variable(symbol: Symbol) -> Self {
        Self { terms: BTreeMap::from([(symbol, 1)]), rest: Polynomial::default() }
    }

    /// The factor of a variable, 0 if it does not occur.
    pub(crate) fn factor(&self, variable: Symbol) -> i128 {
        self.terms.get(&variable).copied().unwrap_or(0)
    }

    pub(crate) fn terms(&self) -> impl Iterator<Item = (Symbol, i128)> + '_ {
        self.terms.iter().map(|(symbol, factor)| (*symbol, *factor))
    }

    pub(crate) fn has_variables(&self) -> bool {
        !self.terms.is_empty()
    }

    pub(crate) fn add(&self, other: &Self) -> Result<Self, Overflow> {
        let mut terms = self.terms.clone();
        for (symbol, factor) in other.terms() {
            let sum = self.factor(symbol).checked_add(factor).ok_or(Overflow)?;
            match sum {
                0 => terms.remove(&symbol),
                sum => terms.insert(symbol, sum),
            };
        }
        Ok(Self { terms, rest: self.rest.add(&other.rest)? })
    }

    pub(crate) fn scale(&self, factor: i128) -> Result<Self, Overflow> {
        if factor == 0 {
            return Ok(Self::default());
        }
        let terms = self.terms().map(|(symbol, own)| Ok((symbol, own.checked_mul(factor).ok_or(Overflow)?)));
        let terms = terms.collect::<Result<_, Overflow>>()?;
        Ok(Self { terms, rest: self.rest.scale(Rational::integer(factor))? })
    }

    pub(crate) fn sub(&self, other: &Self) -> Result<Self, Overflow> {
        self.add(&other.scale(-1)?)
    }

    pub(crate) fn plus(&self, value: i128) -> Result<Self, Overflow> {
        self.add(&Self::integer(value))
    }

    /// The form with `value` in place of a variable.
    pub(crate) fn substitute(&self, variable: Symbol, value: &Self) -> Result<Self, Overflow> {
        let factor = self.factor(variable);
        if factor == 0 {
            return Ok(self.clone());
        }
        let mut without = self.clone();
        without.terms.remove(&variable);
        without.add(&value.scale(factor)?)
    }

    /// The form as a polynomial of variables and parameters.
    pub(crate) fn to_polynomial(&self) -> Result<Polynomial, Overflow> {
        self.terms().try_fold(self.rest.clone(), |sum, (symbol, factor)| {
            sum.add(&Polynomial::symbol(symbol).scale(Rational::integer(factor))?)
        })
    }
}
