//! Upper bounds on the number of different values of an integer that depends on data: `h[byte as usize]` selects one of 256
//! elements.

use syn::{BinOp, Expr as Syntax};

use super::integer::path_text;
use super::reader::{Binding, RustReader};
use super::types::RType;
use crate::nest::{Expr, NumberType};

impl RustReader<'_> {
    /// An upper bound of the number of different values of an expression, if the source shows one.
    pub(super) fn choices(&mut self, node: &Syntax) -> Option<Expr> {
        match node {
            Syntax::Paren(inner) => self.choices(&inner.expr),
            Syntax::Group(inner) => self.choices(&inner.expr),
            Syntax::Reference(inner) => self.choices(&inner.expr),
            Syntax::Unary(inner) if matches!(inner.op, syn::UnOp::Deref(_)) => self.choices(&inner.expr),
            Syntax::Cast(inner) => {
                let inner_values = self.choices(&inner.expr);
                inner_values.or_else(|| values_of_type(&self.read_type(&inner.ty)))
            }
            Syntax::Path(_) => {
                let name = path_text(node)?;
                let range = self.ranges.get(&name).cloned();
                range.or_else(|| match self.lookup(&name) {
                    Some(Binding::Array(part)) => values_of_type(&part.kind),
                    _ => None,
                })
            }
            Syntax::Index(_) => values_of_type(&self.part(node)?.kind),
            Syntax::Binary(binary) => self.choices_of_operation(binary),
            _ => None,
        }
    }

    /// The bound for a binary operation: masks, remainders, shifts and additions of constants.
    fn choices_of_operation(&mut self, node: &syn::ExprBinary) -> Option<Expr> {
        let fixed = |value: Option<Expr>| value.filter(|value| value.to_constant().is_some());
        match node.op {
            BinOp::BitAnd(_) => {
                let mask = self.integer(&node.right).or_else(|_| self.integer(&node.left)).ok()?;
                Some(mask.plus(1.into()))
            }
            BinOp::Rem(_) => self.integer(&node.right).ok(),
            BinOp::Shr(_) => {
                let bits = self.integer(&node.right).ok()?.to_constant()?;
                let values = self.choices(&node.left)?;
                (0..=62).contains(&bits).then(|| values.ceil_div((1_i64 << bits).into()))
            }
            // Adding a constant does not change the number of values.
            BinOp::Add(_) | BinOp::Sub(_) => {
                fixed(self.integer(&node.right).ok())?;
                self.choices(&node.left)
            }
            _ => None,
        }
    }
}

/// The number of values of an integer type of up to 4 bytes.
fn values_of_type(kind: &RType) -> Option<Expr> {
    match kind {
        RType::Number(NumberType::Integer(bytes @ (1 | 2 | 4))) => Some((1_i64 << (8 * bytes)).into()),
        _ => None,
    }
}
