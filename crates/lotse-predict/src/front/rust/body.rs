//! Blocks, branches and statements.

use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::visit::Visit;
use syn::{BinOp, Expr as Syntax, Stmt};

use super::integer::path_text;
use super::reader::{Assigned, Binding, RustReader, place};
use super::types::RType;
use super::value::compound;
use crate::front::reason::Reason;
use crate::nest::{Branch, Condition, Expr, Node, NumberType, RefusedPart, Statement};

/// Macros that are empty in an optimised build.
const SILENT: &[&str] = &["debug_assert", "debug_assert_eq", "debug_assert_ne"];
/// Macros that evaluate their first arguments, and how many of them; the others are the message of a failure.
const CHECKS: &[(&str, usize)] = &[("assert", 1), ("assert_eq", 2), ("assert_ne", 2)];

impl RustReader<'_> {
    pub(super) fn block(&mut self, block: &syn::Block) -> Vec<Node> {
        self.open_block();
        let nodes = self.statements(&block.stmts);
        self.close_block();
        nodes
    }

    fn statements(&mut self, list: &[Stmt]) -> Vec<Node> {
        let mut nodes = Vec::new();
        for (position, statement) in list.iter().enumerate() {
            nodes.extend(self.statement(statement));
            if self.assumes_no_return(statement, &mut nodes) {
                continue;
            }
            // `if c { continue; } rest` is `if c {} else { rest }`; the same holds for `return` at the top level of the function.
            let leaves = self.is_at_top_level() && trailing_return(statement).is_some();
            if leaves || trailing_continue(statement).is_some() {
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

    /// Whether the statement is a conditional return outside of loops that is assumed not to be taken. The assumption is recorded and
    /// the branch removed.
    fn assumes_no_return(&mut self, statement: &Stmt, nodes: &mut Vec<Node>) -> bool {
        let is_whole = self.is_at_top_level();
        self.depth == 0
            && trailing_return(statement).is_some()
            && self.function.assume_no_return(nodes, is_whole)
    }

    fn statement(&mut self, statement: &Stmt) -> Vec<Node> {
        match statement {
            Stmt::Local(local) => self.local(local),
            Stmt::Expr(expr, _) => self.expression(expr),
            Stmt::Item(_) => Vec::new(),
            Stmt::Macro(call) => self.macro_call(&call.mac),
        }
    }

    fn macro_call(&mut self, call: &syn::Macro) -> Vec<Node> {
        let name = call.path.segments.last().map_or_else(String::new, |segment| segment.ident.to_string());
        if SILENT.contains(&name.as_str()) {
            return Vec::new();
        }
        let checked = CHECKS.iter().find(|(known, _)| *known == name);
        let arguments = call.parse_body_with(Punctuated::<Syntax, syn::Token![,]>::parse_terminated);
        if let (Some((_, count)), Ok(arguments)) = (checked, arguments) {
            return arguments.iter().take(*count).flat_map(|argument| self.expression(argument)).collect();
        }
        vec![Node::Refused(self.refusal(
            call,
            format!("the macro {name}! is not analysed"),
            RefusedPart::Other,
        ))]
    }

    /// The nodes of an expression in statement position: loops, branches, blocks, or one statement that evaluates it.
    fn expression(&mut self, node: &Syntax) -> Vec<Node> {
        match node {
            Syntax::ForLoop(inner) => self.for_loop(inner),
            Syntax::While(inner) => self.while_loop(inner),
            Syntax::Loop(inner) => {
                let assigned = Assigned::in_body(&inner.body);
                self.forget(&assigned.names, "is assigned in a part that is not analysed");
                self.refused_loop(inner, "the loop ends on a condition of data")
            }
            Syntax::If(inner) => self.branch(inner),
            Syntax::Block(inner) => self.block(&inner.block),
            Syntax::Unsafe(inner) => self.block(&inner.block),
            Syntax::Paren(inner) => self.expression(&inner.expr),
            Syntax::Match(inner) => {
                let mut assigned = Assigned::default();
                assigned.visit_expr_match(inner);
                self.forget(&assigned.names, "is assigned in a part that is not analysed");
                let part = if assigned.has_loops { RefusedPart::Loop } else { RefusedPart::Other };
                vec![Node::Refused(self.refusal(inner, "match is not analysed", part))]
            }
            Syntax::Macro(inner) => self.macro_call(&inner.mac),
            _ => {
                self.assign_integer(node);
                let mut statement = Statement { place: place(node), ..Statement::default() };
                self.value(node, &mut statement);
                self.finish_statement(statement)
            }
        }
    }

    /// The statement, unless it is empty, and the refusals that occurred while it was read.
    fn finish_statement(&mut self, statement: Statement) -> Vec<Node> {
        let refused = std::mem::take(&mut self.refusals).into_iter().map(Node::Refused);
        let empty = statement.references.is_empty() && statement.operations.is_empty();
        let own = (!empty || !statement.assigned.is_empty()).then_some(Node::Statement(statement));
        own.into_iter().chain(refused).collect()
    }

    /// `let name = value;`.
    fn local(&mut self, local: &syn::Local) -> Vec<Node> {
        let (pattern, declared) = match &local.pat {
            syn::Pat::Type(typed) => (&*typed.pat, Some(self.read_type(&typed.ty))),
            other => (other, None),
        };
        let syn::Pat::Ident(name) = pattern else {
            let reason = "a pattern in let is not analysed";
            return vec![Node::Refused(self.refusal(&local.pat.span(), reason, RefusedPart::Other))];
        };
        let name = name.ident.to_string();
        let Some(value) = local.init.as_ref().map(|init| &*init.expr) else {
            self.bind(&name, Binding::Changing(format!("{name} has no known value here")));
            return Vec::new();
        };
        let mut statement = Statement { place: place(local), ..Statement::default() };
        let binding = self.local_binding(&name, declared.as_ref(), value, &mut statement);
        self.bind(&name, binding);
        self.finish_statement(statement)
    }

    /// The binding of a new variable: a slice of a known array, a new array, an integer expression, or a scalar whose evaluation is
    /// added to the statement.
    fn local_binding(
        &mut self,
        name: &str,
        declared: Option<&RType>,
        value: &Syntax,
        statement: &mut Statement,
    ) -> Binding {
        if let Some(part) = self.part(value).filter(|part| matches!(part.kind, RType::Slice(..))) {
            return Binding::Array(part);
        }
        if let Some(new) = self.new_array(name, declared, value) {
            return new;
        }
        let float =
            matches!(declared, Some(RType::Number(NumberType::F32 | NumberType::F64))) || is_float(value);
        let known = if float { Err(Reason::from("it is not an integer")) } else { self.integer(value) };
        self.ranges.remove(name);
        match known {
            Ok(expr) => Binding::Integer(expr),
            Err(reason) => {
                let range = self.choices(value);
                self.ranges.extend(range.map(|range| (name.to_owned(), range)));
                let (operand, number) = self.value(value, statement);
                statement.assigned.push((name.to_owned(), operand));
                match number {
                    NumberType::Integer(_) => Binding::Changing(format!("{name} is not known: {reason}")),
                    number => Binding::Scalar(number),
                }
            }
        }
    }

    /// The binding of a new array: `vec![0.0; n]` or `[0.0; 8]`.
    fn new_array(&mut self, name: &str, declared: Option<&RType>, value: &Syntax) -> Option<Binding> {
        let (element, length) = match value {
            Syntax::Repeat(repeat) => (repeat.expr.clone(), repeat.len.clone()),
            Syntax::Macro(call) if call.mac.path.is_ident("vec") => {
                let repeat: syn::ExprRepeat = syn::parse2(bracketed(&call.mac)).ok()?;
                (repeat.expr, repeat.len)
            }
            _ => return None,
        };
        let number = match (declared, &*element) {
            (Some(RType::Slice(inner, _)), _) => (**inner).clone(),
            (_, Syntax::Lit(literal)) => RType::Number(literal_type(&literal.lit)?),
            _ => return None,
        };
        // An unknown length becomes the parameter `name.len()`.
        let kind = RType::Slice(Box::new(number), self.integer(&length).ok());
        self.array(name, &kind, true).map(Binding::Array)
    }

    /// Updates the binding of an integer for `name = value` and `name += value`.
    fn assign_integer(&mut self, node: &Syntax) {
        let (left, right, operator) = match node {
            Syntax::Assign(assign) => (&assign.left, &assign.right, None),
            Syntax::Binary(binary) if compound(&binary.op).is_some() => {
                (&binary.left, &binary.right, Some(&binary.op))
            }
            _ => return,
        };
        let Some(name) = path_text(left) else { return };
        let range = if operator.is_none() { self.choices(right) } else { None };
        self.ranges.remove(&name);
        self.ranges.extend(range.map(|range| (name.clone(), range)));
        let old = self.lookup(&name);
        let new = match (old, operator) {
            (Some(Binding::Integer(_) | Binding::Changing(_)), None) => {
                self.integer(right).map(Binding::Integer)
            }
            (Some(Binding::Integer(old)), Some(BinOp::AddAssign(_))) => {
                self.integer(right).map(|by| Binding::Integer(old.plus(by)))
            }
            (Some(Binding::Integer(old)), Some(BinOp::SubAssign(_))) => {
                self.integer(right).map(|by| Binding::Integer(old.minus(by)))
            }
            (Some(Binding::Integer(_)), _) => Err(format!("{name} changes").into()),
            _ => return,
        };
        let binding =
            new.unwrap_or_else(|reason| Binding::Changing(format!("{name} is not known: {reason}")));
        self.assign(&name, binding);
    }

    /// The nodes of an `if`: the evaluation of the condition, and the branch. Variables that are assigned in it are unknown
    /// afterwards.
    fn branch(&mut self, node: &syn::ExprIf) -> Vec<Node> {
        let condition = match self.conditions(&node.cond) {
            Ok(forms) => Condition::AllNonNegative(forms),
            Err(reason) => Condition::Unknown(self.refusal(&node.cond, reason, RefusedPart::Other)),
        };
        let mut statement = Statement { place: place(node), ..Statement::default() };
        if !matches!(&*node.cond, Syntax::Let(_)) {
            self.value(&node.cond, &mut statement);
        }
        let mut nodes = self.finish_statement(statement);
        let mut assigned = Assigned::default();
        assigned.visit_expr_if(node);
        let then = self.block(&node.then_branch);
        self.forget(&assigned.names, "is assigned in a branch");
        let otherwise = node.else_branch.as_ref().map_or_else(Vec::new, |(_, other)| self.expression(other));
        self.forget(&assigned.names, "is assigned in a branch");
        nodes.push(Node::Branch(Branch { place: place(node), condition, then, otherwise }));
        nodes
    }

    /// Expressions that are all at least 0 if and only if the condition holds.
    fn conditions(&mut self, node: &Syntax) -> Result<Vec<Expr>, Reason> {
        let Syntax::Binary(binary) = node else {
            return match node {
                Syntax::Paren(inner) => self.conditions(&inner.expr),
                Syntax::MethodCall(call) if call.method == "is_empty" => {
                    Ok(vec![self.length(&call.receiver)?.times((-1).into())])
                }
                _ => Err("the condition depends on data".into()),
            };
        };
        if matches!(binary.op, BinOp::And(_)) {
            let mut all = self.conditions(&binary.left)?;
            all.extend(self.conditions(&binary.right)?);
            return Ok(all);
        }
        let (a, b) = (self.integer(&binary.left)?, self.integer(&binary.right)?);
        match binary.op {
            BinOp::Lt(_) => Ok(vec![b.minus(a).minus(1.into())]),
            BinOp::Le(_) => Ok(vec![b.minus(a)]),
            BinOp::Gt(_) => Ok(vec![a.minus(b).minus(1.into())]),
            BinOp::Ge(_) => Ok(vec![a.minus(b)]),
            BinOp::Eq(_) => Ok(vec![a.clone().minus(b.clone()), b.minus(a)]),
            _ => Err("the condition is not a comparison of order".into()),
        }
    }
}

/// The `continue` at the end of `if … { …; continue; }` without `else`.
pub(super) fn trailing_continue(statement: &Stmt) -> Option<&syn::ExprContinue> {
    let Stmt::Expr(Syntax::If(branch), _) = statement else { return None };
    match branch.then_branch.stmts.last()? {
        Stmt::Expr(Syntax::Continue(skip), _) if branch.else_branch.is_none() && skip.label.is_none() => {
            Some(skip)
        }
        _ => None,
    }
}

/// The `return` at the end of `if … { …; return …; }` without `else`.
fn trailing_return(statement: &Stmt) -> Option<&syn::ExprReturn> {
    let Stmt::Expr(Syntax::If(branch), _) = statement else { return None };
    match branch.then_branch.stmts.last()? {
        Stmt::Expr(Syntax::Return(last), _) if branch.else_branch.is_none() => Some(last),
        _ => None,
    }
}

/// Whether the expression contains a floating-point literal.
fn is_float(value: &Syntax) -> bool {
    #[derive(Default)]
    struct Floats(bool);
    impl<'ast> Visit<'ast> for Floats {
        fn visit_lit_float(&mut self, _: &'ast syn::LitFloat) {
            self.0 = true;
        }
    }
    let mut floats = Floats::default();
    floats.visit_expr(value);
    floats.0
}

/// The tokens of a macro call in brackets, so that `0.0; n` can be parsed as `[0.0; n]`.
fn bracketed(call: &syn::Macro) -> proc_macro2::TokenStream {
    let group = proc_macro2::Group::new(proc_macro2::Delimiter::Bracket, call.tokens.clone());
    std::iter::once(proc_macro2::TokenTree::Group(group)).collect()
}

fn literal_type(literal: &syn::Lit) -> Option<NumberType> {
    match literal {
        syn::Lit::Float(value) if value.suffix() == "f32" => Some(NumberType::F32),
        syn::Lit::Float(_) => Some(NumberType::F64),
        syn::Lit::Int(value) => match value.suffix() {
            "u8" | "i8" => Some(NumberType::Integer(1)),
            "u16" | "i16" => Some(NumberType::Integer(2)),
            "u64" | "i64" | "usize" | "isize" => Some(NumberType::Integer(8)),
            "f32" => Some(NumberType::F32),
            "f64" => Some(NumberType::F64),
            _ => Some(NumberType::Integer(4)),
        },
        _ => None,
    }
}
