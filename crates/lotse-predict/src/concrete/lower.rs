//! Lowering of expressions to linear forms, case by case.
//!
//! `min(i + 8, n)` has two cases: `i + 8` where `n - i - 8 >= 0`, and `n` where `i + 8 - n - 1 >= 0`. Cases of one
//! expression are disjoint and together cover everything, so that what is summed over them is exact.

use std::collections::BTreeMap;

use super::number::with_parameters_evaluated;
use super::{ConcreteError, Linear, Values};
use crate::algebra::{Polynomial, Rational};
use crate::nest::{Expr, Symbol, Symbols};

/// An expression with more cases than this is refused.
const MOST_CASES: usize = 64;

/// One case of an expression: its value wherever the conditions hold.
#[derive(Debug, Clone, Default)]
pub(super) struct ExprCase {
    /// The case holds where all of these are at least 0.
    pub(super) conditions: Vec<Linear>,
    /// Variables that occur only here; the conditions determine the value of each.
    pub(super) auxiliary: Vec<Symbol>,
    /// The value of the expression in this case.
    pub(super) form: Linear,
}

/// Names and values of symbols while a nest is lowered.
pub(super) struct Scope<'f> {
    pub(super) symbols: &'f Symbols,
    pub(super) values: &'f Values,
    /// The next unused symbol.
    pub(super) free: Symbol,
}

/// The loop variables in scope, each as a linear form of domain variables.
pub(super) type Bindings = BTreeMap<Symbol, Linear>;

impl Scope<'_> {
    /// A new symbol.
    pub(super) fn fresh(&mut self) -> Symbol {
        let symbol = self.free;
        self.free = symbol.next();
        symbol
    }

    /// All cases of an expression. They are disjoint and together cover every point.
    pub(super) fn lower(&mut self, expr: &Expr, bindings: &Bindings) -> Result<Vec<ExprCase>, ConcreteError> {
        let cases = match expr {
            Expr::Constant(value) => vec![ExprCase::unconditional(Linear::integer(i128::from(*value)))],
            Expr::Symbol(symbol) => vec![ExprCase::unconditional(self.symbol(*symbol, bindings)?)],
            Expr::Sum(terms) => {
                self.fold(terms, bindings, |_, a, b| Ok(vec![a.combined(&b, a.form.add(&b.form)?)]))?
            }
            Expr::Product(factors) => self.fold(
                &with_parameters_evaluated(factors, bindings, self.values),
                bindings,
                |scope, a, b| {
                    let product = scope.product(&a.form, &b.form).ok_or_else(|| scope.not_affine(expr))??;
                    Ok(vec![a.combined(&b, product)])
                },
            )?,
            Expr::Min(parts) => self.fold(parts, bindings, |_, a, b| min_or_max(&a, &b, 1))?,
            Expr::Max(parts) => self.fold(parts, bindings, |_, a, b| min_or_max(&a, &b, -1))?,
            Expr::FloorDiv(dividend, divisor) => {
                self.divide(dividend, divisor, bindings, |quotient, _| Ok(quotient))?
            }
            Expr::Remainder(dividend, divisor) => {
                self.divide(dividend, divisor, bindings, |_, remainder| Ok(remainder))?
            }
        };
        if cases.len() > MOST_CASES { Err(ConcreteError::TooManyCases(MOST_CASES)) } else { Ok(cases) }
    }

    fn symbol(&self, symbol: Symbol, bindings: &Bindings) -> Result<Linear, ConcreteError> {
        if let Some(form) = bindings.get(&symbol) {
            return Ok(form.clone());
        }
        match self.values.get(symbol) {
            Some(_) => Ok(Linear::rest_only(Polynomial::symbol(symbol))),
            None => Err(ConcreteError::NoValue(self.symbols.name(symbol).to_owned())),
        }
    }

    /// Lowers the operands one after the other and combines every case of the result so far with every case of the next operand.
    fn fold(
        &mut self,
        parts: &[Expr],
        bindings: &Bindings,
        combine: impl Fn(&mut Self, ExprCase, ExprCase) -> Result<Vec<ExprCase>, ConcreteError>,
    ) -> Result<Vec<ExprCase>, ConcreteError> {
        let Some((first, others)) = parts.split_first() else {
            return Ok(vec![ExprCase::default()]);
        };
        let mut cases = self.lower(first, bindings)?;
        for other in others {
            let mut next = Vec::new();
            let right = self.lower(other, bindings)?;
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

    /// The product of two forms; `None` if both have variables. If only one has variables, the value of the other one is used.
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

    /// The cases of a division by a positive constant; `choose` picks the quotient or the remainder.
    fn divide(
        &mut self,
        dividend: &Expr,
        divisor: &Expr,
        bindings: &Bindings,
        choose: impl Fn(Linear, Linear) -> Result<Linear, ConcreteError>,
    ) -> Result<Vec<ExprCase>, ConcreteError> {
        let divisor = self.constant(divisor, bindings)?;
        let mut cases = self.lower(dividend, bindings)?;
        for case in &mut cases {
            let quotient = self.quotient(case, divisor)?;
            let remainder = case.form.sub(&quotient.scale(divisor)?)?;
            case.form = choose(quotient, remainder)?;
        }
        Ok(cases)
    }

    /// `floor(form / divisor)` of a case. Unless the form is constant, the quotient is a new auxiliary variable q with the
    /// conditions `0 <= form - divisor * q <= divisor - 1`.
    fn quotient(&mut self, case: &mut ExprCase, divisor: i128) -> Result<Linear, ConcreteError> {
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

    /// The value of an expression without loop variables; an error unless it is positive.
    pub(super) fn constant(&mut self, expr: &Expr, bindings: &Bindings) -> Result<i128, ConcreteError> {
        let cases = self.lower(expr, bindings)?;
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

impl ExprCase {
    /// The only case of an expression with this value.
    fn unconditional(form: Linear) -> Self {
        Self { form, ..Self::default() }
    }

    /// The case in which both cases hold, with the value `form`.
    fn combined(&self, other: &Self, form: Linear) -> Self {
        let conditions = self.conditions.iter().chain(&other.conditions).cloned().collect();
        let auxiliary = self.auxiliary.iter().chain(&other.auxiliary).copied().collect();
        Self { conditions, auxiliary, form }
    }
}

/// The cases of the minimum (`sign` 1) or the maximum (`sign` -1) of two forms: one case if their difference is constant, else two.
fn min_or_max(a: &ExprCase, b: &ExprCase, sign: i128) -> Result<Vec<ExprCase>, ConcreteError> {
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
