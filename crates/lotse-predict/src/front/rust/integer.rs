//! Integer expressions and elements of arrays.

use syn::{BinOp, Expr as Syntax, Lit, UnOp};

use super::reader::{ArrayPart, Binding, RustReader};
use super::types::RType;
use crate::front::reason::Reason;
use crate::nest::Expr;

impl RustReader<'_> {
    /// The value of an expression that consists of known integers, or the reason why it is not known.
    pub(super) fn integer(&mut self, node: &Syntax) -> Result<Expr, Reason> {
        match node {
            Syntax::Lit(literal) => match &literal.lit {
                Lit::Int(value) => {
                    value.base10_parse().map(Expr::Constant).map_err(|error| error.to_string().into())
                }
                _ => Err("a literal is not an integer".into()),
            },
            Syntax::Path(path) => self.integer_name(path),
            Syntax::Paren(inner) => self.integer(&inner.expr),
            Syntax::Group(inner) => self.integer(&inner.expr),
            Syntax::Cast(inner) => self.integer(&inner.expr),
            Syntax::Reference(inner) => self.integer(&inner.expr),
            Syntax::Block(block) => match block.block.stmts.as_slice() {
                [syn::Stmt::Expr(single, None)] => self.integer(single),
                _ => Err("a block is not affine".into()),
            },
            Syntax::Unary(inner) => match inner.op {
                UnOp::Neg(_) => Ok(self.integer(&inner.expr)?.times((-1).into())),
                UnOp::Deref(_) => self.integer(&inner.expr),
                _ => Err("a negation of bits is not affine".into()),
            },
            Syntax::Binary(binary) => self.integer_operation(binary),
            Syntax::MethodCall(call) => self.integer_method(call),
            Syntax::Call(call) => self.integer_call(call),
            Syntax::Field(_) => match path_text(node) {
                Some(path) => match self.lookup(&path) {
                    Some(Binding::Integer(value)) => Ok(value),
                    Some(Binding::Changing(reason)) => Err(reason.into()),
                    _ => Ok(self.function.symbols.parameter(&path).into()),
                },
                None => Err("a field is data in memory".into()),
            },
            Syntax::Index(_) => Err("an element is data in memory".into()),
            _ => Err("an expression is not affine".into()),
        }
    }

    fn integer_name(&mut self, path: &syn::ExprPath) -> Result<Expr, Reason> {
        let Some(name) = path.path.get_ident().map(ToString::to_string) else {
            let last =
                path.path.segments.last().map_or_else(String::new, |segment| segment.ident.to_string());
            return match self.lookup(&last) {
                Some(Binding::Integer(value)) => Ok(value),
                _ => Ok(self.function.symbols.parameter(&last).into()),
            };
        };
        match self.lookup(&name) {
            Some(Binding::Integer(value)) => Ok(value),
            Some(Binding::Changing(reason)) => Err(reason.into()),
            Some(Binding::Scalar(_)) => Err(format!("{name} is not an integer").into()),
            Some(Binding::Array(_)) => Err(format!("{name} is data in memory").into()),
            // A constant of another file becomes a parameter. Other unknown names were bound by a pattern that is not analysed.
            None if name.chars().all(|letter| !letter.is_lowercase()) => {
                Ok(self.function.symbols.parameter(&name).into())
            }
            None => Err(format!("{name} is not known").into()),
        }
    }

    fn integer_operation(&mut self, node: &syn::ExprBinary) -> Result<Expr, Reason> {
        let (a, b) = (self.integer(&node.left)?, self.integer(&node.right)?);
        match (&node.op, b.to_constant()) {
            (BinOp::Add(_), _) => Ok(a.plus(b)),
            (BinOp::Sub(_), _) => Ok(a.minus(b)),
            (BinOp::Mul(_), _) => Ok(a.times(b)),
            // Subscripts are unsigned, so their quotients are rounded down.
            (BinOp::Div(_), _) => Ok(a.floor_div(b)),
            (BinOp::Rem(_), _) => Ok(a.remainder(b)),
            (BinOp::Shl(_), Some(bits @ 0..=62)) => Ok(a.times((1_i64 << bits).into())),
            (BinOp::Shr(_), Some(bits @ 0..=62)) => Ok(a.floor_div((1_i64 << bits).into())),
            _ => Err("an operator is not affine".into()),
        }
    }

    /// The number of elements of an array or slice.
    pub(super) fn length(&mut self, node: &Syntax) -> Result<Expr, Reason> {
        match (self.part(node), path_text(node)) {
            (Some(part), _) => Ok(part.length),
            (None, Some(path)) => Ok(self.function.symbols.parameter(&format!("{path}.len()")).into()),
            (None, None) => Err("a length is not known".into()),
        }
    }

    fn integer_method(&mut self, call: &syn::ExprMethodCall) -> Result<Expr, Reason> {
        let name = call.method.to_string();
        let arguments: Vec<&Syntax> = call.args.iter().collect();
        match (name.as_str(), arguments.as_slice()) {
            ("len", []) => self.length(&call.receiver),
            ("min", [other]) => Ok(self.integer(&call.receiver)?.min(self.integer(other)?)),
            ("max", [other]) => Ok(self.integer(&call.receiver)?.max(self.integer(other)?)),
            ("div_ceil", [other]) => Ok(self.integer(&call.receiver)?.ceil_div(self.integer(other)?)),
            ("saturating_sub", [other]) => {
                Ok(self.integer(&call.receiver)?.minus(self.integer(other)?).max(0.into()))
            }
            ("wrapping_add", [other]) => Ok(self.integer(&call.receiver)?.plus(self.integer(other)?)),
            (_, []) => match path_text(&call.receiver) {
                // `self.rows()` is assumed to be constant during the call of the function.
                Some(path) => Ok(self.function.symbols.parameter(&format!("{path}.{name}()")).into()),
                None => Err(format!("it depends on the result of {name}()").into()),
            },
            _ => Err(format!("it depends on the result of {name}()").into()),
        }
    }

    fn integer_call(&mut self, call: &syn::ExprCall) -> Result<Expr, Reason> {
        let name = path_text(&call.func).unwrap_or_else(|| "an expression".to_owned());
        let arguments: Vec<&Syntax> = call.args.iter().collect();
        match (name.as_str(), arguments.as_slice()) {
            ("min", [a, b]) => Ok(self.integer(a)?.min(self.integer(b)?)),
            ("max", [a, b]) => Ok(self.integer(a)?.max(self.integer(b)?)),
            _ => Err(format!("it depends on the result of {name}()").into()),
        }
    }

    /// The array, slice or element that an expression denotes.
    pub(super) fn part(&mut self, node: &Syntax) -> Option<ArrayPart> {
        match node {
            Syntax::Path(path) => match self.lookup(&path.path.get_ident()?.to_string())? {
                Binding::Array(part) => Some(part),
                _ => None,
            },
            Syntax::Paren(inner) => self.part(&inner.expr),
            Syntax::Group(inner) => self.part(&inner.expr),
            Syntax::Reference(inner) => self.part(&inner.expr),
            Syntax::Unary(inner) if matches!(inner.op, UnOp::Deref(_)) => self.part(&inner.expr),
            Syntax::Index(index) => {
                let part = self.part(&index.expr)?;
                self.indexed(part, &index.index)
            }
            Syntax::MethodCall(call) => match (call.method.to_string().as_str(), call.args.first()) {
                ("as_slice" | "as_mut_slice" | "as_ref" | "as_mut" | "borrow" | "borrow_mut", None) => {
                    self.part(&call.receiver)
                }
                ("get_unchecked" | "get_unchecked_mut", Some(index)) => {
                    let part = self.part(&call.receiver)?;
                    self.indexed(part, index)
                }
                _ => None,
            },
            Syntax::Field(field) => {
                let syn::Member::Named(name) = &field.member else { return None };
                self.field_array(&path_text(node)?, &name.to_string())
            }
            _ => None,
        }
    }

    /// `part[index]`: an element, or a slice if the index is a range.
    fn indexed(&mut self, part: ArrayPart, index: &Syntax) -> Option<ArrayPart> {
        if let Syntax::Range(range) = index {
            let start = range.start.as_deref().map_or(Ok(0.into()), |start| self.integer(start));
            let end = match (&range.end, &range.limits) {
                (None, _) => Ok(part.length.clone()),
                (Some(end), syn::RangeLimits::HalfOpen(_)) => self.integer(end),
                (Some(end), syn::RangeLimits::Closed(_)) => self.integer(end).map(|end| end.plus(1.into())),
            };
            let (start, end) = (start.ok()?, end.ok()?);
            return Some(part.sliced(start.clone(), end.minus(start)));
        }
        let position = self.integer(index);
        let first = part.subscripts.as_ref().is_ok_and(Vec::is_empty);
        let choices = if position.is_err() && first { self.choices(index) } else { None };
        let element = part.element(position)?;
        Some(self.with_length(ArrayPart { choices, ..element }))
    }

    /// Gives a row of a `Vec<Vec<T>>` its length: one parameter for all rows, because the source does not show their lengths.
    pub(super) fn with_length(&mut self, part: ArrayPart) -> ArrayPart {
        let is_row = matches!(part.kind, RType::Slice(_, None));
        let array = self.function.arrays.get(part.id.0).filter(|_| is_row);
        let Some(name) = array.map(|array| format!("{}[].len()", array.name)) else { return part };
        ArrayPart { length: self.function.symbols.parameter(&name).into(), ..part }
    }
}

impl ArrayPart {
    /// The slice of `length` elements from `start` on.
    pub(super) fn sliced(self, start: Expr, length: Expr) -> Self {
        Self { start: self.start.clone().plus(start), length, ..self }
    }

    /// The element at an index; `None` if this is not a slice.
    pub(super) fn element(self, index: Result<Expr, Reason>) -> Option<Self> {
        let RType::Slice(kind, _) = self.kind else { return None };
        let subscripts = match (self.subscripts, index) {
            (Err(reason), _) | (_, Err(reason)) => Err(reason),
            (Ok(mut list), Ok(index)) => {
                list.push(self.start.plus(index));
                Ok(list)
            }
        };
        let length = match &*kind {
            RType::Slice(_, Some(length)) => length.clone(),
            _ => Expr::Constant(1),
        };
        let (id, choices) = (self.id, self.choices);
        Some(Self { id, subscripts, choices, start: 0.into(), kind: *kind, length })
    }
}

/// The text of a variable or field, such as `a.b.c`; for a path with `::` its last segment.
pub(super) fn path_text(node: &Syntax) -> Option<String> {
    match node {
        Syntax::Path(path) => path.path.segments.last().map(|segment| segment.ident.to_string()),
        Syntax::Paren(inner) => path_text(&inner.expr),
        Syntax::Reference(inner) => path_text(&inner.expr),
        Syntax::Field(field) => {
            let member = match &field.member {
                syn::Member::Named(name) => name.to_string(),
                syn::Member::Unnamed(index) => index.index.to_string(),
            };
            Some(format!("{}.{member}", path_text(&field.base)?))
        }
        _ => None,
    }
}
