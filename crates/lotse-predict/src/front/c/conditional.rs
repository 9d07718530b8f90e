//! Conditional compilation: `#if` and `#ifdef`.
//!
//! Only definitions in the file itself are known: `#if 0`, `#if 1`, and `#ifdef NAME` if the file has `#define NAME`. Everything else
//! may come from headers or the compiler's command line, so inside a function such a part is refused. Outside of functions all
//! alternatives are read, so that no function is missed; of two definitions of a macro or a type, the one is used that is compiled
//! if the name is not defined.

use tree_sitter::Node as Syntax;

use super::reader::{CReader, has_loop};
use super::source::children;
use super::unit::TranslationUnit;
use crate::nest::Node;

const UNKNOWN: &str = "it depends on #if; use --cpp to let the preprocessor decide";

impl CReader<'_, '_> {
    /// The nodes of the alternative that is compiled, or a refusal if it is not known which one that is.
    pub(super) fn conditional(&mut self, node: Syntax<'_>) -> Vec<Node> {
        let alternative = node.child_by_field_name("alternative");
        match self.is_compiled(node) {
            Some(true) => self.statements(&alternative_statements(node)),
            Some(false) => match alternative {
                Some(other) if other.kind() == "preproc_else" => {
                    self.statements(&alternative_statements(other))
                }
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

/// Whether the first alternative of an `#if` or `#ifdef` is compiled, if that is known.
fn is_compiled(unit: &TranslationUnit<'_>, node: Syntax<'_>) -> Option<bool> {
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

/// Whether the first alternative is compiled if a name is not defined: `#ifndef` or `#if !defined`.
fn is_negated(unit: &TranslationUnit<'_>, node: Syntax<'_>) -> bool {
    let condition = node.child_by_field_name("condition").map(|condition| unit.text(condition).trim_start());
    condition.map_or_else(
        || unit.text(node).starts_with("#ifndef"),
        |condition| condition.starts_with("!defined") && !condition.contains("||"),
    )
}

/// The children of a node outside of functions. Alternatives that are never compiled are left out; of alternatives that may be
/// compiled, the one that is compiled if the name is not defined comes last, so that its definitions override the others.
pub(super) fn compiled_children<'t>(unit: &TranslationUnit<'_>, node: Syntax<'t>) -> Vec<Syntax<'t>> {
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
fn alternative_statements(node: Syntax<'_>) -> Vec<Syntax<'_>> {
    let is_statement = |kind: &str| {
        kind.ends_with("statement")
            || matches!(kind, "declaration" | "preproc_if" | "preproc_ifdef" | "ERROR")
    };
    children(node).into_iter().filter(|child| is_statement(child.kind())).collect()
}
