//! Statements of a function body.

use std::collections::BTreeSet;

use tree_sitter::Node as Syntax;

use super::reader::{Binding, CReader};
use super::source::children;
use super::types::CType;
use crate::front::reason::Reason;
use crate::nest::{Branch, Condition, Expr, Node, NumberType, RefusedPart, Statement};

impl CReader<'_, '_> {
    /// The nodes of a block, which has its own scope.
    pub(super) fn block(&mut self, node: Syntax<'_>) -> Vec<Node> {
        self.open_block();
        let nodes = match node.kind() {
            "compound_statement" => self.statements(&children(node)),
            _ => self.statements(&[node]),
        };
        self.close_block();
        nodes
    }

    /// The nodes of a list of statements. The statements after `if (c) continue;` become the other side of that branch.
    pub(super) fn statements(&mut self, list: &[Syntax<'_>]) -> Vec<Node> {
        let mut nodes = Vec::new();
        for (position, node) in list.iter().enumerate() {
            nodes.extend(self.statement(*node));
            if self.assumes_no_return(*node, &mut nodes) {
                continue;
            }
            // `if (c) continue; rest` is `if (c) {} else { rest }`; the same holds for `return` at the top level of the function.
            let leaves = self.is_at_top_level() && trailing_statement(*node, "return_statement").is_some();
            if leaves || trailing_continue(*node).is_some() {
                let rest = self.statements(&list[position + 1..]);
                match nodes.last_mut() {
                    Some(Node::Branch(branch)) => branch.otherwise.extend(rest),
                    _ => nodes.extend(rest),
                }
                return nodes;
            }
        }
        nodes
    }

    /// The nodes of one statement, by its kind in the syntax tree; kinds that are not supported become refusals.
    fn statement(&mut self, node: Syntax<'_>) -> Vec<Node> {
        if self.unit.is_loop_macro(self.text(node).as_str()) {
            return self.refused_loop(node, "a macro has a loop in it; use --cpp to expand it");
        }
        match node.kind() {
            "compound_statement" => self.block(node),
            "for_statement" => self.for_loop(node),
            "while_statement" => self.while_loop(node),
            "if_statement" => self.branch(node),
            "expression_statement" => self.expressions(&children(node)),
            "declaration" => self.declaration(node),
            "preproc_if" | "preproc_ifdef" => self.conditional(node),
            "labeled_statement" | "attributed_statement" | "linkage_specification" => {
                let statement =
                    |child: &Syntax<'_>| child.kind().ends_with("statement") || child.kind() == "declaration";
                let statements: Vec<Syntax<'_>> = children(node).into_iter().filter(statement).collect();
                self.statements(&statements)
            }
            "return_statement" => self.expressions(&children(node)),
            "do_statement" => self.do_loop(node),
            "switch_statement" => self.refused(node, "switch is not analysed"),
            "goto_statement" => self.refused(node, "goto is not analysed"),
            "ERROR" => self.refused(node, "the source has an error here"),
            "break_statement"
            | "continue_statement"
            | "preproc_call"
            | "preproc_def"
            | "type_definition"
            | "preproc_function_def"
            | "preproc_include"
            | "struct_specifier" => Vec::new(),
            kind => self.refused(node, &format!("{} is not analysed", kind.replace('_', " "))),
        }
    }

    /// `do { … } while (0)` is a block.
    fn do_loop(&mut self, node: Syntax<'_>) -> Vec<Node> {
        let once = node
            .child_by_field_name("condition")
            .is_some_and(|it| self.text(it).trim_matches(['(', ')', ' ']) == "0");
        let leaves = self.text(node).contains("break") || self.text(node).contains("continue");
        match node.child_by_field_name("body").filter(|_| once && !leaves) {
            Some(body) => self.block(body),
            None => self.refused(node, "a do-while loop has no count that is known before it"),
        }
    }

    /// Whether the statement is a conditional return outside of loops that is assumed not to be taken, such as `if (!p) return;` at
    /// the beginning of a function. The assumption is recorded and the branch removed.
    fn assumes_no_return(&mut self, node: Syntax<'_>, nodes: &mut Vec<Node>) -> bool {
        let is_whole = self.is_at_top_level();
        self.depth == 0
            && trailing_statement(node, "return_statement").is_some()
            && self.function.assume_no_return(nodes, is_whole)
    }

    /// A refusal of a part of the source. The values of variables that it assigns are unknown afterwards.
    pub(super) fn refused(&mut self, node: Syntax<'_>, reason: &str) -> Vec<Node> {
        self.forget(&assigned_in(&[node], &|n| self.text(n)), "is assigned in a part that is not analysed");
        vec![Node::Refused(self.refusal(node, reason))]
    }

    /// The same for a part that may contain a loop although its syntax does not show one.
    pub(super) fn refused_loop(&mut self, node: Syntax<'_>, reason: &str) -> Vec<Node> {
        let mut nodes = self.refused(node, reason);
        for refused in &mut nodes {
            if let Node::Refused(refusal) = refused {
                refusal.part = RefusedPart::Loop;
            }
        }
        nodes
    }

    /// The statement that evaluates these expressions.
    fn expressions(&mut self, list: &[Syntax<'_>]) -> Vec<Node> {
        let Some(first) = list.first() else { return Vec::new() };
        let mut statement = Statement { place: self.place(*first), ..Statement::default() };
        for node in list {
            self.value(*node, &mut statement);
        }
        self.finish_statement(statement)
    }

    /// The statement, unless it is empty, and the refusals that occurred while it was read.
    fn finish_statement(&mut self, statement: Statement) -> Vec<Node> {
        let refused = std::mem::take(&mut self.refusals).into_iter().map(Node::Refused);
        let empty = statement.references.is_empty() && statement.operations.is_empty();
        let own = (!empty || !statement.assigned.is_empty()).then_some(Node::Statement(statement));
        own.into_iter().chain(refused).collect()
    }

    fn declaration(&mut self, node: Syntax<'_>) -> Vec<Node> {
        let Some(base) = node.child_by_field_name("type").map(|base| self.unit.named_type(base)) else {
            return Vec::new();
        };
        let mut statement = Statement { place: self.place(node), ..Statement::default() };
        let mut cursor = node.walk();
        let declarators: Vec<Syntax<'_>> = node.children_by_field_name("declarator", &mut cursor).collect();
        for declarator in declarators {
            let value = declarator.child_by_field_name("value");
            if let Some((name, kind)) = self.declared(declarator, base.clone()) {
                self.set_width(&name, &kind, node);
                self.declare(&name, &kind, value, &mut statement);
            }
        }
        self.finish_statement(statement)
    }

    /// Binds a declared variable and adds the evaluation of its initial value to the statement.
    fn declare(&mut self, name: &str, kind: &CType, value: Option<Syntax<'_>>, statement: &mut Statement) {
        match (kind, value) {
            (CType::Number(NumberType::Integer(_)) | CType::Unknown, Some(value)) => {
                let known = self.integer(value).is_ok();
                let range = self.assigned_choices(kind, value);
                let binding = self.integer_binding(name, value);
                self.ranges.remove(name);
                self.ranges.extend(range.map(|range| (name.to_owned(), range)));
                if !known {
                    let operand = self.value(value, statement).0;
                    statement.assigned.push((name.to_owned(), operand));
                }
                self.bind(name, binding);
            }
            (CType::Number(NumberType::Integer(_)) | CType::Unknown, None) => {
                self.bind(name, Binding::Changing(format!("{name} has no known value here")));
            }
            (CType::Pointer(_), Some(value)) => self.declare_pointer(name, kind, value, statement),
            (_, value) => {
                self.bind_variable(name, kind, false);
                if let (CType::Number(_), Some(value)) = (kind, value) {
                    let operand = self.value(value, statement).0;
                    statement.assigned.push((name.to_owned(), operand));
                }
            }
        }
    }

    /// Binds a pointer: an alias of a known element, newly allocated memory, or an unknown array.
    fn declare_pointer(&mut self, name: &str, kind: &CType, value: Syntax<'_>, statement: &mut Statement) {
        let allocation = self.text(value).contains("alloc");
        if let Some(alias) = self.element(value).and_then(|element| element.to_binding(kind.clone())) {
            self.bind(name, Binding::Array(alias));
        } else if allocation {
            self.bind_variable(name, kind, true);
            self.value(value, statement);
        } else {
            self.value(value, statement);
            // Memory of unknown origin is an array of its own that other pointers may alias.
            self.bind_variable(name, kind, false);
        }
    }

    /// The binding of an integer after the assignment of a value.
    fn integer_binding(&mut self, name: &str, value: Syntax<'_>) -> Binding {
        match self.integer(value) {
            Ok(expr) => Binding::Integer(expr),
            Err(reason) => self.unknown(name, format!("{name} is not known: {reason}")),
        }
    }

    /// Updates the binding of an integer or a pointer for `name = value` and `name += value`.
    pub(super) fn assign_integer(&mut self, left: Syntax<'_>, right: Syntax<'_>, arithmetic: &str) {
        let name = self.text(left);
        let range = if arithmetic.is_empty() { self.choices(right) } else { None };
        self.ranges.remove(&name);
        self.ranges.extend(range.map(|range| (name.clone(), range)));
        let old = self.lookup(&name);
        let binding = match (old, arithmetic) {
            (Some(Binding::Scalar(_) | Binding::Struct(_)), _) => return,
            // The source does not declare this name.
            (None, "") => self.integer_binding(&name, right),
            (None, _) => Binding::Changing(format!("{name} changes")),
            (Some(Binding::Array(array)), "") => {
                let alias = self.element(right).and_then(|element| element.to_binding(array.kind.clone()));
                match alias {
                    Some(alias) => Binding::Array(alias),
                    None if self.text(right).contains("alloc") => return,
                    None => Binding::Changing(format!("the pointer {name} changes")),
                }
            }
            (Some(Binding::Integer(_) | Binding::Changing(_)), "") => self.integer_binding(&name, right),
            (Some(Binding::Integer(old)), "+") => self.stepped_binding(&name, right, |by| old.plus(by)),
            (Some(Binding::Integer(old)), "-") => self.stepped_binding(&name, right, |by| old.minus(by)),
            (Some(Binding::Changing(_)), _) => return,
            _ => Binding::Changing(format!("{name} changes")),
        };
        self.assign(&name, binding);
    }

    /// The binding of an integer after `name += by` or `name -= by`.
    fn stepped_binding(&mut self, name: &str, by: Syntax<'_>, change: impl FnOnce(Expr) -> Expr) -> Binding {
        match self.integer(by) {
            Ok(by) => Binding::Integer(change(by)),
            Err(reason) => Binding::Changing(format!("{name} is not known: {reason}")),
        }
    }

    /// Updates the binding for `name++` and `name--`.
    pub(super) fn step_integer(&mut self, argument: Syntax<'_>, sign: i64) {
        let name = self.text(argument);
        self.ranges.remove(&name);
        let binding = match self.lookup(&name) {
            Some(Binding::Integer(old)) => Binding::Integer(old.plus(sign.into())),
            Some(Binding::Array(_)) => Binding::Changing(format!("the pointer {name} changes")),
            _ => return,
        };
        self.assign(&name, binding);
    }

    /// The nodes of an `if`: the evaluation of the condition, and the branch. Variables that are assigned in it are unknown
    /// afterwards.
    fn branch(&mut self, node: Syntax<'_>) -> Vec<Node> {
        let (Some(test), Some(then)) =
            (node.child_by_field_name("condition"), node.child_by_field_name("consequence"))
        else {
            return self.refused(node, "the source has an error here");
        };
        let condition = match self.conditions(test) {
            Ok(forms) => Condition::AllNonNegative(forms),
            Err(reason) => Condition::Unknown(self.refusal(test, reason)),
        };
        // The comparison itself takes time, too.
        let mut nodes = self.expressions(&[test]);
        let place = self.place(node);
        let assigned = assigned_in(&[node], &|n| self.text(n));
        let then = self.block(then);
        self.forget(&assigned, "is assigned in a branch");
        let alternative = node.child_by_field_name("alternative").map_or_else(Vec::new, children);
        self.open_block();
        let otherwise = self.statements(&alternative);
        self.close_block();
        self.forget(&assigned, "is assigned in a branch");
        nodes.push(Node::Branch(Branch { place, condition, then, otherwise }));
        nodes
    }

    /// Expressions that are all at least 0 if and only if the condition holds.
    pub(super) fn conditions(&mut self, node: Syntax<'_>) -> Result<Vec<Expr>, Reason> {
        let reason = || Reason::from("the condition depends on data");
        if node.kind() == "parenthesized_expression" {
            return self.conditions(*children(node).first().ok_or_else(reason)?);
        }
        if node.kind() != "binary_expression" {
            return Err(reason());
        }
        let part = |name: &str| node.child_by_field_name(name).ok_or_else(reason);
        let (left, right, operator) = (part("left")?, part("right")?, self.text(part("operator")?));
        if operator == "&&" {
            let mut all = self.conditions(left)?;
            all.extend(self.conditions(right)?);
            return Ok(all);
        }
        let (a, b) = (self.integer(left)?, self.integer(right)?);
        match operator.as_str() {
            "<" => Ok(vec![b.minus(a).minus(1.into())]),
            "<=" => Ok(vec![b.minus(a)]),
            ">" => Ok(vec![a.minus(b).minus(1.into())]),
            ">=" => Ok(vec![a.minus(b)]),
            "==" => Ok(vec![a.clone().minus(b.clone()), b.minus(a)]),
            _ => Err(format!("the condition uses {operator}").into()),
        }
    }
}

/// The `continue` at the end of `if (…) continue;` or `if (…) { …; continue; }` without `else`.
pub(super) fn trailing_continue(node: Syntax<'_>) -> Option<Syntax<'_>> {
    trailing_statement(node, "continue_statement")
}

/// The last statement of an `if` without `else`, if it is of this kind.
fn trailing_statement<'n>(node: Syntax<'n>, kind: &str) -> Option<Syntax<'n>> {
    let then = node.child_by_field_name("consequence").filter(|_| node.kind() == "if_statement")?;
    let last = match then.kind() {
        "compound_statement" => children(then).last().copied()?,
        _ => then,
    };
    let alone = node.child_by_field_name("alternative").is_none();
    (alone && last.kind() == kind).then_some(last)
}

/// Names that are assigned, incremented or whose address is taken below these nodes.
pub(super) fn assigned_in(nodes: &[Syntax<'_>], text: &dyn Fn(Syntax<'_>) -> String) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    let mut pending: Vec<Syntax<'_>> = nodes.to_vec();
    while let Some(node) = pending.pop() {
        let target = match node.kind() {
            "assignment_expression" => node.child_by_field_name("left"),
            "update_expression" => node.child_by_field_name("argument"),
            "pointer_expression" if text(node).starts_with('&') => node.child_by_field_name("argument"),
            _ => None,
        };
        if let Some(name) = target.filter(|target| matches!(target.kind(), "identifier" | "field_expression"))
        {
            names.insert(text(name));
        }
        pending.extend(children(node));
    }
    names
}
