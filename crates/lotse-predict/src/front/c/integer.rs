//! Integer expressions: bounds, subscripts and sizes.

use tree_sitter::Node as Syntax;

use super::reader::{Binding, CReader};
use super::source::children;
use super::types::{CType, number_type};
use super::unit::integer_literal;
use crate::front::reason::Reason;
use crate::nest::Expr;

impl CReader<'_, '_> {
    /// The value of an expression that consists of known integers, or the reason why it is not known.
    pub(super) fn integer(&mut self, node: Syntax<'_>) -> Result<Expr, Reason> {
        let field =
            |name: &str| node.child_by_field_name(name).ok_or_else(|| "the source has an error".to_owned());
        match node.kind() {
            "number_literal" => {
                let text = self.text(node);
                integer_literal(&text)
                    .map(Expr::Constant)
                    .ok_or_else(|| Reason::from(format!("{text} is not an integer")))
            }
            "identifier" => self.integer_name(node),
            "parenthesized_expression" => {
                let inner = children(node).first().copied().ok_or("the source has an error")?;
                self.integer(inner)
            }
            "cast_expression" => self.integer(field("value")?),
            "binary_expression" => self.integer_operation(node),
            "unary_expression" => match (self.text(field("operator")?).as_str(), field("argument")?) {
                ("-", argument) => Ok(self.integer(argument)?.times((-1).into())),
                ("+", argument) => self.integer(argument),
                (other, _) => Err(format!("the operator {other} is not affine").into()),
            },
            "conditional_expression" => self.choice(node),
            "call_expression" => self.integer_call(node),
            "sizeof_expression" => self.size_of(node),
            "field_expression" => self.integer_field(node),
            "subscript_expression" | "pointer_expression" => {
                Err(format!("{} is data in memory", self.text(node)).into())
            }
            "assignment_expression" | "update_expression" => {
                Err(format!("{} changes a variable inside of an expression", self.text(node)).into())
            }
            _ => Err(format!("{} is not affine", self.text(node)).into()),
        }
    }

    fn integer_name(&mut self, node: Syntax<'_>) -> Result<Expr, Reason> {
        let name = self.text(node);
        match self.lookup(&name) {
            Some(Binding::Integer(value)) => Ok(value),
            Some(Binding::Changing(reason)) => Err(reason.into()),
            Some(Binding::Scalar(_)) => Err(format!("{name} is not an integer").into()),
            Some(Binding::Array(_) | Binding::Struct(_)) => Err(format!("{name} is a pointer").into()),
            None => match self.expand(node, |reader, inner| reader.integer(inner)) {
                Some(result) => result,
                // A name that the source does not declare comes from a header or the command line; it becomes a parameter.
                None => Ok(self.function.symbols.parameter(&name).into()),
            },
        }
    }

    /// The value of a binary operation. Shifts and masks by constants become multiplications, divisions and remainders.
    fn integer_operation(&mut self, node: Syntax<'_>) -> Result<Expr, Reason> {
        let part = |name: &str| node.child_by_field_name(name);
        let (Some(left), Some(operator), Some(right)) = (part("left"), part("operator"), part("right"))
        else {
            return Err("the source has an error".into());
        };
        let operator = self.text(operator);
        let (a, b) = (self.integer(left)?, self.integer(right)?);
        match operator.as_str() {
            "+" => Ok(a.plus(b)),
            "-" => Ok(a.minus(b)),
            "*" => Ok(a.times(b)),
            "/" | "%" if may_be_negative(&a) => {
                Err(format!("{} may divide a negative number", self.text(node)).into())
            }
            "/" => Ok(a.floor_div(b)),
            "%" => Ok(a.remainder(b)),
            "<<" | ">>" => match b.to_constant() {
                Some(bits @ 0..=62) if operator == "<<" => Ok(a.times((1_i64 << bits).into())),
                Some(bits @ 0..=62) => Ok(a.floor_div((1_i64 << bits).into())),
                _ => Err(format!("{} shifts by a variable", self.text(node)).into()),
            },
            "&" => match b.to_constant() {
                Some(mask) if mask > 0 && (mask & (mask + 1)) == 0 => Ok(a.remainder((mask + 1).into())),
                _ => Err(format!("{} is not affine", self.text(node)).into()),
            },
            _ => Err(format!("the operator {operator} is not affine").into()),
        }
    }

    /// `a < b ? a : b` and similar expressions, as a minimum or maximum.
    fn choice(&mut self, node: Syntax<'_>) -> Result<Expr, Reason> {
        let not_affine = Reason::from(format!("{} is not affine", self.text(node)));
        let part = |name: &str| node.child_by_field_name(name).ok_or_else(|| not_affine.clone());
        let mut condition = part("condition")?;
        while condition.kind() == "parenthesized_expression" {
            condition = children(condition).first().copied().ok_or_else(|| not_affine.clone())?;
        }
        let (then, otherwise) = (self.integer(part("consequence")?)?, self.integer(part("alternative")?)?);
        let side = |name: &str| condition.child_by_field_name(name).ok_or_else(|| not_affine.clone());
        let (left, right) = (self.integer(side("left")?)?, self.integer(side("right")?)?);
        let less = match self.text(side("operator")?).as_str() {
            "<" | "<=" => true,
            ">" | ">=" => false,
            _ => return Err(not_affine),
        };
        if (&left, &right) == (&then, &otherwise) {
            Ok(if less { then.min(otherwise) } else { then.max(otherwise) })
        } else if (&right, &left) == (&then, &otherwise) {
            Ok(if less { then.max(otherwise) } else { then.min(otherwise) })
        } else {
            Err(not_affine)
        }
    }

    fn integer_call(&mut self, node: Syntax<'_>) -> Result<Expr, Reason> {
        let name = node.child_by_field_name("function").map_or_else(String::new, |name| self.text(name));
        if let Some(Ok(result)) = self.expand(node, |reader, inner| reader.integer(inner)) {
            return Ok(result);
        }
        let arguments = node.child_by_field_name("arguments").map_or_else(Vec::new, children);
        if let ([argument], true) = (arguments.as_slice(), self.names_a_type(&name)) {
            return self.integer(*argument);
        }
        let lower = name.to_ascii_lowercase();
        match (arguments.as_slice(), lower.trim_start_matches(['i', '_'])) {
            ([a, b], "min") => Ok(self.integer(*a)?.min(self.integer(*b)?)),
            ([a, b], "max") => Ok(self.integer(*a)?.max(self.integer(*b)?)),
            _ => Err(format!("it depends on the result of {name}()").into()),
        }
    }

    fn size_of(&mut self, node: Syntax<'_>) -> Result<Expr, Reason> {
        let unknown = || "the size of a type is not known".to_owned();
        let kind = match node.child_by_field_name("type") {
            Some(descriptor) if descriptor.child_by_field_name("declarator").is_none() => {
                let base = descriptor.child_by_field_name("type").ok_or_else(unknown)?;
                self.unit.named_type(base)
            }
            Some(_) => CType::Pointer(Box::new(CType::Unknown)),
            // The grammar parses `sizeof(name)` as an expression in parentheses.
            None => number_type(self.text(node).trim_start_matches("sizeof").trim_matches(['(', ')', ' '])),
        };
        let (bytes, _) = kind.size(&self.unit.structs).ok_or_else(unknown)?;
        Ok(i64::from(bytes).into())
    }

    /// `p->n` is a parameter, unless it is assigned in the function.
    fn integer_field(&mut self, node: Syntax<'_>) -> Result<Expr, Reason> {
        let path = self.text(node);
        match self.lookup(&path) {
            Some(Binding::Changing(reason)) => return Err(reason.into()),
            Some(Binding::Integer(value)) => return Ok(value),
            _ => {}
        }
        match self.fields_type(node) {
            Some(kind) if !kind.is_integer() => Err(format!("{path} is not an integer").into()),
            None => Err(format!("{path} is data in memory").into()),
            Some(_) => Ok(self.function.symbols.parameter(&path).into()),
        }
    }
}

/// Whether the expression has a subtraction or a negative number.
fn may_be_negative(expr: &Expr) -> bool {
    match expr {
        Expr::Constant(value) => *value < 0,
        Expr::Symbol(_) => false,
        Expr::Sum(parts) | Expr::Product(parts) | Expr::Min(parts) | Expr::Max(parts) => {
            parts.iter().any(may_be_negative)
        }
        Expr::FloorDiv(a, b) | Expr::Remainder(a, b) => may_be_negative(a) || may_be_negative(b),
    }
}
