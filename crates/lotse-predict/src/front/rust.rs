//! Rust: every function of a file as a nest.
//!
//! ```text
//! text ── syn ──> items ──> one FunctionReader for each function: reader (names), body (blocks, branches),
//!                           loops (ranges and iterators), value (elements, operations)
//! ```
//!
//! Integer arguments, constants, const generics and `x.len()` are parameters of the nest. Slices, arrays, `Vec`s and arrays of
//! arrays are arrays; a loop over the elements of one is a loop over its subscripts. A `&mut` argument is unaliased.

mod body;
mod choices;
mod integer;
mod loops;
mod reader;
mod types;
mod value;

use syn::visit::{self, Visit};

use crate::nest::Function;

/// Why a source could not be parsed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RustError {
    /// Not Rust.
    #[error("line {line}: {problem}")]
    Syntax {
        /// Where.
        line: usize,
        /// What the parser expected.
        problem: String,
    },
    /// Brackets inside brackets: the parser recurses on them.
    #[error(
        "line {line}: brackets are nested more than {DEEPEST} levels deep, or an expression has more than {MOST_OPERATORS} operators"
    )]
    TooDeep {
        /// Where the limit is passed.
        line: usize,
    },
}

/// The parser recurses on brackets, and would overflow the stack of a small thread.
const DEEPEST: usize = 128;
/// It also recurses on chains of operators.
const MOST_OPERATORS: usize = 4000;

/// All functions of a Rust file, in its order.
pub fn functions(text: &str) -> Result<Vec<Function>, RustError> {
    check_depth(text)?;
    let file = syn::parse_file(text)
        .map_err(|error| RustError::Syntax { line: error.span().start().line, problem: error.to_string() })?;
    let mut constants = reader::Constants::default();
    constants.visit_file(&file);
    let mut found = Found { constants: &constants, functions: Vec::new() };
    found.visit_file(&file);
    Ok(found.functions)
}

struct Found<'c> {
    constants: &'c reader::Constants,
    functions: Vec<Function>,
}

impl<'ast> Visit<'ast> for Found<'_> {
    fn visit_item_fn(&mut self, item: &'ast syn::ItemFn) {
        self.functions.push(reader::read(self.constants, &item.sig, &item.block));
        visit::visit_item_fn(self, item);
    }

    fn visit_impl_item_fn(&mut self, item: &'ast syn::ImplItemFn) {
        self.functions.push(reader::read(self.constants, &item.sig, &item.block));
        visit::visit_impl_item_fn(self, item);
    }
}

/// Brackets and operators are counted in the text; those in strings and comments count, too, which can only refuse more.
fn check_depth(text: &str) -> Result<(), RustError> {
    let (mut depth, mut operators) = (0_usize, 0_usize);
    for (line, content) in text.lines().enumerate() {
        for letter in content.chars() {
            match letter {
                '(' | '[' | '{' => depth += 1,
                ')' | ']' | '}' => depth = depth.saturating_sub(1),
                '+' | '-' | '*' | '/' | '%' | '&' | '|' | '^' | '!' | '<' | '>' | '=' | '.' | '?' => {
                    operators += 1
                }
                ';' | ',' => operators = 0,
                _ => {}
            }
            if depth > DEEPEST || operators > MOST_OPERATORS {
                return Err(RustError::TooDeep { line: line + 1 });
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
