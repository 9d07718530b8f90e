//! The operations of a statement as a directed acyclic graph: every operand is an earlier operation, a load, a scalar or a
//! constant.

/// One operation.
#[derive(Debug, Clone, PartialEq)]
pub struct Operation {
    /// What is computed.
    pub kind: OperationKind,
    /// On numbers of which type.
    pub number: NumberType,
    /// Its inputs.
    pub operands: Vec<Operand>,
}

/// Where a value comes from.
#[derive(Debug, Clone, PartialEq)]
pub enum Operand {
    /// The result of an earlier operation of the same statement, by its position.
    Result(usize),
    /// What a reference of the same statement loads, by its position.
    Loaded(usize),
    /// A scalar variable.
    Scalar(String),
    /// A number known before the loop.
    Constant,
}

impl Operand {
    /// The position of the operation whose result it is.
    pub(crate) fn result(&self) -> Option<usize> {
        match self {
            Self::Result(position) => Some(*position),
            _ => None,
        }
    }
}

/// What is computed.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum OperationKind {
    /// Addition or subtraction.
    Add,
    /// Multiplication.
    Multiply,
    /// Division.
    Divide,
    /// Remainder.
    Remainder,
    /// Square root.
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

/// The type of numbers that an operation is done on.
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
