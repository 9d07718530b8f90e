//! Numbers of expressions that no loop changes.

use super::lower::Bindings;
use super::values::Values;
use crate::nest::Expr;

/// The factors of a product in which a loop variable is multiplied: divisions, remainders and the like of parameters alone become
/// numbers, as in `y * (w / 2) + x`. Their values are known; only the formula no longer shows the parameter.
pub(super) fn plain_factors(factors: &[Expr], bound: &Bindings, values: &Values) -> Vec<Expr> {
    let has_variable = factors.iter().any(|factor| uses_variable(factor, bound));
    let plain = |factor: &Expr| {
        let number = number(factor, bound, values).filter(|_| has_variable && !is_polynomial(factor));
        number.map_or_else(|| factor.clone(), Expr::Constant)
    };
    factors.iter().map(plain).collect()
}

fn parts(expr: &Expr) -> Vec<&Expr> {
    match expr {
        Expr::Constant(_) | Expr::Symbol(_) => Vec::new(),
        Expr::Sum(parts) | Expr::Product(parts) | Expr::Min(parts) | Expr::Max(parts) => {
            parts.iter().collect()
        }
        Expr::FloorDiv(a, b) | Expr::Remainder(a, b) => vec![a, b],
    }
}

fn uses_variable(expr: &Expr, bound: &Bindings) -> bool {
    matches!(expr, Expr::Symbol(symbol) if bound.contains_key(symbol))
        || parts(expr).into_iter().any(|part| uses_variable(part, bound))
}

fn is_polynomial(expr: &Expr) -> bool {
    let own = matches!(expr, Expr::Constant(_) | Expr::Symbol(_) | Expr::Sum(_) | Expr::Product(_));
    own && parts(expr).into_iter().all(is_polynomial)
}

/// The value of an expression without loop variables; nothing where it has some, has no value, or is too large.
fn number(expr: &Expr, bound: &Bindings, values: &Values) -> Option<i64> {
    let of = |expr: &Expr| number(expr, bound, values);
    let all = |parts: &[Expr]| parts.iter().map(of).collect::<Option<Vec<i64>>>();
    match expr {
        Expr::Constant(value) => Some(*value),
        Expr::Symbol(symbol) if bound.contains_key(symbol) => None,
        Expr::Symbol(symbol) => values.get(*symbol),
        Expr::Sum(parts) => all(parts)?.into_iter().try_fold(0, i64::checked_add),
        Expr::Product(parts) => all(parts)?.into_iter().try_fold(1, i64::checked_mul),
        Expr::FloorDiv(a, b) => {
            of(b).filter(|divisor| *divisor > 0).and_then(|divisor| Some(of(a)?.div_euclid(divisor)))
        }
        Expr::Remainder(a, b) => {
            of(b).filter(|divisor| *divisor > 0).and_then(|divisor| Some(of(a)?.rem_euclid(divisor)))
        }
        Expr::Min(parts) => all(parts)?.into_iter().min(),
        Expr::Max(parts) => all(parts)?.into_iter().max(),
    }
}
