//! Short loops of a known length, as compilers leave them: unrolled completely, so that the loop around becomes the innermost one
//! and may be vectorised.
//!
//! gcc -O3 and rustc -O do this with up to 16 iterations (seen in what gcc 12 makes of convolutions); gcc -O2 only where the code
//! does not grow, which is not assumed. Where compiled loops are known, they tell: the instructions of a loop that was unrolled are in
//! a loop with those of other lines.

use std::ops::RangeInclusive;

use super::{Assumptions, Compiler};
use crate::concrete::Instance;
use crate::nest::{
    Branch, Direction, Expr, Function, Loop, Node, Place, Reference, Statement, Subscripts, Symbol,
};

/// Iterations that are unrolled at most.
const MOST_TRIPS: i64 = 16;
/// Statements that a body has at most after it.
const MOST_STATEMENTS: usize = 64;

/// A function without its short loops, and where those were.
pub(super) struct Unrolled {
    pub(super) function: Function,
    /// The loops that are gone.
    pub(super) places: Vec<Place>,
}

/// The function as the compiler leaves it; `None` if it has no loop that is unrolled. Loops at the places of `gone` are unrolled
/// whatever else is known, if they are short.
pub(super) fn unrolled(
    instance: &Instance<'_>,
    assumptions: Assumptions<'_>,
    gone: &[Place],
) -> Option<Unrolled> {
    let function = instance.function;
    let mut unroller = Unroller { instance, assumptions, gone, places: Vec::new() };
    let body = unroller.nodes(&function.body, false);
    let other = Function { body, ..function.clone() };
    (!unroller.places.is_empty()).then_some(Unrolled { function: other, places: unroller.places })
}

struct Unroller<'a> {
    instance: &'a Instance<'a>,
    assumptions: Assumptions<'a>,
    gone: &'a [Place],
    places: Vec<Place>,
}

impl Unroller<'_> {
    fn nodes(&mut self, list: &[Node], inside: bool) -> Vec<Node> {
        list.iter().flat_map(|node| self.node(node, inside)).collect()
    }

    fn node(&mut self, node: &Node, inside: bool) -> Vec<Node> {
        match node {
            Node::Loop(source) => {
                let body = self.nodes(&source.body, true);
                let flat = Loop { body, ..source.clone() };
                match values(self.instance, &flat).filter(|_| inside && self.is_gone(source)) {
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

    /// Whether the compiler leaves no loop of its own of a short one.
    fn is_gone(&self, source: &Loop) -> bool {
        if self.gone.contains(&source.place) {
            return true;
        }
        let Assumptions { compiler, compiled, .. } = self.assumptions;
        let function = self.instance.function;
        // Lines do not tell loops apart that begin on the same one.
        let told = compiled.filter(|_| !shares_its_line(function, source));
        let has = told.and_then(|it| it.has_loop(&function.name, &lines(function, source)));
        // Where copies begin anywhere, each needs an address of its own, and nothing is gained by them.
        let assumed = compiler != Compiler::GccO2 && source.first.to_constant().is_some();
        has.map_or(assumed, |has| !has)
    }
}

/// Whether another loop begins on the line of this one.
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

/// The lines of a loop, up to what follows it.
fn lines(function: &Function, source: &Loop) -> RangeInclusive<u32> {
    let mut inner = vec![source.place.line];
    places(&source.body, &mut inner);
    let last = inner.into_iter().max().unwrap_or(source.place.line);
    let mut all = Vec::new();
    places(&function.body, &mut all);
    let next = all.into_iter().filter(|line| *line > last).min();
    source.place.line..=next.map_or(last, |line| line - 1)
}

/// The lines of statements and loops.
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

/// The values of a loop's variable, if it is short enough and has nothing but statements in it.
fn values(instance: &Instance<'_>, source: &Loop) -> Option<Vec<Expr>> {
    let known = |expr: &Expr| {
        let replace = |expr: Expr, (symbol, default): &(Symbol, i64)| {
            let value = instance.values.get(*symbol).unwrap_or(*default);
            expr.with(*symbol, &value.into())
        };
        instance.function.defaults.iter().fold(expr.clone(), replace)
    };
    let (limit, step) = (known(&source.limit).distance(&known(&source.first))?, known(&source.step));
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
            list.iter_mut().for_each(|expr| *expr = expr.with(variable, value));
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
