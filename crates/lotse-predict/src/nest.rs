//! The intermediate representation of loop nests: front ends produce it and analyses read it.
//!
//! A [`Function`] is a tree of loops, branches and statements over a table of symbols and a list of arrays. Bounds and
//! subscripts are [`Expr`]essions of parameters and loop variables. Nothing is evaluated here. Code that a front end cannot
//! express is recorded as a [`Refusal`] with its line and reason, so that no analysis silently treats it as free of cost.
//!
//! ```text
//! Function "mm"            symbols: N (parameter), i, j, k (loop variables); arrays: C[N][N], A[N][N], B[N][N] of f64
//! └─ Loop i = 0 .. N
//!    └─ Loop j = 0 .. N
//!       ├─ Statement       C[i][j] = 0
//!       └─ Loop k = 0 .. N
//!          └─ Statement    loads C[i][j], A[i][k], B[k][j]; multiply, add; stores C[i][j]
//! ```

mod array;
mod expr;
mod function;
mod operation;
mod statement;
mod symbol;

pub use array::{Array, ArrayId, Layout};
pub use expr::Expr;
pub use function::{
    Branch, Condition, Direction, Function, Loop, Node, Refusal, RefusedPart, SourcePosition,
};
pub use operation::{NumberType, Operand, Operation, OperationKind};
pub use statement::{Access, Irregular, Reference, Statement, Subscripts};
pub use symbol::{Symbol, SymbolKind, Symbols};
