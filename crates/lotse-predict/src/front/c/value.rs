//! Values of expressions: loads, operations and their operands.

use tree_sitter::Node as Syntax;

use super::element::Element;
use super::reader::{Binding, CReader};
use super::source::children;
use super::types::CType;
use crate::nest::{Access, NumberType, Operand, OperationKind, Reference, Refusal, RefusedPart, Statement};

/// Functions that correspond to one operation, without the suffix `f`.
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

/// Functions of the C library that do not access memory.
const LIBRARY: &[&str] = &[
    "exp", "log", "log2", "log10", "pow", "sin", "cos", "tan", "asin", "acos", "atan", "atan2", "sinh",
    "cosh", "tanh", "floor", "ceil", "round", "fmod", "cbrt", "exp2", "hypot", "erf", "trunc", "lround",
    "rint",
];

type TypedOperand = (Operand, NumberType);

impl CReader<'_, '_> {
    /// The value of an expression. Its loads, operations and stores are added to the statement.
    pub(super) fn value(&mut self, node: Syntax<'_>, statement: &mut Statement) -> TypedOperand {
        match node.kind() {
            "number_literal" => (Operand::Constant, literal_type(&self.text(node))),
            "identifier" => self.value_of_name(node, statement),
            "parenthesized_expression" => self.last_value(node, statement),
            "comma_expression" => self.last_value(node, statement),
            "pointer_expression" if self.takes_address_of_name(node) => {
                (Operand::Constant, NumberType::Integer(8))
            }
            "subscript_expression" | "field_expression" | "pointer_expression" => self.load(node, statement),
            "binary_expression" => self.binary(node, statement),
            "unary_expression" => {
                let value = self.operand_values(node, &["argument"], statement);
                let number = value.first().map_or(NumberType::Unknown, |(_, number)| *number);
                push_operation(statement, OperationKind::Bits, number, value)
            }
            "cast_expression" => self.cast(node, statement),
            "conditional_expression" => {
                let values =
                    self.operand_values(node, &["condition", "consequence", "alternative"], statement);
                let number = values.last().map_or(NumberType::Unknown, |(_, number)| *number);
                push_operation(statement, OperationKind::Select, number, values)
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

    /// Whether an expression is `&name` of a number. Its value is unknown from then on, because it may be changed through the address.
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

    /// Evaluates all operands and gives the value of the last one.
    fn last_value(&mut self, node: Syntax<'_>, statement: &mut Statement) -> TypedOperand {
        let values: Vec<TypedOperand> =
            children(node).into_iter().map(|part| self.value(part, statement)).collect();
        values.into_iter().last().unwrap_or((Operand::Constant, NumberType::Unknown))
    }

    /// The values of the named fields of a node.
    fn operand_values(
        &mut self,
        node: Syntax<'_>,
        names: &[&str],
        statement: &mut Statement,
    ) -> Vec<TypedOperand> {
        let parts = names.iter().filter_map(|name| node.child_by_field_name(name));
        parts.map(|part| self.value(part, statement)).collect()
    }

    fn value_of_name(&mut self, node: Syntax<'_>, statement: &mut Statement) -> TypedOperand {
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

    /// The value of an element or a field. Fields of structs that are not in arrays count as scalars.
    fn load(&mut self, node: Syntax<'_>, statement: &mut Statement) -> TypedOperand {
        if let Some(element) = self.element(node) {
            // An index may itself load: a[b[i]].
            let index = self.index_operands(node, statement);
            return match element.kind {
                CType::Number(number) => {
                    let text = self.text(node);
                    (push_reference(statement, (&element, &text, index), Access::Load, None), number)
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

    /// The operands from which an irregular address is computed: the values of subscripts that are not affine. Their loads are added
    /// to the statement.
    fn index_operands(&mut self, node: Syntax<'_>, statement: &mut Statement) -> Vec<Operand> {
        let mut operands = Vec::new();
        if let Some(index) = node.child_by_field_name("index")
            && self.integer(index).is_err()
        {
            operands.push(self.value(index, statement).0);
        }
        if let Some(argument) = node.child_by_field_name("argument")
            && matches!(argument.kind(), "subscript_expression" | "field_expression")
        {
            operands.extend(self.index_operands(argument, statement));
        }
        operands
    }

    fn binary(&mut self, node: Syntax<'_>, statement: &mut Statement) -> TypedOperand {
        let operator = node.child_by_field_name("operator").map(|operator| self.text(operator));
        let values = self.operand_values(node, &["left", "right"], statement);
        let number = values.iter().map(|(_, number)| *number).fold(NumberType::Integer(4), wider);
        let divisor = node.child_by_field_name("right");
        self.apply_operator(operator.as_deref().unwrap_or(""), (number, divisor), values, statement)
    }

    /// The result of an operator. A remainder by a known number becomes multiplications and a subtraction.
    fn apply_operator(
        &mut self,
        operator: &str,
        (number, right): (NumberType, Option<Syntax<'_>>),
        values: Vec<TypedOperand>,
        statement: &mut Statement,
    ) -> TypedOperand {
        let kind = self.operation_with_divisor(operator, number, right);
        let dividend = values.first().map(|(operand, _)| operand.clone());
        match (operation_kind(operator), &kind, dividend) {
            (OperationKind::Remainder, OperationKind::Multiply, Some(dividend)) => {
                let (quotient, _) = push_operation(statement, kind, number, values);
                (statement.remainder(quotient, dividend, number), number)
            }
            _ => push_operation(statement, kind, number, values),
        }
    }

    /// The operation of an operator with this right operand: divisions by known numbers become cheaper operations.
    fn operation_with_divisor(
        &mut self,
        operator: &str,
        number: NumberType,
        right: Option<Syntax<'_>>,
    ) -> OperationKind {
        let kind = operation_kind(operator);
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

    fn cast(&mut self, node: Syntax<'_>, statement: &mut Statement) -> TypedOperand {
        let value = self.operand_values(node, &["value"], statement);
        let descriptor =
            node.child_by_field_name("type").and_then(|descriptor| descriptor.child_by_field_name("type"));
        let to = match descriptor.map(|base| self.unit.named_type(base)) {
            Some(CType::Number(number)) => number,
            _ => NumberType::Unknown,
        };
        match value.first() {
            Some((operand, from)) if *from == to => (operand.clone(), to),
            _ => push_operation(statement, OperationKind::Convert, to, value),
        }
    }

    /// The value of a call: of a macro, an operation, a library function or an unknown function, which is refused but still counts as
    /// a call.
    fn call(&mut self, node: Syntax<'_>, statement: &mut Statement) -> TypedOperand {
        if let Some(value) = self.expand(node, |reader, inner| reader.value(inner, statement)) {
            return value;
        }
        let name = node.child_by_field_name("function").map_or_else(String::new, |name| self.text(name));
        let arguments = node.child_by_field_name("arguments").map_or_else(Vec::new, children);
        // The grammar parses the conversion `(real)(x)` as a call.
        if let ([argument], true) = (arguments.as_slice(), self.names_a_type(&name)) {
            return self.value(*argument, statement);
        }
        let values: Vec<TypedOperand> =
            arguments.into_iter().map(|argument| self.value(argument, statement)).collect();
        let number = values.iter().map(|(_, number)| *number).fold(NumberType::F32, wider);
        let plain = name.trim_end_matches('f').to_ascii_lowercase();
        let known = OPERATIONS.iter().find(|(known, _)| *known == plain || *known == name);
        if let Some((_, kind)) = known {
            return push_operation(statement, kind.clone(), number, values);
        }
        if !LIBRARY.contains(&plain.as_str()) && !LIBRARY.contains(&name.as_str()) {
            let refusal = self.refusal(node, format!("the function {name}() is not analysed"));
            self.refusals.push(Refusal { part: RefusedPart::Call, ..refusal });
        }
        push_operation(statement, OperationKind::Call(name), number, values)
    }

    /// Whether `(name)` before parentheses is a type.
    pub(super) fn names_a_type(&self, name: &str) -> bool {
        let inner = name.strip_prefix('(').and_then(|name| name.strip_suffix(')'));
        inner.is_some_and(|inner| self.unit.typedefs.contains_key(inner.trim()))
    }

    /// `left = right` and `left += right`.
    fn assignment(&mut self, node: Syntax<'_>, statement: &mut Statement) -> TypedOperand {
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
            value = self.apply_operator(&arithmetic, (number, Some(right)), vec![old, value], statement);
        }
        self.store(left, value, statement)
    }

    fn update(&mut self, node: Syntax<'_>, statement: &mut Statement) -> TypedOperand {
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
        let value =
            push_operation(statement, OperationKind::Add, number, vec![old, (Operand::Constant, number)]);
        self.store(argument, value, statement)
    }

    fn store(&mut self, left: Syntax<'_>, value: TypedOperand, statement: &mut Statement) -> TypedOperand {
        if left.kind() == "identifier" {
            statement.assigned.push((self.text(left), value.0.clone()));
        } else if let Some(element) = self.element(left) {
            let index = self.index_operands(left, statement);
            let text = self.text(left);
            push_reference(statement, (&element, &text, index), Access::Store, Some(value.0.clone()));
        } else if self.fields_type(left).is_some() {
            statement.assigned.push((self.text(left), value.0.clone()));
        } else {
            let reason = format!("the memory of {} is not known", self.text(left));
            self.refuse_part(left, reason);
        }
        value
    }
}

/// Adds a load or store of an element to the statement; gives the operand of the loaded value.
fn push_reference(
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

fn operation_kind(operator: &str) -> OperationKind {
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
