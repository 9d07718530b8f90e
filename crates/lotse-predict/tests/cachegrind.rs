//! Predicted misses of C sources compared with those that cachegrind counts when the sources are compiled by gcc and executed.

#![expect(clippy::unwrap_used, reason = "a failure of the tools is a failure of the test")]

use std::path::Path;
use std::process::Command;

use lotse_predict::concrete::{Instance, Values};
use lotse_predict::front::c;
use lotse_predict::locality::{Classes, Start, cache_misses};
use lotse_predict::machine::Cache;

/// Name, declarations, body of the function, and size.
type Kernel = (&'static str, &'static str, &'static str, i64);

/// Misses of both caches, predicted and counted.
type Misses = ([f64; 2], [f64; 2]);

const KERNELS: &[Kernel] = &[
    ("copy", "double a[N], b[N];", "for (int i = 0; i < N; i++) b[i] = a[i];", 100_000),
    (
        "column sums",
        "double a[N][N], s[N];",
        "for (int j = 0; j < N; j++) for (int i = 0; i < N; i++) s[j] += a[i][j];",
        300,
    ),
    (
        "column sums",
        "double a[N][N], s[N];",
        "for (int j = 0; j < N; j++) for (int i = 0; i < N; i++) s[j] += a[i][j];",
        700,
    ),
    (
        "transpose",
        "double a[N][N], b[N][N];",
        "for (int i = 0; i < N; i++) for (int j = 0; j < N; j++) b[j][i] = a[i][j];",
        400,
    ),
    (
        "matrix times vector",
        "double a[N][N], x[N], y[N];",
        "for (int i = 0; i < N; i++) for (int j = 0; j < N; j++) y[i] += a[i][j] * x[j];",
        1000,
    ),
    (
        "product ijk",
        "double a[N][N], b[N][N], c[N][N];",
        "for (int i = 0; i < N; i++) for (int j = 0; j < N; j++) for (int k = 0; k < N; k++) c[i][j] += a[i][k] * b[k][j];",
        120,
    ),
    (
        "product ikj",
        "double a[N][N], b[N][N], c[N][N];",
        "for (int i = 0; i < N; i++) for (int k = 0; k < N; k++) for (int j = 0; j < N; j++) c[i][j] += a[i][k] * b[k][j];",
        200,
    ),
    (
        "tiled product",
        "float a[N][N], b[N][N], c[N][N];",
        "for (int it = 0; it < N; it += 24) for (int jt = 0; jt < N; jt += 24) for (int kt = 0; kt < N; kt += 24) for (int i = it; i < (it + 24 < N ? it + 24 : N); i++) for (int j = jt; j < (jt + 24 < N ? jt + 24 : N); j++) for (int k = kt; k < (kt + 24 < N ? kt + 24 : N); k++) c[i][j] += a[i][k] * b[k][j];",
        200,
    ),
    (
        "jacobi",
        "double a[N][N], b[N][N];",
        "for (int t = 0; t < 3; t++) { for (int i = 1; i < N - 1; i++) for (int j = 1; j < N - 1; j++) b[i][j] = a[i-1][j] + a[i+1][j] + a[i][j-1] + a[i][j+1]; for (int i = 1; i < N - 1; i++) for (int j = 1; j < N - 1; j++) a[i][j] = b[i][j]; }",
        300,
    ),
    (
        "syrk",
        "double a[N][N], c[N][N];",
        "for (int i = 0; i < N; i++) for (int j = 0; j <= i; j++) for (int k = 0; k < N; k++) c[i][j] += a[i][k] * a[j][k];",
        150,
    ),
    (
        "lu",
        "double a[N][N];",
        "for (int k = 0; k < N; k++) for (int i = k + 1; i < N; i++) { a[i][k] /= 2; for (int j = k + 1; j < N; j++) a[i][j] -= a[i][k] * a[k][j]; }",
        150,
    ),
    (
        "floyd",
        "int d[N][N];",
        "for (int k = 0; k < N; k++) for (int i = 0; i < N; i++) for (int j = 0; j < N; j++) d[i][j] = d[i][j] + d[i][k] + d[k][j];",
        150,
    ),
    (
        "longest common subsequence",
        "int d[N][N]; char s[N], t[N];",
        "for (int i = 1; i < N; i++) for (int j = 1; j < N; j++) d[i][j] = d[i-1][j-1] + d[i-1][j] + d[i][j-1] + s[i] + t[j];",
        500,
    ),
    (
        "heat 3d",
        "double a[N][N][N], b[N][N][N];",
        "for (int i = 1; i < N-1; i++) for (int j = 1; j < N-1; j++) for (int k = 1; k < N-1; k++) b[i][j][k] = a[i-1][j][k] + a[i+1][j][k] + a[i][j-1][k] + a[i][j+1][k] + a[i][j][k-1] + a[i][j][k+1];",
        60,
    ),
    (
        "structs",
        "struct p { double x, y, z; int id; } q[N]; double s[1];",
        "for (int i = 0; i < N; i++) s[0] += q[i].x + q[i].z;",
        20_000,
    ),
    ("strided", "float a[N * 8];", "for (int i = 0; i < N; i++) a[8 * i] += 1;", 50_000),
    ("reverse", "double a[N], b[N];", "for (int i = N - 1; i >= 0; i--) b[i] = a[N - 1 - i];", 50_000),
    (
        "convolution",
        "float a[N], b[N], w[64];",
        "for (int i = 0; i < N - 64; i++) for (int k = 0; k < 64; k++) b[i] += a[i + k] * w[k];",
        20_000,
    ),
    (
        "upper triangle",
        "double a[N][N], x[N];",
        "for (int i = 0; i < N; i++) for (int j = i; j < N; j++) x[j] += a[i][j];",
        600,
    ),
    (
        "column triangle",
        "double a[N][N], x[N];",
        "for (int j = 0; j < N; j++) for (int i = 0; i <= j; i++) x[j] += a[i][j];",
        500,
    ),
    (
        "power of two columns",
        "double a[N][N], x[N];",
        "for (int j = 0; j < N; j++) for (int i = 0; i < N; i++) x[i] += a[i][j];",
        256,
    ),
];

/// The two caches that cachegrind simulates, and its names for their misses.
fn caches() -> [(Cache, &'static str); 2] {
    let cache = |name: &str, capacity, ways| Cache { name: name.to_owned(), capacity, line: 64, ways };
    [(cache("D1", 32768, 8), "D1  misses:"), (cache("LL", 262_144, 16), "LLd misses:")]
}

fn source(declarations: &str, body: &str, n: i64) -> String {
    format!("#define N {n}\n{declarations}\nvoid kernel(void) {{ {body} }}\n")
}

fn predicted(text: &str) -> [f64; 2] {
    let function = c::functions(text).unwrap().remove(0);
    let values = Values::named(&function, &[]);
    let instance = Instance::new(&function, &values);
    assert_eq!(instance.refusals, [], "{text}");
    let classes = Classes::new(&instance);
    caches().map(|(cache, _)| cache_misses(&instance, &classes, &cache, Start::Cold).unwrap().total)
}

/// Misses of one call: those of a program that calls the kernel minus those of a program that does not.
fn counted(folder: &Path, text: &str) -> [f64; 2] {
    let run = |calls: u32| {
        let program = folder.join(format!("kernel{calls}"));
        let main = "int main(void) { for (volatile int i = 0; i < CALLS; i++) kernel(); return 0; }";
        std::fs::write(
            folder.join("kernel.c"),
            format!("{text}\n{}\n", main.replace("CALLS", &calls.to_string())),
        )
        .unwrap();
        let compiled =
            Command::new("gcc").args(["-O1", "-o"]).arg(&program).arg(folder.join("kernel.c")).status();
        assert!(compiled.unwrap().success(), "{text}");
        let output = Command::new("valgrind")
            .args(["--tool=cachegrind", "--cache-sim=yes", "--cachegrind-out-file=/dev/null"])
            .args(["--I1=32768,8,64", "--D1=32768,8,64", "--LL=262144,16,64"])
            .arg(&program)
            .output();
        let text = String::from_utf8(output.unwrap().stderr).unwrap();
        caches().map(|(_, words)| {
            let line = text.lines().find(|line| line.contains(words)).unwrap();
            let number = line.split("misses:").nth(1).unwrap().split_whitespace().next().unwrap();
            number.replace(',', "").parse::<f64>().unwrap()
        })
    };
    let (once, never) = (run(1), run(0));
    [once[0] - never[0], once[1] - never[1]]
}

fn is_there(program: &str) -> bool {
    Command::new(program).arg("--version").output().is_ok_and(|output| output.status.success())
}

/// The required accuracy: within 10 % for 80 % of the kernels.
#[test]
fn misses_as_cachegrind_counts_them() {
    if let Some(missing) = ["gcc", "valgrind"].into_iter().find(|program| !is_there(program)) {
        test_support::skip_missing(format!("{missing} is not there"));
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let measured = |(_, declarations, body, n): &Kernel| {
        let text = source(declarations, body, *n);
        (predicted(&text), counted(folder.path(), &text))
    };
    let pairs: Vec<Misses> = KERNELS.iter().map(measured).collect();
    for (level, (cache, _)) in caches().iter().enumerate() {
        let row = |((name, _, _, n), (ours, truth)): (&Kernel, &Misses)| {
            let (ours, truth) = (ours[level], truth[level]);
            let error = ours / truth.max(1.0) - 1.0;
            (error, format!("{name:28} N = {n:6} {ours:10.0} {truth:10.0} {:+7.1} %", 100.0 * error))
        };
        let rows: Vec<(f64, String)> = KERNELS.iter().zip(&pairs).map(row).collect();
        let table: Vec<&str> = rows.iter().map(|(_, text)| text.as_str()).collect();
        println!("{}\n{}", cache.name, table.join("\n"));
        let close = rows.iter().filter(|(error, _)| error.abs() <= 0.1).count();
        assert!(
            close * 10 >= KERNELS.len() * 8,
            "{}: {close} of {}\n{}",
            cache.name,
            KERNELS.len(),
            table.join("\n")
        );
    }
}
