//! A function with parameter values: every loop, statement and memory access with its domain.

use std::rc::Rc;

use super::lower::{Bindings, ExprCase, Scope};
use super::node::{ConcreteLoop, ConcreteNode, ConcreteStatement, Touch};
use super::{ConcreteError, Domain, Linear, Values};
use crate::nest::{
    Array, Branch, Condition, Direction, Expr, Function, Layout, Loop, Node, Reference, Refusal, RefusedPart,
    SourcePosition, Statement, Subscripts, Symbol,
};

/// A function with values for its parameters, lowered to domains and linear forms.
#[derive(Debug, Clone)]
pub struct Instance<'f> {
    pub function: &'f Function,
    pub values: &'f Values,
    pub body: Vec<ConcreteNode>,
    /// Parts that are not covered, in the order of the source.
    pub refusals: Vec<Refusal>,
    /// For each refusal, its domain: one point for every time that the program reaches the refused part.
    pub(crate) uncovered: Vec<Domain>,
    /// Bytes of each array, where all extents are known.
    pub array_bytes: Vec<Option<i128>>,
    /// The first symbol that no domain uses.
    pub(crate) free: Symbol,
}

/// What encloses the node that is being lowered: the domain so far and the loop variables in scope.
#[derive(Clone, Default)]
struct Context {
    domain: Domain,
    bindings: Bindings,
    /// Whether `break`, `return` or a condition on data may skip points of the domain.
    at_most: bool,
    /// Conditions on data within the innermost loop.
    conditions: Vec<Refusal>,
}

impl<'f> Instance<'f> {
    /// Lowers a function with these values. Parts that cannot be lowered become refusals.
    pub fn new(function: &'f Function, values: &'f Values) -> Self {
        let scope = Scope { symbols: &function.symbols, values, free: function.symbols.first_free() };
        let (refusals, uncovered) = (Vec::new(), Vec::new());
        let mut lowering = Lowering { function, scope, refusals, uncovered, elements: 0 };
        let body = lowering.nodes(&function.body, &Context::default());
        let array_bytes = function.arrays.iter().map(|array| lowering.array_bytes(array)).collect();
        let Lowering { refusals, uncovered, scope, .. } = lowering;
        Self { function, values, body, refusals, uncovered, array_bytes, free: scope.free }
    }
}

pub(super) struct Lowering<'f> {
    function: &'f Function,
    pub(super) scope: Scope<'f>,
    refusals: Vec<Refusal>,
    uncovered: Vec<Domain>,
    /// Number of elements selected by data so far; the next one gets this number plus one.
    pub(super) elements: usize,
}

impl Lowering<'_> {
    fn nodes(&mut self, nodes: &[Node], context: &Context) -> Vec<ConcreteNode> {
        nodes.iter().flat_map(|node| self.node(node, context)).collect()
    }

    fn node(&mut self, node: &Node, context: &Context) -> Vec<ConcreteNode> {
        match node {
            Node::Loop(source) => match self.loop_contexts(source, context) {
                Ok(contexts) => contexts
                    .into_iter()
                    .map(|inner| self.lower_loop(source, inner, &context.conditions))
                    .collect(),
                Err(error) => self.refuse(source.place, &error, RefusedPart::Loop, context),
            },
            Node::Statement(statement) => vec![ConcreteNode::Statement(self.statement(statement, context))],
            Node::Branch(branch) => self.branch(branch, context),
            Node::Refused(refusal) => {
                self.refusals.push(refusal.clone());
                self.uncovered.push(context.domain.clone());
                Vec::new()
            }
        }
    }

    fn refuse(
        &mut self,
        place: SourcePosition,
        error: &ConcreteError,
        part: RefusedPart,
        context: &Context,
    ) -> Vec<ConcreteNode> {
        self.refusals.push(Refusal { place, reason: error.to_string(), part });
        self.uncovered.push(context.domain.clone());
        Vec::new()
    }

    /// One loop whose domain is already in the context.
    fn lower_loop(
        &mut self,
        source: &Loop,
        (variable, context): (Symbol, Context),
        conditions: &[Refusal],
    ) -> ConcreteNode {
        let body = self.nodes(&source.body, &context);
        ConcreteNode::Loop(ConcreteLoop {
            place: source.place,
            source_variable: source.variable,
            variable,
            domain: context.domain,
            body,
            at_most: context.at_most,
            exits: source.early_exits.clone(),
            conditions: conditions.to_vec(),
        })
    }

    /// The contexts of a loop's body, one for every case of the bounds, each with the variable that counts iterations.
    ///
    /// With step 1 the loop variable counts them itself. Otherwise a new variable t >= 0 counts and the loop variable is
    /// `first + step * t`.
    fn loop_contexts(
        &mut self,
        source: &Loop,
        outer: &Context,
    ) -> Result<Vec<(Symbol, Context)>, ConcreteError> {
        let step = self.scope.constant(&source.step, &outer.bindings)?;
        let sign = if source.direction == Direction::Up { 1 } else { -1 };
        let mut contexts = Vec::new();
        // With step 1, `i >= max(a, b)` is the two constraints i >= a and i >= b. With a larger step the iterations start at the
        // larger of a and b, so the cases must be distinguished.
        let firsts =
            if step == 1 { alternatives(&source.first, sign > 0) } else { vec![source.first.clone()] };
        let limits = alternatives(&source.limit, sign < 0);
        for (mut context, first) in self.all_cases(&firsts, outer)? {
            context.at_most |= !source.early_exits.is_empty();
            context.conditions.clear();
            let variable = if step == 1 { source.variable } else { self.scope.fresh() };
            let counter = Linear::variable(variable);
            let value = match (step, first.first()) {
                (1, _) | (_, None) => counter.clone(),
                (_, Some(first)) => first.add(&counter.scale(sign * step)?)?,
            };
            for (mut context, limits) in self.all_cases(&limits, &context)? {
                context.domain.variables.push(variable);
                context.bindings.insert(source.variable, value.clone());
                for form in &first {
                    context.domain.require(value.sub(form)?.scale(sign)?);
                }
                for form in &limits {
                    context.domain.require(form.sub(&value)?.scale(sign)?.plus(-1)?);
                }
                contexts.push((variable, context));
            }
        }
        Ok(contexts)
    }

    /// The cross product of the cases of several expressions, each with its forms.
    fn all_cases(
        &mut self,
        exprs: &[Expr],
        outer: &Context,
    ) -> Result<Vec<(Context, Vec<Linear>)>, ConcreteError> {
        let mut all = vec![(outer.clone(), Vec::new())];
        for expr in exprs {
            let cases = self.scope.lower(expr, &outer.bindings)?;
            let crossed = all.iter().flat_map(|(context, forms)| {
                cases.iter().map(move |case| {
                    let mut forms = forms.clone();
                    forms.push(case.form.clone());
                    (context.restricted(case), forms)
                })
            });
            all = crossed.collect();
        }
        Ok(all)
    }

    /// Lowers both sides of a branch. If the condition depends on data, both sides get the domain of the branch and are marked
    /// `at_most`; otherwise each side gets the part of the domain in which it is executed.
    fn branch(&mut self, branch: &Branch, context: &Context) -> Vec<ConcreteNode> {
        match &branch.condition {
            Condition::Unknown(condition) => {
                let mut inner = Context { at_most: true, ..context.clone() };
                inner.conditions.push(condition.clone());
                let mut lowered = self.nodes(&branch.then, &inner);
                lowered.extend(self.nodes(&branch.otherwise, &inner));
                lowered
            }
            Condition::AllNonNegative(forms) => match self.split_by_condition(forms, context) {
                Err(error) => self.refuse(branch.place, &error, RefusedPart::Other, context),
                Ok((then, otherwise)) => {
                    let mut lowered: Vec<ConcreteNode> =
                        then.iter().flat_map(|inner| self.nodes(&branch.then, inner)).collect();
                    lowered.extend(otherwise.iter().flat_map(|inner| self.nodes(&branch.otherwise, inner)));
                    lowered
                }
            },
        }
    }

    /// Splits a context into disjoint ones: those in which all expressions are at least 0, and those in which one is negative.
    fn split_by_condition(
        &mut self,
        exprs: &[Expr],
        outer: &Context,
    ) -> Result<(Vec<Context>, Vec<Context>), ConcreteError> {
        let (mut then, mut otherwise) = (vec![outer.clone()], Vec::new());
        for expr in exprs {
            let mut still = Vec::new();
            for context in &then {
                for (mut yes, forms) in self.all_cases(std::slice::from_ref(expr), context)? {
                    let mut no = yes.clone();
                    for form in &forms {
                        yes.domain.require(form.clone());
                        no.domain.require(form.scale(-1)?.plus(-1)?);
                    }
                    still.push(yes);
                    otherwise.push(no);
                }
            }
            then = still;
        }
        Ok((then, otherwise))
    }

    fn statement(&mut self, statement: &Statement, context: &Context) -> ConcreteStatement {
        let mut touches = Vec::new();
        for (position, reference) in statement.references.iter().enumerate() {
            let own = self.touches(reference, context).unwrap_or_else(|error| {
                let scattered = self.unknown_element(&error.to_string());
                self.refuse(statement.place, &error, RefusedPart::Other, context);
                vec![Touch::new(reference, context.domain.clone(), Err(scattered))]
            });
            touches.extend(own.into_iter().map(|touch| Touch { reference: position, ..touch }));
        }
        Self::join_elements(statement, &mut touches);
        let (place, domain, source) = (statement.place, context.domain.clone(), Rc::new(statement.clone()));
        let (at_most, conditions) = (context.at_most, context.conditions.clone());
        ConcreteStatement { place, domain, touches, at_most, conditions, source }
    }

    /// The memory accesses of a reference: one for every case of its subscripts. An affine address is the sum of subscripts times
    /// strides in bytes; other accesses are [`super::Scattered`].
    fn touches(&mut self, reference: &Reference, context: &Context) -> Result<Vec<Touch>, ConcreteError> {
        let Some(array) = self.function.arrays.get(reference.array.0) else {
            let scattered = self.unknown_element("the array is not known");
            return Ok(vec![Touch::new(reference, context.domain.clone(), Err(scattered))]);
        };
        let subscripts = match &reference.subscripts {
            Subscripts::Affine(subscripts) => subscripts,
            Subscripts::Irregular(irregular) => {
                let scattered = self.scattered(irregular, array);
                return Ok(vec![Touch::new(reference, context.domain.clone(), Err(scattered))]);
            }
        };
        let strides = self.strides(array, subscripts.len(), context)?;
        let cases = self.all_cases(subscripts, context)?;
        let touch = |(context, forms): (Context, Vec<Linear>)| {
            let start = Linear::integer(i128::from(reference.offset_bytes));
            let address = forms
                .iter()
                .zip(&strides)
                .try_fold(start, |sum, (form, stride)| sum.add(&form.scale(*stride)?))?;
            Ok(Touch::new(reference, context.domain, Ok(address)))
        };
        cases.into_iter().map(touch).collect()
    }

    /// The size of an array; `None` if an extent is unknown or its rows are separate allocations.
    pub(super) fn array_bytes(&mut self, array: &Array) -> Option<i128> {
        let Layout::RowMajor { extents } = &array.layout else { return None };
        extents.iter().try_fold(i128::from(array.element_bytes), |bytes, extent| {
            let length = self.scope.constant(extent.as_ref()?, &Bindings::new()).ok()?;
            bytes.checked_mul(length)
        })
    }

    /// The stride of each subscript: bytes between elements that differ by 1 in it. Rows that are separate allocations are
    /// assumed to be contiguous if their length is known, else far apart.
    fn strides(
        &mut self,
        array: &Array,
        count: usize,
        context: &Context,
    ) -> Result<Vec<i128>, ConcreteError> {
        /// Longer than any row, so that different rows never share a cache line.
        const FAR: i128 = 1 << 40;
        let mut stride = i128::from(array.element_bytes);
        let mut strides = vec![stride];
        for dimension in (1..count).rev() {
            let extent = match &array.layout {
                Layout::RowMajor { extents } => extents.get(dimension).cloned().flatten(),
                Layout::Rows { row } => row.clone(),
            };
            stride = match extent {
                Some(extent) => {
                    let length = self.scope.constant(&extent, &context.bindings)?;
                    stride.checked_mul(length).ok_or(crate::algebra::Overflow)?
                }
                None => FAR,
            };
            strides.push(stride);
        }
        strides.reverse();
        Ok(strides)
    }
}

impl Context {
    /// The context restricted to one case of an expression.
    fn restricted(&self, case: &ExprCase) -> Self {
        let mut context = self.clone();
        context.domain.variables.extend(&case.auxiliary);
        case.conditions.iter().for_each(|form| context.domain.require(form.clone()));
        context
    }
}

/// The operands of a maximum (or of a minimum, if not `maximum`), each of which is a constraint of its own; any other expression
/// is returned alone.
fn alternatives(expr: &Expr, maximum: bool) -> Vec<Expr> {
    match expr {
        Expr::Max(parts) if maximum => parts.clone(),
        Expr::Min(parts) if !maximum => parts.clone(),
        other => vec![other.clone()],
    }
}
