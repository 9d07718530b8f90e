//! C sources and the nests they are translated to.

use super::functions;
use crate::concrete::{ConcreteNode, Instance, Values};
use crate::count::points_of;
use crate::execute::execute;
use crate::nest::{Function, Node, Subscripts};

fn only(source: &str) -> Function {
    let mut all = functions(source).unwrap();
    assert_eq!(all.len(), 1, "{source}");
    all.remove(0)
}

/// The number of executions of all statements that access arrays. Analysis and interpreter must agree.
fn touched(source: &str, values: &[(&str, i64)]) -> u128 {
    let function = only(source);
    let values = Values::named(&function, values);
    let instance = Instance::new(&function, &values);
    assert_eq!(instance.refusals, [], "{source}");
    let counted = count(&instance, &instance.body);
    let mut executed = 0;
    execute(&function.body, &|symbol| values.get(symbol).unwrap(), &mut |statement, _| {
        executed += u128::from(!statement.references.is_empty());
    });
    assert_eq!(counted, executed, "{source}");
    counted
}

fn count(instance: &Instance<'_>, nodes: &[ConcreteNode]) -> u128 {
    let executions = |node: &ConcreteNode| match node {
        ConcreteNode::Loop(inner) => count(instance, &inner.body),
        ConcreteNode::Statement(statement) if statement.touches.is_empty() => 0,
        ConcreteNode::Statement(statement) => points_of(instance, &statement.domain).unwrap().number,
    };
    nodes.iter().map(executions).sum()
}

/// Sources, and how many statements that access arrays they execute.
const LOOPS: &[(&str, u128)] = &[
    ("void f(int n, double *a) { for (int i = 0; i < n; i++) a[i] = 0; }", 10),
    (
        "void f(int n, double a[n][n]) { int i, j; for (i = 0; i < n; ++i) for (j = i; j <= n - 1; j += 1) a[i][j] = 0; }",
        55,
    ),
    ("void f(int n, double *a) { int i = 0; while (i < n) { a[i] = 0; i = i + 2; } }", 5),
    ("void f(int n, double *a) { for (int i = n; i-- > 0; ) a[i] = 0; }", 10),
    ("void f(int n, double *a) { for (int i = n - 1; i >= 0; i--) a[i] = 0; }", 10),
    ("void f(int n, double *a) { for (int i = 0; n > i; i += 3) a[i] = 0; }", 4),
    ("void f(int n, double *a) { for (int i = 0; i < n && i < 7; i++) a[i] = 0; }", 7),
    ("void f(int n, double *a) { for (int i = 0, j = n; i < j; i++) a[i] = 0; }", 10),
    (
        "#define N 6\n#define A(i, j) a[(i) * N + (j)]\nvoid f(double *a) { for (int i = 0; i < N; i++) for (int j = 0; j < N; j++) A(i, j) = A(j, i); }",
        36,
    ),
    (
        "#define N 6\n#define M (N / 2)\ndouble a[N]; void f(void) { for (int i = 0; i < M; i++) a[2 * i] = 0; }",
        3,
    ),
    (
        "#define MIN(a, b) ((a) < (b) ? (a) : (b))\nvoid f(int n, float *a) { for (int t = 0; t < n; t += 4) for (int i = t; i < MIN(t + 4, n); i++) a[i] = 1; }",
        10,
    ),
    (
        "typedef struct { float re, im; } cplx; void f(int n, cplx *restrict z) { for (int i = 0; i < n; i++) z[i].re = z[i].im; }",
        10,
    ),
    (
        "struct grid { int w, h; double *cell; }; void f(struct grid *g) { for (int y = 0; y < g->h; y++) for (int x = 0; x < g->w; x++) g->cell[y * g->w + x] = 0; }",
        12,
    ),
    (
        "void f(int n, double *a) { for (int i = 0; i < n; i++) { double *row = a + i * n; for (int j = 0; j < n; j++) row[j] = 0; } }",
        100,
    ),
    ("void f(int n, double *a) { for (int i = 0; i < n; i++) { int k = i * n; a[k + 1] = a[k]; } }", 10),
    (
        "void f(int n, double *a) { for (int i = 0; i < n; i++) { if (i > 2 && i < 6) a[i] = 0; else a[i] = 1; } }",
        10,
    ),
    ("void f(int n, double *a) { for (int i = 0; i < n / 2; i++) a[i % 3] = 0; }", 5),
    (
        "void f(int n, double (*a)[8]) { for (int i = 0; i < n; i++) for (int j = 0; j < 8; j++) *(a[i] + j) = 0; }",
        80,
    ),
    ("enum { K = 5 }; static double w[K]; void f(void) { for (unsigned i = 0; i != K; i++) w[i] *= 2; }", 5),
    (
        "enum { A = 3, B = 5, C = (A > B ? A : B), D, K = 5 }; double w[5]; void f(void) { for (int i = 0; i < K; i++) w[i] = 0; }",
        5,
    ),
    ("static const int K = 5; double w[5]; void f(void) { for (int i = 0; i < K; i++) w[i] *= 2; }", 5),
    (
        "const unsigned long A = 5, K = 7; double w[5]; void f(void) { for (int i = 0; i < K; i++) w[i] *= 2; }",
        7,
    ),
    (
        "struct p { double x[3]; int id; }; void f(int n, struct p *q) { for (int i = 0; i < n; i++) for (int d = 0; d < 3; d++) q[i].x[d] = 0; }",
        30,
    ),
    ("void f(int n, int s, double *a) { int k = 3; for (int i = 0; i < n; i++) { a[k] = 0; k += 2; } }", 10),
    ("void f(int n, double *a) { int k = n; for (int i = 0; i < n; i += 2, k--) a[k] = 0; }", 5),
    ("void f(int n, void *p) { for (int i = 0; i < n; i++) ((float *) p)[2 * i] = 0; }", 10),
    (
        "typedef float real; void f(int n, float *a) { for (int i = 0; i < (int)(n); i++) a[i] = (real)(a[i] + 1); }",
        10,
    ),
    ("void f(int n, double *a) { do { for (int i = 0; i < n; i++) a[i] = 0; } while (0); }", 10),
    ("void f(uint8_t n, double *a) { for (uint8_t i = 0; i < n; i++) a[i] = 0; }", 10),
    ("void f(double *a) { for (unsigned char i = 0; i < 200; i++) a[i] = 0; }", 200),
    ("void f(unsigned n, double *a) { for (unsigned i = n; i-- > 0;) a[i] = 0; }", 10),
    ("void f(int n, double *a) { while (n--) a[n] = 0; }", 10),
    ("void f(int n, double *a) { int i = n; while (i-- > 0) { a[i] = 0; } }", 10),
    ("# 100 \"big.c\"\nvoid f(int n, double *a) { for (int i = 0; i < n; i++) a[i] = 0; }", 10),
];

#[test]
fn loops_as_people_write_them() {
    for (source, expected) in LOOPS {
        assert_eq!(touched(source, &[("n", 10), ("g->w", 4), ("g->h", 3)]), *expected, "{source}");
    }
}

/// Conditions that depend only on the file itself are evaluated.
#[test]
fn alternatives_of_the_preprocessor() {
    let source = |define: &str, condition: &str| {
        format!(
            "{define}\nvoid f(int n, double *a) {{\n{condition}\nfor (int i = 0; i < n; i++) a[i] = 0;\n#else\nfor (int i = 0; i < 3; i++) a[i] = 0;\n#endif\n}}\n"
        )
    };
    let cases = [
        ("", "#if 1", 10),
        ("", "#if 0", 3),
        ("#define FAST", "#ifdef FAST", 10),
        ("#define FAST 1", "#ifndef FAST", 3),
    ];
    for (define, condition, expected) in cases {
        assert_eq!(touched(&source(define, condition), &[("n", 10)]), expected, "{define} {condition}");
    }
}

/// Of two definitions, the one is used that is compiled if the name is not defined; parts that are never compiled are ignored.
#[test]
fn definitions_of_alternatives() {
    let source = |define: &str, condition: &str| {
        format!(
            "{define}\n{condition}\n#define M 7\n#else\n#define M 4\n#endif\nvoid f(double *a) {{ for (int i = 0; i < M; i++) a[i] = 0; }}\n"
        )
    };
    let cases = [
        ("", "#ifdef FAST", 4),
        ("", "#ifndef FAST", 7),
        ("", "#if !defined(FAST)", 7),
        ("", "#if defined(FAST)", 4),
        ("#define FAST", "#ifdef FAST", 7),
        ("#define FAST", "#ifndef FAST", 4),
        ("#define M 9", "#if 0", 4),
        ("", "#if 1", 7),
    ];
    for (define, condition, expected) in cases {
        assert_eq!(touched(&source(define, condition), &[]), expected, "{define} {condition}");
    }
    let guarded = "#ifndef A_H\n#define A_H\n#ifndef M\n#define M 5\n#endif\nvoid f(double *a) { for (int i = 0; i < M; i++) a[i] = 0; }\n#endif\n";
    assert_eq!(touched(guarded, &[]), 5);
}

/// A return that depends on parameters is evaluated; one that depends on data is assumed not to be taken, which is recorded.
#[test]
fn returns_before_loops() {
    let source =
        |guard: &str| format!("void f(int n, double *a) {{ {guard} for (int i = 0; i < n; i++) a[i] = 0; }}");
    let cases = [
        ("if (n > 100) return;", 10, ""),
        ("if (n > 5) return;", 0, ""),
        ("if (n > 5) { a[0] = 1; return; }", 1, ""),
        ("if (!a) return;", 10, "it does not return at line 1"),
        ("if (!a) { for (int i = 0; i < n; i++) a[i] = 1; return; }", 10, "it does not return at line 1"),
        ("{ if (n > 5) return; }", 10, "it does not return at line 1"),
    ];
    for (guard, expected, assumed) in cases {
        let function = only(&source(guard));
        assert_eq!(function.assumptions.join(""), assumed, "{guard}");
        assert_eq!(touched(&source(guard), &[("n", 10)]), expected, "{guard}");
    }
}

/// Functions of headers are left out, but declarations of headers are known.
#[test]
fn preprocessed_sources() {
    let source = "# 0 \"x.c\"\n# 1 \"y.h\" 1\ntypedef float real;\nstatic int g(int n) { return n; }\n# 7 \"x.c\" 2\nvoid f(int n, real *a) { for (int i = 0; i < n; i++) a[i] = 0; }\n";
    let all = functions(source).unwrap();
    let found: Vec<(&str, u32)> = all.iter().map(|f| (f.name.as_str(), f.place.line)).collect();
    assert_eq!(found, [("f", 7)]);
    assert_eq!(all[0].arrays[0].element_bytes, 4);
}

/// Sources with the line and the reason of a refusal.
const REFUSED: &[(&str, u32, &str)] = &[
    ("void f(double *a) {\n while (a[0] > 0)\n a[0] -= 1; }", 2, "the loop ends on a condition of data"),
    ("void f(int n, double *a) {\n for (int i = 0; i < n; i *= 2) a[i] = 0; }", 2, "i *= 2 does not count"),
    (
        "void f(int n, double *a) {\n for (int i = 0; i < n; i++) { a[i] = 0; i++; } }",
        2,
        "the loop changes i in its body",
    ),
    (
        "void f(int n, double *a) {\n for (int i = 0; i < n; i++) { a[i] = 0; n--; } }",
        2,
        "the loop changes its bound n",
    ),
    (
        "void f(int n, double *a) {\n for (int i = 0, j = n; i < j; i++, j--) a[i] = a[j]; }",
        2,
        "the loop changes its bound j",
    ),
    (
        "void f(int n, double *a) {\n for (int i = 0; i * i < n; i++) a[i] = 0; }",
        2,
        "i * i < n does not limit i",
    ),
    (
        "void f(int n, double *a) {\n for (int i = 0; i < n; a[n - 1 - i] = i, ++i); }",
        2,
        "what is done beside the step is not analysed",
    ),
    (
        "void f(int n, double *a) { for (int i = 0; i < n; i++)\n g(a, i); }",
        2,
        "the function g() is not analysed",
    ),
    ("void f(int n) {\n do { n--; } while (n); }", 2, "a do-while loop has no count that is known before it"),
    (
        "void f(int n, double *a) {\n for (unsigned char i = 0; i < n; i++) a[i] = 0; }",
        2,
        "i wraps around after 255",
    ),
    ("void f(double *a) {\n for (int8_t i = 0; i < 128; i++) a[i] = 0; }", 2, "i is never more than 127"),
    (
        "void f(unsigned n, double *a) {\n for (unsigned i = n - 1; i >= 0; i--) a[i] = 0; }",
        2,
        "i is unsigned and never below 0",
    ),
    (
        "void f(int n, double *a) {\n#ifdef FAST\n for (int i = 0; i < n; i++) a[i] = 0;\n#endif\n }",
        2,
        "it depends on #if; use --cpp to let the preprocessor decide",
    ),
    (
        "#define FOR(i, n) for (int i = 0; i < (n); i++)\nvoid f(int n, double *a) {\n FOR(i, n) a[i] = 0; }",
        3,
        "a macro has a loop in it; use --cpp to expand it",
    ),
    ("# 41 \"x.c\"\nvoid f(int n) {\n switch (n) { } }", 42, "switch is not analysed"),
];

#[test]
fn refusals_have_line_and_reason() {
    for (source, line, reason) in REFUSED.iter().copied() {
        let function = only(source);
        let values = Values::named(&function, &[("n", 10)]);
        let refusals = Instance::new(&function, &values).refusals;
        let found: Vec<(u32, &str)> = refusals.iter().map(|r| (r.place.line, r.reason.as_str())).collect();
        assert!(found.contains(&(line, reason)), "{source}: {found:?}");
    }
}

/// Subscripts that depend on data are irregular, with a reason.
#[test]
fn irregular_subscripts_are_kept() {
    let cases = [
        (
            "void f(int n, int *p, double *a) { for (int i = 0; i < n; i++) a[p[i]] = 0; }",
            "p[i] is data in memory",
        ),
        (
            "void f(int n, double *a) { int k = 0; for (int i = 0; i < n; i++) a[k++] = 0; }",
            "k++ changes a variable",
        ),
        (
            "void f(int n, double *a) { int k = 0; for (int i = 0; i < n; i++) { a[k] = 0; k += i; } }",
            "k changes in the loop",
        ),
    ];
    for (source, expected) in cases {
        let function = only(source);
        let Some(Node::Loop(outer)) = function.body.iter().find(|node| matches!(node, Node::Loop(_))) else {
            panic!()
        };
        let reasons: Vec<String> = outer
            .body
            .iter()
            .filter_map(|node| match node {
                Node::Statement(statement) => Some(&statement.references),
                _ => None,
            })
            .flatten()
            .filter_map(|reference| match &reference.subscripts {
                Subscripts::Irregular(irregular) => Some(irregular.reason.clone()),
                Subscripts::Affine(_) => None,
            })
            .collect();
        assert!(reasons.iter().any(|reason| reason.contains(expected)), "{source}: {reasons:?}");
    }
}

/// The values of a secondary induction variable are those of an execution.
#[test]
fn integers_that_follow_the_loop() {
    let source = "void f(int n, double *a) { int k = 3; for (int i = 1; i < n; i += 3) { a[k] = 0; k += 2; a[k] = 1; } }";
    let function = only(source);
    let mut found = Vec::new();
    execute(&function.body, &|_| 11, &mut |statement, value_of| {
        for reference in &statement.references {
            let Subscripts::Affine(subscripts) = &reference.subscripts else { panic!("{reference:?}") };
            found.push(crate::execute::value(&subscripts[0], value_of));
        }
    });
    assert_eq!(found, [3, 5, 5, 7, 7, 9, 9, 11]);
}

/// An unknown value that is constant in the whole nest is a parameter.
#[test]
fn unknown_constants_are_parameters() {
    let source = "void f(int *p, double *a) { int n = p[0]; for (int i = 0; i < n; i++) a[i] = 0; }";
    assert_eq!(touched(source, &[("n", 7)]), 7 + 1);
}

/// Undeclared names and fields that are assigned in a loop are not constants.
#[test]
fn undeclared_names_and_fields_that_change() {
    let cases = [
        "void f(int n, int *p, double *a) { for (i = 0; i < n; i++) { k = p[i]; a[k] = 0; } }",
        "struct s { int k; }; void f(int n, struct s *q, int *p, double *a) { for (int i = 0; i < n; i++) { a[q->k] = 0; q->k = p[i]; } }",
    ];
    for source in cases {
        let mut irregular = 0;
        execute(&only(source).body, &|_| 3, &mut |statement, _| {
            let subscripts = statement.references.iter().map(|reference| &reference.subscripts);
            irregular +=
                subscripts.filter(|subscripts| matches!(subscripts, Subscripts::Irregular(_))).count();
        });
        assert_eq!(irregular, 3, "{source}");
    }
}

/// Broken, deep and large sources give refusals, never a panic.
#[test]
fn hostile_sources() {
    let deep = format!("int f(int n) {{ return {}n{}; }}", "(".repeat(20_000), ")".repeat(20_000));
    let loops = format!("void f(int n) {{ {} }}", "for (int i = 0; i < n; i++) {".repeat(2000));
    let recursive = "#define A B\n#define B A\nvoid f(double *x) { for (int i = 0; i < A; i++) x[A] = B; }";
    let wide = format!(
        "void f(int n, double *a) {{ {} }}",
        "for (int i = 0; i < n; i++) a[i] = a[i] + 1;".repeat(2000)
    );
    for source in
        ["", "void f(", "}}}}", "\0\0\u{fffd}", "int f(void) { for (;;) ; }", &deep, &loops, recursive, &wide]
    {
        for function in functions(source).unwrap() {
            let values = Values::named(&function, &[("n", 3)]);
            let _instance = Instance::new(&function, &values);
        }
    }
}
