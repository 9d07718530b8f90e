//! Parts of a source that the preprocessor decides about.
//!
//! Only what the file itself defines is known here: `#if 0`, `#if 1`, and `#ifdef NAME` where the file has `#define NAME`. All else
//! may come from headers or the compiler's command line, and no alternative is taken for granted in a function. Outside of
//! functions all alternatives are read, so that no function is lost; of two definitions of a macro or a type the one counts that
//! is compiled if nobody defines the name.

use tree_sitter::Node as Syntax;

use super::reader::{Reader, has_loop};
use super::source::children;
use super::unit::Unit;
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
        is_compiled(self.unit, node)
    }
}

fn is_compiled(unit: &Unit<'_>, node: Syntax<'_>) -> Option<bool> {
    if let Some(condition) = node.child_by_field_name("condition") {
        return match unit.text(condition).trim() {
            "0" => Some(false),
            "1" => Some(true),
            _ => None,
        };
    }
    let name = unit.text(node.child_by_field_name("name")?);
    unit.defines(name).then_some(!is_negated(unit, node))
}

/// Whether something is compiled where a name is not defined.
fn is_negated(unit: &Unit<'_>, node: Syntax<'_>) -> bool {
    let condition = node.child_by_field_name("condition").map(|condition| unit.text(condition).trim_start());
    condition.map_or_else(
        || unit.text(node).starts_with("#ifndef"),
        |condition| condition.starts_with("!defined") && !condition.contains("||"),
    )
}

/// What is inside of something outside of functions, what counts last. A part that is never compiled is left out.
pub(super) fn compiled_children<'t>(unit: &Unit<'_>, node: Syntax<'t>) -> Vec<Syntax<'t>> {
    let inside = children(node);
    if !matches!(node.kind(), "preproc_if" | "preproc_ifdef" | "preproc_elif" | "preproc_elifdef") {
        return inside;
    }
    let alternative = node.child_by_field_name("alternative");
    let is_other = |child: &Syntax<'_>| alternative.is_some_and(|other| other.id() == child.id());
    match is_compiled(unit, node) {
        Some(true) => inside.into_iter().filter(|child| !is_other(child)).collect(),
        Some(false) => inside.into_iter().filter(is_other).collect(),
        None if is_negated(unit, node) => {
            let (mut other, own): (Vec<_>, Vec<_>) = inside.into_iter().partition(is_other);
            other.extend(own);
            other
        }
        None => inside,
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
