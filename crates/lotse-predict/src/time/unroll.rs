//! Complete unrolling of short loops with a known trip count. The enclosing loop becomes the innermost one and may be vectorised.
//!
//! ```text
//! for i { for (k = 0; k < 3; k++) a[i] += b[k]; }   ──>   for i { a[i] += b[0]; a[i] += b[1]; a[i] += b[2]; }
//! ```
//!
//! gcc -O3 and rustc -O do this for up to 16 iterations (observed for convolutions with gcc 12). gcc -O2 does it only if the code
//! does not grow, which is not modelled. If the compiled code is given, its line numbers decide: the instructions of an unrolled
//! loop are in a compiled loop together with instructions of other lines.

use std::ops::RangeInclusive;

use super::{Assumptions, Compiler};
use crate::concrete::Instance;
use crate::nest::{
    Branch, Direction, Expr, Function, Loop, Node, Reference, SourcePosition, Statement, Subscripts, Symbol,
};

/// Loops with more iterations are not unrolled.
const MOST_TRIPS: i64 = 16;
/// A body has at most this many statements after unrolling.
const MOST_STATEMENTS: usize = 64;

/// A function in which short loops are unrolled.
pub(super) struct UnrolledFunction {
    pub(super) function: Function,
    /// Positions of the unrolled loops.
    pub(super) places: Vec<SourcePosition>,
}

/// The function after the compiler's complete unrolling; `None` if no loop is unrolled. Short loops at the positions
/// `assumed_unrolled` are unrolled regardless of the line numbers of the compiled code.
pub(super) fn unrolled(
    instance: &Instance<'_>,
    assumptions: Assumptions<'_>,
    assumed_unrolled: &[SourcePosition],
) -> Option<UnrolledFunction> {
    let function = instance.function;
    let mut unroller = Unroller { instance, assumptions, assumed_unrolled, places: Vec::new() };
    let body = unroller.nodes(&function.body, false);
    let other = Function { body, ..function.clone() };
    (!unroller.places.is_empty()).then_some(UnrolledFunction { function: other, places: unroller.places })
}

/// Unrolls the loops of one function.
struct Unroller<'a> {
    instance: &'a Instance<'a>,
    assumptions: Assumptions<'a>,
    assumed_unrolled: &'a [SourcePosition],
    places: Vec<SourcePosition>,
}

impl Unroller<'_> {
    fn nodes(&mut self, list: &[Node], inside: bool) -> Vec<Node> {
        list.iter().flat_map(|node| self.node(node, inside)).collect()
    }

    /// The nodes that replace a node: for an unrolled loop one copy of its body per iteration, inner loops first. Only loops
    /// `inside` of another loop are unrolled.
    fn node(&mut self, node: &Node, inside: bool) -> Vec<Node> {
        match node {
            Node::Loop(source) => {
                let body = self.nodes(&source.body, true);
                let flat = Loop { body, ..source.clone() };
                match values(self.instance, &flat).filter(|_| inside && self.is_unrolled(source)) {
                    Some(values) => {
                        self.places.push(source.place);
                        let copy = |value: &Expr| copies(&flat.body, source.variable, value);
                        values.iter().flat_map(copy).collect()
                    }
                    None => vec![Node::Loop(flat)],
                }
            }
            Node::Branch(branch) => vec![Node::Branch(Branch {
                then: self.nodes(&branch.then, inside),
                otherwise: self.nodes(&branch.otherwise, inside),
                ..branch.clone()
            })],
            other => vec![other.clone()],
        }
    }

    /// Whether the compiler unrolls a short loop completely.
    fn is_unrolled(&self, source: &Loop) -> bool {
        if self.assumed_unrolled.contains(&source.place) {
            return true;
        }
        let Assumptions { compiler, compiled, .. } = self.assumptions;
        let function = self.instance.function;
        // Line numbers cannot distinguish loops that begin on the same line.
        let by_lines = compiled.filter(|_| !shares_its_line(function, source));
        let has = by_lines.and_then(|it| it.has_loop(&function.name, &lines(function, source)));
        // If the first value is not constant, every copy needs an address computation of its own, so unrolling gains nothing.
        let assumed = compiler != Compiler::GccO2 && source.first.to_constant().is_some();
        has.map_or(assumed, |has| !has)
    }
}

/// Whether another loop begins on the same line.
fn shares_its_line(function: &Function, source: &Loop) -> bool {
    let mut pending: Vec<&Node> = function.body.iter().collect();
    let mut count = 0;
    while let Some(node) = pending.pop() {
        match node {
            Node::Loop(inner) => {
                count += usize::from(inner.place.line == source.place.line);
                pending.extend(&inner.body);
            }
            Node::Branch(branch) => pending.extend(branch.then.iter().chain(&branch.otherwise)),
            _ => {}
        }
    }
    count > 1
}

/// The lines of a loop, up to the line before the next statement or loop.
fn lines(function: &Function, source: &Loop) -> RangeInclusive<u32> {
    let mut inner = vec![source.place.line];
    places(&source.body, &mut inner);
    let last = inner.into_iter().max().unwrap_or(source.place.line);
    let mut all = Vec::new();
    places(&function.body, &mut all);
    let next = all.into_iter().filter(|line| *line > last).min();
    source.place.line..=next.map_or(last, |line| line - 1)
}

/// Appends the lines on which the statements and loops below `list` begin.
fn places(list: &[Node], lines: &mut Vec<u32>) {
    for node in list {
        match node {
            Node::Loop(source) => {
                lines.push(source.place.line);
                places(&source.body, lines);
            }
            Node::Branch(branch) => {
                places(&branch.then, lines);
                places(&branch.otherwise, lines);
            }
            Node::Statement(statement) => lines.push(statement.place.line),
            _ => {}
        }
    }
}

/// The values that a loop's variable takes, if the trip count is known and small and the body has nothing but statements.
fn values(instance: &Instance<'_>, source: &Loop) -> Option<Vec<Expr>> {
    let known = |expr: &Expr| {
        let replace = |expr: Expr, (symbol, default): &(Symbol, i64)| {
            let value = instance.values.get(*symbol).unwrap_or(*default);
            expr.substitute(*symbol, &value.into())
        };
        instance.function.defaults.iter().fold(expr.clone(), replace)
    };
    let (limit, step) =
        (known(&source.limit).constant_difference(&known(&source.first))?, known(&source.step));
    let step = step.to_constant()?;
    let plain = source.body.iter().all(|node| matches!(node, Node::Statement(_)));
    if !plain || step <= 0 || !source.early_exits.is_empty() {
        return None;
    }
    let by = if source.direction == Direction::Up { step } else { -step };
    let more = |value: &i64| if by > 0 { *value < limit } else { *value > limit };
    let longest = usize::try_from(MOST_TRIPS + 1).ok()?;
    let values: Vec<Expr> = std::iter::successors(Some(0_i64), |value| value.checked_add(by))
        .take_while(more)
        .take(longest)
        .map(|value| source.first.clone().plus(value.into()))
        .collect();
    let fits = values.len() < longest && values.len() * source.body.len() <= MOST_STATEMENTS;
    fits.then_some(values)
}

/// The body of a loop with `value` in place of the loop variable.
fn copies(list: &[Node], variable: Symbol, value: &Expr) -> Vec<Node> {
    let copy = |node: &Node| match node {
        Node::Statement(statement) => Node::Statement(statement_at(statement, variable, value)),
        other => other.clone(),
    };
    list.iter().map(copy).collect()
}

fn statement_at(statement: &Statement, variable: Symbol, value: &Expr) -> Statement {
    let mut copy = statement.clone();
    for Reference { subscripts, .. } in &mut copy.references {
        if let Subscripts::Affine(list) = subscripts {
            list.iter_mut().for_each(|expr| *expr = expr.substitute(variable, value));
        }
    }
    copy
}

#[cfg(test)]
mod tests {
    use super::unrolled;
    use crate::concrete::{Instance, Values};
    use crate::front::c;
    use crate::locality::Start;
    use crate::nest::Node;
    use crate::time::tests::machine;
    use crate::time::{Assumptions, Compiler};

    /// Loops that are left and statements in the innermost one.
    fn shape(source: &str, compiler: Compiler) -> Option<(usize, usize)> {
        let function = c::functions(source).unwrap().remove(0);
        let machine = machine();
        let values = Values::named(&function, &[("n", 100)]);
        let instance = Instance::new(&function, &values);
        let assumptions = Assumptions { machine: &machine, compiler, start: Start::Warm, compiled: None };
        let other = unrolled(&instance, assumptions, &[])?.function;
        let (mut loops, mut list) = (0, &other.body);
        while let Some(Node::Loop(inner)) = list.iter().find(|node| matches!(node, Node::Loop(_))) {
            (loops, list) = (loops + 1, &inner.body);
        }
        Some((loops, list.iter().filter(|node| matches!(node, Node::Statement(_))).count()))
    }

    #[test]
    fn short_loops_inside_of_others_are_unrolled() {
        let nest = |inner: &str| {
            format!(
                "#define K 3\nvoid f(int n, double *a, double *b) {{ for (int i = 0; i < n; i++) {inner} }}"
            )
        };
        let cases = [
            ("for (int k = 0; k < 4; k++) a[i] += b[k];", Some((1, 4))),
            ("for (int k = 0; k < K; k++) for (int l = 0; l < K; l++) a[i] += b[k * 3 + l];", Some((1, 9))),
            ("for (int k = i; k < i + K; k++) a[i] += b[k];", None),
            ("for (int k = 6; k >= 0; k -= 2) a[i] += b[k];", Some((1, 4))),
            ("for (int k = 0; k < 17; k++) a[i] += b[k];", None),
            ("for (int k = 0; k < n; k++) a[i] += b[k];", None),
            ("for (int k = 0; k < 4; k++) { if (b[k] > 0) break; a[i] += b[k]; }", None),
            ("a[i] = 0;", None),
        ];
        for (inner, expected) in cases {
            assert_eq!(shape(&nest(inner), Compiler::GccO3), expected, "{inner}");
            assert_eq!(shape(&nest(inner), Compiler::GccO2), None, "{inner}");
        }
        let alone = "void f(double *a) { for (int k = 0; k < 4; k++) a[k] = 0; }";
        assert_eq!(shape(alone, Compiler::GccO3), None, "a loop that is not inside of another stays");
    }
}
