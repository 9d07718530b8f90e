//! Values of expressions: loads, operations and stores.

use syn::spanned::Spanned;
use syn::visit::Visit as _;
use syn::{BinOp, Expr as Syntax, Lit};

use super::integer::path_text;
use super::reader::{ArrayPart, Assigned, Binding, RustReader};
use super::types::RType;
use crate::nest::{
    Access, Irregular, NumberType, Operand, OperationKind, Reference, RefusedPart, Statement, Subscripts,
};

type TypedOperand = (Operand, NumberType);

/// Methods that correspond to one operation.
const OPERATIONS: &[(&str, OperationKind)] = &[
    ("sqrt", OperationKind::SquareRoot),
    ("abs", OperationKind::Select),
    ("min", OperationKind::Select),
    ("max", OperationKind::Select),
    ("clamp", OperationKind::Select),
    ("mul_add", OperationKind::Add),
    ("wrapping_add", OperationKind::Add),
    ("wrapping_sub", OperationKind::Add),
    ("wrapping_mul", OperationKind::Multiply),
];

/// Methods of numbers that do not access memory.
const LIBRARY: &[&str] = &[
    "exp", "ln", "log2", "log10", "powi", "powf", "sin", "cos", "tan", "sinh", "cosh", "tanh", "atan2",
    "floor", "ceil", "round", "len", "is_empty", "clone", "is_nan", "to_owned", "copied", "into", "signum",
    "recip", "powi", "hypot",
];

impl RustReader<'_> {
    /// The value of an expression. Its loads, operations and stores are added to the statement.
    pub(super) fn value(&mut self, node: &Syntax, statement: &mut Statement) -> TypedOperand {
        match node {
            Syntax::Lit(literal) => (Operand::Constant, literal_type(&literal.lit)),
            Syntax::Paren(inner) => self.value(&inner.expr, statement),
            Syntax::Group(inner) => self.value(&inner.expr, statement),
            Syntax::Cast(inner) => {
                let value = self.value(&inner.expr, statement);
                match self.read_type(&inner.ty) {
                    RType::Number(number) if number == value.1 => value,
                    RType::Number(number) => {
                        push_operation(statement, OperationKind::Convert, number, vec![value])
                    }
                    _ => value,
                }
            }
            Syntax::Path(_) | Syntax::Index(_) | Syntax::Field(_) => self.load(node, statement),
            Syntax::Reference(inner) => self.reference(inner, statement),
            Syntax::Unary(inner) => match inner.op {
                syn::UnOp::Deref(_) => self.value(&inner.expr, statement),
                _ => {
                    let value = self.value(&inner.expr, statement);
                    let number = value.1;
                    push_operation(statement, OperationKind::Bits, number, vec![value])
                }
            },
            Syntax::Binary(binary) => self.binary(binary, statement),
            Syntax::Assign(assign) => {
                let value = self.value(&assign.right, statement);
                self.store(&assign.left, value, statement)
            }
            Syntax::MethodCall(call) => self.method(call, statement),
            Syntax::Call(call) => {
                let values: Vec<TypedOperand> =
                    call.args.iter().map(|argument| self.value(argument, statement)).collect();
                let name = path_text(&call.func).unwrap_or_else(|| "an expression".to_owned());
                self.operation(&name, values, node, statement)
            }
            Syntax::Tuple(tuple) => {
                tuple.elems.iter().for_each(|part| drop(self.value(part, statement)));
                (Operand::Constant, NumberType::Unknown)
            }
            Syntax::If(_) | Syntax::Block(_) | Syntax::Match(_) | Syntax::Closure(_) => {
                let mut assigned = Assigned::default();
                assigned.visit_expr(node);
                self.forget(&assigned.names, "is assigned in a part that is not analysed");
                self.refuse_part(node, "a block inside of an expression is not analysed")
            }
            Syntax::Macro(_) => self.refuse_part(node, "a macro is not analysed"),
            Syntax::Range(_) | Syntax::Return(_) | Syntax::Break(_) | Syntax::Continue(_) => {
                (Operand::Constant, NumberType::Unknown)
            }
            _ => self.refuse_part(node, "an expression is not analysed"),
        }
    }

    /// The value of `&x` or `&mut x`. The value of a number is unknown after `&mut`, because it may be changed through the reference.
    fn reference(&mut self, inner: &syn::ExprReference, statement: &mut Statement) -> TypedOperand {
        let value = self.value(&inner.expr, statement);
        if inner.mutability.is_some()
            && let Some(name) = path_text(&inner.expr)
            && matches!(self.lookup(&name), Some(Binding::Integer(_)))
        {
            self.forget(&[name].into(), "may be changed through a reference");
        }
        value
    }

    fn refuse_part(&mut self, node: &Syntax, reason: &str) -> TypedOperand {
        let refusal = self.refusal(node, reason, RefusedPart::Other);
        self.refusals.push(refusal);
        (Operand::Constant, NumberType::Unknown)
    }

    /// The value of a variable, an element or a field. Fields that are not arrays count as scalars.
    fn load(&mut self, node: &Syntax, statement: &mut Statement) -> TypedOperand {
        if let Some(part) = self.part(node) {
            let index = self.index_operands(node, statement);
            return match part.kind {
                RType::Number(number) => {
                    (push_reference(statement, (&part, node, index), Access::Load, None), number)
                }
                _ => (Operand::Constant, NumberType::Integer(8)),
            };
        }
        let name = path_text(node).unwrap_or_else(|| "an expression".to_owned());
        match self.lookup(&name) {
            Some(Binding::Integer(_) | Binding::Changing(_)) => {
                (Operand::Scalar(name), NumberType::Integer(8))
            }
            Some(Binding::Scalar(number)) => (Operand::Scalar(name), number),
            _ if matches!(node, Syntax::Index(_)) => {
                self.refuse_part(node, "the memory of an element is not known")
            }
            _ => (Operand::Scalar(name), NumberType::Unknown),
        }
    }

    /// The operands from which an irregular address is computed: the values of subscripts that are not affine. Their loads are added
    /// to the statement.
    fn index_operands(&mut self, node: &Syntax, statement: &mut Statement) -> Vec<Operand> {
        let Syntax::Index(index) = node else { return Vec::new() };
        let mut operands = Vec::new();
        if !matches!(&*index.index, Syntax::Range(_)) && self.integer(&index.index).is_err() {
            operands.push(self.value(&index.index, statement).0);
        }
        operands.extend(self.index_operands(&index.expr, statement));
        operands
    }

    /// The result of a binary operator, stored to the left operand if the operator assigns. Divisions by known numbers become cheaper
    /// operations; a remainder by a known number becomes multiplications and a subtraction.
    fn binary(&mut self, node: &syn::ExprBinary, statement: &mut Statement) -> TypedOperand {
        let right = self.value(&node.right, statement);
        let left = self.value(&node.left, statement);
        let number = wider(left.1, right.1);
        let mut kind = operation_kind(&node.op);
        if matches!(kind, OperationKind::Divide | OperationKind::Remainder)
            && matches!(number, NumberType::Integer(_))
            && let Ok(divisor) = self.integer(&node.right)
        {
            kind = self.function.division_by(&divisor, kind);
        } else if kind == OperationKind::Divide {
            kind = OperationKind::division_by_literal(&source_text(&node.right));
        }
        let taken = (operation_kind(&node.op), &kind);
        let value = match taken == (OperationKind::Remainder, &OperationKind::Multiply) {
            true => {
                let dividend = left.0.clone();
                let (quotient, _) = push_operation(statement, kind, number, vec![left, right]);
                (statement.remainder(quotient, dividend, number), number)
            }
            false => push_operation(statement, kind, number, vec![left, right]),
        };
        match compound(&node.op) {
            Some(()) => self.store(&node.left, value, statement),
            None => value,
        }
    }

    fn method(&mut self, call: &syn::ExprMethodCall, statement: &mut Statement) -> TypedOperand {
        let whole = Syntax::MethodCall(call.clone());
        if let Some(part) = self.part(&whole)
            && let RType::Number(number) = part.kind
        {
            return (push_reference(statement, (&part, &whole, Vec::new()), Access::Load, None), number);
        }
        let mut values = vec![self.value(&call.receiver, statement)];
        values.extend(call.args.iter().map(|argument| self.value(argument, statement)).collect::<Vec<_>>());
        self.operation(&call.method.to_string(), values, &whole, statement)
    }

    /// The result of a function or method: an operation, a library function, or an unknown function, which is refused but still counts
    /// as a call.
    fn operation(
        &mut self,
        name: &str,
        values: Vec<TypedOperand>,
        node: &Syntax,
        statement: &mut Statement,
    ) -> TypedOperand {
        let number = values.iter().map(|(_, number)| *number).reduce(wider).unwrap_or(NumberType::Unknown);
        if let Some((_, kind)) = OPERATIONS.iter().find(|(known, _)| *known == name) {
            return push_operation(statement, kind.clone(), number, values);
        }
        if !LIBRARY.contains(&name) {
            let reason = format!("the function {name}() is not analysed");
            let refusal = self.refusal(node, reason, RefusedPart::Call);
            self.refusals.push(refusal);
        }
        push_operation(statement, OperationKind::Call(name.to_owned()), number, values)
    }

    fn store(&mut self, left: &Syntax, value: TypedOperand, statement: &mut Statement) -> TypedOperand {
        if let Some(part) = self.part(left).filter(|part| matches!(part.kind, RType::Number(_))) {
            let index = self.index_operands(left, statement);
            push_reference(statement, (&part, left, index), Access::Store, Some(value.0.clone()));
        } else if let Some(name) = path_text(left) {
            statement.assigned.push((name, value.0.clone()));
        } else {
            self.refuse_part(left, "the memory of an element is not known");
        }
        value
    }
}

/// Adds a load or store of an element to the statement; gives the operand of the loaded value.
fn push_reference(
    statement: &mut Statement,
    (part, node, index): (&ArrayPart, &Syntax, Vec<Operand>),
    access: Access,
    stored: Option<Operand>,
) -> Operand {
    let subscripts = match &part.subscripts {
        Ok(list) => Subscripts::Affine(list.clone()),
        Err(reason) => Subscripts::Irregular(Irregular {
            reason: reason.to_string(),
            text: source_text(node),
            choices: part.choices.clone(),
        }),
    };
    let width_bytes = part.kind.bytes().unwrap_or(8);
    statement.references.push(Reference {
        array: part.id,
        subscripts,
        offset_bytes: 0,
        width_bytes,
        access,
        stored,
        index,
    });
    Operand::Loaded(statement.references.len() - 1)
}

/// Adds an operation to the statement and gives its result.
fn push_operation(
    statement: &mut Statement,
    kind: OperationKind,
    number: NumberType,
    operands: Vec<TypedOperand>,
) -> TypedOperand {
    let operands = operands.into_iter().map(|(operand, _)| operand).collect();
    (statement.compute(kind, number, operands), number)
}

/// The source text of an expression, or its position if the text is not available.
fn source_text(node: &Syntax) -> String {
    let span = node.span();
    span.source_text().unwrap_or_else(|| format!("{:?}", span.start()))
}

/// `Some` if the operator assigns, such as `+=`.
pub(super) fn compound(operator: &BinOp) -> Option<()> {
    matches!(
        operator,
        BinOp::AddAssign(_)
            | BinOp::SubAssign(_)
            | BinOp::MulAssign(_)
            | BinOp::DivAssign(_)
            | BinOp::RemAssign(_)
            | BinOp::BitXorAssign(_)
            | BinOp::BitAndAssign(_)
            | BinOp::BitOrAssign(_)
            | BinOp::ShlAssign(_)
            | BinOp::ShrAssign(_)
    )
    .then_some(())
}

fn operation_kind(operator: &BinOp) -> OperationKind {
    match operator {
        BinOp::Add(_) | BinOp::Sub(_) | BinOp::AddAssign(_) | BinOp::SubAssign(_) => OperationKind::Add,
        BinOp::Mul(_) | BinOp::MulAssign(_) => OperationKind::Multiply,
        BinOp::Div(_) | BinOp::DivAssign(_) => OperationKind::Divide,
        BinOp::Rem(_) | BinOp::RemAssign(_) => OperationKind::Remainder,
        BinOp::Eq(_) | BinOp::Lt(_) | BinOp::Le(_) | BinOp::Ne(_) | BinOp::Ge(_) | BinOp::Gt(_) => {
            OperationKind::Select
        }
        _ => OperationKind::Bits,
    }
}

fn wider(a: NumberType, b: NumberType) -> NumberType {
    use NumberType::{F32, F64, Integer, Unknown};
    match (a, b) {
        (Unknown, other) | (other, Unknown) => other,
        (F64, _) | (_, F64) => F64,
        (F32, _) | (_, F32) => F32,
        (Integer(a), Integer(b)) => Integer(a.max(b)),
    }
}

fn literal_type(literal: &Lit) -> NumberType {
    match literal {
        Lit::Float(value) if value.suffix() == "f32" => NumberType::F32,
        // A literal without a suffix has the type of the operand it is combined with.
        _ => NumberType::Unknown,
    }
}
