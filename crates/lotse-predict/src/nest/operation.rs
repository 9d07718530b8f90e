//! The operations of a statement as a directed acyclic graph: every operand is the result of an earlier operation, a load, a
//! scalar or a constant.

/// One operation of a statement.
#[derive(Debug, Clone, PartialEq)]
pub struct Operation {
    pub kind: OperationKind,
    pub number: NumberType,
    pub operands: Vec<Operand>,
}

/// Where a value comes from.
#[derive(Debug, Clone, PartialEq)]
pub enum Operand {
    /// The result of an earlier operation of the same statement, by its position.
    Result(usize),
    /// The value that a reference of the same statement loads, by its position.
    Loaded(usize),
    Scalar(String),
    /// A value that is computed before the loop.
    Constant,
}

impl Operand {
    /// The position of the operation, if this is the result of one.
    pub(crate) fn result(&self) -> Option<usize> {
        match self {
            Self::Result(position) => Some(*position),
            _ => None,
        }
    }
}

/// What an operation computes.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum OperationKind {
    /// Addition or subtraction.
    Add,
    Multiply,
    Divide,
    Remainder,
    SquareRoot,
    /// Minimum, maximum, absolute value, comparison, selection.
    Select,
    /// Shifts and bitwise operations.
    Bits,
    /// Conversion between number types.
    Convert,
    /// A call of a function by name.
    Call(String),
}

impl OperationKind {
    /// The operation that a compiler uses for a floating-point division by this literal: a multiplication if it is a power of two.
    pub(crate) fn division_by_literal(text: &str) -> Self {
        let plain = text.trim_matches(['(', ')', ' ']).trim_end_matches("f32").trim_end_matches("f64");
        let plain = plain.trim_end_matches(['f', 'F', '_']).replace('_', "");
        let fraction = |value: f64| value.to_bits() & ((1 << 52) - 1);
        match plain.parse::<f64>() {
            Ok(value) if value.is_normal() && fraction(value) == 0 => Self::Multiply,
            _ => Self::Divide,
        }
    }
}

/// The type of the numbers that an operation works on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum NumberType {
    /// 32-bit floating point.
    F32,
    /// 64-bit floating point.
    F64,
    /// Integers of this many bytes.
    Integer(u8),
    /// The front end does not know.
    Unknown,
}

#[cfg(test)]
mod tests {
    use super::OperationKind::{self, Divide, Multiply};

    #[test]
    fn divisions_by_powers_of_two_are_multiplications() {
        let kind = OperationKind::division_by_literal;
        assert_eq!(["32768.0", "0.5f", "2", "1_024.0f64", "(4.0)"].map(kind), [const { Multiply }; 5]);
        assert_eq!(["3.0", "0.1f", "0", "x", "255.0_f32"].map(kind), [const { Divide }; 5]);
    }
}
