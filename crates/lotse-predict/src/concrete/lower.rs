//! Expressions into linear forms, case by case.
//!
//! `min(i + 8, n)` has two cases: `i + 8` where `n - i - 8 >= 0`, and `n` where `i + 8 - n - 1 >= 0`. Cases of one
//! expression are disjoint and together cover everything, so that what is summed over them is exact.

use std::collections::BTreeMap;

use super::number::plain_factors;
use super::{ConcreteError, Linear, Values};
use crate::algebra::{Polynomial, Rational};
use crate::nest::{Expr, Symbol, Symbols};

/// More cases of one expression than this are refused.
const MOST_CASES: usize = 64;

/// One case of an expression.
#[derive(Debug, Clone, Default)]
pub(super) struct Case {
    /// When it holds: all at least 0.
    pub(super) conditions: Vec<Linear>,
    /// Variables that only occur here; conditions leave each exactly one value.
    pub(super) auxiliary: Vec<Symbol>,
    /// The value of the expression.
    pub(super) form: Linear,
}

/// What symbols mean while a nest is lowered.
pub(super) struct Scope<'f> {
    pub(super) symbols: &'f Symbols,
    pub(super) values: &'f Values,
    /// The next symbol that is used nowhere.
    pub(super) free: Symbol,
}

/// Loop variables in scope, each as a form of domain variables.
pub(super) type Bindings = BTreeMap<Symbol, Linear>;

impl Scope<'_> {
    pub(super) fn fresh(&mut self) -> Symbol {
        let symbol = self.free;
        self.free = symbol.next();
        symbol
    }

    /// All cases of an expression.
    pub(super) fn lower(&mut self, expr: &Expr, bound: &Bindings) -> Result<Vec<Case>, ConcreteError> {
        let cases = match expr {
            Expr::Constant(value) => vec![Case::value(Linear::integer(i128::from(*value)))],
            Expr::Symbol(symbol) => vec![Case::value(self.symbol(*symbol, bound)?)],
            Expr::Sum(terms) => {
                self.fold(terms, bound, |_, a, b| Ok(vec![a.combined(&b, a.form.add(&b.form)?)]))?
            }
            Expr::Product(factors) => {
                self.fold(&plain_factors(factors, bound, self.values), bound, |scope, a, b| {
                    let product = scope.product(&a.form, &b.form).ok_or_else(|| scope.not_affine(expr))??;
                    Ok(vec![a.combined(&b, product)])
                })?
            }
            Expr::Min(parts) => self.fold(parts, bound, |_, a, b| smaller(&a, &b, 1))?,
            Expr::Max(parts) => self.fold(parts, bound, |_, a, b| smaller(&a, &b, -1))?,
            Expr::FloorDiv(dividend, divisor) => {
                self.divide(dividend, divisor, bound, |quotient, _| Ok(quotient))?
            }
            Expr::Remainder(dividend, divisor) => {
                self.divide(dividend, divisor, bound, |_, remainder| Ok(remainder))?
            }
        };
        if cases.len() > MOST_CASES { Err(ConcreteError::TooManyCases(MOST_CASES)) } else { Ok(cases) }
    }

    fn symbol(&self, symbol: Symbol, bound: &Bindings) -> Result<Linear, ConcreteError> {
        if let Some(form) = bound.get(&symbol) {
            return Ok(form.clone());
        }
        match self.values.get(symbol) {
            Some(_) => Ok(Linear::rest_only(Polynomial::symbol(symbol))),
            None => Err(ConcreteError::NoValue(self.symbols.name(symbol).to_owned())),
        }
    }

    fn fold(
        &mut self,
        parts: &[Expr],
        bound: &Bindings,
        combine: impl Fn(&mut Self, Case, Case) -> Result<Vec<Case>, ConcreteError>,
    ) -> Result<Vec<Case>, ConcreteError> {
        let Some((first, others)) = parts.split_first() else {
            return Ok(vec![Case::default()]);
        };
        let mut cases = self.lower(first, bound)?;
        for other in others {
            let mut next = Vec::new();
            let right = self.lower(other, bound)?;
            for (a, b) in cases.iter().flat_map(|a| right.iter().map(move |b| (a, b))) {
                next.extend(combine(self, a.clone(), b.clone())?);
                if next.len() > MOST_CASES {
                    return Err(ConcreteError::TooManyCases(MOST_CASES));
                }
            }
            cases = next;
        }
        Ok(cases)
    }

    /// The product, if one factor has no variables. Where the other has some, the value of the first one is used.
    fn product(&self, a: &Linear, b: &Linear) -> Option<Result<Linear, ConcreteError>> {
        let (plain, other) = if a.has_variables() { (b, a) } else { (a, b) };
        if plain.has_variables() {
            return None;
        }
        if !other.has_variables() {
            return Some(plain.rest.mul(&other.rest).map(Linear::rest_only).map_err(ConcreteError::from));
        }
        Some(self.value(&plain.rest).and_then(|factor| Ok(other.scale(factor)?)))
    }

    /// The value of a polynomial of parameters.
    pub(super) fn value(&self, polynomial: &Polynomial) -> Result<i128, ConcreteError> {
        let value = polynomial.evaluate(|symbol| i128::from(self.values.get(symbol).unwrap_or(0)))?;
        value.to_integer().ok_or(ConcreteError::Overflow(crate::algebra::Overflow))
    }

    /// Quotient and remainder of a division by a positive constant, with an auxiliary variable for the quotient.
    fn divide(
        &mut self,
        dividend: &Expr,
        divisor: &Expr,
        bound: &Bindings,
        choose: impl Fn(Linear, Linear) -> Result<Linear, ConcreteError>,
    ) -> Result<Vec<Case>, ConcreteError> {
        let divisor = self.constant(divisor, bound)?;
        let mut cases = self.lower(dividend, bound)?;
        for case in &mut cases {
            let quotient = self.quotient(case, divisor)?;
            let remainder = case.form.sub(&quotient.scale(divisor)?)?;
            case.form = choose(quotient, remainder)?;
        }
        Ok(cases)
    }

    fn quotient(&mut self, case: &mut Case, divisor: i128) -> Result<Linear, ConcreteError> {
        if let Some(value) = case.form.rest.to_constant().filter(|_| !case.form.has_variables()) {
            return Ok(Linear::integer(value.numerator().div_euclid(divisor)));
        }
        let variable = self.fresh();
        let quotient = Linear::variable(variable);
        let remainder = case.form.sub(&quotient.scale(divisor)?)?;
        case.auxiliary.push(variable);
        case.conditions.push(remainder.clone());
        case.conditions.push(Linear::integer(divisor - 1).sub(&remainder)?);
        Ok(quotient)
    }

    /// The positive value of an expression without loop variables.
    pub(super) fn constant(&mut self, expr: &Expr, bound: &Bindings) -> Result<i128, ConcreteError> {
        let cases = self.lower(expr, bound)?;
        let text = || expr.display(self.symbols);
        let mut chosen = None;
        for case in &cases {
            if case.form.has_variables() || !case.auxiliary.is_empty() {
                return Err(ConcreteError::NotAffine(text()));
            }
            let conditions = case.conditions.iter().map(|form| self.value(&form.rest));
            if conditions.collect::<Result<Vec<_>, _>>()?.iter().all(|value| *value >= 0) {
                chosen = Some(self.value(&case.form.rest)?);
            }
        }
        match chosen {
            Some(value) if value > 0 => Ok(value),
            Some(value) => Err(ConcreteError::NotPositive(text(), value)),
            None => Err(ConcreteError::NotAffine(text())),
        }
    }

    fn not_affine(&self, expr: &Expr) -> ConcreteError {
        ConcreteError::NotAffine(expr.display(self.symbols))
    }
}

impl Case {
    fn value(form: Linear) -> Self {
        Self { form, ..Self::default() }
    }

    /// Both cases at once, with another value.
    fn combined(&self, other: &Self, form: Linear) -> Self {
        let conditions = self.conditions.iter().chain(&other.conditions).cloned().collect();
        let auxiliary = self.auxiliary.iter().chain(&other.auxiliary).copied().collect();
        Self { conditions, auxiliary, form }
    }
}

/// The smaller of two with `sign` 1, the larger with -1.
fn smaller(a: &Case, b: &Case, sign: i128) -> Result<Vec<Case>, ConcreteError> {
    let difference = b.form.sub(&a.form)?.scale(sign)?;
    let reverse = difference.scale(-1)?.plus(-1)?;
    if let Some(constant) = difference.rest.to_constant().filter(|_| !difference.has_variables()) {
        let first = constant == Rational::ZERO || constant.numerator() > 0;
        return Ok(vec![a.combined(b, if first { a.form.clone() } else { b.form.clone() })]);
    }
    let mut first = a.combined(b, a.form.clone());
    first.conditions.push(difference);
    let mut second = a.combined(b, b.form.clone());
    second.conditions.push(reverse);
    Ok(vec![first, second])
}
