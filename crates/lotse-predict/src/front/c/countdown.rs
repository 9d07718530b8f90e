//! Loops that decrement their variable in the condition: `while (n--)`, `for (i = n; i-- > 0;)`.

use tree_sitter::Node as Syntax;

use super::loops::LoopHead;
use super::reader::CReader;
use super::source::children;
use crate::front::reason::Reason;
use crate::nest::Direction;

impl CReader<'_, '_> {
    /// The loop head if the condition is `i-- > limit` or `i--`; `None` for other conditions.
    pub(super) fn countdown(&mut self, condition: Syntax<'_>) -> Result<Option<LoopHead>, Reason> {
        if condition.kind() == "parenthesized_expression" {
            return children(condition).first().map_or(Ok(None), |inner| self.countdown(*inner));
        }
        if condition.kind() == "update_expression" && self.text(condition).ends_with("--") {
            let variable = self.text_of_field(condition, "argument");
            let first = self.first(&variable)?.minus(1.into());
            return Ok(Some(LoopHead {
                variable,
                first,
                limit: (-1).into(),
                step: 1.into(),
                direction: Direction::Down,
            }));
        }
        let left = condition.child_by_field_name("left").filter(|left| left.kind() == "update_expression");
        let Some(left) = left.filter(|left| self.text(*left).ends_with("--")) else { return Ok(None) };
        let part = |node: Syntax<'_>, name: &str| self.text_of_field(node, name);
        let (variable, operator) = (part(left, "argument"), part(condition, "operator"));
        let right = condition.child_by_field_name("right").ok_or("the source has an error here")?;
        if operator != ">" {
            return Err(format!("{} does not limit {variable}", self.text(condition)).into());
        }
        let limit = self.integer(right)?.minus(1.into());
        let first = self.first(&variable)?.minus(1.into());
        Ok(Some(LoopHead { variable, first, limit, step: 1.into(), direction: Direction::Down }))
    }
}
