//! Misses against a simulated cache, and footprints worked out by hand.

use super::{Classes, Start, cache_misses, loop_footprints, paper_variables};
use crate::concrete::{Instance, Values};
use crate::execute::simulate;
use crate::front::c;
use crate::machine::Cache;
use crate::nest::Function;

/// Kernels: name, source, sizes.
const KERNELS: &[(&str, &str, &[i64])] = &[
    ("copy", "double a[N], b[N]; void f(void) { for (int i = 0; i < N; i++) b[i] = a[i]; }", &[100, 5000]),
    ("stride", "double a[N][4]; void f(void) { for (int i = 0; i < N; i++) a[i][0] = 1; }", &[100, 5000]),
    (
        "rows",
        "double a[N][N], s; void f(void) { for (int i = 0; i < N; i++) for (int j = 0; j < N; j++) s += a[i][j]; }",
        &[20, 50, 150],
    ),
    (
        "columns",
        "double a[N][N], s; void f(void) { for (int j = 0; j < N; j++) for (int i = 0; i < N; i++) s += a[i][j]; }",
        &[20, 50, 61, 64, 100, 150],
    ),
    (
        "transpose",
        "double a[N][N], b[N][N]; void f(void) { for (int i = 0; i < N; i++) for (int j = 0; j < N; j++) b[j][i] = a[i][j]; }",
        &[20, 50, 100, 150],
    ),
    (
        "matrix times vector",
        "double a[N][N], x[N], y[N]; void f(void) { for (int i = 0; i < N; i++) { y[i] = 0; for (int j = 0; j < N; j++) y[i] += a[i][j] * x[j]; } }",
        &[20, 100, 300, 700],
    ),
    (
        "matrix product ijk",
        "double a[N][N], b[N][N], c[N][N]; void f(void) { for (int i = 0; i < N; i++) for (int j = 0; j < N; j++) for (int k = 0; k < N; k++) c[i][j] += a[i][k] * b[k][j]; }",
        &[10, 20, 30, 45, 60, 90],
    ),
    (
        "matrix product ikj",
        "double a[N][N], b[N][N], c[N][N]; void f(void) { for (int i = 0; i < N; i++) for (int k = 0; k < N; k++) for (int j = 0; j < N; j++) c[i][j] += a[i][k] * b[k][j]; }",
        &[10, 30, 60, 90],
    ),
    (
        "jacobi",
        "double a[N][N], b[N][N]; void f(void) { for (int i = 1; i < N - 1; i++) for (int j = 1; j < N - 1; j++) b[i][j] = a[i][j] + a[i-1][j] + a[i+1][j] + a[i][j-1] + a[i][j+1]; }",
        &[20, 60, 100, 130],
    ),
    (
        "jacobi twice",
        "double a[N], b[N]; void f(void) { for (int t = 0; t < 10; t++) { for (int i = 1; i < N - 1; i++) b[i] = a[i-1] + a[i] + a[i+1]; for (int i = 1; i < N - 1; i++) a[i] = b[i]; } }",
        &[50, 200, 2000],
    ),
    (
        "lower triangle",
        "double a[N][N], x[N]; void f(void) { for (int i = 0; i < N; i++) for (int j = 0; j <= i; j++) x[i] += a[i][j] * x[j]; }",
        &[30, 100, 300],
    ),
    (
        "syrk",
        "double a[N][N], c[N][N]; void f(void) { for (int i = 0; i < N; i++) for (int j = 0; j <= i; j++) for (int k = 0; k < N; k++) c[i][j] += a[i][k] * a[j][k]; }",
        &[20, 40, 60, 90],
    ),
    (
        "lu",
        "double a[N][N]; void f(void) { for (int k = 0; k < N; k++) for (int i = k + 1; i < N; i++) { a[i][k] /= a[k][k]; for (int j = k + 1; j < N; j++) a[i][j] -= a[i][k] * a[k][j]; } }",
        &[20, 50, 90],
    ),
    (
        "tiled product",
        "double a[N][N], b[N][N], c[N][N]; void f(void) { for (int it = 0; it < N; it += 8) for (int jt = 0; jt < N; jt += 8) for (int kt = 0; kt < N; kt += 8) for (int i = it; i < min(it + 8, N); i++) for (int j = jt; j < min(jt + 8, N); j++) for (int k = kt; k < min(kt + 8, N); k++) c[i][j] += a[i][k] * b[k][j]; }",
        &[30, 60, 90],
    ),
    (
        "flattened, float",
        "float a[1000000], b[1000000]; void f(int n) { for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) b[j * n + i] = a[i * n + j]; }",
        &[30, 60, 100],
    ),
    (
        "structs",
        "struct p { double x, y, z; } ; struct p a[N]; double s; void f(void) { for (int i = 0; i < N; i++) s += a[i].x * a[i].z; }",
        &[100, 3000],
    ),
    (
        "every other",
        "double a[N], b[N]; void f(void) { for (int i = 0; i < N / 2; i++) b[i] = a[2 * i] + a[2 * i + 1]; }",
        &[100, 4000],
    ),
    (
        "convolution",
        "double a[N], b[N], w[16]; void f(void) { for (int i = 0; i < N - 16; i++) for (int k = 0; k < 16; k++) b[i] += a[i + k] * w[k]; }",
        &[100, 3000],
    ),
    (
        "floyd",
        "double d[N][N]; void f(void) { for (int k = 0; k < N; k++) for (int i = 0; i < N; i++) for (int j = 0; j < N; j++) d[i][j] = d[i][k] + d[k][j]; }",
        &[20, 50, 90],
    ),
    (
        "heat 3d",
        "double a[N][N][N], b[N][N][N]; void f(void) { for (int i = 1; i < N-1; i++) for (int j = 1; j < N-1; j++) for (int k = 1; k < N-1; k++) b[i][j][k] = a[i-1][j][k] + a[i+1][j][k] + a[i][j-1][k] + a[i][j+1][k] + a[i][j][k-1] + a[i][j][k+1]; }",
        &[10, 20, 30],
    ),
];

fn kernel(source: &str) -> Function {
    let function = c::functions(source).unwrap().remove(0);
    assert_eq!(
        Instance::new(&function, &Values::default()).refusals.iter().find(|r| !r.reason.contains("no value")),
        None
    );
    function
}

fn caches() -> [Cache; 2] {
    let small = Cache { name: "L1".into(), capacity: 4096, line: 64, ways: 8 };
    [small, Cache { name: "L2".into(), capacity: 49152, line: 64, ways: 12 }]
}

/// One prediction compared with the simulation.
struct SimulatedRow {
    text: String,
    close: bool,
}

fn rows(name: &str, function: &Function, n: i64) -> Vec<SimulatedRow> {
    let values = Values::named(function, &[("N", n), ("n", n)]);
    let instance = Instance::new(function, &values);
    assert_eq!(instance.refusals, []);
    let classes = Classes::new(&instance);
    let mut rows = Vec::new();
    for cache in caches() {
        for (start, times) in [(Start::Cold, 1), (Start::Warm, 2)] {
            let ours = cache_misses(&instance, &classes, &cache, start).unwrap().total;
            let truth = simulate(function, &values, &cache, times) as f64;
            let close = (ours - truth).abs() <= (0.1 * truth).max(5.0);
            let text = format!("{name}, N = {n}, {}, {start:?}: {ours:.0} instead of {truth}", cache.name);
            rows.push(SimulatedRow { text, close });
        }
    }
    rows
}

/// At least 90 % of the predictions are within 10 % of the simulation. The others are sizes at which the data just fit the cache
/// or just do not, and cases that depend on the positions of arrays, which the analysis assumes to be random.
#[test]
fn misses_as_simulated() {
    let kernels = KERNELS.iter().map(|(name, source, sizes)| (name, kernel(source), sizes));
    let all: Vec<SimulatedRow> = kernels
        .flat_map(|(name, function, sizes)| {
            sizes.iter().flat_map(move |n| rows(name, &function, *n)).collect::<Vec<_>>()
        })
        .collect();
    let far: Vec<&str> = all.iter().filter(|row| !row.close).map(|row| row.text.as_str()).collect();
    println!("{} of {} beyond 10 %:\n{}", far.len(), all.len(), far.join("\n"));
    assert!(far.len() * 10 <= all.len(), "{}", far.join("\n"));
}

/// Name, source and the bytes of one execution of each loop, the outermost first.
type ByHand = (&'static str, String, Vec<f64>);

/// For N = 480 and B = 48.
fn tiles_by_hand() -> ByHand {
    let product = "float D[N][N], E[N][N], F[N][N]; void f(void) { \
        for (int it = 0; it < N; it = it + B) for (int jt = 0; jt < N; jt = jt + B) for (int kt = 0; kt < N; kt = kt + B) \
        for (int i = it; i < min(it + B, N); i++) for (int j = jt; j < min(jt + B, N); j++) \
        for (int k = kt; k < min(kt + B, N); k++) D[i][j] = D[i][j] + E[i][k] * F[k][j]; }";
    // The paper: one execution of the three inner loops touches 3 B^2 elements of 4 bytes.
    (
        "tiled product",
        product.replace("\\\n", " "),
        vec![
            3.0 * 480.0 * 480.0 * 4.0,
            (2.0 * 48.0 * 480.0 + 480.0 * 480.0) * 4.0,
            (48.0 * 48.0 + 2.0 * 48.0 * 480.0) * 4.0,
            3.0 * 48.0 * 48.0 * 4.0,
            (2.0 * 48.0 + 48.0 * 48.0) * 4.0,
            (2.0 * 48.0 + 1.0) * 4.0,
        ],
    )
}

/// For N = 480.
fn nests_by_hand() -> Vec<ByHand> {
    let plain =
        |body: &str| format!("double a[N][N], b[N][N], c[N][N], x[N], y[N]; void f(void) {{ {body} }}");
    vec![
        ("copy", plain("for (int i = 0; i < N; i++) y[i] = x[i];"), vec![2.0 * 480.0 * 8.0]),
        (
            "sum of rows",
            plain("for (int i = 0; i < N; i++) for (int j = 0; j < N; j++) y[i] += a[i][j];"),
            vec![480.0 * 481.0 * 8.0, 481.0 * 8.0],
        ),
        ("a column", plain("for (int i = 0; i < N; i++) a[i][3] = 0;"), vec![480.0 * 8.0]),
        (
            "a triangle",
            plain("for (int i = 0; i < N; i++) for (int j = 0; j <= i; j++) a[i][j] = 0;"),
            vec![480.0 * 481.0 / 2.0 * 8.0],
        ),
        ("the diagonal", plain("for (int i = 0; i < N; i++) a[i][i] = 0;"), vec![480.0 * 8.0]),
        ("every third", plain("for (int i = 0; i < N; i += 3) x[i] = 0;"), vec![160.0 * 8.0]),
        ("backwards", plain("for (int i = N - 1; i >= 0; i--) x[i] = y[i];"), vec![2.0 * 480.0 * 8.0]),
        (
            "three points",
            plain("for (int i = 1; i < N - 1; i++) y[i] = x[i-1] + x[i] + x[i+1];"),
            vec![(480.0 + 478.0) * 8.0],
        ),
        ("two halves", plain("for (int i = 0; i < N / 2; i++) x[i] = x[i + N / 2];"), vec![480.0 * 8.0]),
        (
            "anti-diagonals",
            plain("for (int i = 0; i < N / 2; i++) for (int j = 0; j < N / 2; j++) x[i + j] = 0;"),
            vec![479.0 * 8.0, 240.0 * 8.0],
        ),
        (
            "invariant",
            plain("for (int t = 0; t < 9; t++) for (int i = 0; i < N; i++) x[i] += t;"),
            vec![480.0 * 8.0, 480.0 * 8.0],
        ),
        (
            "matrix times vector",
            plain("for (int i = 0; i < N; i++) for (int j = 0; j < N; j++) y[i] += a[i][j] * x[j];"),
            vec![(480.0 * 480.0 + 2.0 * 480.0) * 8.0, (2.0 * 480.0 + 1.0) * 8.0],
        ),
        ("a branch", plain("for (int i = 0; i < N; i++) if (i >= 100) x[i] = 0;"), vec![380.0 * 8.0]),
    ]
}

/// Footprints of one execution of each loop.
#[test]
fn footprints_by_hand() {
    for (name, source, expected) in std::iter::once(tiles_by_hand()).chain(nests_by_hand()) {
        let function = kernel(&source);
        let values = Values::named(&function, &[("N", 480), ("B", 48)]);
        let instance = Instance::new(&function, &values);
        let footprints = loop_footprints(&instance, &Classes::new(&instance), 64).unwrap();
        for (index, expected) in expected.iter().enumerate() {
            let bytes = footprints[index].1.bytes;
            assert!((bytes - expected).abs() < 1.0, "{name}, loop {index}: {bytes} instead of {expected}");
        }
    }
}

/// The paper's definition: X1 = 12 B^2 / 32768 * 100, X2 = 12 N^2 / 32768, X3 = N^3.
#[test]
fn variables_of_the_paper() {
    let (_, source, _) = tiles_by_hand();
    let function = kernel(&source);
    let cache = Cache { name: "L1".into(), capacity: 32768, line: 64, ways: 8 };
    for (n, b) in [(600_u32, 16_u32), (400, 26), (500, 52)] {
        let values = Values::named(&function, &[("N", n.into()), ("B", b.into())]);
        let instance = Instance::new(&function, &values);
        let variables = paper_variables(&instance, &Classes::new(&instance), &cache).unwrap();
        let (n, b) = (f64::from(n), f64::from(b));
        let expected = [12.0 * b * b / 327.68, 12.0 * n * n / 32768.0, n.powi(3)];
        for (value, expected) in [variables.x1, variables.x2, variables.x3].into_iter().zip(expected) {
            assert!((value / expected - 1.0).abs() < 1e-9, "{variables:?} {expected}");
        }
    }
}

/// Misses that depend on data are marked as an upper bound.
#[test]
fn bounds_are_marked() {
    let bounded = [
        "double a[N], b[N]; int p[N]; void f(void) { for (int i = 0; i < N; i++) b[i] = a[p[i]]; }",
        "double a[N]; void f(void) { for (int i = 0; i < N; i++) { if (a[i] > 0) break; a[i] = 1; } }",
        "double a[N], b[N]; void f(void) { for (int i = 0; i < N; i++) if (a[i] > 0) b[i] = 1; }",
    ];
    let exact = ["double a[N]; void f(void) { for (int i = 0; i < N; i++) if (i > 5) a[i] = 1; }"];
    for (source, expected) in
        bounded.map(|source| (source, true)).into_iter().chain(exact.map(|source| (source, false)))
    {
        let function = c::functions(source).unwrap().remove(0);
        let values = Values::named(&function, &[("N", 1000)]);
        let instance = Instance::new(&function, &values);
        let misses = cache_misses(&instance, &Classes::new(&instance), &caches()[0], Start::Cold).unwrap();
        assert_eq!(misses.upper_bound, expected, "{source}");
        assert!(misses.total > 100.0, "{source}: {}", misses.total);
    }
}

/// The work does not grow with N.
#[test]
fn huge_sizes_need_no_more_time() {
    let source = KERNELS.iter().find(|kernel| kernel.0 == "matrix product ijk").unwrap().1;
    let function = kernel(source);
    let values = Values::named(&function, &[("N", 1_000_000)]);
    let instance = Instance::new(&function, &values);
    let misses = cache_misses(&instance, &Classes::new(&instance), &caches()[0], Start::Warm).unwrap().total;
    // Every access to b misses; a and c miss once per line of 8 elements.
    assert!((misses / 1e18 - 1.125).abs() < 0.01, "{misses}");
}
