//! C: every function definition of a translation unit as a nest.
//!
//! ```text
//! text ── source: line markers of the preprocessor ──> tree-sitter ──> unit: macros, types, globals
//!                                                                        │
//!        body: loops, branches, statements <── one FunctionReader for each function definition
//!        integer: affine expressions     element: a[i][j], p->x[k]     value: operations and their operands
//! ```
//!
//! Integer parameters, globals and macros are parameters of the nest. A macro such as `#define N 1000` keeps its name in
//! formulas and gives the parameter a default value. Division and remainder are taken as in [`crate::nest::Expr`] only where
//! the dividend has no subtraction.

mod body;
mod choices;
mod conditional;
mod countdown;
mod element;
mod integer;
mod loops;
mod reader;
mod source;
mod types;
mod unit;
mod value;
mod width;

pub use source::ParseError;

use crate::nest::Function;

/// All functions of a C source, in its order.
pub fn functions(text: &str) -> Result<Vec<Function>, ParseError> {
    let source = source::Source::new(text);
    let tree = source.parse()?;
    let unit = unit::Unit::new(&source, tree.root_node());
    let own = unit.definitions.iter().filter(|definition| source.is_own(**definition));
    Ok(own.map(|definition| reader::read(&unit, *definition)).collect())
}

#[cfg(test)]
mod tests;
