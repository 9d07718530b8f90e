//! Values of expressions of parameters alone.

use super::lower::Bindings;
use super::values::Values;
use crate::nest::Expr;

/// The factors of a product. If one of them has a loop variable, factors such as `w / 2` or `min(w, 8)`, which have parameters only
/// but are not polynomials, are replaced by their values: `y * (w / 2) + x` with w = 100 becomes `y * 50 + x`. The price is that
/// the formula of the count no longer shows `w`.
pub(super) fn with_parameters_evaluated(factors: &[Expr], bindings: &Bindings, values: &Values) -> Vec<Expr> {
    let has_variable = factors.iter().any(|factor| uses_variable(factor, bindings));
    let plain = |factor: &Expr| {
        let number = number(factor, bindings, values).filter(|_| has_variable && !is_polynomial(factor));
        number.map_or_else(|| factor.clone(), Expr::Constant)
    };
    factors.iter().map(plain).collect()
}

/// The operands of an expression.
fn parts(expr: &Expr) -> Vec<&Expr> {
    match expr {
        Expr::Constant(_) | Expr::Symbol(_) => Vec::new(),
        Expr::Sum(parts) | Expr::Product(parts) | Expr::Min(parts) | Expr::Max(parts) => {
            parts.iter().collect()
        }
        Expr::FloorDiv(a, b) | Expr::Remainder(a, b) => vec![a, b],
    }
}

fn uses_variable(expr: &Expr, bindings: &Bindings) -> bool {
    matches!(expr, Expr::Symbol(symbol) if bindings.contains_key(symbol))
        || parts(expr).into_iter().any(|part| uses_variable(part, bindings))
}

fn is_polynomial(expr: &Expr) -> bool {
    let own = matches!(expr, Expr::Constant(_) | Expr::Symbol(_) | Expr::Sum(_) | Expr::Product(_));
    own && parts(expr).into_iter().all(is_polynomial)
}

/// The value of an expression of parameters; `None` if it has a loop variable or a parameter without a value, or if it overflows.
fn number(expr: &Expr, bindings: &Bindings, values: &Values) -> Option<i64> {
    let value = |expr: &Expr| number(expr, bindings, values);
    let all = |parts: &[Expr]| parts.iter().map(value).collect::<Option<Vec<i64>>>();
    match expr {
        Expr::Constant(value) => Some(*value),
        Expr::Symbol(symbol) if bindings.contains_key(symbol) => None,
        Expr::Symbol(symbol) => values.get(*symbol),
        Expr::Sum(parts) => all(parts)?.into_iter().try_fold(0, i64::checked_add),
        Expr::Product(parts) => all(parts)?.into_iter().try_fold(1, i64::checked_mul),
        Expr::FloorDiv(a, b) => {
            value(b).filter(|divisor| *divisor > 0).and_then(|divisor| Some(value(a)?.div_euclid(divisor)))
        }
        Expr::Remainder(a, b) => {
            value(b).filter(|divisor| *divisor > 0).and_then(|divisor| Some(value(a)?.rem_euclid(divisor)))
        }
        Expr::Min(parts) => all(parts)?.into_iter().min(),
        Expr::Max(parts) => all(parts)?.into_iter().max(),
    }
}
