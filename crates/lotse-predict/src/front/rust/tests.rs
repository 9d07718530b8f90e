//! Rust sources and the nests they are translated to.

use super::functions;
use crate::concrete::{ConcreteNode, Instance, Values};
use crate::count::points_of;
use crate::execute::{execute, value};
use crate::nest::{Function, Node, Subscripts};

fn only(source: &str) -> Function {
    let mut all = functions(source).unwrap();
    assert_eq!(all.len(), 1, "{source}");
    all.remove(0)
}

fn count(instance: &Instance<'_>, nodes: &[ConcreteNode]) -> u128 {
    let executions = |node: &ConcreteNode| match node {
        ConcreteNode::Loop(inner) => count(instance, &inner.body),
        ConcreteNode::Statement(statement) if statement.touches.is_empty() => 0,
        ConcreteNode::Statement(statement) => points_of(instance, &statement.domain).unwrap().number,
    };
    nodes.iter().map(executions).sum()
}

/// The number of executions of statements that access arrays, and the sum of all their subscripts.
fn touched(source: &str) -> (u128, i64) {
    let function = only(source);
    let values = Values::named(
        &function,
        &[("n", 10), ("N", 4), ("a.len()", 12), ("b.len()", 9), ("self.n", 3), ("self.data.len()", 9)],
    );
    let instance = Instance::new(&function, &values);
    assert_eq!(instance.refusals, [], "{source}");
    let (mut executed, mut sum) = (0, 0);
    execute(&function.body, &|symbol| values.get(symbol).unwrap(), &mut |statement, value_of| {
        executed += u128::from(!statement.references.is_empty());
        for reference in &statement.references {
            let Subscripts::Affine(subscripts) = &reference.subscripts else {
                panic!("{source}: {reference:?}")
            };
            sum += subscripts.iter().map(|subscript| value(subscript, value_of)).sum::<i64>();
        }
    });
    assert_eq!(count(&instance, &instance.body), executed, "{source}");
    (executed, sum)
}

/// Sources, how many statements that access arrays they execute, and the sum of their subscripts.
const LOOPS: &[(&str, (u128, i64))] = &[
    ("fn f(n: usize, a: &mut [f64]) { for i in 0..n { a[i] = 0.0; } }", (10, 45)),
    ("fn f(n: usize, a: &mut [f64]) { for i in 0..=n { a[i] = 0.0; } }", (11, 55)),
    ("fn f(n: usize, a: &mut [f64]) { for i in (0..n).step_by(3) { a[i] = 0.0; } }", (4, 18)),
    ("fn f(n: usize, a: &mut [f64]) { for i in (2..n).rev() { a[i - 1] = a[i]; } }", (8, 36 + 44)),
    ("fn f(n: usize, a: &mut [f64]) { for i in (0..n).rev().step_by(4) { a[i] = 0.0; } }", (3, 9 + 5 + 1)),
    (
        "fn f(n: usize, a: &mut [f64]) { for i in 0..n { for j in i..n { a[i * n + j] = 0.0; } } }",
        (55, 10 * 165 + 330),
    ),
    ("fn f(a: &[f64]) -> f64 { let mut s = 0.0; for x in a.iter() { s += x; } s }", (12, 66)),
    ("fn f(a: &[f64]) -> f64 { let mut s = 0.0; for &x in a { s += x; } s }", (12, 66)),
    ("fn f(a: &mut [f64], b: &[f64]) { for (x, y) in a.iter_mut().zip(b) { *x = *y; } }", (9, 2 * 36)),
    (
        "fn f(a: &mut [f64], b: &[f64]) { for (i, x) in a.iter_mut().enumerate().take(9) { *x = b[i]; } }",
        (9, 2 * 36),
    ),
    (
        "fn f(a: &[f32], b: &mut [f32]) { for (w, y) in a.windows(3).zip(b.iter_mut()) { *y = w[0] + w[2]; } }",
        (9, 36 + 36 + 54),
    ),
    ("fn f(a: &mut [u8]) { for c in a.chunks_exact_mut(4) { c[1] = c[0]; } }", (3, 12 + 15)),
    ("fn f(a: &mut [u8]) { for c in a.chunks_mut(5) { for x in c { *x = 0; } } }", (12, 66)),
    (
        "fn f(a: &mut Vec<f64>) { for i in 1..a.len() - 1 { a[i] = 0.5 * (a[i - 1] + a[i + 1]); } }",
        (10, 3 * 55),
    ),
    (
        "fn f<const N: usize>(m: &mut [[f64; N]; N]) { for i in 0..N { for j in 0..i { m[i][j] = m[j][i]; } } }",
        (6, 2 * 18),
    ),
    (
        "fn f(n: usize, a: &mut [f64]) { let mut i = 1; while i < n { a[i] = 0.0; i += 2; } a[i] = 1.0; }",
        (6, 25 + 11),
    ),
    ("const K: usize = 5; fn f(a: &mut [f64]) { for i in 0..K { a[i] *= 2.0; } }", (5, 20)),
    ("fn f(n: usize) { let mut t = vec![0.0; n]; for i in 0..n { t[i] = 1.0; } }", (10, 45)),
    (
        "fn f(n: usize, a: &mut [f64]) { for i in 0..n { if i >= 3 && i < 5 { a[i] = 0.0; } else { a[0] = 1.0; } } }",
        (10, 7),
    ),
    (
        "fn f(n: usize, a: &mut [f64]) { for t in (0..n).step_by(4) { for i in t..(t + 4).min(n) { a[i] = 0.0; } } }",
        (10, 45),
    ),
    (
        "fn f(n: usize, a: &mut [f64]) { for i in 0..2 { let row = &mut a[i * n..(i + 1) * n]; for x in row.iter_mut() { *x = 0.0; } } }",
        (20, 190),
    ),
    (
        "struct M { n: usize, data: Vec<f64> } impl M { fn f(&mut self) { for i in 0..self.n { self.data[i * self.n] = 0.0; } } }",
        (3, 9),
    ),
    (
        "fn f(n: usize, a: &mut [f64]) { for i in 0..n { assert!(a[i] > 0.5, \"{}\", a[n]); debug_assert!(a[0] > 0.0); } }",
        (10, 45),
    ),
    ("fn f(n: usize, a: &[u64], b: &[u64]) { for i in 0..n { assert_eq!(a[i], b[0]); } }", (20, 45)),
    (
        "fn f(n: usize, a: &mut [f64]) { for i in 0..n { unsafe { *a.get_unchecked_mut(i) = 0.0; } } }",
        (10, 45),
    ),
];

#[test]
fn loops_as_people_write_them() {
    for (source, expected) in LOOPS {
        assert_eq!(touched(source), *expected, "{source}");
    }
}

/// The size of a type parameter is assumed, which is recorded.
#[test]
fn type_parameters() {
    let function = only("fn f<T: Copy>(a: &mut [T], x: T) { for i in 0..a.len() { a[i] = x; } }");
    assert_eq!(function.assumptions, ["values of type T have 8 bytes"]);
    assert_eq!(function.arrays[0].element_bytes, 8);
}

/// A return that depends on parameters is evaluated; one that depends on data is assumed not to be taken, which is recorded.
#[test]
fn returns_before_loops() {
    let cases = [
        ("if n > 100 { return; }", 10, ""),
        ("if n > 5 { return; }", 0, ""),
        ("if a.is_empty() { return; }", 10, ""),
        ("if a[0] > 1.0 { return; }", 11, "it does not return at line 1"),
    ];
    for (guard, expected, assumed) in cases {
        let source = format!("fn f(n: usize, a: &mut [f64]) {{ {guard} for i in 0..n {{ a[i] = 0.0; }} }}");
        assert_eq!(only(&source).assumptions.join(""), assumed, "{guard}");
        assert_eq!(touched(&source).0, expected, "{guard}");
    }
}

/// Names that are bound by patterns are not constants.
#[test]
fn names_of_patterns() {
    let cases = [
        "fn f(n: usize, a: &mut [f64]) { for i in 0..n { let (k, _) = g(i); a[k] = 0.0; } }",
        "fn f(n: usize, a: &mut [f64]) { for i in 0..n { if let Some(k) = h(i) { a[k] = 0.0; } } }",
        "struct S { k: usize, p: Vec<f64> } impl S { fn f(&mut self, n: usize) { for i in 0..n { self.p[self.k] = 0.0; self.k = g(i); } } }",
        "fn f(n: usize, p: &[usize], a: &mut [f64]) { for i in 0..n { let k = p[i]; a[k] = 0.0; } }",
    ];
    for source in cases {
        let function = only(source);
        let mut found = Vec::new();
        subscripts(&function.body, &mut found);
        assert!(
            found.iter().any(|subscripts| matches!(subscripts, Subscripts::Irregular(_))),
            "{source}: {found:?}"
        );
    }
}

fn subscripts(nodes: &[Node], found: &mut Vec<Subscripts>) {
    for node in nodes {
        match node {
            Node::Loop(inner) => subscripts(&inner.body, found),
            Node::Branch(branch) => subscripts(&branch.then, found),
            Node::Statement(statement) => {
                found.extend(statement.references.iter().map(|reference| reference.subscripts.clone()));
            }
            Node::Refused(_) => {}
        }
    }
}

#[test]
fn refusals_have_line_and_reason() {
    let cases = [
        (
            "fn f(a: &mut [f64]) {\n while a[0] > 0.0 { a[0] -= 1.0; } }",
            2,
            "the loop ends on a condition of data",
        ),
        (
            "fn f(a: &[f64]) {\n for x in a.iter().filter(|x| **x > 0.0) { } }",
            2,
            "the iterator filter() is not analysed",
        ),
        ("fn f(a: &[f64]) { for x in a {\n g(x); } }", 2, "the function g() is not analysed"),
        ("fn f(n: usize) { for i in 0..n {\n match i { _ => {} } } }", 2, "match is not analysed"),
    ];
    for (source, line, reason) in cases {
        let function = only(source);
        let values = Values::named(&function, &[("n", 10), ("a.len()", 5)]);
        let refusals = Instance::new(&function, &values).refusals;
        let found: Vec<(u32, &str)> = refusals.iter().map(|r| (r.place.line, r.reason.as_str())).collect();
        assert!(found.contains(&(line, reason)), "{source}: {found:?}");
    }
}

#[test]
fn hostile_sources() {
    let deep = format!("fn f(n: usize) -> usize {{ {}n{} }}", "(".repeat(50_000), ")".repeat(50_000));
    let long = format!("fn f(n: usize) -> usize {{ n {} }}", "+ n ".repeat(100_000));
    let minus = format!("fn f(n: isize) -> isize {{ {} n }}", "-".repeat(100_000));
    for source in ["fn f(", "}}", "\0", &deep, &long, &minus] {
        assert!(functions(source).is_err());
    }
    assert_eq!(functions("").unwrap(), []);
}
