//! Arrays: element size, extents and the order in memory.

use super::Expr;

/// The position of an array in its function's list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ArrayId(pub usize);

/// Elements of one size under one name.
#[derive(Debug, Clone, PartialEq)]
pub struct Array {
    pub name: String,
    /// Bytes from one element to the next.
    pub element_bytes: u32,
    pub layout: Layout,
    /// The language guarantees that no other name aliases its elements (`restrict`, `&mut`, an array local to the function).
    pub unaliased: bool,
}

/// How subscripts become addresses.
#[derive(Debug, Clone, PartialEq)]
pub enum Layout {
    /// Row-major: elements that differ by 1 in the last subscript are adjacent. The first extent is often unknown, as in `a[][8]`.
    RowMajor {
        /// Number of elements of each dimension; `None` only for the first.
        extents: Vec<Option<Expr>>,
    },
    /// Every row is an allocation of its own (`double **a`, `Vec<Vec<f64>>`).
    Rows {
        /// Number of elements of one row, if known.
        row: Option<Expr>,
    },
}

impl Array {
    /// A row-major array with known extents that nothing else aliases.
    pub fn row_major(name: &str, element_bytes: u32, extents: Vec<Expr>) -> Self {
        let extents = extents.into_iter().map(Some).collect();
        Self { name: name.to_owned(), element_bytes, layout: Layout::RowMajor { extents }, unaliased: true }
    }
}
