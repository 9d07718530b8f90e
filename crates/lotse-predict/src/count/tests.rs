//! Counts compared with enumeration, and formulas worked out by hand.

use proptest::prelude::{Just, Strategy, any, prop_assert_eq, prop_oneof, proptest};

use super::{Points, points_of};
use crate::concrete::{ConcreteNode, Instance, Values};
use crate::execute::execute;
use crate::nest::{
    Branch, Condition, Direction, Expr, Function, Loop, Node, SourcePosition, Statement, Symbol, SymbolKind,
};

/// A chain of loops around one statement.
fn nest(function: &mut Function, loops: Vec<Loop>) {
    let mut body = vec![Node::Statement(Statement::default())];
    for mut outer in loops.into_iter().rev() {
        outer.body = body;
        body = vec![Node::Loop(outer)];
    }
    function.body = body;
}

/// The numbers of executions of all statements of an instance.
fn statements(instance: &Instance<'_>) -> Vec<Points> {
    fn visit(instance: &Instance<'_>, nodes: &[ConcreteNode], found: &mut Vec<Points>) {
        for node in nodes {
            match node {
                ConcreteNode::Loop(inner) => visit(instance, &inner.body, found),
                ConcreteNode::Statement(statement) => {
                    found.push(points_of(instance, &statement.domain).unwrap())
                }
            }
        }
    }
    let mut found = Vec::new();
    visit(instance, &instance.body, &mut found);
    found
}

fn counted(function: &Function, values: &Values) -> u128 {
    let instance = Instance::new(function, values);
    assert_eq!(instance.refusals, []);
    statements(&instance).iter().map(|points| points.number).sum()
}

/// Executes the loops and counts statements.
fn enumerated(nodes: &[Node], value_of: &dyn Fn(Symbol) -> i64) -> u128 {
    let mut count = 0;
    execute(nodes, value_of, &mut |_, _| count += 1);
    count
}

fn function_with(parameters: &[&str], variables: &[&str]) -> (Function, Vec<Expr>, Vec<Symbol>) {
    let mut function = Function::default();
    let parameters = parameters.iter().map(|name| function.symbols.parameter(name).into()).collect();
    let add = |name: &&str| function.symbols.add(name, SymbolKind::LoopVariable);
    let variables = variables.iter().map(add).collect();
    (function, parameters, variables)
}

#[test]
fn formulas_by_hand() {
    let (mut function, parameters, variables) = function_with(&["N"], &["i", "j", "k"]);
    let n = parameters[0].clone();
    let [i, j, k] = variables[..] else { unreachable!() };
    let zero = Expr::from(0);
    let count = |first, limit, variable| Loop::counting(variable, first, limit, vec![]);
    let cases = [
        (vec![count(zero.clone(), n.clone(), i), count(zero.clone(), n.clone(), j)], "N^2", 10_000),
        (vec![count(zero.clone(), n.clone(), i), count(i.into(), n.clone(), j)], "N^2/2 + N/2", 5050),
        (
            vec![
                count(zero.clone(), n.clone(), i),
                count(zero.clone(), i.into(), j),
                count(zero.clone(), j.into(), k),
            ],
            "N^3/6 - N^2/2 + N/3",
            161_700,
        ),
        (vec![Loop { step: 32.into(), ..count(zero.clone(), n.clone(), i) }], "floor((N - 1)/32) + 1", 4),
    ];
    let mut values = Values::default();
    values.set(function.symbols.find_parameter("N").unwrap(), 100);
    for (loops, formula, number) in cases {
        nest(&mut function, loops);
        let instance = Instance::new(&function, &values);
        let points = statements(&instance).remove(0);
        assert_eq!((points.display(&function.symbols).as_str(), points.number), (formula, number));
    }
}

/// Two regimes: the inner loop is empty from i = 50 on.
#[test]
fn a_formula_belongs_to_its_regime() {
    let (mut function, parameters, variables) = function_with(&["N"], &["i", "j"]);
    let first = Loop::counting(variables[0], 0.into(), parameters[0].clone(), vec![]);
    let second = Loop::counting(variables[1], Expr::from(variables[0]), 50.into(), vec![]);
    nest(&mut function, vec![first, second]);
    let with = |n| Values::named(&function, &[("N", n)]);
    let at = |n| statements(&Instance::new(&function, &with(n))).remove(0);
    assert_eq!(at(20).display(&function.symbols), "-N^2/2 + 101*N/2");
    assert_eq!(at(20).at(&with(40)).unwrap().to_integer(), Some(at(40).number as i128));
    assert_eq!(at(100).display(&function.symbols), "1275");
}

/// The paper's tiled matrix multiplication executes N^3 iterations for every N and block size.
#[test]
fn tiled_matrix_multiplication() {
    let names = ["it", "jt", "kt", "i", "j", "k"];
    let (mut function, parameters, v) = function_with(&["N", "B"], &names);
    let (n, b) = (parameters[0].clone(), parameters[1].clone());
    let tile = |variable| Loop { step: b.clone(), ..Loop::counting(variable, 0.into(), n.clone(), vec![]) };
    let inside = |variable, tile: Symbol| {
        Loop::counting(variable, tile.into(), Expr::from(tile).plus(b.clone()).min(n.clone()), vec![])
    };
    let loops =
        vec![tile(v[0]), tile(v[1]), tile(v[2]), inside(v[3], v[0]), inside(v[4], v[1]), inside(v[5], v[2])];
    nest(&mut function, loops);
    for (n, b) in [(350_u32, 52), (100, 16), (7, 3), (600, 1000), (1_000_000, 32)] {
        let values = Values::named(&function, &[("N", i64::from(n)), ("B", b)]);
        assert_eq!(counted(&function, &values), u128::from(n).pow(3), "N = {n}, B = {b}");
    }
}

/// A random bound: one of several forms of the outer variables.
fn bound(outer: Vec<Symbol>) -> impl Strategy<Value = Expr> {
    let variable = move |pick: usize| match outer.as_slice() {
        [] => Expr::from(4),
        outer => Expr::from(outer[pick % outer.len()]),
    };
    (any::<usize>(), any::<usize>(), -3..8_i64, 1..4_i64, 0..8_usize).prop_map(move |(p, q, c, d, shape)| {
        let (x, y) = (variable(p), variable(q));
        match shape {
            0 => Expr::from(c),
            1 => x.plus(c.into()),
            2 => x.times(d.into()).plus(c.into()),
            3 => x.plus(c.into()).min(y.times(2.into())),
            4 => x.max(y.plus(c.into())),
            5 => x.plus(5.into()).floor_div(d.into()),
            6 => x.plus(y).remainder(d.plus_one()),
            _ => Expr::from(c).minus(x),
        }
    })
}

trait PlusOne {
    fn plus_one(self) -> Expr;
}

impl PlusOne for i64 {
    fn plus_one(self) -> Expr {
        Expr::from(self + 1)
    }
}

fn random_loop(variable: Symbol, outer: Vec<Symbol>) -> impl Strategy<Value = Loop> {
    let direction = prop_oneof![3 => Just(Direction::Up), 1 => Just(Direction::Down)];
    (bound(outer.clone()), bound(outer), 1..4_i64, direction).prop_map(move |(a, b, step, direction)| Loop {
        step: step.into(),
        direction,
        ..Loop::counting(variable, a, b.plus(6.into()), vec![])
    })
}

proptest! {
    #![proptest_config(proptest::test_runner::Config { cases: 300, ..Default::default() })]
    /// Imperfect, triangular, stepped, descending, with minimum, maximum, division, remainder and a branch.
    #[test]
    fn counts_are_those_of_an_execution(
        (function, n) in (2..9_i64).prop_flat_map(|n| {
            let (function, _, v) = function_with(&["N"], &["i", "j", "k"]);
            let outer = random_loop(v[0], vec![]);
            let middle = random_loop(v[1], vec![v[0]]);
            let inner = random_loop(v[2], vec![v[0], v[1]]);
            let condition = bound(vec![v[0], v[1]]);
            (outer, middle, inner, condition, Just(function), Just(n)).prop_map(|(i, j, k, form, function, n)| {
                (assemble(function, i, j, k, form), n)
            })
        })
    ) {
        let values = Values::named(&function, &[("N", n)]);
        let expected = enumerated(&function.body, &|_| n);
        prop_assert_eq!(counted(&function, &values), expected);
    }
}

/// i { S; j { if form >= 0 { k { S } } else { S } } }, with N added to the outermost limit.
fn assemble(mut function: Function, mut i: Loop, mut j: Loop, mut k: Loop, form: Expr) -> Function {
    let statement = || vec![Node::Statement(Statement::default())];
    let n = Expr::from(function.symbols.find_parameter("N").unwrap());
    k.body = statement();
    let condition = Condition::AllNonNegative(vec![form]);
    let (then, otherwise) = (vec![Node::Loop(k)], statement());
    j.body = vec![Node::Branch(Branch { place: SourcePosition::default(), condition, then, otherwise })];
    i.body = statement();
    i.body.push(Node::Loop(j));
    i.limit = i.limit.plus(n);
    function.body = vec![Node::Loop(i)];
    function
}
