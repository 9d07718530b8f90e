//! Integer expressions of symbols: polynomials with floor division, remainder, minimum and maximum.
//!
//! Constructors fold constants and flatten sums and products, so that the text of a bound stays readable. Division rounds
//! down and the remainder has the divisor's sign; a front end for a language that rounds toward zero may use them only where
//! the dividend cannot be negative.

use std::collections::BTreeMap;

use super::{Symbol, Symbols};

/// An integer expression.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Expr {
    Constant(i64),
    /// A parameter or a loop variable.
    Symbol(Symbol),
    Sum(Vec<Expr>),
    Product(Vec<Expr>),
    /// The quotient, rounded down.
    FloorDiv(Box<Expr>, Box<Expr>),
    /// `a - b * floor(a / b)`.
    Remainder(Box<Expr>, Box<Expr>),
    Min(Vec<Expr>),
    Max(Vec<Expr>),
}

impl Expr {
    /// The value, if the expression is a constant.
    pub fn to_constant(&self) -> Option<i64> {
        match self {
            Self::Constant(value) => Some(*value),
            _ => None,
        }
    }

    /// `self + other`; constants are folded unless the sum overflows.
    pub fn plus(self, other: Self) -> Self {
        match (self, other) {
            (Self::Constant(a), Self::Constant(b)) if a.checked_add(b).is_some() => Self::Constant(a + b),
            (Self::Constant(0), other) | (other, Self::Constant(0)) => other,
            (Self::Sum(mut terms), other) => {
                terms.push(other);
                Self::Sum(terms)
            }
            (first, second) => Self::Sum(vec![first, second]),
        }
    }

    /// `self - other`.
    pub fn minus(self, other: Self) -> Self {
        self.plus(other.times(Self::Constant(-1)))
    }

    /// `self * other`; constants are folded unless the product overflows.
    pub fn times(self, other: Self) -> Self {
        match (self, other) {
            (Self::Constant(a), Self::Constant(b)) if a.checked_mul(b).is_some() => Self::Constant(a * b),
            (Self::Constant(1), other) | (other, Self::Constant(1)) => other,
            (Self::Constant(0), _) | (_, Self::Constant(0)) => Self::Constant(0),
            (Self::Product(mut factors), other) => {
                factors.push(other);
                Self::Product(factors)
            }
            (first, second) => Self::Product(vec![first, second]),
        }
    }

    /// The quotient, rounded down.
    pub fn floor_div(self, divisor: Self) -> Self {
        match (self.to_constant(), divisor.to_constant()) {
            (_, Some(1)) => self,
            (Some(a), Some(b)) if b > 0 => Self::Constant(a.div_euclid(b)),
            _ => Self::FloorDiv(Box::new(self), Box::new(divisor)),
        }
    }

    /// The quotient, rounded up.
    pub fn ceil_div(self, divisor: Self) -> Self {
        self.plus(divisor.clone()).minus(Self::Constant(1)).floor_div(divisor)
    }

    /// `self - divisor * floor(self / divisor)`.
    pub fn remainder(self, divisor: Self) -> Self {
        match (self.to_constant(), divisor.to_constant()) {
            (_, Some(1)) => Self::Constant(0),
            (Some(a), Some(b)) if b > 0 => Self::Constant(a.rem_euclid(b)),
            _ => Self::Remainder(Box::new(self), Box::new(divisor)),
        }
    }

    /// The smaller of `self` and `other`.
    pub fn min(self, other: Self) -> Self {
        Self::Min(vec![self, other])
    }

    /// The larger of `self` and `other`.
    pub fn max(self, other: Self) -> Self {
        Self::Max(vec![self, other])
    }

    /// Calls `visit` with every symbol that occurs.
    pub fn for_each_symbol(&self, visit: &mut impl FnMut(Symbol)) {
        match self {
            Self::Constant(_) => {}
            Self::Symbol(symbol) => visit(*symbol),
            Self::Sum(parts) | Self::Product(parts) | Self::Min(parts) | Self::Max(parts) => {
                parts.iter().for_each(|part| part.for_each_symbol(visit));
            }
            Self::FloorDiv(a, b) | Self::Remainder(a, b) => {
                a.for_each_symbol(visit);
                b.for_each_symbol(visit);
            }
        }
    }

    /// The expression with `value` in place of `symbol`.
    pub(crate) fn substitute(&self, symbol: Symbol, value: &Self) -> Self {
        let all =
            |parts: &[Self]| parts.iter().map(|part| part.substitute(symbol, value)).collect::<Vec<_>>();
        match self {
            Self::Symbol(own) if *own == symbol => value.clone(),
            Self::Constant(_) | Self::Symbol(_) => self.clone(),
            Self::Sum(parts) => all(parts).into_iter().fold(Self::Constant(0), Self::plus),
            Self::Product(parts) => all(parts).into_iter().fold(Self::Constant(1), Self::times),
            Self::FloorDiv(a, b) => a.substitute(symbol, value).floor_div(b.substitute(symbol, value)),
            Self::Remainder(a, b) => a.substitute(symbol, value).remainder(b.substitute(symbol, value)),
            Self::Min(parts) => Self::Min(all(parts)),
            Self::Max(parts) => Self::Max(all(parts)),
        }
    }

    /// Adds `times` times the expression to the linear form `terms + constant`; `None` if the expression is not linear or the
    /// sum overflows.
    ///
    /// Example: `2*(t + n) + 3` with `times` = -1 adds -2 to the factors of `t` and `n`, and -3 to the constant.
    fn add_terms(&self, times: i64, terms: &mut BTreeMap<Symbol, i64>, constant: &mut i64) -> Option<()> {
        match self {
            Self::Constant(value) => *constant = constant.checked_add(value.checked_mul(times)?)?,
            Self::Symbol(symbol) => {
                let known = terms.entry(*symbol).or_insert(0);
                *known = known.checked_add(times)?;
            }
            Self::Sum(parts) => parts.iter().try_for_each(|part| part.add_terms(times, terms, constant))?,
            Self::Product(parts) => {
                let (numbers, others): (Vec<_>, Vec<_>) =
                    parts.iter().partition(|part| part.to_constant().is_some());
                let factor = numbers.iter().filter_map(|part| part.to_constant());
                let factor = factor.into_iter().try_fold(times, i64::checked_mul)?;
                match others[..] {
                    [] => *constant = constant.checked_add(factor)?,
                    [only] => only.add_terms(factor, terms, constant)?,
                    _ => return None,
                }
            }
            _ => return None,
        }
        Some(())
    }

    /// `self - other`, if the difference is the same number for all values of the symbols: 16 for `t + 16` and `t`.
    pub(crate) fn constant_difference(&self, other: &Self) -> Option<i64> {
        let (mut terms, mut constant) = (BTreeMap::new(), 0);
        self.add_terms(1, &mut terms, &mut constant)?;
        other.add_terms(-1, &mut terms, &mut constant)?;
        terms.values().all(|factor| *factor == 0).then_some(constant)
    }

    /// Whether `symbol` occurs.
    pub fn mentions(&self, symbol: Symbol) -> bool {
        let mut found = false;
        self.for_each_symbol(&mut |other| found |= other == symbol);
        found
    }

    /// The expression as text, with the names that symbols have in the source.
    pub fn display(&self, symbols: &Symbols) -> String {
        let list = |parts: &[Self]| parts.iter().map(|part| part.display(symbols)).collect::<Vec<_>>();
        match self {
            Self::Constant(value) => value.to_string(),
            Self::Symbol(symbol) => symbols.name(*symbol).to_owned(),
            Self::Sum(terms) => format!("({})", list(terms).join(" + ")),
            Self::Product(factors) => list(factors).join("*"),
            Self::FloorDiv(a, b) => format!("floor({}/{})", a.display(symbols), b.display(symbols)),
            Self::Remainder(a, b) => format!("({} mod {})", a.display(symbols), b.display(symbols)),
            Self::Min(parts) => format!("min({})", list(parts).join(", ")),
            Self::Max(parts) => format!("max({})", list(parts).join(", ")),
        }
    }
}

impl From<i64> for Expr {
    fn from(value: i64) -> Self {
        Self::Constant(value)
    }
}

impl From<Symbol> for Expr {
    fn from(symbol: Symbol) -> Self {
        Self::Symbol(symbol)
    }
}

#[cfg(test)]
mod tests {
    use super::Expr;
    use crate::nest::{SymbolKind, Symbols};

    #[test]
    fn constants_are_folded_and_names_are_those_of_the_source() {
        let mut symbols = Symbols::default();
        let n = Expr::from(symbols.add("n", SymbolKind::Parameter));
        let cases = [
            (Expr::from(2).plus(3.into()), "5"),
            (n.clone().times(1.into()).plus(0.into()), "n"),
            (Expr::from(7).floor_div(2.into()), "3"),
            (Expr::from(-7).floor_div(2.into()), "-4"),
            (Expr::from(-7).remainder(4.into()), "1"),
            (n.clone().minus(1.into()), "(n + -1)"),
            (n.clone().ceil_div(4.into()), "floor((n + 4 + -1)/4)"),
            (n.clone().min(8.into()), "min(n, 8)"),
            (n.times(0.into()), "0"),
        ];
        for (expr, text) in cases {
            assert_eq!(expr.display(&symbols), text);
        }
    }

    #[test]
    fn distances_whatever_the_symbols_are() {
        let mut symbols = Symbols::default();
        let n = Expr::from(symbols.add("n", SymbolKind::Parameter));
        let t = Expr::from(symbols.add("t", SymbolKind::Parameter));
        let twice = |expr: &Expr| expr.clone().times(2.into());
        let cases = [
            (t.clone().plus(16.into()), t.clone(), Some(16)),
            (Expr::from(9), Expr::from(4), Some(5)),
            (twice(&t).plus(n.clone()), n.clone().plus(twice(&t)).minus(3.into()), Some(3)),
            (n.clone(), t.clone(), None),
            (twice(&t), t.clone(), None),
            (t.clone().plus(4.into()).min(n.clone()), t.clone(), None),
            (n.clone().times(t.clone()), n.times(t), None),
        ];
        for (expr, from, expected) in cases {
            assert_eq!(
                expr.constant_difference(&from),
                expected,
                "{} - {}",
                expr.display(&symbols),
                from.display(&symbols)
            );
        }
    }

    #[test]
    fn overflow_is_not_folded() {
        let sum = Expr::from(i64::MAX).plus(1.into());
        assert_eq!(sum.to_constant(), None);
    }
}
