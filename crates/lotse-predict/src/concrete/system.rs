//! Systems of linear inequalities with integer coefficients: emptiness, projection and ranges by Fourier-Motzkin elimination.
//!
//! To eliminate x, every lower bound `a x + e >= 0` (a > 0) is combined with every upper bound `-b x + f >= 0` (b > 0) to
//! `b e + a f >= 0`. The result is exact for real numbers, and for integers if a or b is 1, as in nearly all loops. Rows
//! are divided by the greatest common divisor of their factors and the constant is rounded down, which removes only points that
//! are not integers.
//!
//! ```text
//! i >= 0,  9 - i >= 0,  j - i >= 0,  19 - j >= 0        eliminate i:   9 >= 0 (dropped),  j >= 0,  19 - j >= 0
//! ```

use std::collections::BTreeMap;

use super::{Domain, Linear};
use crate::algebra::{Overflow, Polynomial, Rational};
use crate::nest::Symbol;

/// Elimination stops when there are more rows than this; the system then counts as not empty.
const MOST_ROWS: usize = 400;

/// Rows `factors * variables + constant >= 0`. For equal factors only the smallest constant is kept.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct System {
    rows: BTreeMap<Vec<(Symbol, i128)>, i128>,
    /// A row without variables is negative, so the system has no solution.
    contradiction: bool,
    /// Some rows are missing, because a combination overflowed or there were too many.
    incomplete: bool,
}

impl System {
    /// The constraints of a domain, where `value_of` gives the values of parameters.
    pub(crate) fn new(domain: &Domain, value_of: impl Fn(Symbol) -> i128) -> Result<Self, Overflow> {
        let mut system = Self::default();
        for form in &domain.constraints {
            system.require(form, &value_of)?;
        }
        Ok(system)
    }

    /// The constraints of a domain in which the variables in `fixed` have these values.
    pub(crate) fn with_fixed(
        domain: &Domain,
        fixed: &BTreeMap<Symbol, i128>,
        value_of: impl Fn(Symbol) -> i128,
    ) -> Result<Self, Overflow> {
        let mut system = Self::default();
        for form in &domain.constraints {
            let mut constant = floor(form.rest.evaluate(&value_of)?);
            let mut factors = Vec::new();
            for (symbol, factor) in form.terms() {
                match fixed.get(&symbol) {
                    Some(value) => {
                        let term = value.checked_mul(factor).ok_or(Overflow)?;
                        constant = constant.checked_add(term).ok_or(Overflow)?;
                    }
                    None => factors.push((symbol, factor)),
                }
            }
            system.insert(factors, constant);
        }
        Ok(system)
    }

    /// Adds the constraint `form >= 0`.
    pub(crate) fn require(
        &mut self,
        form: &Linear,
        value_of: impl Fn(Symbol) -> i128,
    ) -> Result<(), Overflow> {
        let constant = floor(form.rest.evaluate(value_of)?);
        self.insert(form.terms().collect(), constant);
        Ok(())
    }

    /// Adds the row `factors * variables + constant >= 0` in lowest terms.
    fn insert(&mut self, mut factors: Vec<(Symbol, i128)>, constant: i128) {
        let divisor = factors.iter().fold(0, |divisor, (_, factor)| crate::algebra::gcd(divisor, *factor));
        if divisor == 0 {
            self.contradiction |= constant < 0;
            return;
        }
        factors.iter_mut().for_each(|(_, factor)| *factor /= divisor);
        let constant = constant.div_euclid(divisor);
        let entry = self.rows.entry(factors).or_insert(constant);
        *entry = constant.min(*entry);
    }

    /// Whether it is known that no real point satisfies all rows.
    pub(crate) fn is_empty(&self) -> bool {
        let mut system = self.clone();
        while !system.contradiction && system.rows.len() <= MOST_ROWS {
            let Some(variable) = system.cheapest_to_eliminate() else { break };
            system = system.eliminate(variable);
        }
        system.contradiction
    }

    /// The variable whose elimination creates the fewest rows.
    fn cheapest_to_eliminate(&self) -> Option<Symbol> {
        let mut bounds: BTreeMap<Symbol, (usize, usize)> = BTreeMap::new();
        for (symbol, factor) in self.rows.keys().flatten() {
            let (lower, upper) = bounds.entry(*symbol).or_default();
            *if *factor > 0 { lower } else { upper } += 1;
        }
        bounds.into_iter().min_by_key(|(_, (lower, upper))| lower * upper).map(|(symbol, _)| symbol)
    }

    /// The projection of the solutions along one variable: the system without it.
    pub(crate) fn eliminate(&self, variable: Symbol) -> Self {
        let factor_in =
            |row: &[(Symbol, i128)]| row.iter().find(|(s, _)| *s == variable).map_or(0, |(_, f)| *f);
        let mut result =
            Self { rows: BTreeMap::new(), contradiction: self.contradiction, incomplete: self.incomplete };
        let (mut lowers, mut uppers) = (Vec::new(), Vec::new());
        for (row, constant) in &self.rows {
            match factor_in(row) {
                0 => result.insert(row.clone(), *constant),
                factor if factor > 0 => lowers.push((row, *constant, factor)),
                factor => uppers.push((row, *constant, -factor)),
            }
        }
        for (lower, e, a) in &lowers {
            for (upper, f, b) in &uppers {
                match combined((lower, *e, *b), (upper, *f, *a), variable) {
                    Some((row, constant)) => result.insert(row, constant),
                    None => result.incomplete = true,
                }
            }
        }
        result
    }

    /// The projection onto the variables `kept`: all others are eliminated.
    pub(crate) fn onto(&self, kept: &[Symbol]) -> Self {
        let mut system = self.clone();
        loop {
            let occurring = system.rows.keys().flatten().map(|(symbol, _)| *symbol);
            let Some(variable) = occurring.into_iter().find(|symbol| !kept.contains(symbol)) else {
                return system;
            };
            if system.rows.len() > MOST_ROWS {
                system.incomplete = true;
                system.rows.retain(|row, _| row.iter().all(|(symbol, _)| kept.contains(symbol)));
                return system;
            }
            system = system.eliminate(variable);
        }
    }

    /// The smallest and the largest integer that a variable can take; `None` if it is unbounded or the system has no solution.
    pub(crate) fn range(&self, variable: Symbol) -> Option<(i128, i128)> {
        let alone = self.onto(&[variable]);
        if alone.contradiction {
            return None;
        }
        let bound = |sign: i128| {
            let mut rows = alone.rows.iter().filter(move |(row, _)| row[0].1.signum() == sign);
            // Rows with one variable have the factor 1 or -1, so there is at most one row for each sign.
            rows.next().map(|(_, constant)| -sign * constant)
        };
        let (low, high) = (bound(1)?, bound(-1)?);
        (low <= high).then_some((low, high))
    }

    /// All variables that occur.
    pub(crate) fn variables(&self) -> Vec<Symbol> {
        let mut variables: Vec<Symbol> = self.rows.keys().flatten().map(|(symbol, _)| *symbol).collect();
        variables.sort_unstable();
        variables.dedup();
        variables
    }

    /// Whether rows are missing, so that the system has more solutions than it should.
    pub(crate) fn is_incomplete(&self) -> bool {
        self.incomplete
    }

    /// The solutions as a domain over `variables`.
    pub(crate) fn to_domain(&self, variables: Vec<Symbol>) -> Result<Domain, Overflow> {
        let mut domain = Domain { variables, constraints: Vec::new() };
        if self.contradiction {
            domain.require(Linear::integer(-1));
        }
        for (row, constant) in &self.rows {
            let start = Linear::rest_only(Polynomial::integer(*constant));
            let form = row.iter().try_fold(start, |sum, (symbol, factor)| {
                sum.add(&Linear::variable(*symbol).scale(*factor)?)
            })?;
            domain.require(form);
        }
        Ok(domain)
    }
}

fn floor(value: Rational) -> i128 {
    value.numerator().div_euclid(value.denominator())
}

/// Factors of variables, constant, and the weight of the row in a combination.
type WeightedRow<'a> = (&'a [(Symbol, i128)], i128, i128);

/// `b * lower + a * upper`, in which the variable cancels out; `None` on overflow.
fn combined(
    (lower, e, b): WeightedRow<'_>,
    (upper, f, a): WeightedRow<'_>,
    variable: Symbol,
) -> Option<(Vec<(Symbol, i128)>, i128)> {
    let mut sum: BTreeMap<Symbol, i128> = BTreeMap::new();
    for (row, weight) in [(lower, b), (upper, a)] {
        for (symbol, factor) in row.iter().filter(|(symbol, _)| *symbol != variable) {
            let entry = sum.entry(*symbol).or_default();
            *entry = entry.checked_add(factor.checked_mul(weight)?)?;
        }
    }
    let constant = e.checked_mul(b)?.checked_add(f.checked_mul(a)?)?;
    Some((sum.into_iter().filter(|(_, factor)| *factor != 0).collect(), constant))
}

#[cfg(test)]
mod tests {
    use super::{Domain, Linear, System};
    use crate::nest::{Symbol, SymbolKind, Symbols};

    /// 0 <= i < 10, i <= j < 20.
    fn triangle() -> (Symbol, Symbol, System) {
        let mut symbols = Symbols::default();
        let [i, j] = ["i", "j"].map(|name| symbols.add(name, SymbolKind::LoopVariable));
        let (fi, fj) = (Linear::variable(i), Linear::variable(j));
        let constraints = vec![
            fi.clone(),
            Linear::integer(9).sub(&fi).unwrap(),
            fj.sub(&fi).unwrap(),
            Linear::integer(19).sub(&fj).unwrap(),
        ];
        let domain = Domain { variables: vec![i, j], constraints };
        (i, j, System::new(&domain, |_| 0).unwrap())
    }

    #[test]
    fn ranges_are_projections() {
        let (i, j, system) = triangle();
        assert_eq!(system.range(i), Some((0, 9)));
        assert_eq!(system.range(j), Some((0, 19)));
        assert!(!system.is_empty() && !system.is_incomplete());
    }

    #[test]
    fn contradictions_are_found() {
        let (i, j, mut system) = triangle();
        // 2 i - 2 j - 1 >= 0 contradicts i <= j.
        let form = Linear::variable(i).sub(&Linear::variable(j)).unwrap().scale(2).unwrap().plus(-1).unwrap();
        system.require(&form, |_| 0).unwrap();
        assert!(system.is_empty());
        assert_eq!(system.range(i), None);
    }
}
