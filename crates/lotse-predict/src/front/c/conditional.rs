//! Parts of a function that the preprocessor decides about.
//!
//! Only what the file itself defines is known here: `#if 0`, `#if 1`, and `#ifdef NAME` where the file has `#define NAME`. All else
//! may come from headers or the compiler's command line, and no alternative is taken for granted.

use tree_sitter::Node as Syntax;

use super::reader::{Reader, has_loop};
use super::source::children;
use crate::nest::Node;

const UNKNOWN: &str = "it depends on #if; use --cpp to let the preprocessor decide";

impl Reader<'_, '_> {
    /// The statements of the alternative that is compiled, or why it is not known which.
    pub(super) fn conditional(&mut self, node: Syntax<'_>) -> Vec<Node> {
        let alternative = node.child_by_field_name("alternative");
        match self.is_compiled(node) {
            Some(true) => self.statements(&own(node)),
            Some(false) => match alternative {
                Some(other) if other.kind() == "preproc_else" => self.statements(&own(other)),
                Some(other) => self.conditional(other),
                None => Vec::new(),
            },
            None if has_loop(node) => self.refused_loop(node, UNKNOWN),
            None => self.refused(node, UNKNOWN),
        }
    }

    fn is_compiled(&self, node: Syntax<'_>) -> Option<bool> {
        if let Some(condition) = node.child_by_field_name("condition") {
            return match self.text(condition).trim() {
                "0" => Some(false),
                "1" => Some(true),
                _ => None,
            };
        }
        let name = self.text(node.child_by_field_name("name")?);
        let defined = self.unit.defines(&name);
        let negated = self.text(node).starts_with("#ifndef");
        defined.then_some(!negated)
    }
}

/// The statements of one alternative.
fn own(node: Syntax<'_>) -> Vec<Syntax<'_>> {
    let is_statement = |kind: &str| {
        kind.ends_with("statement")
            || matches!(kind, "declaration" | "preproc_if" | "preproc_ifdef" | "ERROR")
    };
    children(node).into_iter().filter(|child| is_statement(child.kind())).collect()
}
