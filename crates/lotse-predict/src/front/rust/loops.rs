//! Loops over ranges and over elements of arrays.
//!
//! Every iterator is described by a count and the item of iteration t = 0, 1, …: a number, an element or a slice of an array, or a
//! tuple of them, each at a position that is linear in t. Adapters change the count and the positions:
//!
//! ```text
//! (a..b)            count b - a, number a + t
//! x.iter()          count x.len(), element t of x
//! .step_by(k)       count ceil(count / k), positions advance k times as fast
//! .rev()            positions start at the last one and go backwards
//! .zip(other)       the smaller count, both items
//! .enumerate()      the number t and the item
//! .chunks_exact(k)  count floor(len / k), slice of k elements from k t on;  .windows(k): from t on
//! ```

use syn::visit::Visit;
use syn::{BinOp, Expr as Syntax, Pat, Stmt};

use super::integer::path_text;
use super::reader::{ArrayPart, Assigned, Binding, RustReader, place};
use super::types::RType;
use crate::front::reason::Reason;
use crate::nest::{Expr, Loop, Node, Refusal, RefusedPart, Symbol};

/// A position that is linear in the iteration: `first + by * t`.
#[derive(Clone)]
struct LinearPosition {
    first: Expr,
    by: Expr,
}

/// The item of an iteration.
#[derive(Clone)]
enum IterationItem {
    Number(LinearPosition),
    Element(ArrayPart, LinearPosition),
    /// A slice of `length` elements; the last one of the loop may be shorter if it is `ragged`.
    Slice {
        part: ArrayPart,
        position: LinearPosition,
        length: Expr,
        ragged: bool,
    },
    Several(Vec<IterationItem>),
}

/// An iterator with a known count.
struct CountedIterator {
    count: Expr,
    item: IterationItem,
}

impl LinearPosition {
    /// The position in iteration t.
    fn at(&self, t: &Expr) -> Expr {
        self.first.clone().plus(self.by.clone().times(t.clone()))
    }
}

impl IterationItem {
    /// The item with all positions changed.
    fn map(self, change: &dyn Fn(LinearPosition) -> LinearPosition) -> Self {
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

impl RustReader<'_> {
    /// A `for` loop. While the body is read, the pattern is bound to the items of the iterator; variables that the loop assigns are
    /// unknown in and after the loop.
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
        let variable = self.loop_variable(&pattern_name(&node.pat));
        self.open_block();
        let bound = self.bind_item(&node.pat, &iteration.item, variable);
        let body = self.block(&node.body);
        self.close_block();
        self.depth -= 1;
        self.forget(&assigned.names, "changes in the loop");
        if let Err(reason) = bound {
            return self.refused_loop(node, reason);
        }
        let early_exits = early_exits(&assigned);
        let counting = Loop::counting(variable, 0.into(), iteration.count, body);
        vec![Node::Loop(Loop { place: place(node), early_exits, ..counting })]
    }

    /// Binds the names of a pattern to the item of an iteration, with the loop variable as t.
    fn bind_item(&mut self, pattern: &Pat, item: &IterationItem, variable: Symbol) -> Result<(), Reason> {
        let t = Expr::from(variable);
        match (pattern, item) {
            (Pat::Wild(_), _) => Ok(()),
            (Pat::Reference(inner), item) => self.bind_item(&inner.pat, item, variable),
            (Pat::Paren(inner), item) => self.bind_item(&inner.pat, item, variable),
            (Pat::Tuple(tuple), IterationItem::Several(items)) if tuple.elems.len() == items.len() => tuple
                .elems
                .iter()
                .zip(items)
                .try_for_each(|(pattern, item)| self.bind_item(pattern, item, variable)),
            (Pat::Ident(name), item) => {
                let binding = match item {
                    IterationItem::Number(position) => Some(Binding::Integer(position.at(&t))),
                    IterationItem::Element(part, position) => {
                        let element = part.clone().element(Ok(position.at(&t)));
                        element.map(|element| Binding::Array(self.with_length(element)))
                    }
                    IterationItem::Slice { part, position, length, ragged } => {
                        let start = position.at(&t);
                        let left = part.length.clone().minus(start.clone());
                        let length = if *ragged { length.clone().min(left) } else { length.clone() };
                        Some(Binding::Array(part.clone().sliced(start, length)))
                    }
                    IterationItem::Several(_) => None,
                };
                let binding = binding.ok_or("the items of the loop are not known")?;
                self.bind(&name.ident.to_string(), binding);
                Ok(())
            }
            _ => Err("the pattern of the loop is not analysed".into()),
        }
    }

    /// The iterator that an expression denotes.
    fn iteration(&mut self, node: &Syntax) -> Result<CountedIterator, Reason> {
        match node {
            Syntax::Paren(inner) => self.iteration(&inner.expr),
            Syntax::Group(inner) => self.iteration(&inner.expr),
            Syntax::Range(range) => self.range(range),
            Syntax::MethodCall(call) => self.adapter(call),
            _ => match self.part(node) {
                Some(part) => Ok(element_iteration(part)),
                None => Err("what the loop runs over is not known".into()),
            },
        }
    }

    fn range(&mut self, range: &syn::ExprRange) -> Result<CountedIterator, Reason> {
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
        Ok(CountedIterator { count, item: IterationItem::Number(LinearPosition { first, by: 1.into() }) })
    }

    /// The iterator of a method call: the iterator of the receiver, changed as in the table above.
    fn adapter(&mut self, call: &syn::ExprMethodCall) -> Result<CountedIterator, Reason> {
        let name = call.method.to_string();
        match (name.as_str(), call.args.first()) {
            ("iter" | "iter_mut" | "into_iter", None) => self.iteration(&call.receiver),
            ("copied" | "cloned" | "by_ref", None) => self.iteration(&call.receiver),
            ("enumerate", None) => {
                let CountedIterator { count, item } = self.iteration(&call.receiver)?;
                let number = IterationItem::Number(LinearPosition { first: 0.into(), by: 1.into() });
                Ok(CountedIterator { count, item: IterationItem::Several(vec![number, item]) })
            }
            ("rev", None) => {
                let CountedIterator { count, item } = self.iteration(&call.receiver)?;
                let last = count.clone().minus(1.into());
                let item = item.map(&|position| LinearPosition {
                    first: position.at(&last),
                    by: position.by.times((-1).into()),
                });
                Ok(CountedIterator { count, item })
            }
            ("zip", Some(other)) => {
                let (a, b) = (self.iteration(&call.receiver)?, self.iteration(other)?);
                let count = if a.count == b.count { a.count } else { a.count.min(b.count) };
                Ok(CountedIterator { count, item: IterationItem::Several(vec![a.item, b.item]) })
            }
            ("step_by" | "skip" | "take", Some(argument)) => {
                let argument = self.integer(argument)?;
                self.shortened(&call.receiver, &name, argument)
            }
            ("chunks_exact" | "chunks_exact_mut" | "chunks" | "chunks_mut" | "windows", Some(size)) => {
                let size = self.integer(size)?;
                let part = self.part(&call.receiver).ok_or("what the loop runs over is not known")?;
                Ok(chunk_iteration(part, &name, size))
            }
            _ => Err(format!("the iterator {name}() is not analysed").into()),
        }
    }

    /// The iterator after `step_by`, `skip` or `take`.
    fn shortened(&mut self, receiver: &Syntax, name: &str, by: Expr) -> Result<CountedIterator, Reason> {
        let CountedIterator { count, item } = self.iteration(receiver)?;
        Ok(match name {
            "step_by" => CountedIterator {
                count: count.ceil_div(by.clone()),
                item: item.map(&|position| LinearPosition { by: position.by.times(by.clone()), ..position }),
            },
            "skip" => CountedIterator {
                count: count.minus(by.clone()),
                item: item.map(&|position| LinearPosition { first: position.at(&by), ..position }),
            },
            _ => CountedIterator { count: count.min(by), item },
        })
    }

    /// `while i < n { …; i += 1; }`, if the value of i before the loop is known and only the last statement changes it.
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

    /// The name of the loop variable, its first value, the number of iterations and the step.
    fn while_head(&mut self, node: &syn::ExprWhile) -> Result<(String, Expr, Expr, Expr), Reason> {
        let data = || Reason::from("the loop ends on a condition of data");
        let Some((Stmt::Expr(Syntax::Binary(step), _), before)) = node.body.stmts.split_last() else {
            return Err(data());
        };
        let mut earlier = Assigned::default();
        before.iter().for_each(|statement| earlier.visit_stmt(statement));
        let name = path_text(&step.left).ok_or_else(data)?;
        let Syntax::Binary(test) = &*node.cond else { return Err(data()) };
        let tested = path_text(&test.left).is_some_and(|tested| tested == name);
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

    /// The node of a `while` loop with this head. After the loop, the variable has the value of the first iteration that is not
    /// executed.
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
        vec![Node::Loop(Loop { place: place(node), early_exits: early_exits(assigned), ..counting })]
    }
}

/// The iterator over the elements of a slice.
fn element_iteration(part: ArrayPart) -> CountedIterator {
    let count = part.length.clone();
    let position = LinearPosition { first: 0.into(), by: 1.into() };
    let item = match &part.kind {
        RType::Slice(..) => IterationItem::Element(part, position),
        _ => IterationItem::Several(Vec::new()),
    };
    CountedIterator { count, item }
}

/// The iterator of `chunks`, `chunks_exact` or `windows`.
fn chunk_iteration(part: ArrayPart, name: &str, size: Expr) -> CountedIterator {
    let length = part.length.clone();
    let (count, by) = match name {
        "windows" => (length.minus(size.clone()).plus(1.into()), Expr::Constant(1)),
        "chunks" | "chunks_mut" => (length.ceil_div(size.clone()), size.clone()),
        _ => (length.floor_div(size.clone()), size.clone()),
    };
    let ragged = name.starts_with("chunks") && !name.starts_with("chunks_exact");
    let position = LinearPosition { first: 0.into(), by };
    CountedIterator { count, item: IterationItem::Slice { part, position, length: size, ragged } }
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

/// The first name in a pattern.
fn pattern_name(pattern: &Pat) -> String {
    match pattern {
        Pat::Ident(name) => name.ident.to_string(),
        Pat::Tuple(tuple) => tuple.elems.first().map_or_else(|| "_".to_owned(), pattern_name),
        Pat::Reference(inner) => pattern_name(&inner.pat),
        _ => "_".to_owned(),
    }
}

fn early_exits(assigned: &Assigned) -> Vec<Refusal> {
    let refusal = |(place, reason): &(crate::nest::SourcePosition, &'static str)| Refusal {
        place: *place,
        reason: (*reason).to_owned(),
        part: RefusedPart::Other,
    };
    assigned.exits.iter().map(refusal).collect()
}
