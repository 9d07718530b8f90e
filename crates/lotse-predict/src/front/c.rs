//! The C front end: every function definition of a translation unit becomes a nest.
//!
//! ```text
//! text ── source: line markers of the preprocessor ──> tree-sitter ──> unit: macros, types, globals
//!                                                                        │
//!        body: loops, branches, statements <── one CReader for each function definition
//!        integer: affine expressions     element: a[i][j], p->x[k]     value: operations and their operands
//! ```
//!
//! Integer parameters, globals and macros are parameters of the nest. A macro such as `#define N 1000` keeps its name in
//! formulas and gives the parameter a default value. C rounds quotients toward zero, [`crate::nest::Expr`] rounds down; so
//! division and remainder are translated only if the dividend has no subtraction.

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

/// All functions of a C source in its order, without those of included headers.
pub fn functions(text: &str) -> Result<Vec<Function>, ParseError> {
    let source = source::CSource::new(text);
    let tree = source.parse()?;
    let unit = unit::TranslationUnit::new(&source, tree.root_node());
    let own = unit.definitions.iter().filter(|definition| source.is_own(**definition));
    Ok(own.map(|definition| reader::read(&unit, *definition)).collect())
}

#[cfg(test)]
mod tests;
