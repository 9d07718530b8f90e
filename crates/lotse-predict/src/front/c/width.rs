//! Loop variables that cannot hold the value that ends their loop: they begin anew, and the loop has no end or another one.

use tree_sitter::Node as Syntax;

use super::reader::Reader;
use super::types::CType;
use crate::front::reason::Reason;
use crate::nest::{Direction, Expr, NumberType};

/// An integer variable's type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Width {
    bytes: u8,
    unsigned: bool,
}

impl Width {
    /// The type of a declaration, by its words.
    pub(super) fn new(kind: &CType, words: &str) -> Option<Self> {
        let CType::Number(NumberType::Integer(bytes)) = kind else { return None };
        let mut words = words.split_whitespace();
        let unsigned = words.any(|word| word == "size_t" || word.starts_with('u'));
        Some(Self { bytes: *bytes, unsigned })
    }

    /// The largest value; integers of more bytes hold all that loops count to.
    fn largest(self) -> i64 {
        let bits = 8 * u32::from(self.bytes.clamp(1, 7)) - u32::from(!self.unsigned);
        (1 << bits) - 1
    }
}

impl Reader<'_, '_> {
    /// Keeps the type of a variable.
    pub(super) fn set_width(&mut self, name: &str, kind: &CType, declaration: Syntax<'_>) {
        let words = declaration.child_by_field_name("type").map_or_else(String::new, |node| self.text(node));
        match Width::new(kind, &words) {
            Some(width) => self.widths.insert(name.to_owned(), width),
            None => self.widths.remove(name),
        };
    }

    /// An error if the variable may not reach the value that ends the loop.
    pub(super) fn ends(&self, variable: &str, limit: &Expr, direction: Direction) -> Result<(), Reason> {
        let Some(width) = self.widths.get(variable).copied() else { return Ok(()) };
        match (direction, limit.to_constant()) {
            (Direction::Down, Some(limit)) if width.unsigned && limit < 0 => {
                Err(format!("{variable} is unsigned and never below 0").into())
            }
            (Direction::Up, Some(limit)) if limit > width.largest() => {
                Err(format!("{variable} is never more than {}", width.largest()).into())
            }
            (Direction::Up, None) if width.bytes < 4 && !self.is_as_narrow(limit, width) => {
                Err(format!("{variable} begins anew after {}", width.largest()).into())
            }
            _ => Ok(()),
        }
    }

    /// Whether a bound is a variable that holds no more than this.
    fn is_as_narrow(&self, bound: &Expr, width: Width) -> bool {
        let Expr::Symbol(symbol) = bound else { return false };
        let known = self.widths.get(self.function.symbols.name(*symbol));
        known.is_some_and(|known| known.largest() <= width.largest())
    }
}
