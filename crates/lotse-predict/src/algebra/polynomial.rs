//! Polynomials in symbols with rational coefficients, in canonical form: equal polynomials compare equal.

use std::collections::BTreeMap;

use super::{Overflow, Rational};
use crate::nest::Symbol;

/// A product of powers: symbols in ascending order, each with a positive exponent.
pub(crate) type Monomial = Vec<(Symbol, u32)>;

/// A sum of monomials with coefficients other than 0.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Polynomial {
    terms: BTreeMap<Monomial, Rational>,
}

impl Polynomial {
    /// The constant polynomial with this value.
    pub fn constant(value: Rational) -> Self {
        let mut sum = Self::default();
        if !value.is_zero() {
            sum.terms.insert(Vec::new(), value);
        }
        sum
    }

    /// The constant polynomial with this integer value.
    pub fn integer(value: i128) -> Self {
        Self::constant(Rational::integer(value))
    }

    /// The polynomial that consists of one symbol with coefficient 1.
    pub fn symbol(symbol: Symbol) -> Self {
        Self { terms: BTreeMap::from([(vec![(symbol, 1)], Rational::ONE)]) }
    }

    /// Whether this is the zero polynomial.
    pub fn is_zero(&self) -> bool {
        self.terms.is_empty()
    }

    /// The value, if no symbol occurs.
    pub fn to_constant(&self) -> Option<Rational> {
        match self.terms.len() {
            0 => Some(Rational::ZERO),
            1 => self.terms.get(&Vec::new()).copied(),
            _ => None,
        }
    }

    /// All symbols that occur, with repetitions.
    pub fn symbols(&self) -> impl Iterator<Item = Symbol> {
        self.terms.keys().flatten().map(|(symbol, _)| *symbol)
    }

    /// `self + other`.
    pub fn add(&self, other: &Self) -> Result<Self, Overflow> {
        let mut sum = self.clone();
        for (monomial, coefficient) in &other.terms {
            sum.add_term(monomial.clone(), *coefficient)?;
        }
        Ok(sum)
    }

    /// `self - other`.
    pub fn sub(&self, other: &Self) -> Result<Self, Overflow> {
        self.add(&other.scale(Rational::integer(-1))?)
    }

    /// Every coefficient times `factor`.
    pub fn scale(&self, factor: Rational) -> Result<Self, Overflow> {
        if factor.is_zero() {
            return Ok(Self::default());
        }
        let scaled = self.terms.iter().map(|(m, c)| Ok((m.clone(), c.mul(factor)?)));
        Ok(Self { terms: scaled.collect::<Result<_, Overflow>>()? })
    }

    /// `self * other`.
    pub fn mul(&self, other: &Self) -> Result<Self, Overflow> {
        let mut product = Self::default();
        for (left, a) in &self.terms {
            for (right, b) in &other.terms {
                product.add_term(multiplied(left, right), a.mul(*b)?)?;
            }
        }
        Ok(product)
    }

    /// `self` to the power of `exponent`.
    pub fn power(&self, exponent: u32) -> Result<Self, Overflow> {
        let mut product = Self::integer(1);
        for _ in 0..exponent {
            product = product.mul(self)?;
        }
        Ok(product)
    }

    /// The polynomial with `value` in place of `symbol`.
    pub fn substitute(&self, symbol: Symbol, value: &Self) -> Result<Self, Overflow> {
        let mut sum = Self::default();
        for (exponent, factor) in self.by_power(symbol).into_iter().enumerate() {
            if !factor.is_zero() {
                let power = value.power(u32::try_from(exponent).map_err(|_| Overflow)?)?;
                sum = sum.add(&factor.mul(&power)?)?;
            }
        }
        Ok(sum)
    }

    /// The coefficients of the powers 0, 1, 2, … of one symbol; each is a polynomial in the other symbols.
    pub(crate) fn by_power(&self, symbol: Symbol) -> Vec<Self> {
        let mut powers = vec![Self::default()];
        for (monomial, coefficient) in &self.terms {
            let exponent = monomial.iter().find(|(s, _)| *s == symbol).map_or(0, |(_, e)| *e as usize);
            let rest: Monomial = monomial.iter().copied().filter(|(s, _)| *s != symbol).collect();
            if powers.len() <= exponent {
                powers.resize(exponent + 1, Self::default());
            }
            powers[exponent].terms.insert(rest, *coefficient);
        }
        powers
    }

    /// The value of the polynomial, where `value_of` gives the value of each symbol.
    pub fn evaluate(&self, value_of: impl Fn(Symbol) -> i128) -> Result<Rational, Overflow> {
        self.terms.iter().try_fold(Rational::ZERO, |sum, (monomial, coefficient)| {
            let term = monomial.iter().try_fold(*coefficient, |product, (symbol, exponent)| {
                let power = value_of(*symbol).checked_pow(*exponent).ok_or(Overflow)?;
                product.mul(Rational::integer(power))
            })?;
            sum.add(term)
        })
    }

    fn add_term(&mut self, monomial: Monomial, coefficient: Rational) -> Result<(), Overflow> {
        let entry = self.terms.entry(monomial).or_insert(Rational::ZERO);
        *entry = entry.add(coefficient)?;
        if entry.is_zero() {
            self.terms.retain(|_, coefficient| !coefficient.is_zero());
        }
        Ok(())
    }

    /// Readable text, highest degree first, with `name` for every symbol.
    pub fn display(&self, name: impl Fn(Symbol) -> String) -> String {
        let mut terms: Vec<_> = self.terms.iter().collect();
        let degree = |monomial: &Monomial| monomial.iter().map(|(_, exponent)| exponent).sum::<u32>();
        terms.sort_by_key(|(monomial, _)| (std::cmp::Reverse(degree(monomial)), (*monomial).clone()));
        let mut text = String::new();
        for (index, (monomial, coefficient)) in terms.into_iter().enumerate() {
            text.push_str(match (index, coefficient.numerator() < 0) {
                (0, false) => "",
                (0, true) => "-",
                (_, false) => " + ",
                (_, true) => " - ",
            });
            text.push_str(&term_text(monomial, *coefficient, &name));
        }
        if text.is_empty() { "0".to_owned() } else { text }
    }
}

fn term_text(monomial: &Monomial, coefficient: Rational, name: &impl Fn(Symbol) -> String) -> String {
    let magnitude = coefficient.numerator().unsigned_abs();
    let factors = monomial.iter().map(|(symbol, exponent)| match exponent {
        1 => name(*symbol),
        _ => format!("{}^{exponent}", name(*symbol)),
    });
    let number = (magnitude != 1 || monomial.is_empty()).then(|| magnitude.to_string());
    let product = number.into_iter().chain(factors).collect::<Vec<_>>().join("*");
    match coefficient.denominator() {
        1 => product,
        denominator => format!("{product}/{denominator}"),
    }
}

/// The product of two monomials.
fn multiplied(left: &Monomial, right: &Monomial) -> Monomial {
    let mut powers: BTreeMap<Symbol, u32> = left.iter().copied().collect();
    for (symbol, exponent) in right {
        *powers.entry(*symbol).or_default() += exponent;
    }
    powers.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::{Polynomial, Rational};
    use crate::nest::{SymbolKind, Symbols};

    #[test]
    fn products_powers_and_values() {
        let mut symbols = Symbols::default();
        let n = symbols.add("n", SymbolKind::Parameter);
        let m = symbols.add("m", SymbolKind::Parameter);
        let (pn, pm) = (Polynomial::symbol(n), Polynomial::symbol(m));
        let square = pn.add(&pm).unwrap().power(2).unwrap();
        assert_eq!(square.display(|s| symbols.name(s).to_owned()), "2*n*m + n^2 + m^2");
        assert_eq!(square.sub(&square).unwrap(), Polynomial::default());
        let value = square.evaluate(|s| if s == n { 3 } else { 4 }).unwrap();
        assert_eq!(value, Rational::integer(49));
        let replaced = square.substitute(m, &Polynomial::integer(-3)).unwrap();
        assert_eq!(replaced.display(|_| "n".into()), "n^2 - 6*n + 9");
        assert_eq!(replaced.by_power(n).len(), 3);
    }

    #[test]
    fn fractions_are_readable() {
        let n = Symbols::default().add("n", SymbolKind::Parameter);
        let half = Polynomial::symbol(n).scale(Rational::new(-3, 2).unwrap()).unwrap();
        assert_eq!(half.display(|_| "n".into()), "-3*n/2");
        assert_eq!(Polynomial::default().display(|_| "n".into()), "0");
    }
}
