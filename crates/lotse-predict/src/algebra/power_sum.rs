//! Sums of polynomials over consecutive integers, as polynomials in the first and the last integer.
//!
//! With S_k(n) = 0^k + 1^k + … + n^k, a polynomial of degree k + 1, the sum of x^k for x = a, …, b is S_k(b) - S_k(a - 1)
//! for all integers with b >= a - 1, including negative ones. Adding up the differences (x + 1)^(k+1) - x^(k+1) for
//! x = 0, …, n gives (n + 1)^(k+1) = sum over j <= k of C(k+1, j) S_j(n), which is solved for S_k.
//!
//! Example: S_0(n) = n + 1, and (n + 1)^2 = S_0(n) + 2 S_1(n), so S_1(n) = n (n + 1) / 2.

use super::{Overflow, Polynomial, Rational};
use crate::nest::Symbol;

/// The sum of `summand` over `variable = first, …, last`; exact where `last >= first - 1`.
pub(crate) fn sum_between(
    summand: &Polynomial,
    variable: Symbol,
    first: &Polynomial,
    last: &Polynomial,
) -> Result<Polynomial, Overflow> {
    let before = first.sub(&Polynomial::integer(1))?;
    let powers = summand.by_power(variable);
    let sums = power_sums(powers.len(), variable)?;
    let mut total = Polynomial::default();
    for (factor, sum) in powers.iter().zip(&sums).filter(|(factor, _)| !factor.is_zero()) {
        let difference = sum.substitute(variable, last)?.sub(&sum.substitute(variable, &before)?)?;
        total = total.add(&factor.mul(&difference)?)?;
    }
    Ok(total)
}

/// S_0, …, S_(count-1) as polynomials in `variable`, where S_0(n) = n + 1.
fn power_sums(count: usize, variable: Symbol) -> Result<Vec<Polynomial>, Overflow> {
    let next = Polynomial::symbol(variable).add(&Polynomial::integer(1))?;
    let mut sums: Vec<Polynomial> = Vec::with_capacity(count);
    for k in 0..count {
        let degree = u32::try_from(k + 1).map_err(|_| Overflow)?;
        let mut rest = next.power(degree)?;
        let mut binomial = Rational::ONE;
        for (j, sum) in sums.iter().enumerate() {
            rest = rest.sub(&sum.scale(binomial)?)?;
            binomial = binomial.mul(Rational::new((k + 1 - j) as i128, (j + 1) as i128)?)?;
        }
        sums.push(rest.scale(Rational::new(1, i128::from(degree))?)?);
    }
    Ok(sums)
}

#[cfg(test)]
mod tests {
    use super::{Polynomial, sum_between};
    use crate::nest::{SymbolKind, Symbols};

    #[test]
    fn sums_of_powers_as_added_one_by_one() {
        let x = Symbols::default().add("x", SymbolKind::LoopVariable);
        for power in 0..7_u32 {
            let summand = Polynomial::symbol(x).power(power).unwrap();
            for (first, last) in [(0, 10), (-4, 3), (5, 4), (7, 7), (-9, -2)] {
                let (a, b) = (Polynomial::integer(first), Polynomial::integer(last));
                let sum = sum_between(&summand, x, &a, &b).unwrap();
                let expected: i128 = (first..=last).map(|value| value.pow(power)).sum();
                let value = sum.to_constant().unwrap().to_integer();
                assert_eq!(value, Some(expected), "x^{power} over {first}..={last}");
            }
        }
    }
}
