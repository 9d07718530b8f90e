//! Loop variables whose type cannot hold the value that ends their loop: they wrap around, and the loop ends later or never.

use tree_sitter::Node as Syntax;

use super::reader::CReader;
use super::types::CType;
use crate::front::reason::Reason;
use crate::nest::{Direction, Expr, NumberType};

/// Size and signedness of an integer variable.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct IntegerWidth {
    bytes: u8,
    unsigned: bool,
}

impl IntegerWidth {
    /// The width of a declared variable; `words` is the text of its type.
    pub(super) fn new(kind: &CType, words: &str) -> Option<Self> {
        let CType::Number(NumberType::Integer(bytes)) = kind else { return None };
        let mut words = words.split_whitespace();
        let unsigned = words.any(|word| word == "size_t" || word.starts_with('u'));
        Some(Self { bytes: *bytes, unsigned })
    }

    /// The largest value of the type. Types of 8 bytes count as 7 bytes, which is more than any loop counts to.
    fn largest(self) -> i64 {
        let bits = 8 * u32::from(self.bytes.clamp(1, 7)) - u32::from(!self.unsigned);
        (1 << bits) - 1
    }
}

impl CReader<'_, '_> {
    /// Records the width of a variable.
    pub(super) fn set_width(&mut self, name: &str, kind: &CType, declaration: Syntax<'_>) {
        let words = declaration.child_by_field_name("type").map_or_else(String::new, |node| self.text(node));
        match IntegerWidth::new(kind, &words) {
            Some(width) => self.widths.insert(name.to_owned(), width),
            None => self.widths.remove(name),
        };
    }

    /// An error if the variable may wrap around before it reaches the value that ends the loop.
    pub(super) fn check_reaches_limit(
        &self,
        variable: &str,
        limit: &Expr,
        direction: Direction,
    ) -> Result<(), Reason> {
        let Some(width) = self.widths.get(variable).copied() else { return Ok(()) };
        match (direction, limit.to_constant()) {
            (Direction::Down, Some(limit)) if width.unsigned && limit < 0 => {
                Err(format!("{variable} is unsigned and never below 0").into())
            }
            (Direction::Up, Some(limit)) if limit > width.largest() => {
                Err(format!("{variable} is never more than {}", width.largest()).into())
            }
            (Direction::Up, None) if width.bytes < 4 && !self.is_as_narrow(limit, width) => {
                Err(format!("{variable} wraps around after {}", width.largest()).into())
            }
            _ => Ok(()),
        }
    }

    /// Whether a bound is a variable that is not wider than this.
    fn is_as_narrow(&self, bound: &Expr, width: IntegerWidth) -> bool {
        let Expr::Symbol(symbol) = bound else { return false };
        let known = self.widths.get(self.function.symbols.name(*symbol));
        known.is_some_and(|known| known.largest() <= width.largest())
    }
}
