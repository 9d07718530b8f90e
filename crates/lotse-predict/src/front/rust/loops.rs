//! Loops over ranges and over elements of arrays.
//!
//! Every iterator is a count and an item for iteration t = 0, 1, …: a number, an element or a part of an array, or several of
//! them, each at a position that is linear in t. Adapters change the count and the positions:
//!
//! ```text
//! (a..b)            count b - a, number a + t
//! x.iter()          count x.len(), element t of x
//! .step_by(k)       count ceil(count / k), positions advance k times as fast
//! .rev()            positions begin at the last and go back
//! .zip(other)       the smaller count, both items
//! .enumerate()      the number t and the item
//! .chunks_exact(k)  count floor(len / k), part of k elements from k t on;  .windows(k): from t on
//! ```

use syn::visit::Visit;
use syn::{BinOp, Expr as Syntax, Pat, Stmt};

use super::integer::path_of;
use super::reader::{Assigned, Binding, Part, Reader, place};
use super::types::RType;
use crate::front::reason::Reason;
use crate::nest::{Expr, Loop, Node, Refusal, RefusedPart, Symbol};

/// A position that is linear in the iteration: `first + by * t`.
#[derive(Clone)]
struct Position {
    first: Expr,
    by: Expr,
}

#[derive(Clone)]
enum Item {
    Number(Position),
    Element(Part, Position),
    /// A part of so many elements; the last one may be shorter if it is `ragged`.
    Slice {
        part: Part,
        position: Position,
        length: Expr,
        ragged: bool,
    },
    Several(Vec<Item>),
}

struct Iteration {
    count: Expr,
    item: Item,
}

impl Position {
    fn at(&self, t: &Expr) -> Expr {
        self.first.clone().plus(self.by.clone().times(t.clone()))
    }
}

impl Item {
    /// Changes all positions.
    fn map(self, change: &dyn Fn(Position) -> Position) -> Self {
        match self {
            Self::Number(position) => Self::Number(change(position)),
            Self::Element(part, position) => Self::Element(part, change(position)),
            Self::Slice { part, position, length, ragged } => {
                Self::Slice { part, position: change(position), length, ragged }
            }
            Self::Several(items) => Self::Several(items.into_iter().map(|item| item.map(change)).collect()),
        }
    }
}

impl Reader<'_> {
    pub(super) fn for_loop(&mut self, node: &syn::ExprForLoop) -> Vec<Node> {
        let assigned = Assigned::in_body(&node.body);
        let iteration = match self.iteration(&node.expr) {
            Ok(iteration) => iteration,
            Err(reason) => {
                self.forget(&assigned.names, "is assigned in a part that is not analysed");
                return self.refused_loop(node, reason);
            }
        };
        self.depth += 1;
        self.forget(&assigned.names, "changes in the loop");
        let variable = self.loop_variable(&name_of(&node.pat));
        self.open_block();
        let bound = self.bind_item(&node.pat, &iteration.item, variable);
        let body = self.block(&node.body);
        self.close_block();
        self.depth -= 1;
        self.forget(&assigned.names, "changes in the loop");
        if let Err(reason) = bound {
            return self.refused_loop(node, reason);
        }
        let early_exits = exits(&assigned);
        let counting = Loop::counting(variable, 0.into(), iteration.count, body);
        vec![Node::Loop(Loop { place: place(node), early_exits, ..counting })]
    }

    fn bind_item(&mut self, pattern: &Pat, item: &Item, variable: Symbol) -> Result<(), Reason> {
        let t = Expr::from(variable);
        match (pattern, item) {
            (Pat::Wild(_), _) => Ok(()),
            (Pat::Reference(inner), item) => self.bind_item(&inner.pat, item, variable),
            (Pat::Paren(inner), item) => self.bind_item(&inner.pat, item, variable),
            (Pat::Tuple(tuple), Item::Several(items)) if tuple.elems.len() == items.len() => tuple
                .elems
                .iter()
                .zip(items)
                .try_for_each(|(pattern, item)| self.bind_item(pattern, item, variable)),
            (Pat::Ident(name), item) => {
                let binding = match item {
                    Item::Number(position) => Some(Binding::Integer(position.at(&t))),
                    Item::Element(part, position) => {
                        let element = part.clone().element(Ok(position.at(&t)));
                        element.map(|element| Binding::Array(self.with_length(element)))
                    }
                    Item::Slice { part, position, length, ragged } => {
                        let start = position.at(&t);
                        let left = part.length.clone().minus(start.clone());
                        let length = if *ragged { length.clone().min(left) } else { length.clone() };
                        Some(Binding::Array(part.clone().sliced(start, length)))
                    }
                    Item::Several(_) => None,
                };
                let binding = binding.ok_or("the items of the loop are not known")?;
                self.bind(&name.ident.to_string(), binding);
                Ok(())
            }
            _ => Err("the pattern of the loop is not analysed".into()),
        }
    }

    fn iteration(&mut self, node: &Syntax) -> Result<Iteration, Reason> {
        match node {
            Syntax::Paren(inner) => self.iteration(&inner.expr),
            Syntax::Group(inner) => self.iteration(&inner.expr),
            Syntax::Range(range) => self.range(range),
            Syntax::MethodCall(call) => self.adapter(call),
            _ => match self.part(node) {
                Some(part) => Ok(elements(part)),
                None => Err("what the loop runs over is not known".into()),
            },
        }
    }

    fn range(&mut self, range: &syn::ExprRange) -> Result<Iteration, Reason> {
        let first = match &range.start {
            Some(start) => self.integer(start)?,
            None => Expr::Constant(0),
        };
        let end = range.end.as_ref().ok_or("the range has no end")?;
        let mut limit = self.integer(end)?;
        if matches!(range.limits, syn::RangeLimits::Closed(_)) {
            limit = limit.plus(1.into());
        }
        let count = limit.minus(first.clone());
        Ok(Iteration { count, item: Item::Number(Position { first, by: 1.into() }) })
    }

    fn adapter(&mut self, call: &syn::ExprMethodCall) -> Result<Iteration, Reason> {
        let name = call.method.to_string();
        match (name.as_str(), call.args.first()) {
            ("iter" | "iter_mut" | "into_iter", None) => self.iteration(&call.receiver),
            ("copied" | "cloned" | "by_ref", None) => self.iteration(&call.receiver),
            ("enumerate", None) => {
                let Iteration { count, item } = self.iteration(&call.receiver)?;
                let number = Item::Number(Position { first: 0.into(), by: 1.into() });
                Ok(Iteration { count, item: Item::Several(vec![number, item]) })
            }
            ("rev", None) => {
                let Iteration { count, item } = self.iteration(&call.receiver)?;
                let last = count.clone().minus(1.into());
                let item = item.map(&|position| Position {
                    first: position.at(&last),
                    by: position.by.times((-1).into()),
                });
                Ok(Iteration { count, item })
            }
            ("zip", Some(other)) => {
                let (a, b) = (self.iteration(&call.receiver)?, self.iteration(other)?);
                let count = if a.count == b.count { a.count } else { a.count.min(b.count) };
                Ok(Iteration { count, item: Item::Several(vec![a.item, b.item]) })
            }
            ("step_by" | "skip" | "take", Some(argument)) => {
                let argument = self.integer(argument)?;
                self.shortened(&call.receiver, &name, argument)
            }
            ("chunks_exact" | "chunks_exact_mut" | "chunks" | "chunks_mut" | "windows", Some(size)) => {
                let size = self.integer(size)?;
                let part = self.part(&call.receiver).ok_or("what the loop runs over is not known")?;
                Ok(pieces(part, &name, size))
            }
            _ => Err(format!("the iterator {name}() is not analysed").into()),
        }
    }

    fn shortened(&mut self, receiver: &Syntax, name: &str, by: Expr) -> Result<Iteration, Reason> {
        let Iteration { count, item } = self.iteration(receiver)?;
        Ok(match name {
            "step_by" => Iteration {
                count: count.ceil_div(by.clone()),
                item: item.map(&|position| Position { by: position.by.times(by.clone()), ..position }),
            },
            "skip" => Iteration {
                count: count.minus(by.clone()),
                item: item.map(&|position| Position { first: position.at(&by), ..position }),
            },
            _ => Iteration { count: count.min(by), item },
        })
    }

    /// `while i < n { …; i += 1; }` where i is known before and stepped once, at the end.
    pub(super) fn while_loop(&mut self, node: &syn::ExprWhile) -> Vec<Node> {
        let assigned = Assigned::in_body(&node.body);
        match self.while_head(node) {
            Ok((name, first, count, by)) => self.counted_while(node, &assigned, (name, first, count, by)),
            Err(reason) => {
                self.forget(&assigned.names, "is assigned in a part that is not analysed");
                self.refused_loop(node, reason)
            }
        }
    }

    /// Name, first value, number of iterations and step.
    fn while_head(&mut self, node: &syn::ExprWhile) -> Result<(String, Expr, Expr, Expr), Reason> {
        let data = || Reason::from("the loop ends on a condition of data");
        let Some((Stmt::Expr(Syntax::Binary(step), _), before)) = node.body.stmts.split_last() else {
            return Err(data());
        };
        let mut earlier = Assigned::default();
        before.iter().for_each(|statement| earlier.visit_stmt(statement));
        let name = path_of(&step.left).ok_or_else(data)?;
        let Syntax::Binary(test) = &*node.cond else { return Err(data()) };
        let tested = path_of(&test.left).is_some_and(|tested| tested == name);
        let counts = tested && matches!(step.op, BinOp::AddAssign(_)) && !earlier.names.contains(&name);
        let (true, Some(Binding::Integer(first))) = (counts, self.lookup(&name)) else { return Err(data()) };
        let limit = match test.op {
            BinOp::Lt(_) => self.integer(&test.right)?,
            BinOp::Le(_) => self.integer(&test.right)?.plus(1.into()),
            _ => return Err(data()),
        };
        let mut changed = false;
        earlier
            .names
            .iter()
            .for_each(|other| changed |= mentions(&test.right, other) || mentions(&step.right, other));
        let by = self.integer(&step.right)?;
        if changed {
            return Err("the loop changes its bound".into());
        }
        Ok((name, first.clone(), limit.minus(first).ceil_div(by.clone()), by))
    }

    fn counted_while(
        &mut self,
        node: &syn::ExprWhile,
        assigned: &Assigned,
        (name, first, count, by): (String, Expr, Expr, Expr),
    ) -> Vec<Node> {
        self.depth += 1;
        self.forget(&assigned.names, "changes in the loop");
        let variable = self.loop_variable(&name);
        let after = first.clone().plus(by.clone().times(count.clone().max(0.into())));
        self.assign(&name, Binding::Integer(first.plus(by.times(variable.into()))));
        let body = self.block(&node.body);
        self.depth -= 1;
        self.forget(&assigned.names, "changes in the loop");
        self.assign(&name, Binding::Integer(after));
        let counting = Loop::counting(variable, 0.into(), count, body);
        vec![Node::Loop(Loop { place: place(node), early_exits: exits(assigned), ..counting })]
    }
}

fn elements(part: Part) -> Iteration {
    let count = part.length.clone();
    let position = Position { first: 0.into(), by: 1.into() };
    let item = match &part.kind {
        RType::Slice(..) => Item::Element(part, position),
        _ => Item::Several(Vec::new()),
    };
    Iteration { count, item }
}

fn pieces(part: Part, name: &str, size: Expr) -> Iteration {
    let length = part.length.clone();
    let (count, by) = match name {
        "windows" => (length.minus(size.clone()).plus(1.into()), Expr::Constant(1)),
        "chunks" | "chunks_mut" => (length.ceil_div(size.clone()), size.clone()),
        _ => (length.floor_div(size.clone()), size.clone()),
    };
    let ragged = name.starts_with("chunks") && !name.starts_with("chunks_exact");
    let position = Position { first: 0.into(), by };
    Iteration { count, item: Item::Slice { part, position, length: size, ragged } }
}

/// Whether a name occurs in an expression.
fn mentions(node: &Syntax, name: &str) -> bool {
    struct Mentions<'n>(&'n str, bool);
    impl<'ast> Visit<'ast> for Mentions<'_> {
        fn visit_ident(&mut self, ident: &'ast proc_macro2::Ident) {
            self.1 |= ident == self.0;
        }
    }
    let mut found = Mentions(name, false);
    found.visit_expr(node);
    found.1
}

fn name_of(pattern: &Pat) -> String {
    match pattern {
        Pat::Ident(name) => name.ident.to_string(),
        Pat::Tuple(tuple) => tuple.elems.first().map_or_else(|| "_".to_owned(), name_of),
        Pat::Reference(inner) => name_of(&inner.pat),
        _ => "_".to_owned(),
    }
}

fn exits(assigned: &Assigned) -> Vec<Refusal> {
    let refusal = |(place, reason): &(crate::nest::Place, &'static str)| Refusal {
        place: *place,
        reason: (*reason).to_owned(),
        part: RefusedPart::Other,
    };
    assigned.exits.iter().map(refusal).collect()
}
