//! Upper bounds on the number of different values of an integer that depends on data.
//!
//! `h[a[i]]` with bytes in `a` selects one of 256 elements, and `h[x % M]` one of M. Only so many elements of `h` are accessed,
//! whatever its declared size is.

use tree_sitter::Node as Syntax;

use super::reader::CReader;
use super::source::children;
use super::types::CType;
use crate::nest::{Expr, NumberType};

impl CReader<'_, '_> {
    /// An upper bound of the number of different values of an expression, if the source shows one.
    pub(super) fn choices(&mut self, node: Syntax<'_>) -> Option<Expr> {
        match node.kind() {
            "parenthesized_expression" => self.choices(*children(node).first()?),
            "cast_expression" => {
                let value = node.child_by_field_name("value")?;
                let descriptor = node.child_by_field_name("type")?.child_by_field_name("type")?;
                let own = values_of_type(&self.unit.named_type(descriptor));
                smaller_bound(self.choices(value), own)
            }
            "identifier" => {
                let name = self.text(node);
                match self.ranges.get(&name) {
                    Some(range) => Some(range.clone()),
                    None => self.expand(node, |reader, inner| reader.choices(inner))?,
                }
            }
            "subscript_expression" | "pointer_expression" | "field_expression" => {
                values_of_type(&self.element(node)?.kind)
            }
            "binary_expression" => self.choices_of_operation(node),
            "call_expression" => self.expand(node, |reader, inner| reader.choices(inner))?,
            _ => None,
        }
    }

    /// The bound for a binary operation: masks, remainders, shifts and additions of constants.
    fn choices_of_operation(&mut self, node: Syntax<'_>) -> Option<Expr> {
        let (left, right) = (node.child_by_field_name("left")?, node.child_by_field_name("right")?);
        let operator = self.text(node.child_by_field_name("operator")?);
        match operator.as_str() {
            "&" => {
                let mask = self.integer(right).or_else(|_| self.integer(left)).ok()?;
                Some(mask.plus(1.into())).filter(|values| values.to_constant() != Some(0))
            }
            "%" => self.integer(right).ok(),
            ">>" => {
                let bits = self.integer(right).ok()?.to_constant().filter(|bits| (0..=62).contains(bits))?;
                Some(self.choices(left)?.ceil_div((1_i64 << bits).into()))
            }
            // Adding a constant does not change the number of values.
            "+" | "-" if self.is_constant(right) => self.choices(left),
            "+" if self.is_constant(left) => self.choices(right),
            _ => None,
        }
    }

    fn is_constant(&mut self, node: Syntax<'_>) -> bool {
        node.kind() == "char_literal" || self.integer(node).is_ok_and(|value| value.to_constant().is_some())
    }

    /// The bound for a variable of this type after the assignment of a value.
    pub(super) fn assigned_choices(&mut self, kind: &CType, value: Syntax<'_>) -> Option<Expr> {
        smaller_bound(self.choices(value), values_of_type(kind))
    }
}

/// The number of values of an integer type of up to 4 bytes.
fn values_of_type(kind: &CType) -> Option<Expr> {
    match kind {
        CType::Number(NumberType::Integer(bytes @ (1 | 2 | 4))) => Some((1_i64 << (8 * bytes)).into()),
        _ => None,
    }
}

/// The smaller of two bounds. If one of them is not a constant, the first one is used.
fn smaller_bound(a: Option<Expr>, b: Option<Expr>) -> Option<Expr> {
    match (a, b) {
        (Some(a), Some(b)) => match (a.to_constant(), b.to_constant()) {
            (Some(x), Some(y)) => Some(x.min(y).into()),
            _ => Some(a),
        },
        (a, b) => a.or(b),
    }
}
