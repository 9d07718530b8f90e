//! Times that depend on data: bounds, estimates between them, and reasons with lines.

use super::tests::machine;
use super::{Assumptions, Compiler, Limit, Prediction, predict};
use crate::concrete::{Instance, Values};
use crate::front::{c, rust};
use crate::locality::{Classes, Start};
use crate::nest::Function;

const N: i64 = 1_000_000;

fn time(function: &Function, values: &[(&str, i64)], compiler: Compiler) -> Prediction {
    let values = Values::named(function, values);
    let instance = Instance::new(function, &values);
    assert_eq!(instance.refusals, []);
    let machine = machine();
    let assumptions = Assumptions { machine: &machine, compiler, start: Start::Warm, compiled: None };
    predict(&instance, &Classes::new(&instance), assumptions).unwrap()
}

fn c_time(source: &str) -> Prediction {
    time(&c::functions(source).unwrap().remove(0), &[("n", N)], Compiler::GccO2)
}

fn rust_time(source: &str) -> Prediction {
    let function = rust::functions(source).unwrap().remove(0);
    time(&function, &[("n", N), ("a.len()", N), ("h.len()", 1 << 24)], Compiler::RustcO)
}

/// The estimate lies between the best and the worst case, and both lie in the interval.
fn check_order(prediction: &Prediction, source: &str) {
    let (low, high) = prediction.range;
    assert!(low <= prediction.seconds && prediction.seconds <= high, "{source}: {prediction:?}");
    assert!(prediction.interval.0 <= low && high <= prediction.interval.1, "{source}");
}

/// A table of 256 counters stays in the first cache however it is declared; only its dependence chain depends on the data.
#[test]
fn tables_that_a_byte_selects_are_small() {
    let counters = [
        "void f(int n, const unsigned char *a, unsigned *h) { for (int i = 0; i < n; i++) h[a[i]]++; }",
        "void f(int n, const unsigned *a, unsigned *h) { for (int i = 0; i < n; i++) h[a[i] & 255]++; }",
        "void f(int n, const unsigned *a, unsigned *h) { for (int i = 0; i < n; i++) h[a[i] % 256]++; }",
        "void f(int n, const unsigned *a, unsigned *h) { for (int i = 0; i < n; i++) h[a[i] >> 24]++; }",
        "void f(int n, const unsigned *a, unsigned *h) { for (int i = 0; i < n; i++) { unsigned char k = a[i]; h[k]++; } }",
        "void f(int n, const unsigned *a, unsigned *h) { for (int i = 0; i < n; i++) { int k = a[i] & 255; h[k]++; } }",
        "unsigned h[256]; void f(int n, const int *a) { for (int i = 0; i < n; i++) h[a[i]]++; }",
        "void f(int n, const char *a, unsigned *h) { for (int i = 0; i < n; i++) h[a[i] - 'a']++; }",
    ];
    for source in counters {
        let prediction = c_time(source);
        check_order(&prediction, source);
        let counter = &prediction.loops[0];
        // 16 numbers of 4 bytes or 64 of 1 byte in each line of a; nothing for h.
        assert!(counter.misses[0] < 70_000.0, "{source}: {:?}", counter.misses);
        // At most an addition and a store that is loaded again: 6 cycles at 3 GHz.
        assert!(prediction.range.1 < 2.5e-3, "{source}: {:?}", prediction.range);
        assert_eq!(prediction.because().len(), 1, "{source}");
    }
}

/// The same in Rust.
#[test]
fn tables_of_rust_that_a_byte_selects() {
    let counters = [
        "fn f(a: &[u8], h: &mut [u32]) { for x in a { h[*x as usize] += 1; } }",
        "fn f(a: &[u8], h: &mut [u32]) { for i in 0..a.len() { h[a[i] as usize] += 1; } }",
        "fn f(a: &[u32], h: &mut [u32]) { for i in 0..a.len() { h[(a[i] & 255) as usize] += 1; } }",
        "fn f(a: &[u32], h: &mut [u32]) { for i in 0..a.len() { let k = (a[i] >> 24) as usize; h[k] += 1; } }",
        "fn f(a: &[u64], h: &mut [u32; 256]) { for i in 0..a.len() { h[a[i] as usize] += 1; } }",
    ];
    for source in counters {
        let prediction = rust_time(source);
        check_order(&prediction, source);
        assert!(prediction.range.1 < 3e-3, "{source}: {:?}", prediction.range);
    }
}

/// The range of a variable is not used after the variable was assigned another value.
#[test]
fn ranges_end_with_the_value() {
    let sources = [
        "void f(int n, const unsigned *a, unsigned *h) { unsigned k = a[0] & 255; for (int i = 0; i < n; i++) { h[k]++; k = a[i]; } }",
        "void f(int n, const unsigned *a, unsigned *h) { for (int i = 0; i < n; i++) { unsigned k = a[i] & 255; k += a[i]; h[k]++; } }",
        "void f(int n, const unsigned *a, unsigned *h) { for (int i = 0; i < n; i++) { unsigned k = a[i] & 255; if (a[i] > 3) k = a[i]; h[k]++; } }",
    ];
    for source in sources {
        let prediction = c_time(source);
        let most = prediction.loops[0].misses[0];
        assert!(most > 0.9 * N as f64, "{source}: {most}");
    }
}

/// The size of the array is unknown: an element is in the first cache at best, and in memory at worst.
#[test]
fn elements_of_unknown_arrays_have_bounds_only() {
    let source = "void f(int n, const int *p, const double *a, double *restrict b) {\n for (int i = 0; i < n; i++)\n  b[i] = a[p[i]]; }";
    let prediction = c_time(source);
    check_order(&prediction, source);
    let (low, high) = prediction.range;
    // 16 ns for a scattered line from memory, 1.2 for one from the second cache.
    assert!(high > 15e-9 * N as f64 && low < 3e-9 * N as f64, "{low} {high}");
    let middle = (low * high).sqrt();
    assert!((prediction.seconds / middle - 1.0).abs() < 1e-9, "{} {middle}", prediction.seconds);
    let because = prediction.because();
    assert_eq!(because.len(), 1);
    assert_eq!(because[0].0.line, 3);
    assert!(because[0].1.contains("p[i] is data in memory"), "{because:?}");
    assert!(because[0].1.contains("the size of a is not known"), "{because:?}");
}

/// A table of 16 MiB in a cache of 2 MiB: if all elements are equally likely, nearly every access misses, not only the first one to
/// each line.
#[test]
fn large_tables_miss_again_and_again() {
    let source = "double a[2097152]; int p[1000000]; double s; void f(int n) { for (int i = 0; i < n; i++) s += a[p[i]]; }";
    let prediction = c_time(source);
    check_order(&prediction, source);
    let beyond = prediction.loops[0].misses[1];
    assert!(beyond > 0.7 * N as f64 && beyond < 1.1 * N as f64, "{beyond}");
}

/// Pointer chasing: each load waits for the previous one, which gives its index.
#[test]
fn pointers_are_followed_one_by_one() {
    let follow =
        "int f(int n, const int *next) { int k = 0; for (int i = 0; i < n; i++) k = next[k]; return k; }";
    let gather =
        "int f(int n, const int *next) { int k = 0; for (int i = 0; i < n; i++) k += next[i]; return k; }";
    let prediction = c_time(follow);
    // A load takes at least 5 cycles of 1/3 ns from the first cache, and at most 110 ns from memory.
    assert!(prediction.range.0 > 1.6e-9 * N as f64, "{:?}", prediction.range);
    assert!(prediction.range.1 > 100e-9 * N as f64, "{:?}", prediction.range);
    let small = c_time(
        &follow.replace("const int *next", "const int *unused").replace("int f", "int next[1024]; int f"),
    );
    assert_eq!(small.limit, Some(Limit::Chain));
    assert!((small.seconds * 3e9 / N as f64 - 5.0).abs() < 0.1, "{}", small.seconds);
    assert!(c_time(gather).seconds < 0.5 * prediction.range.0);
}

/// A loop that may end early takes at most the time of all iterations and at least that of one.
#[test]
fn loops_that_end_early_are_bounded_from_above() {
    let search = "int f(int n, const int *a, int x) {\n for (int i = 0; i < n; i++)\n  if (a[i] == x) return i;\n return -1; }";
    let all = "int f(int n, const int *a, int x) { int k = 0; for (int i = 0; i < n; i++) k += a[i] == x; return k; }";
    let prediction = c_time(search);
    check_order(&prediction, search);
    assert!(prediction.range.0 < 1e-7, "{:?}", prediction.range);
    assert!(prediction.range.1 > 0.5 * c_time(all).seconds);
    assert_eq!(
        prediction.because()[0],
        &(prediction.because()[0].0, "return may leave the loop early".to_owned())
    );
    assert_eq!(prediction.because()[0].0.line, 3);
    assert!(!prediction.loops[0].is_bounded() || prediction.coverage < 1.0);
}

/// A condition on data: the branch is never taken in the best case, and always in the worst case, with mispredictions.
#[test]
fn conditions_on_data_have_a_best_and_a_worst_case() {
    let source = "void f(int n, const double *restrict a, double *restrict b) {\n for (int i = 0; i < n; i++)\n  if (a[i] > 0)\n   b[i] = a[i] / 3; }";
    let prediction = c_time(source);
    check_order(&prediction, source);
    let (low, high) = prediction.range;
    // Half of 17 cycles are lost in the worst case.
    assert!((high - low) * 3e9 / N as f64 > 8.0, "{low} {high}");
    assert_eq!(prediction.because()[0].0.line, 3);
    // A condition on the loop variable does not depend on data.
    let known = c_time(&source.replace("a[i] > 0", "i > 5"));
    assert_eq!(known.range.0, known.range.1);
    assert_eq!(known.coverage, 1.0);
}

/// Loops that a condition on data skips may take no time at all.
#[test]
fn loops_in_branches_on_data() {
    let source = "void f(int n, double *restrict a, int *flag) { if (flag[0]) { for (int i = 0; i < n; i++) a[i] *= 2; } }";
    let whole = "void f(int n, double *restrict a, int *flag) { for (int i = 0; i < n; i++) a[i] *= 2; }";
    let (prediction, whole) = (c_time(source), c_time(whole));
    assert_eq!(prediction.range.0, 0.0);
    assert!((prediction.range.1 / whole.seconds - 1.0).abs() < 1e-6, "{:?}", prediction.range);
    assert!((prediction.seconds / whole.seconds - 0.5).abs() < 1e-6);
}

/// `continue` on a condition of loop variables is exact: N^2 - N executions; on data it is a branch.
#[test]
fn skipped_rests_of_iterations() {
    let source = "void f(int n, double *restrict a) { for (int i = 0; i < 1000; i++) for (int j = 0; j < 1000; j++) { if (i == j) continue; a[i * 1000 + j] /= 3; } }";
    let prediction = c_time(source);
    assert_eq!(prediction.range.0, prediction.range.1, "{:?}", prediction.because());
    let divisions = prediction.loops[1].operations;
    // One comparison in each iteration, and a division in all but the diagonal.
    assert!((divisions - (1e6 + 1e6 - 1e3)).abs() < 1.0, "{divisions}");
    let data = c_time(&source.replace("i == j", "a[j] > 0"));
    assert!(data.range.0 < data.range.1);
    let rust = rust_time(
        "fn f(n: usize, a: &mut [f64]) { for i in 0..1000 { for j in 0..1000 { if i == j { continue; } a[i * 1000 + j] /= 3.0; } } }",
    );
    assert_eq!(rust.range.0, rust.range.1);
    // A `continue` in an inner block skips the rest of the iteration, not only the rest of that block.
    let nested = c_time(
        "void f(int n, double *restrict a) { for (int i = 0; i < n; i++) { if (i > 3) { if (a[i] > 0) continue; a[i] = 1; } a[i] /= 3; } }",
    );
    assert!(nested.range.0 < 1e-2 * nested.range.1, "{:?}", nested.range);
}
