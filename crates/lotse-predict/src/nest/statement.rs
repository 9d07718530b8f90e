//! Statements: what is loaded and stored, and the operations between.

use super::{ArrayId, Expr, NumberType, Operand, Operation, OperationKind, Place};

/// One statement of the source, or one part of it that touches memory.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Statement {
    /// Where it is.
    pub place: Place,
    /// Elements of arrays that it touches, in the order of evaluation.
    pub references: Vec<Reference>,
    /// Operations in an order in which inputs come first.
    pub operations: Vec<Operation>,
    /// Scalars that it assigns, with the value.
    pub assigned: Vec<(String, Operand)>,
}

impl Statement {
    /// Adds an operation and gives its result. What is computed from numbers that are known before the loop is known, too; a
    /// compiler computes it once.
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

    /// Adds what takes the place of the remainder of a division by a known number: its product with the quotient is subtracted.
    pub(crate) fn remainder(&mut self, quotient: Operand, dividend: Operand, number: NumberType) -> Operand {
        let shifted = self.compute(OperationKind::Bits, number, vec![quotient]);
        let product = self.compute(OperationKind::Multiply, number, vec![shifted]);
        self.compute(OperationKind::Add, number, vec![dividend, product])
    }

    /// Whether it gives a scalar a value that does not depend on the one before.
    pub(crate) fn sets_anew(&self, name: &str) -> bool {
        let own = self.assigned.iter().filter(|(assigned, _)| assigned == name);
        let mut values = own.map(|(_, value)| value).peekable();
        values.peek().is_some() && !values.any(|value| self.depends(value, name))
    }

    /// Whether a value of the statement depends on a scalar.
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

/// An element of an array that a statement touches.
#[derive(Debug, Clone, PartialEq)]
pub struct Reference {
    /// Of which array.
    pub array: ArrayId,
    /// Which element.
    pub subscripts: Subscripts,
    /// Bytes from the beginning of the element, for fields of structs.
    pub offset_bytes: u32,
    /// Bytes that are touched.
    pub width_bytes: u32,
    /// Load or store.
    pub access: Access,
    /// The value stored; `None` for loads.
    pub stored: Option<Operand>,
    /// What an irregular address is computed from; empty for affine subscripts.
    pub index: Vec<Operand>,
}

/// Which element of an array is touched.
#[derive(Debug, Clone, PartialEq)]
pub enum Subscripts {
    /// One expression for each dimension.
    Affine(Vec<Expr>),
    /// Not an affine function of loop variables.
    Irregular(Irregular),
}

/// Subscripts that data decide about.
#[derive(Debug, Clone, PartialEq)]
pub struct Irregular {
    /// Why they are not affine, in a few words.
    pub reason: String,
    /// The element as the source has it; two references of one statement with the same text touch the same element.
    pub text: String,
    /// At most so many different elements can be selected, as `h[x & 255]` shows; `None` where the source does not show it.
    pub choices: Option<Expr>,
}

/// Load or store.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Access {
    /// Read.
    Load,
    /// Written.
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
