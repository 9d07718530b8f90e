//! Chains, throughput and vectorisation, compared with numbers worked out by hand from the default constants: 3 GHz, additions of 4
//! cycles.

use super::{Assumptions, Compiler, Limit, Prediction, predict};
use crate::concrete::{Instance, Values};
use crate::front::{c, rust};
use crate::locality::{Classes, Start};
use crate::machine::{Cache, Machine};
use crate::nest::Function;

pub(super) fn machine() -> Machine {
    let cache = |name: &str, capacity, ways| Cache { name: name.to_owned(), capacity, line: 64, ways };
    Machine::typical("test", vec![cache("L1", 49152, 12), cache("L2", 2 << 20, 16)]).unwrap()
}

fn time(function: &Function, n: i64, compiler: Compiler) -> Prediction {
    time_of(function, &[("N", n), ("n", n), ("a.len()", n), ("b.len()", n)], compiler)
}

fn time_of(function: &Function, values: &[(&str, i64)], compiler: Compiler) -> Prediction {
    let values = Values::named(function, values);
    let instance = Instance::new(function, &values);
    assert_eq!(instance.refusals, []);
    let machine = machine();
    let assumptions = Assumptions { machine: &machine, compiler, start: Start::Warm, compiled: None };
    predict(&instance, &Classes::new(&instance), assumptions).unwrap()
}

fn c_time(source: &str, n: i64, compiler: Compiler) -> Prediction {
    time(&c::functions(source).unwrap().remove(0), n, compiler)
}

/// Sources, the limit of their innermost loop, cycles per iteration, and iterations per instruction.
const LOOPS: &[(&str, Limit, f64, f64)] = &[
    // Additions of 4 cycles in order.
    (
        "double a[N], b[N], s; void f(void) { for (int i = 0; i < N; i++) s += a[i] * b[i]; }",
        Limit::Chain,
        4.0,
        1.0,
    ),
    // Multiplication and addition are on the chain.
    (
        "double a[N], b[N]; void f(double x) { for (int i = 1; i < N; i++) a[i] = a[i-1] * x + b[i]; }",
        Limit::Chain,
        8.0,
        1.0,
    ),
    // Store forwarding (5 cycles) and an addition (4), over two iterations; two iterations may be executed at once.
    (
        "double a[N], b[N]; void f(double x) { for (int i = 2; i < N; i++) a[i] = a[i-2] + b[i]; }",
        Limit::Chain,
        4.5,
        2.0,
    ),
    // A vector division of two elements every 4 cycles.
    (
        "double a[N], b[N]; void f(void) { for (int i = 0; i < N; i++) a[i] = 1.0 / b[i]; }",
        Limit::Division,
        2.0,
        2.0,
    ),
    // The pointers may overlap, so the loop is scalar: load, multiply, store, count and branch at 0.2 cycles each.
    (
        "void f(int n, double *a, double *b) { for (int i = 0; i < n; i++) a[i] = 2 * b[i]; }",
        Limit::FrontEnd,
        1.0,
        1.0,
    ),
    (
        "double a[N], b[N]; void f(void) { for (int i = 0; i < N; i++) a[i] = 2 * b[i]; }",
        Limit::FrontEnd,
        0.5,
        2.0,
    ),
    (
        "float a[N], b[N]; void f(void) { for (int i = 0; i < N; i++) a[i] = 2 * b[i]; }",
        Limit::FrontEnd,
        0.25,
        4.0,
    ),
];

#[test]
fn cycles_of_one_iteration() {
    for (source, limit, cycles, lanes) in LOOPS {
        let prediction = c_time(source, 1000, Compiler::GccO2);
        let inner = &prediction.loops[0];
        let got = inner.computing * 3e9 / inner.iterations;
        // Entering the loop costs 21 cycles in total.
        assert!((got - cycles).abs() < 0.05, "{source}: {got} cycles, {}", inner.why);
        assert_eq!((&inner.limit, inner.lanes), (limit, *lanes), "{source}: {}", inner.why);
        assert!(prediction.interval.0 < prediction.seconds && prediction.seconds < prediction.interval.1);
        assert_eq!(prediction.coverage, 1.0);
    }
}

/// A loop without a known trip count is vectorised by -O3 with checks, not by -O2; an integer sum by both, a floating-point sum by
/// neither.
#[test]
fn compilers_differ() {
    let cases = [
        (
            "void f(int n, double *restrict a, double *restrict b) { for (int i = 0; i < n; i++) a[i] = 2 * b[i]; }",
            [1.0, 2.0],
        ),
        ("int a[N]; int s; void f(void) { int s = 0; for (int i = 0; i < N; i++) s += a[i]; }", [4.0, 4.0]),
        ("float a[N]; float s; void f(void) { for (int i = 0; i < N; i++) s += a[i]; }", [1.0, 1.0]),
        ("double a[N]; void f(void) { for (int i = 0; i < N; i++) a[i] = sin(a[i]); }", [1.0, 1.0]),
        ("double a[N][N]; void f(void) { for (int i = 0; i < N; i++) a[i][0] = 2 * a[i][0]; }", [1.0, 1.0]),
    ];
    for (source, expected) in cases {
        let lanes = [Compiler::GccO2, Compiler::GccO3].map(|it| c_time(source, 1000, it).loops[0].lanes);
        assert_eq!(lanes, expected, "{source}");
    }
}

/// Without `restrict` the sum is stored in every iteration; with it only once.
#[test]
fn stores_that_may_alias_stay_in_the_loop() {
    let source = "void f(int n, double *c, double *a) { for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) c[i] += a[i * n + j]; }";
    let blocked = c_time(source, 100, Compiler::GccO2);
    assert!(blocked.loops[1].blocked.is_some());
    let free =
        c_time(&source.replace('*', "*restrict ").replace("i *restrict  n", "i * n"), 100, Compiler::GccO2);
    assert_eq!(free.loops[1].blocked, None);
}

/// In Rust the limit of the loop decides whether bounds checks remain, and so whether the loop is vectorised.
#[test]
fn checks_of_bounds_prevent_vectors() {
    let lanes = |source: &str| {
        let function = rust::functions(source).unwrap().remove(0);
        time(&function, 1000, Compiler::RustcO).loops[0].lanes
    };
    assert_eq!(lanes("fn f(n: usize, a: &mut [f64]) { for i in 0..n { a[i] = a[i] * 2.0; } }"), 1.0);
    assert_eq!(lanes("fn f(a: &mut [f64]) { for i in 0..a.len() { a[i] = a[i] * 2.0; } }"), 2.0);
}

/// Data that do not fit the caches are limited by transfers from memory.
#[test]
fn big_data_come_from_memory() {
    let source = "double a[N], b[N]; void f(void) { for (int i = 0; i < N; i++) a[i] = 2 * b[i]; }";
    let prediction = c_time(source, 10_000_000, Compiler::GccO2);
    assert_eq!(prediction.limit, Some(Limit::Transfer("memory".into())));
    // 20 million numbers are 2.5 million lines; those of a are written back.
    let misses = prediction.loops[0].misses[1];
    assert!((misses / 2.5e6 - 1.0).abs() < 0.01, "{misses}");
    assert!(prediction.formula.ends_with("ns * (N)"), "{}", prediction.formula);
}

/// Short independent sums overlap with each other, long ones do not; a single sum over all iterations never does.
#[test]
fn chains_overlap_if_the_next_one_is_independent() {
    let rows = "double a[N][N], s[N]; void f(void) { for (int i = 0; i < N; i++) for (int j = 0; j < N; j++) s[i] += a[i][j]; }";
    let one = "double a[N][N], s; void f(void) { for (int i = 0; i < N; i++) for (int j = 0; j < N; j++) s += a[i][j]; }";
    let cycles = |source, n| {
        let prediction = c_time(source, n, Compiler::GccO2);
        prediction.loops[1].computing * 3e9 / prediction.loops[1].iterations
    };
    assert!((cycles(one, 60) - 4.0).abs() < 1e-6);
    assert!(cycles(rows, 60) < 2.0, "{}", cycles(rows, 60));
    assert!(cycles(rows, 2000) > 3.8, "{}", cycles(rows, 2000));
}

/// Whether the exit of a tile loop is predicted depends on full tiles, not on the smaller tile at the end.
#[test]
fn a_remainder_does_not_change_the_end_of_whole_tiles() {
    let source = "void f(int n, int b, const double *a, double *s) { for (int t = 0; t < n; t += b) for (int i = 0; i < n; i++) \
        for (int k = t; k < (t + b < n ? t + b : n); k++) s[i] += a[i * n + k]; }";
    let function = c::functions(source).unwrap().remove(0);
    let cycles = |n: i64, tile: i64| {
        let prediction = time_of(&function, &[("n", n), ("b", tile)], Compiler::GccO2);
        prediction.loops.last().unwrap().computing * 3e9 / (n * n) as f64
    };
    // 350 has a tile of 10 at its end, so that the mean is 31.8, which the branch predictor could remember.
    let (whole, rest) = (cycles(340, 34), cycles(350, 34));
    assert!((rest / whole - 1.0).abs() < 0.1, "{whole} and {rest} cycles");
    // All executions have 30 iterations, fewer than the tile size.
    assert!(cycles(30, 34) < 0.9 * whole, "{} and {whole} cycles", cycles(30, 34));
}

/// `n / 2` has a value if `n` has one, so rows of half the width are contiguous.
#[test]
fn rows_whose_width_is_a_quotient() {
    let source = "void f(int n, const float *restrict a, float *restrict b) { for (int y = 0; y < n / 2; y++) for (int x = 0; x < n / 2; x++) \
        b[y * (n / 2) + x] = a[2 * y * n + 2 * x]; }";
    let prediction = c_time(source, 128, Compiler::GccO2);
    let inner = prediction.loops.last().unwrap();
    assert_eq!(inner.iterations, 64.0 * 64.0);
    let cycles = (inner.computing + inner.transferring) * 3e9 / inner.iterations;
    assert!(cycles < 8.0, "{cycles} cycles: {}", inner.why);
    assert!(inner.misses[0] < 64.0 * 64.0, "a line has several elements: {:?}", inner.misses);
}

/// gcc computes two columns of a product at once, but not with transposed accesses, triangles or an unknown inner trip count.
#[test]
fn vectors_across_the_outer_loop() {
    let product = "double a[N][N], b[N][N], c[N][N]; void f(void) { for (int i = 0; i < N; i++) for (int j = 0; j < N; j++) for (int k = 0; k < N; k++) c[i][j] += a[i][k] * b[k][j]; }";
    let inner = |source: &str, n| c_time(source, n, Compiler::GccO2).loops[2].lanes;
    assert_eq!(inner(product, 100), 2.0);
    assert_eq!(inner(product, 101), 1.0);
    assert_eq!(inner(&product.replace("b[k][j]", "b[j][k]"), 100), 1.0);
    assert_eq!(inner(&product.replace("k = 0", "k = j"), 100), 1.0);
    assert_eq!(inner(&product.replace("k < N", "k < n").replace("f(void)", "f(int n)"), 100), 1.0);
}

/// Refused parts lower the coverage.
#[test]
fn refused_parts_lower_the_coverage() {
    let source =
        "double a[N]; void f(void) { for (int i = 0; i < N; i++) a[i] = 1; while (a[0] > 0) a[0] -= 1; }";
    let function = c::functions(source).unwrap().remove(0);
    let values = Values::named(&function, &[("N", 1000)]);
    let instance = Instance::new(&function, &values);
    let machine = machine();
    let assumptions =
        Assumptions { machine: &machine, compiler: Compiler::GccO2, start: Start::Warm, compiled: None };
    let coverage = predict(&instance, &Classes::new(&instance), assumptions).unwrap().coverage;
    assert!(coverage > 0.0 && coverage < 0.9, "{coverage}");
}

/// Running sums, whose intermediate values are stored, cannot be reordered, whether they are array elements or scalars.
#[test]
fn running_sums_are_no_reductions() {
    let running = [
        "int a[N], b[N]; void f(void) { for (int i = 1; i < N; i++) a[i] = a[i-1] + b[i]; }",
        "int a[N], b[N]; void f(void) { int s = 0; for (int i = 0; i < N; i++) { s += b[i]; a[i] = s; } }",
        "double a[N], b[N]; void f(void) { double s = 0; for (int i = 0; i < N; i++) { s += b[i]; a[i] = s; } }",
    ];
    for source in running {
        for compiler in [Compiler::GccO2, Compiler::GccO3] {
            let prediction = c_time(source, 1024, compiler);
            let inner = &prediction.loops[0];
            assert_eq!((inner.lanes, inner.reduction.is_none()), (1.0, true), "{source}: {}", inner.why);
        }
    }
    let total = "int b[N]; int f(void) { int s = 0; for (int i = 0; i < N; i++) s += b[i]; return s; }";
    assert_eq!(c_time(total, 1024, Compiler::GccO2).loops[0].lanes, 4.0);
}

/// A column on more pages than the TLB has entries is limited by page walks, unless pages are larger or the column is shorter.
#[test]
fn page_walks_limit_long_columns() {
    let column = "float a[N][N]; void f(void) { for (int j = 0; j < N; j++) for (int i = 0; i < N; i++) a[i][j] += 1; }";
    let function = c::functions(column).unwrap().remove(0);
    let limit = |n: i64, pages: u64| {
        let mut machine = machine();
        machine.caches.push(Cache { name: "L3".to_owned(), capacity: 256 << 20, line: 64, ways: 16 });
        let mut machine = Machine { transfers: Vec::new(), ..machine };
        machine = Machine::from_toml(&machine.to_toml().unwrap()).unwrap();
        machine.pages.bytes = pages;
        machine.pages.miss_ns = 40.0;
        let values = Values::named(&function, &[("N", n)]);
        let instance = Instance::new(&function, &values);
        let compiler = Compiler::GccO2;
        let assumptions = Assumptions { machine: &machine, compiler, start: Start::Warm, compiled: None };
        let found = predict(&instance, &Classes::new(&instance), assumptions).unwrap();
        (found.limit.unwrap(), found.loops[1].why.clone())
    };
    let (walked, why) = limit(5000, 4096);
    assert_eq!(walked, Limit::Pages, "{why}");
    // Four columns at once.
    let expected = "its data are on more than 2048 pages, and 0.25 in each iteration must be looked up";
    assert_eq!(why.split(';').next(), Some(expected));
    assert_ne!(limit(5000, 2 << 20).0, Limit::Pages);
    assert_ne!(limit(500, 4096).0, Limit::Pages);
}

#[test]
fn a_function_without_loops_takes_no_negative_time() {
    let function = c::functions("int f(int n) { return n + 1; }").unwrap().remove(0);
    let found = time(&function, 10, Compiler::GccO2);
    assert_eq!((found.seconds.to_bits(), found.coverage.to_bits()), (0, 0));
}

/// A small array that misses a cold cache is not reported as too large for it.
#[test]
fn small_data_are_not_in_a_cold_cache() {
    let source = "int a[N]; void f(void) { for (int i = 0; i < N; i++) a[i] += i; }";
    let function = c::functions(source).unwrap().remove(0);
    let values = Values::named(&function, &[("N", 1000)]);
    let instance = Instance::new(&function, &values);
    let machine = machine();
    let why = |start: Start| {
        let compiler = Compiler::GccO2;
        let assumptions = Assumptions { machine: &machine, compiler, start, compiled: None };
        predict(&instance, &Classes::new(&instance), assumptions).unwrap().loops.remove(0).why
    };
    assert!(why(Start::Cold).starts_with("its data are not in L"), "{}", why(Start::Cold));
    assert!(!why(Start::Warm).contains("its data"), "{}", why(Start::Warm));
}

/// Divisions by known numbers are replaced by other operations, if the compiler can.
#[test]
fn divisions_by_known_numbers() {
    let limit = |body: &str| {
        let source =
            format!("float a[N]; unsigned u[N], s; void f(void) {{ for (int i = 0; i < N; i++) {body} }}");
        c_time(&source, 1000, Compiler::GccO2).loops.remove(0)
    };
    let cases = [
        ("a[i] = a[i] / 3.0f;", true),
        ("a[i] = a[i] / 8.0f;", false),
        ("a[i] = a[i] * (1.0f / 3.0f);", false),
        ("u[i] = u[i] / 7;", false),
        ("u[i] = u[i] % 7;", false),
        ("u[i] = u[i] / s;", true),
    ];
    for (body, divides) in cases {
        let found = limit(body);
        assert_eq!(found.limit == Limit::Division, divides, "{body}: {}", found.why);
    }
    // Two multiplications of 3 cycles, and a shift, a subtraction and an addition.
    let chain = limit("s = (s + u[i]) % 65521;");
    assert!(chain.why.contains("waits 9 cycles for s"), "{}", chain.why);
    assert_eq!(chain.not_vectorised, Some("every iteration needs the result of the one before"));
}
