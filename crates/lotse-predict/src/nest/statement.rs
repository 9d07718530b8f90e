//! Statements: what is loaded and stored, and the operations between.

use super::{ArrayId, Expr, NumberType, Operand, Operation, OperationKind, SourcePosition};

/// One statement of the source, or a part of one that accesses memory.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Statement {
    pub place: SourcePosition,
    /// Accessed array elements, in the order of evaluation.
    pub references: Vec<Reference>,
    /// In topological order: the operands of an operation come before it.
    pub operations: Vec<Operation>,
    /// Assigned scalars with their new values.
    pub assigned: Vec<(String, Operand)>,
}

impl Statement {
    /// Adds an operation and gives its result. An operation on constants alone is not added, because a compiler computes it
    /// before the loop; its result is a constant.
    pub(crate) fn compute(
        &mut self,
        kind: OperationKind,
        number: NumberType,
        operands: Vec<Operand>,
    ) -> Operand {
        let is_known = !operands.is_empty() && operands.iter().all(|operand| *operand == Operand::Constant);
        if is_known && !matches!(kind, OperationKind::Call(_)) {
            return Operand::Constant;
        }
        self.operations.push(Operation { kind, number, operands });
        Operand::Result(self.operations.len() - 1)
    }

    /// Adds the operations that follow a division by a known number where the remainder is wanted:
    /// `dividend - quotient * divisor`.
    pub(crate) fn remainder(&mut self, quotient: Operand, dividend: Operand, number: NumberType) -> Operand {
        let shifted = self.compute(OperationKind::Bits, number, vec![quotient]);
        let product = self.compute(OperationKind::Multiply, number, vec![shifted]);
        self.compute(OperationKind::Add, number, vec![dividend, product])
    }

    /// Whether the statement assigns a scalar a value that does not depend on the scalar's previous value.
    pub(crate) fn overwrites(&self, name: &str) -> bool {
        let own = self.assigned.iter().filter(|(assigned, _)| assigned == name);
        let mut values = own.map(|(_, value)| value).peekable();
        values.peek().is_some() && !values.any(|value| self.depends(value, name))
    }

    /// Whether a value of the statement depends on the scalar `name`.
    fn depends(&self, value: &Operand, name: &str) -> bool {
        let any = |operands: &[Operand]| operands.iter().any(|operand| self.depends(operand, name));
        match value {
            Operand::Result(position) => self.operations.get(*position).is_some_and(|it| any(&it.operands)),
            Operand::Loaded(position) => self.references.get(*position).is_some_and(|it| any(&it.index)),
            Operand::Scalar(scalar) => scalar == name,
            Operand::Constant => false,
        }
    }
}

/// An access of a statement to an array element.
#[derive(Debug, Clone, PartialEq)]
pub struct Reference {
    pub array: ArrayId,
    pub subscripts: Subscripts,
    /// Offset of a struct field from the beginning of the element.
    pub offset_bytes: u32,
    /// Number of bytes accessed.
    pub width_bytes: u32,
    pub access: Access,
    /// The value stored; `None` for loads.
    pub stored: Option<Operand>,
    /// Operands from which an irregular address is computed; empty for affine subscripts.
    pub index: Vec<Operand>,
}

/// The subscripts of an accessed element.
#[derive(Debug, Clone, PartialEq)]
pub enum Subscripts {
    /// One expression for each dimension.
    Affine(Vec<Expr>),
    /// Not an affine function of loop variables.
    Irregular(Irregular),
}

/// Subscripts that depend on data.
#[derive(Debug, Clone, PartialEq)]
pub struct Irregular {
    /// Why they are not affine, in a few words.
    pub reason: String,
    /// The element as written in the source; two references of one statement with the same text access the same element.
    pub text: String,
    /// Upper bound on the number of different elements, for example 256 for `h[x & 255]`; `None` if the source shows none.
    pub choices: Option<Expr>,
}

/// Load or store.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Access {
    Load,
    Store,
}

impl Reference {
    /// A load of the whole element at affine subscripts.
    pub fn load(array: ArrayId, width_bytes: u32, subscripts: Vec<Expr>) -> Self {
        let subscripts = Subscripts::Affine(subscripts);
        let (access, stored, index) = (Access::Load, None, Vec::new());
        Self { array, subscripts, offset_bytes: 0, width_bytes, access, stored, index }
    }

    /// A store of an unknown value to the whole element at affine subscripts.
    pub fn store(array: ArrayId, width_bytes: u32, subscripts: Vec<Expr>) -> Self {
        Self { access: Access::Store, ..Self::load(array, width_bytes, subscripts) }
    }
}
