//! Values of expressions: loads, operations and where their operands come from.

use tree_sitter::Node as Syntax;

use super::element::Element;
use super::reader::{Binding, Reader};
use super::source::children;
use super::types::CType;
use crate::nest::{Access, NumberType, Operand, OperationKind, Reference, Refusal, RefusedPart, Statement};

/// Functions that are one operation, by name without the suffix for `float`.
const OPERATIONS: &[(&str, OperationKind)] = &[
    ("sqrt", OperationKind::SquareRoot),
    ("fabs", OperationKind::Select),
    ("abs", OperationKind::Select),
    ("fmin", OperationKind::Select),
    ("fmax", OperationKind::Select),
    ("min", OperationKind::Select),
    ("max", OperationKind::Select),
    ("fma", OperationKind::Add),
];

/// Functions of the C library whose time does not depend on memory.
const LIBRARY: &[&str] = &[
    "exp", "log", "log2", "log10", "pow", "sin", "cos", "tan", "asin", "acos", "atan", "atan2", "sinh",
    "cosh", "tanh", "floor", "ceil", "round", "fmod", "cbrt", "exp2", "hypot", "erf", "trunc", "lround",
    "rint",
];

type Typed = (Operand, NumberType);

impl Reader<'_, '_> {
    /// The value of an expression; what it loads and computes is added to the statement.
    pub(super) fn value(&mut self, node: Syntax<'_>, statement: &mut Statement) -> Typed {
        match node.kind() {
            "number_literal" => (Operand::Constant, literal_type(&self.text(node))),
            "identifier" => self.value_of_name(node, statement),
            "parenthesized_expression" => self.last_value(node, statement),
            "comma_expression" => self.last_value(node, statement),
            "pointer_expression" if self.takes_address_of_name(node) => {
                (Operand::Constant, NumberType::Integer(8))
            }
            "subscript_expression" | "field_expression" | "pointer_expression" => {
                self.loaded(node, statement)
            }
            "binary_expression" => self.binary(node, statement),
            "unary_expression" => {
                let value = self.parts(node, &["argument"], statement);
                let number = value.first().map_or(NumberType::Unknown, |(_, number)| *number);
                push(statement, OperationKind::Bits, number, value)
            }
            "cast_expression" => self.converted(node, statement),
            "conditional_expression" => {
                let values = self.parts(node, &["condition", "consequence", "alternative"], statement);
                let number = values.last().map_or(NumberType::Unknown, |(_, number)| *number);
                push(statement, OperationKind::Select, number, values)
            }
            "assignment_expression" => self.assignment(node, statement),
            "update_expression" => self.update(node, statement),
            "call_expression" => self.call(node, statement),
            "char_literal" | "sizeof_expression" | "true" | "false" | "null" | "string_literal" => {
                (Operand::Constant, NumberType::Integer(4))
            }
            kind => {
                let reason = format!("{} is not analysed", kind.replace('_', " "));
                self.refuse_part(node, reason);
                (Operand::Constant, NumberType::Unknown)
            }
        }
    }

    /// Whether an expression is `&name`; whoever gets the address may change the number.
    fn takes_address_of_name(&mut self, node: Syntax<'_>) -> bool {
        let name = node.child_by_field_name("argument").filter(|argument| argument.kind() == "identifier");
        let Some(name) = name.filter(|_| self.text(node).starts_with('&')).map(|name| self.text(name)) else {
            return false;
        };
        let number = matches!(
            self.lookup(&name),
            Some(Binding::Integer(_) | Binding::Changing(_) | Binding::Scalar(_))
        );
        if number {
            self.forget(&[name].into(), "may be changed through its address");
        }
        number
    }

    fn refuse_part(&mut self, node: Syntax<'_>, reason: String) {
        let refusal = self.refusal(node, reason);
        self.refusals.push(refusal);
    }

    fn last_value(&mut self, node: Syntax<'_>, statement: &mut Statement) -> Typed {
        let values: Vec<Typed> = children(node).into_iter().map(|part| self.value(part, statement)).collect();
        values.into_iter().last().unwrap_or((Operand::Constant, NumberType::Unknown))
    }

    fn parts(&mut self, node: Syntax<'_>, names: &[&str], statement: &mut Statement) -> Vec<Typed> {
        let parts = names.iter().filter_map(|name| node.child_by_field_name(name));
        parts.map(|part| self.value(part, statement)).collect()
    }

    fn value_of_name(&mut self, node: Syntax<'_>, statement: &mut Statement) -> Typed {
        let name = self.text(node);
        match self.lookup(&name) {
            Some(Binding::Integer(_) | Binding::Changing(_)) => {
                (Operand::Scalar(name), NumberType::Integer(4))
            }
            Some(Binding::Scalar(number)) => (Operand::Scalar(name), number),
            Some(Binding::Array(_) | Binding::Struct(_)) => (Operand::Constant, NumberType::Integer(8)),
            None => self
                .expand(node, |reader, inner| reader.value(inner, statement))
                .unwrap_or((Operand::Scalar(name), NumberType::Unknown)),
        }
    }

    fn loaded(&mut self, node: Syntax<'_>, statement: &mut Statement) -> Typed {
        if let Some(element) = self.element(node) {
            // An index may itself load: a[b[i]].
            let index = self.loads_of_index(node, statement);
            return match element.kind {
                CType::Number(number) => {
                    let text = self.text(node);
                    (touch(statement, (&element, &text, index), Access::Load, None), number)
                }
                // The address of a row.
                _ => (Operand::Constant, NumberType::Integer(8)),
            };
        }
        let path = self.text(node);
        match self.fields_type(node) {
            Some(CType::Number(number)) => (Operand::Scalar(path), number),
            _ => {
                self.refuse_part(node, format!("the memory of {path} is not known"));
                (Operand::Constant, NumberType::Unknown)
            }
        }
    }

    /// Loads inside of subscripts that are not affine; the values that the address is computed from.
    fn loads_of_index(&mut self, node: Syntax<'_>, statement: &mut Statement) -> Vec<Operand> {
        let mut operands = Vec::new();
        if let Some(index) = node.child_by_field_name("index")
            && self.integer(index).is_err()
        {
            operands.push(self.value(index, statement).0);
        }
        if let Some(argument) = node.child_by_field_name("argument")
            && matches!(argument.kind(), "subscript_expression" | "field_expression")
        {
            operands.extend(self.loads_of_index(argument, statement));
        }
        operands
    }

    fn binary(&mut self, node: Syntax<'_>, statement: &mut Statement) -> Typed {
        let operator = node.child_by_field_name("operator").map(|operator| self.text(operator));
        let values = self.parts(node, &["left", "right"], statement);
        let number = values.iter().map(|(_, number)| *number).fold(NumberType::Integer(4), wider);
        let divisor = node.child_by_field_name("right");
        self.operated(operator.as_deref().unwrap_or(""), (number, divisor), values, statement)
    }

    /// The result of an operator.
    fn operated(
        &mut self,
        operator: &str,
        (number, right): (NumberType, Option<Syntax<'_>>),
        values: Vec<Typed>,
        statement: &mut Statement,
    ) -> Typed {
        let kind = self.kind_by(operator, number, right);
        let dividend = values.first().map(|(operand, _)| operand.clone());
        match (kind_of(operator), &kind, dividend) {
            (OperationKind::Remainder, OperationKind::Multiply, Some(dividend)) => {
                let (quotient, _) = push(statement, kind, number, values);
                (statement.remainder(quotient, dividend, number), number)
            }
            _ => push(statement, kind, number, values),
        }
    }

    /// The operation of an operator with this right side.
    fn kind_by(&mut self, operator: &str, number: NumberType, right: Option<Syntax<'_>>) -> OperationKind {
        let kind = kind_of(operator);
        let divides = matches!(kind, OperationKind::Divide | OperationKind::Remainder);
        match (number, right.filter(|_| divides)) {
            (NumberType::Integer(_), Some(right)) => match self.integer(right) {
                Ok(divisor) => self.function.division_by(&divisor, kind),
                Err(_) => kind,
            },
            (NumberType::F32 | NumberType::F64, Some(right)) if kind == OperationKind::Divide => {
                OperationKind::division_by_literal(&self.text(right))
            }
            _ => kind,
        }
    }

    fn converted(&mut self, node: Syntax<'_>, statement: &mut Statement) -> Typed {
        let value = self.parts(node, &["value"], statement);
        let descriptor =
            node.child_by_field_name("type").and_then(|descriptor| descriptor.child_by_field_name("type"));
        let to = match descriptor.map(|base| self.unit.named_type(base)) {
            Some(CType::Number(number)) => number,
            _ => NumberType::Unknown,
        };
        match value.first() {
            Some((operand, from)) if *from == to => (operand.clone(), to),
            _ => push(statement, OperationKind::Convert, to, value),
        }
    }

    fn call(&mut self, node: Syntax<'_>, statement: &mut Statement) -> Typed {
        if let Some(value) = self.expand(node, |reader, inner| reader.value(inner, statement)) {
            return value;
        }
        let name = node.child_by_field_name("function").map_or_else(String::new, |name| self.text(name));
        let arguments = node.child_by_field_name("arguments").map_or_else(Vec::new, children);
        // The grammar takes the conversion `(real)(x)` for a call.
        if let ([argument], true) = (arguments.as_slice(), self.names_a_type(&name)) {
            return self.value(*argument, statement);
        }
        let values: Vec<Typed> =
            arguments.into_iter().map(|argument| self.value(argument, statement)).collect();
        let number = values.iter().map(|(_, number)| *number).fold(NumberType::F32, wider);
        let plain = name.trim_end_matches('f').to_ascii_lowercase();
        let known = OPERATIONS.iter().find(|(known, _)| *known == plain || *known == name);
        if let Some((_, kind)) = known {
            return push(statement, kind.clone(), number, values);
        }
        if !LIBRARY.contains(&plain.as_str()) && !LIBRARY.contains(&name.as_str()) {
            let refusal = self.refusal(node, format!("the function {name}() is not analysed"));
            self.refusals.push(Refusal { part: RefusedPart::Call, ..refusal });
        }
        push(statement, OperationKind::Call(name), number, values)
    }

    /// Whether `(name)` in front of parentheses is a type.
    pub(super) fn names_a_type(&self, name: &str) -> bool {
        let inner = name.strip_prefix('(').and_then(|name| name.strip_suffix(')'));
        inner.is_some_and(|inner| self.unit.typedefs.contains_key(inner.trim()))
    }

    /// `left = right` and `left += right`.
    fn assignment(&mut self, node: Syntax<'_>, statement: &mut Statement) -> Typed {
        let part = |name: &str| node.child_by_field_name(name);
        let (Some(left), Some(right)) = (part("left"), part("right")) else {
            return (Operand::Constant, NumberType::Unknown);
        };
        let operator = part("operator").map_or_else(String::new, |operator| self.text(operator));
        let arithmetic = operator.trim_end_matches('=').to_owned();
        if left.kind() == "identifier" {
            self.assign_integer(left, right, &arithmetic);
        }
        let mut value = self.value(right, statement);
        if !arithmetic.is_empty() {
            let old = self.value(left, statement);
            let number = wider(old.1, value.1);
            value = self.operated(&arithmetic, (number, Some(right)), vec![old, value], statement);
        }
        self.store(left, value, statement)
    }

    fn update(&mut self, node: Syntax<'_>, statement: &mut Statement) -> Typed {
        let part = |name: &str| node.child_by_field_name(name);
        let (Some(argument), Some(operator)) = (part("argument"), part("operator")) else {
            return (Operand::Constant, NumberType::Unknown);
        };
        let sign = if self.text(operator) == "++" { 1 } else { -1 };
        if argument.kind() == "identifier" {
            self.step_integer(argument, sign);
        }
        let old = self.value(argument, statement);
        let number = old.1;
        let value = push(statement, OperationKind::Add, number, vec![old, (Operand::Constant, number)]);
        self.store(argument, value, statement)
    }

    fn store(&mut self, left: Syntax<'_>, value: Typed, statement: &mut Statement) -> Typed {
        if left.kind() == "identifier" {
            statement.assigned.push((self.text(left), value.0.clone()));
        } else if let Some(element) = self.element(left) {
            let index = self.loads_of_index(left, statement);
            let text = self.text(left);
            touch(statement, (&element, &text, index), Access::Store, Some(value.0.clone()));
        } else if self.fields_type(left).is_some() {
            statement.assigned.push((self.text(left), value.0.clone()));
        } else {
            let reason = format!("the memory of {} is not known", self.text(left));
            self.refuse_part(left, reason);
        }
        value
    }
}

fn touch(
    statement: &mut Statement,
    (element, text, index): (&Element, &str, Vec<Operand>),
    access: Access,
    stored: Option<Operand>,
) -> Operand {
    let width = match element.kind {
        CType::Number(NumberType::F32) => 4,
        CType::Number(NumberType::Integer(bytes)) => u32::from(bytes),
        _ => 8,
    };
    statement.references.push(Reference {
        array: element.array,
        subscripts: element.subscripts(text),
        offset_bytes: element.offset_bytes,
        width_bytes: width,
        access,
        stored,
        index,
    });
    Operand::Loaded(statement.references.len() - 1)
}

fn push(statement: &mut Statement, kind: OperationKind, number: NumberType, operands: Vec<Typed>) -> Typed {
    let operands = operands.into_iter().map(|(operand, _)| operand).collect();
    (statement.compute(kind, number, operands), number)
}

fn kind_of(operator: &str) -> OperationKind {
    match operator {
        "+" | "-" => OperationKind::Add,
        "*" => OperationKind::Multiply,
        "/" => OperationKind::Divide,
        "%" => OperationKind::Remainder,
        "<" | "<=" | ">" | ">=" | "==" | "!=" | "&&" | "||" => OperationKind::Select,
        _ => OperationKind::Bits,
    }
}

fn wider(a: NumberType, b: NumberType) -> NumberType {
    use NumberType::{F32, F64, Integer, Unknown};
    match (a, b) {
        (Unknown, _) | (_, Unknown) => Unknown,
        (F64, _) | (_, F64) => F64,
        (F32, _) | (_, F32) => F32,
        (Integer(a), Integer(b)) => Integer(a.max(b)),
    }
}

fn literal_type(text: &str) -> NumberType {
    let hex = text.starts_with("0x") || text.starts_with("0X");
    match text.contains(['.', 'e', 'E']) && !hex {
        true if text.ends_with(['f', 'F']) => NumberType::F32,
        true => NumberType::F64,
        false => NumberType::Integer(4),
    }
}
