//! The summation from the innermost variable outwards.

use std::collections::BTreeMap;

use super::bounds::Bounds;
use super::{CountError, Points, Quotient};
use crate::algebra::{Overflow, Polynomial, Rational, sum_between};
use crate::concrete::{Domain, Linear, System};
use crate::nest::Symbol;

/// Upper limit on the cases of one count.
const MOST_CASES: usize = 20_000;

/// One count: sums polynomials over domains whose parameters have values.
pub(super) struct Counter {
    /// Values of parameters and of quotients.
    values: BTreeMap<Symbol, i128>,
    /// The next unused symbol.
    free: Symbol,
    quotients: Vec<Quotient>,
    /// Cases so far.
    cases: usize,
}

impl Counter {
    pub(super) fn new(values: BTreeMap<Symbol, i128>, free: Symbol) -> Self {
        Self { values, free, quotients: Vec::new(), cases: 0 }
    }

    pub(super) fn count(mut self, domain: &Domain) -> Result<Points, CountError> {
        let formula = self.sum(&domain.variables, domain.constraints.clone(), Polynomial::integer(1))?;
        let number = self.evaluate(&formula)?.to_integer().and_then(|number| u128::try_from(number).ok());
        Ok(Points { number: number.ok_or(Overflow)?, formula, quotients: self.quotients })
    }

    fn evaluate(&self, polynomial: &Polynomial) -> Result<Rational, Overflow> {
        polynomial.evaluate(|symbol| self.values.get(&symbol).copied().unwrap_or(0))
    }

    /// The sum of `summand` over all points of `variables` that satisfy the constraints.
    ///
    /// Sums over the innermost variable first: one case for every pair of a lower and an upper bound, in which the sum is a
    /// polynomial of the outer variables. The recursion then sums that polynomial over the outer variables.
    fn sum(
        &mut self,
        variables: &[Symbol],
        constraints: Vec<Linear>,
        summand: Polynomial,
    ) -> Result<Polynomial, CountError> {
        self.cases += 1;
        if self.cases > MOST_CASES {
            return Err(CountError::TooManyCases(MOST_CASES));
        }
        let Some(constraints) = self.undecided(constraints)? else {
            return Ok(Polynomial::default());
        };
        let Some((&variable, outer)) = variables.split_last() else {
            return Ok(summand);
        };
        if !Bounds::new(&constraints, variable).are_complete() {
            return Err(CountError::Unbounded);
        }
        let constraints = self.irredundant(constraints)?;
        let bounds = Bounds::new(&constraints, variable);
        // A bound can only follow from constraints that do not bound the variable if these have no integer solution.
        if !bounds.are_complete() {
            return Ok(Polynomial::default());
        }
        if let Some((split, parts)) = bounds.variable_to_split(variable) {
            return self.sum_by_remainder(variables, &constraints, &summand, (split, parts));
        }
        let lowers = self.quotient_bounds(&bounds.lower, variable)?;
        let uppers = self.quotient_bounds(&bounds.upper, variable)?;
        let mut total = Polynomial::default();
        for (which, lower) in lowers.iter().enumerate() {
            for (other, upper) in uppers.iter().enumerate() {
                let mut cases = bounds.others.clone();
                require_extreme(&lowers, which, 1, &mut cases)?;
                require_extreme(&uppers, other, -1, &mut cases)?;
                cases.push(upper.sub(lower)?);
                let (first, last) = (lower.to_polynomial()?, upper.to_polynomial()?);
                let inner = sum_between(&summand, variable, &first, &last)?;
                total = total.add(&self.sum(outer, cases, inner)?)?;
            }
        }
        Ok(total)
    }

    /// The constraints that have variables; `None` if a constraint without variables does not hold or the system has no solution.
    fn undecided(&self, constraints: Vec<Linear>) -> Result<Option<Vec<Linear>>, CountError> {
        let mut open = Vec::with_capacity(constraints.len());
        for form in constraints {
            if form.has_variables() {
                if !open.contains(&form) {
                    open.push(form);
                }
            } else if self.evaluate(&form.rest)?.numerator() < 0 {
                return Ok(None);
            }
        }
        let empty = self.system(&open)?.is_empty();
        Ok((!empty).then_some(open))
    }

    fn system(&self, constraints: &[Linear]) -> Result<System, Overflow> {
        let domain = Domain { variables: Vec::new(), constraints: constraints.to_vec() };
        System::new(&domain, |symbol| self.values.get(&symbol).copied().unwrap_or(0))
    }

    /// The constraints without those that follow from the others, which would only multiply the cases.
    fn irredundant(&self, mut constraints: Vec<Linear>) -> Result<Vec<Linear>, CountError> {
        let mut index = 0;
        while index < constraints.len() {
            let opposite = constraints[index].scale(-1)?.plus(-1)?;
            let mut rest = constraints.clone();
            rest.remove(index);
            rest.push(opposite);
            if self.system(&rest)?.is_empty() {
                constraints.remove(index);
            } else {
                index += 1;
            }
        }
        Ok(constraints)
    }

    /// The same sum with `split` replaced by `parts * split + r`, added up over all remainders r.
    fn sum_by_remainder(
        &mut self,
        variables: &[Symbol],
        constraints: &[Linear],
        summand: &Polynomial,
        (split, parts): (Symbol, i128),
    ) -> Result<Polynomial, CountError> {
        let mut total = Polynomial::default();
        for remainder in 0..parts {
            let value = Linear::variable(split).scale(parts)?.plus(remainder)?;
            let constraints = constraints.iter().map(|form| form.substitute(split, &value));
            let constraints = constraints.collect::<Result<Vec<_>, _>>()?;
            let inner = summand.substitute(split, &value.to_polynomial()?)?;
            total = total.add(&self.sum(variables, constraints, inner)?)?;
        }
        Ok(total)
    }

    /// The bounds of `variable` as linear forms: lower ones rounded up, upper ones rounded down.
    fn quotient_bounds(&mut self, bounds: &[Linear], variable: Symbol) -> Result<Vec<Linear>, CountError> {
        let mut forms = Vec::with_capacity(bounds.len());
        for bound in bounds {
            let factor = bound.factor(variable);
            let rest = bound.substitute(variable, &Linear::default())?;
            // a x + e >= 0: x >= -floor(e / a). -b x + e >= 0: x <= floor(e / b).
            let quotient = self.quotient(&rest, factor.abs())?;
            let form = if factor > 0 { quotient.scale(-1)? } else { quotient };
            if !forms.contains(&form) {
                forms.push(form);
            }
        }
        Ok(forms)
    }

    /// `floor(form / divisor)`, where the divisor divides the factors of all variables.
    fn quotient(&mut self, form: &Linear, divisor: i128) -> Result<Linear, CountError> {
        if divisor == 1 {
            return Ok(form.clone());
        }
        let variables = form.terms().try_fold(Linear::default(), |sum, (symbol, factor)| {
            sum.add(&Linear::variable(symbol).scale(factor / divisor)?)
        })?;
        let rest = match form.rest.to_constant() {
            Some(value) => Linear::integer(value.numerator().div_euclid(divisor)),
            None => Linear::rest_only(Polynomial::symbol(self.quotient_symbol(&form.rest, divisor)?)),
        };
        Ok(variables.add(&rest)?)
    }

    /// The symbol for `floor(dividend / divisor)` in the formula; equal quotients share a symbol.
    fn quotient_symbol(&mut self, dividend: &Polynomial, divisor: i128) -> Result<Symbol, CountError> {
        let known =
            self.quotients.iter().find(|known| known.divisor == divisor && known.dividend == *dividend);
        if let Some(known) = known {
            return Ok(known.symbol);
        }
        let value = self.evaluate(dividend)?.to_integer().ok_or(Overflow)?;
        let symbol = self.free;
        self.free = symbol.next();
        self.values.insert(symbol, value.div_euclid(divisor));
        self.quotients.push(Quotient { symbol, dividend: dividend.clone(), divisor });
        Ok(symbol)
    }
}

/// Adds to `cases` the constraints that `forms[chosen]` is the largest (`sign` 1) or smallest (`sign` -1) of the forms, and the
/// first of equal ones.
fn require_extreme(
    forms: &[Linear],
    chosen: usize,
    sign: i128,
    cases: &mut Vec<Linear>,
) -> Result<(), Overflow> {
    for (index, form) in forms.iter().enumerate().filter(|(index, _)| *index != chosen) {
        let difference = forms[chosen].sub(form)?.scale(sign)?;
        cases.push(if index < chosen { difference.plus(-1)? } else { difference });
    }
    Ok(())
}
