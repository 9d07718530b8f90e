//! The Rust front end: every function of a file becomes a nest.
//!
//! ```text
//! text ── syn ──> items ──> one RustReader for each function: reader (names), body (blocks, branches),
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
    #[error("line {line}: {problem}")]
    Syntax { line: usize, problem: String },
    /// Brackets or operators are nested so deeply that the recursive parser might overflow the stack.
    #[error(
        "line {line}: brackets are nested more than {DEEPEST} levels deep, or an expression has more than {MOST_OPERATORS} operators"
    )]
    TooDeep { line: usize },
}

/// Upper limit on nested brackets. The parser is recursive and would overflow the stack of a small thread.
const DEEPEST: usize = 128;
/// Upper limit on the operators of an expression, for the same reason.
const MOST_OPERATORS: usize = 4000;

/// All functions of a Rust file, in its order.
pub fn functions(text: &str) -> Result<Vec<Function>, RustError> {
    check_depth(text)?;
    let file = syn::parse_file(text)
        .map_err(|error| RustError::Syntax { line: error.span().start().line, problem: error.to_string() })?;
    let mut constants = reader::Constants::default();
    constants.visit_file(&file);
    let mut found = FunctionCollector { constants: &constants, functions: Vec::new() };
    found.visit_file(&file);
    Ok(found.functions)
}

/// Collects the functions of a file.
struct FunctionCollector<'c> {
    constants: &'c reader::Constants,
    functions: Vec<Function>,
}

impl<'ast> Visit<'ast> for FunctionCollector<'_> {
    fn visit_item_fn(&mut self, item: &'ast syn::ItemFn) {
        self.functions.push(reader::read(self.constants, &item.sig, &item.block));
        visit::visit_item_fn(self, item);
    }

    fn visit_impl_item_fn(&mut self, item: &'ast syn::ImplItemFn) {
        self.functions.push(reader::read(self.constants, &item.sig, &item.block));
        visit::visit_impl_item_fn(self, item);
    }
}

/// Checks the nesting before the parser runs. Brackets and operators are counted in the text, including strings and comments, so
/// the check may refuse more than necessary, but never less.
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
