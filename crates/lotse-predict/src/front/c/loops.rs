//! Counting loops: `for` and `while` loops whose number of iterations is known before they start.

use tree_sitter::Node as Syntax;

use super::body::{assigned_in, trailing_continue};
use super::reader::{Binding, CReader};
use super::source::children;
use crate::front::reason::Reason;
use crate::nest::{Direction, Expr, Loop, Node, Refusal};

/// Variable, bounds and step of a loop.
pub(super) struct LoopHead {
    pub(super) variable: String,
    pub(super) first: Expr,
    pub(super) limit: Expr,
    pub(super) step: Expr,
    pub(super) direction: Direction,
}

/// A secondary induction variable: an integer that changes by the same amount in every iteration, such as `k` in
/// `for (i…) { …; k += n; }`. In iteration t its value is `first + by * t`.
struct InductionVariable {
    name: String,
    first: Expr,
    by: Expr,
}

impl CReader<'_, '_> {
    pub(super) fn for_loop(&mut self, node: Syntax<'_>) -> Vec<Node> {
        self.open_block();
        let nodes = self.for_in_block(node);
        self.close_block();
        nodes
    }

    /// A `for` loop inside the scope of its own variables.
    fn for_in_block(&mut self, node: Syntax<'_>) -> Vec<Node> {
        let Some(body) = node.child_by_field_name("body") else {
            return self.refused(node, "the source has an error here");
        };
        let initializer = node.child_by_field_name("initializer");
        let mut nodes = match initializer {
            Some(declaration) if declaration.kind() == "declaration" => self.statements(&[declaration]),
            Some(expression) => {
                let mut statement = crate::nest::Statement::default();
                self.value(expression, &mut statement);
                Vec::new()
            }
            None => Vec::new(),
        };
        nodes.retain(|node| matches!(node, Node::Refused(_)));
        match self.head(node) {
            Ok(head) => nodes.extend(self.counting_loop(node, head, &[body])),
            Err(reason) => nodes.extend(self.refused(node, &reason.to_string())),
        }
        nodes
    }

    /// The head of a `for` loop. The initialiser was read before, so variables have their first values.
    fn head(&mut self, node: Syntax<'_>) -> Result<LoopHead, Reason> {
        let condition = node.child_by_field_name("condition").ok_or("the loop has no condition")?;
        if let Some(head) = self.countdown(condition)? {
            return Ok(head);
        }
        let update = node.child_by_field_name("update").ok_or("the loop has no step")?;
        let updates = if update.kind() == "comma_expression" { comma_operands(update) } else { vec![update] };
        let mut others = Vec::new();
        for update in updates {
            match self.stepped(update) {
                Ok((variable, step, direction)) => match self.limit(condition, &variable, direction) {
                    Ok(limit) => {
                        self.check_reaches_limit(&variable, &limit, direction)?;
                        let first = self.first(&variable)?;
                        return Ok(LoopHead { variable, first, limit, step, direction });
                    }
                    Err(reason) => others.push(reason),
                },
                Err(reason) => others.push(reason),
            }
        }
        Err(others.into_iter().next().unwrap_or_else(|| "the loop has no step".into()))
    }

    /// Refusals of update expressions that are not steps: `s += a[i]` in `i++, s += a[i]`.
    fn other_updates(&mut self, update: Option<Syntax<'_>>) -> Vec<Node> {
        let parts = update.filter(|it| it.kind() == "comma_expression").map_or_else(Vec::new, comma_operands);
        let others: Vec<_> = parts.into_iter().filter(|part| self.stepped(*part).is_err()).collect();
        let refused = |part| self.refused(part, "what is done beside the step is not analysed");
        others.into_iter().flat_map(refused).collect()
    }

    /// The value of the loop variable before the loop.
    pub(super) fn first(&mut self, variable: &str) -> Result<Expr, Reason> {
        match self.lookup(variable) {
            Some(Binding::Integer(value)) => Ok(value),
            Some(Binding::Changing(reason)) => Err(reason.into()),
            _ => Err(format!("{variable} is not an integer with a known first value").into()),
        }
    }

    pub(super) fn text_of_field(&self, node: Syntax<'_>, name: &str) -> String {
        node.child_by_field_name(name).map_or_else(String::new, |part| self.text(part))
    }

    /// Variable, positive step and direction of `i++`, `i += 2` or `i = i - 1`.
    fn stepped(&mut self, update: Syntax<'_>) -> Result<(String, Expr, Direction), Reason> {
        let not_counting = Reason::from(format!("{} does not count", self.text(update)));
        let target = update.child_by_field_name("argument").or(update.child_by_field_name("left"));
        if target.is_none_or(|target| target.kind() != "identifier") {
            return Err(not_counting);
        }
        if update.kind() == "update_expression" {
            let up = self.text_of_field(update, "operator") == "++";
            let direction = if up { Direction::Up } else { Direction::Down };
            return Ok((self.text_of_field(update, "argument"), 1.into(), direction));
        }
        if update.kind() != "assignment_expression" {
            return Err(not_counting);
        }
        let variable = self.text_of_field(update, "left");
        let right = update.child_by_field_name("right").ok_or_else(|| not_counting.clone())?;
        let (sign, step) = match self.text_of_field(update, "operator").as_str() {
            "+=" => (1, self.integer(right)?),
            "-=" => (-1, self.integer(right)?),
            "=" => self.difference(right, &variable).ok_or(not_counting)?,
            _ => return Err(not_counting),
        };
        match step.to_constant() {
            Some(0) => Err(format!("{variable} never changes").into()),
            Some(step) if (step < 0) == (sign > 0) => Ok((variable, step.abs().into(), Direction::Down)),
            Some(step) => Ok((variable, step.abs().into(), Direction::Up)),
            None if sign > 0 => Ok((variable, step, Direction::Up)),
            None => Ok((variable, step, Direction::Down)),
        }
    }

    /// Sign and distance if the expression is `variable + distance` or `variable - distance`.
    fn difference(&mut self, node: Syntax<'_>, variable: &str) -> Option<(i64, Expr)> {
        let (left, right) = (node.child_by_field_name("left")?, node.child_by_field_name("right")?);
        match self.text_of_field(node, "operator").as_str() {
            "+" if self.text(left) == variable => Some((1, self.integer(right).ok()?)),
            "+" if self.text(right) == variable => Some((1, self.integer(left).ok()?)),
            "-" if self.text(left) == variable => Some((-1, self.integer(right).ok()?)),
            _ => None,
        }
    }

    /// The exclusive limit of the variable: the first value for which the condition does not hold.
    fn limit(&mut self, condition: Syntax<'_>, variable: &str, direction: Direction) -> Result<Expr, Reason> {
        let not_a_limit = Reason::from(format!("{} does not limit {variable}", self.text(condition)));
        let part = |name: &str| condition.child_by_field_name(name).ok_or_else(|| not_a_limit.clone());
        if condition.kind() == "parenthesized_expression" {
            let inner = children(condition).first().copied().ok_or_else(|| not_a_limit.clone())?;
            return self.limit(inner, variable, direction);
        }
        let (left, right) = (part("left")?, part("right")?);
        let operator = self.text(part("operator")?);
        if operator == "&&" {
            let (a, b) = (self.limit(left, variable, direction)?, self.limit(right, variable, direction)?);
            return Ok(if direction == Direction::Up { a.min(b) } else { a.max(b) });
        }
        let (operator, bound) = if self.text(left) == variable {
            (operator, right)
        } else if self.text(right) == variable {
            (mirrored(&operator).to_owned(), left)
        } else {
            return Err(not_a_limit);
        };
        let bound = self.integer(bound)?;
        match (operator.as_str(), direction) {
            ("<", Direction::Up) | (">", Direction::Down) | ("!=", _) => Ok(bound),
            ("<=", Direction::Up) => Ok(bound.plus(1.into())),
            (">=", Direction::Down) => Ok(bound.minus(1.into())),
            _ => Err(not_a_limit),
        }
    }

    /// `while (i < n) { …; i++; }`, if the value of i before the loop is known.
    pub(super) fn while_loop(&mut self, node: Syntax<'_>) -> Vec<Node> {
        match self.while_head(node) {
            Ok((head, body)) => self.counting_loop(node, head, &body),
            Err(reason) => self.refused(node, &reason.to_string()),
        }
    }

    /// The head of a `while` loop, and the statements of its body without the final step.
    fn while_head<'n>(&mut self, node: Syntax<'n>) -> Result<(LoopHead, Vec<Syntax<'n>>), Reason> {
        let error = "the loop ends on a condition of data".to_owned();
        let condition = node.child_by_field_name("condition").ok_or_else(|| error.clone())?;
        let body = node.child_by_field_name("body").ok_or_else(|| error.clone())?;
        let mut statements = if body.kind() == "compound_statement" { children(body) } else { vec![body] };
        if let Some(head) = self.countdown(condition)? {
            return Ok((head, statements));
        }
        let last = statements.pop().filter(|last| last.kind() == "expression_statement");
        let update = last.and_then(|last| children(last).first().copied()).ok_or_else(|| error.clone())?;
        let (variable, step, direction) = self.stepped(update).map_err(|_| error.clone())?;
        let limit = self.limit(condition, &variable, direction).map_err(|_| error)?;
        self.check_reaches_limit(&variable, &limit, direction)?;
        let first = self.first(&variable)?;
        Ok((LoopHead { variable, first, limit, step, direction }, statements))
    }

    /// The node of a counting loop. While the body is read, the loop variable and secondary induction variables are bound to
    /// expressions of the iteration; all other variables that the loop assigns are unknown in and after the loop.
    fn counting_loop(&mut self, node: Syntax<'_>, head: LoopHead, body: &[Syntax<'_>]) -> Vec<Node> {
        let place = self.place(node);
        let mut assigned = assigned_in(body, &|n| self.text(n));
        let changed_bound = self.changed_bound(node, &head, &assigned);
        if let Some(reason) = changed_bound {
            return self.refused(node, &reason.to_string());
        }
        let update = node.child_by_field_name("update");
        assigned.extend(assigned_in(update.as_slice(), &|n| self.text(n)));
        assigned.remove(&head.variable);
        let induction_variables = self.induction_variables(&head, update, body, &assigned);
        self.depth += 1;
        self.forget(&assigned, "changes in the loop");
        let LoopHead { variable: name, first, limit, step, direction } = head;
        let variable = self.loop_variable(&name);
        for InductionVariable { name, first: own, by } in induction_variables {
            let done = match direction {
                Direction::Up => Expr::from(variable).minus(first.clone()),
                Direction::Down => first.clone().minus(variable.into()),
            };
            self.assign(&name, Binding::Integer(own.plus(done.floor_div(step.clone()).times(by))));
        }
        self.open_block();
        self.bind(&name, Binding::Integer(variable.into()));
        let mut inner = match body {
            [single] => self.block(*single),
            several => self.statements(several),
        };
        inner.extend(self.other_updates(update));
        self.close_block();
        self.depth -= 1;
        self.forget(&assigned, "changes in the loop");
        let left = self.unknown(&name, format!("{name} has the value that the loop left"));
        self.assign(&name, left);
        let early_exits = self.early_exits(body);
        vec![Node::Loop(Loop { place, variable, first, limit, step, direction, early_exits, body: inner })]
    }

    /// The secondary induction variables of a loop: assigned exactly once, unconditionally, by a step that the loop does not change.
    fn induction_variables(
        &mut self,
        head: &LoopHead,
        update: Option<Syntax<'_>>,
        body: &[Syntax<'_>],
        assigned: &std::collections::BTreeSet<String>,
    ) -> Vec<InductionVariable> {
        let mut direct: Vec<Syntax<'_>> = update.map_or_else(Vec::new, comma_operands);
        for node in body {
            let statements = if node.kind() == "compound_statement" { children(*node) } else { vec![*node] };
            let plain = statements.into_iter().filter(|statement| statement.kind() == "expression_statement");
            direct.extend(plain.filter_map(|statement| children(statement).first().copied()));
        }
        let all: Vec<Syntax<'_>> = body.iter().copied().chain(update).collect();
        let mut found = Vec::new();
        for step in direct {
            let Ok((name, by, direction)) = self.stepped(step) else { continue };
            let once = assignments(&all, &|node| self.text(node) == name) == 1;
            let constant = assigned.iter().all(|other| !self.mentions(step, other) || *other == name);
            let plain =
                assigned.contains(&name) && name != head.variable && !self.mentions(step, &head.variable);
            if let (true, true, true, Some(Binding::Integer(first))) =
                (once, constant, plain, self.lookup(&name))
            {
                let by = if direction == Direction::Up { by } else { by.times((-1).into()) };
                found.push(InductionVariable { name, first, by });
            }
        }
        found
    }

    /// Whether a name occurs below a node.
    fn mentions(&self, node: Syntax<'_>, name: &str) -> bool {
        let mut pending = vec![node];
        while let Some(part) = pending.pop() {
            if part.kind() == "identifier" && self.text(part) == name {
                return true;
            }
            pending.extend(children(part));
        }
        false
    }

    /// Other variables that the update of a `for` loop changes: `j` in `i++, j--`.
    fn also_stepped(&self, node: Syntax<'_>, variable: &str) -> Vec<String> {
        let updates = node.child_by_field_name("update").map_or_else(Vec::new, comma_operands);
        let target = |update: Syntax<'_>| {
            let target = update.child_by_field_name("argument").or(update.child_by_field_name("left"))?;
            Some(self.text(target)).filter(|name| name != variable)
        };
        updates.into_iter().filter_map(target).collect()
    }

    /// The reason for refusing a loop whose body or update changes the loop variable or a variable of the bounds.
    fn changed_bound(
        &mut self,
        node: Syntax<'_>,
        head: &LoopHead,
        assigned: &std::collections::BTreeSet<String>,
    ) -> Option<Reason> {
        if assigned.contains(&head.variable) {
            return Some(format!("the loop changes {} in its body", head.variable).into());
        }
        let condition = node.child_by_field_name("condition")?;
        let others = self.also_stepped(node, &head.variable);
        let mut pending = vec![condition];
        while let Some(part) = pending.pop() {
            let name = self.text(part);
            let changes = assigned.contains(&name) || others.contains(&name);
            if matches!(part.kind(), "identifier" | "field_expression") && changes {
                return Some(format!("the loop changes its bound {name}").into());
            }
            pending.extend(children(part));
        }
        None
    }

    /// Statements that may end the loop or an iteration early.
    fn early_exits(&self, body: &[Syntax<'_>]) -> Vec<Refusal> {
        let direct = body.iter().flat_map(|node| match node.kind() {
            "compound_statement" => children(*node),
            _ => vec![*node],
        });
        // These became branches, whose conditions determine when the rest of the iteration is skipped.
        let known: Vec<usize> = direct.filter_map(trailing_continue).map(|skip| skip.id()).collect();
        let mut exits = Vec::new();
        let mut pending: Vec<(Syntax<'_>, bool)> = body.iter().map(|node| (*node, false)).collect();
        while let Some((node, inner)) = pending.pop() {
            let reason = match node.kind() {
                "return_statement" => Some("return may leave the loop early"),
                "goto_statement" => Some("goto may leave the loop early"),
                "break_statement" if !inner => Some("break may leave the loop early"),
                "continue_statement" if !inner && !known.contains(&node.id()) => {
                    Some("continue may skip the rest of an iteration")
                }
                _ => None,
            };
            exits.extend(reason.map(|reason| self.refusal(node, reason)));
            let nested = node.kind().ends_with("while_statement")
                || matches!(node.kind(), "for_statement" | "do_statement" | "switch_statement");
            pending.extend(children(node).into_iter().map(|child| (child, inner || nested)));
        }
        exits
    }
}

/// The operands of nested comma expressions; any other expression alone.
fn comma_operands(node: Syntax<'_>) -> Vec<Syntax<'_>> {
    match node.kind() {
        "comma_expression" => children(node).into_iter().flat_map(comma_operands).collect(),
        _ => vec![node],
    }
}

/// How often a name is assigned below these nodes.
fn assignments(nodes: &[Syntax<'_>], is_name: &dyn Fn(Syntax<'_>) -> bool) -> usize {
    let mut count = 0;
    let mut pending = nodes.to_vec();
    while let Some(node) = pending.pop() {
        let target = match node.kind() {
            "assignment_expression" => node.child_by_field_name("left"),
            "update_expression" | "pointer_expression" => node.child_by_field_name("argument"),
            _ => None,
        };
        count += usize::from(target.is_some_and(is_name));
        pending.extend(children(node));
    }
    count
}

/// The operator with its operands exchanged: `n > i` is `i < n`.
fn mirrored(operator: &str) -> &str {
    match operator {
        "<" => ">",
        "<=" => ">=",
        ">" => "<",
        ">=" => "<=",
        other => other,
    }
}
