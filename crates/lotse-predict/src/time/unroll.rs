//! Short loops of a known length, as compilers leave them: unrolled completely, so that the loop around becomes the innermost one
//! and may be vectorised.
//!
//! gcc -O3 and rustc -O do this with up to 16 iterations (seen in what gcc 12 makes of convolutions); gcc -O2 only where the code
//! does not grow, which is not assumed. Where compiled loops are known, they tell: the instructions of a loop that was unrolled are in
//! a loop with those of other lines.

use std::ops::RangeInclusive;

use super::Compiler;
use crate::compiled::Compiled;
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

/// The function as the compiler leaves it; `None` if it has no loop that is unrolled.
pub(super) fn unrolled(
    function: &Function,
    compiler: Compiler,
    compiled: Option<&Compiled>,
) -> Option<Unrolled> {
    let mut unroller = Unroller { function, compiler, compiled, places: Vec::new() };
    let body = unroller.nodes(&function.body, false);
    let other = Function { body, ..function.clone() };
    (!unroller.places.is_empty()).then_some(Unrolled { function: other, places: unroller.places })
}

struct Unroller<'a> {
    function: &'a Function,
    compiler: Compiler,
    compiled: Option<&'a Compiled>,
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
                match values(self.function, &flat).filter(|_| inside && self.is_gone(source)) {
                    Some(values) => {
                        self.places.push(source.place);
                        let copy = |value: &i64| copies(&flat.body, source.variable, *value);
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
        let assumed = self.compiler != Compiler::GccO2;
        let lines = lines(self.function, source);
        self.compiled.and_then(|it| it.has_loop(&self.function.name, &lines)).map_or(assumed, |has| !has)
    }
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
fn values(function: &Function, source: &Loop) -> Option<Vec<i64>> {
    let constant = |expr: &Expr| match expr {
        Expr::Constant(value) => Some(*value),
        Expr::Symbol(symbol) => {
            function.defaults.iter().find(|(known, _)| known == symbol).map(|(_, value)| *value)
        }
        _ => None,
    };
    let (first, limit, step) = (constant(&source.first)?, constant(&source.limit)?, constant(&source.step)?);
    let plain = source.body.iter().all(|node| matches!(node, Node::Statement(_)));
    if !plain || step <= 0 || !source.early_exits.is_empty() {
        return None;
    }
    let by = if source.direction == Direction::Up { step } else { -step };
    let more = |value: &i64| if by > 0 { *value < limit } else { *value > limit };
    let longest = usize::try_from(MOST_TRIPS + 1).ok()?;
    let values: Vec<i64> = std::iter::successors(Some(first), |value| value.checked_add(by))
        .take_while(more)
        .take(longest)
        .collect();
    let fits = values.len() < longest && values.len() * source.body.len() <= MOST_STATEMENTS;
    fits.then_some(values)
}

fn copies(list: &[Node], variable: Symbol, value: i64) -> Vec<Node> {
    let copy = |node: &Node| match node {
        Node::Statement(statement) => Node::Statement(statement_at(statement, variable, value)),
        other => other.clone(),
    };
    list.iter().map(copy).collect()
}

fn statement_at(statement: &Statement, variable: Symbol, value: i64) -> Statement {
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
    use crate::front::c;
    use crate::nest::Node;
    use crate::time::Compiler;

    /// Loops that are left and statements in the innermost one.
    fn shape(source: &str, compiler: Compiler) -> Option<(usize, usize)> {
        let function = c::functions(source).unwrap().remove(0);
        let other = unrolled(&function, compiler, None)?.function;
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
