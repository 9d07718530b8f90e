//! Loops compiled by gcc and rustc: how they are matched with the source, and their predicted time.

#![expect(clippy::unwrap_used, reason = "a failure of the tools is a failure of the test")]

use std::path::Path;
use std::process::Command;

use lotse_predict::compiled::Compiled;
use lotse_predict::concrete::Values;
use lotse_predict::locality::Start;
use lotse_predict::machine::{Cache, Machine};
use lotse_predict::question::{Language, analyse};
use lotse_predict::time::{Assumptions, Compiler, LoopTime};
use lotse_symbols::Binary;

const SOURCE: &str = "\
#include <stddef.h>
void axpy(size_t n, double a, const double *restrict x, double *restrict y) {
    for (size_t i = 0; i < n; i++)
        y[i] += a * x[i];
}

double dot(size_t n, const double *x, const double *y) {
    double s = 0;
    for (size_t i = 0; i < n; i++)
        s += x[i] * y[i];
    return s;
}

void prefix(size_t n, double *a) {
    for (size_t i = 1; i < n; i++)
        a[i] = a[i]
            + a[i - 1];
}

double a[96][96], b[96][96], c[96][96];
void product(void) {
    for (int i = 0; i < 96; i++)
        for (int j = 0; j < 96; j++) {
            double s = 0;
            for (int k = 0; k < 96; k++)
                s += a[i][k] * b[k][j];
            c[i][j] = s;
        }
}

static inline double twice(double x) {
    return 2 * x + 1;
}
void inlined(size_t n, double *restrict x) {
    for (size_t i = 0; i < n; i++)
        x[i] = twice(x[i]) / 3;
}
int find(size_t n, const int *x) {
    int found = 0;
    for (size_t i = 0; i < n; i++)
        found += x[i] == 7;
    return found;
}
void floyd(int n, double *d) {
    for (int k = 0; k < n; k++)
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++)
                if (d[i * n + k] + d[k * n + j] < d[i * n + j])
                    d[i * n + j] = d[i * n + k] + d[k * n + j];
}
void behind(int n, int m, float *a) {
    for (int i = m; i < n; i++)
        a[i] = a[i - m] + 1.0f;
}
double points[1000][4], centre[4], distance[1000];
void unrolled(void) {
    for (int i = 0; i < 1000; i++) {
        double s = 0;
        for (int d = 0; d < 4; d++) {
            double e = points[i][d] - centre[d];
            s += e * e;
        }
        distance[i] = s;
    }
}
float in[320][320], out[320][320];
void tiles(void) {
    for (int it = 0; it < 320; it += 16)
        for (int jt = 0; jt < 320; jt += 16)
            for (int i = it; i < it + 16; i++)
                for (int j = jt; j < jt + 16; j++)
                    out[j][i] = in[i][j];
}
float signal[2016], weights[16], filtered[2000];
void convolution(void) {
    for (int i = 0; i < 2000; i++) {
        float s = 0;
        for (int k = 0; k < 16; k++)
            s += weights[k] * signal[i + k];
        filtered[i] = s;
    }
}
double m[180][180];
void eliminate(void) {
    for (int k = 0; k < 180; k++)
        for (int i = k + 1; i < 180; i++) {
            m[i][k] /= m[k][k];
            for (int j = k + 1; j < 180; j++)
                m[i][j] -= m[i][k] * m[k][j];
        }
}
int length[180][180];
void paths(void) {
    for (int k = 0; k < 180; k++)
        for (int i = 0; i < 180; i++)
            for (int j = 0; j < 180; j++)
                length[i][j] = length[i][j] < length[i][k] + length[k][j]
                    ? length[i][j] : length[i][k] + length[k][j];
}
unsigned crc(size_t n, const unsigned char *data) {
    unsigned c = ~0u;
    for (size_t i = 0; i < n; i++) {
        c ^= data[i];
        for (int k = 0; k < 8; k++)
            c = c & 1 ? (c >> 1) ^ 0xedb88320u : c >> 1;
    }
    return ~c;
}
void fir(int n, const short *restrict x, const short *restrict c, int *restrict y) {
    for (int i = 0; i < n; i++) { int s = 0; for (int k = 0; k < 8; k++) s += x[i + k] * c[k]; y[i] = s; }
}
static inline double clamped(double x) {
    return x < 0 ? 0 : x > 1 ? 1 : x;
}
void clamp(size_t n, double *x) {
    for (size_t i = 0; i < n; i++)
        x[i] = clamped(x[i]) + 3;
}
void zero(size_t n, double *x) {
    for (size_t i = 0; i < n; i++)
        x[i] = 0;
}
";

fn run(program: &str, arguments: &[&str], folder: &Path) {
    let output = Command::new(program).args(arguments).current_dir(folder).output().unwrap();
    assert!(output.status.success(), "{program}: {}", String::from_utf8_lossy(&output.stderr));
}

fn compiled(options: &[&str]) -> Compiled {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("a.c"), SOURCE).unwrap();
    run("gcc", &[options, &["-g", "-c", "-o", "a.o", "a.c"]].concat(), folder.path());
    run("ld", &["--unresolved-symbols=ignore-all", "-e", "0", "-o", "a", "a.o"], folder.path());
    let bytes = std::fs::read(folder.path().join("a")).unwrap();
    Compiled::new("gcc", &Binary::parse(&bytes).unwrap(), "a.c").unwrap()
}

fn machine() -> Machine {
    let cache = |name: &str, capacity| Cache { name: name.to_owned(), capacity, line: 64, ways: 8 };
    Machine::typical("test", vec![cache("L1", 1 << 20)]).unwrap()
}

/// The loops of a function.
fn all(name: &str, compiled: Option<&Compiled>) -> Vec<LoopTime> {
    let machine = machine();
    let functions = Language::C.functions(SOURCE).unwrap();
    let function = functions.iter().find(|function| function.name == name).unwrap();
    let values = Values::named(function, &[("n", 1000), ("m", 1)]);
    let assumptions =
        Assumptions { machine: &machine, compiler: Compiler::GccO2, start: Start::Warm, compiled };
    analyse(function, &values, assumptions).unwrap().prediction.loops
}

/// The innermost loop of a function, and its cycles per iteration.
fn innermost(name: &str, compiled: Option<&Compiled>) -> (LoopTime, f64) {
    let mut loops = all(name, compiled);
    loops.retain(|time| time.is_innermost);
    let time = loops.pop().unwrap();
    let cycles = time.computing * machine().core.clock_ghz * 1e9 / time.iterations;
    (time, cycles)
}

#[test]
fn without_optimisation_numbers_go_through_memory() {
    let plain = compiled(&["-O0"]);
    for name in ["axpy", "dot"] {
        let (time, slow) = innermost(name, Some(&plain));
        let (_, fast) = innermost(name, None);
        assert!(time.why.contains("instructions do 1 iteration"), "{}", time.why);
        assert!(slow > 1.5 * fast, "{name}: {slow} against {fast}");
    }
    let (time, cycles) = innermost("dot", Some(&plain));
    assert_eq!(time.limit.name(), "chain");
    // The sum is stored and loaded again: 5 cycles, and 4 for the addition.
    assert!((8.5..10.5).contains(&cycles), "{cycles}: {}", time.why);
}

#[test]
fn vectors_of_the_compiled_loop_count() {
    let cases = [("-msse2", 2.0, "16 bytes"), ("-mavx2", 4.0, "32 bytes")];
    for (option, lanes, bytes) in cases {
        let (time, cycles) =
            innermost("axpy", Some(&compiled(&["-O3", "-mprefer-vector-width=256", option])));
        assert_eq!(time.lanes, lanes, "{option}: {}", time.why);
        assert!(time.why.contains(bytes), "{}", time.why);
        assert!(cycles < 3.0 / lanes, "{option}: {cycles}");
    }
}

#[test]
fn a_sum_is_a_chain_until_the_compiler_may_reorder_it() {
    let (strict, in_order) = innermost("dot", Some(&compiled(&["-O2"])));
    assert_eq!((strict.limit.name(), strict.lanes), ("chain".to_owned(), 1.0));
    assert!((in_order - 4.0).abs() < 0.1, "one addition after the other: {in_order}");
    let (fast, any_order) = innermost("dot", Some(&compiled(&["-O3", "-ffast-math"])));
    assert_eq!(fast.lanes, 2.0, "{}", fast.why);
    assert!((any_order - 2.0).abs() < 0.1, "two at a time: {any_order}");
}

#[test]
fn an_unrolled_loop_has_its_time_in_the_enclosing_loop() {
    let computing = |options: &[&str]| {
        let compiled = compiled(options);
        let times = all("unrolled", Some(&compiled));
        assert_eq!(times.len(), 2);
        times.iter().map(|time| time.computing * 1e9).collect::<Vec<f64>>()
    };
    let fast = computing(&["-O2"]);
    assert_eq!(fast[1], 0.0, "gcc -O2 unrolls a loop of four iterations, too");
    let plain = computing(&["-O0"]);
    assert!(plain[1] > plain[0] && plain[1] > 2.0 * fast[0], "{plain:?} against {fast:?}");
}

#[test]
fn a_vectorised_copy_behind_a_check_that_fails_is_not_executed() {
    // gcc compares the ranges of the row that is written and of `d[i * n + k]`, which is an element of that row.
    let (time, cycles) = innermost("floyd", Some(&compiled(&["-O3", "-msse2"])));
    assert_eq!(time.lanes, 1.0, "{}", time.why);
    assert!(
        (1.5..6.0).contains(&cycles),
        "two additions, two loads and a comparison: {cycles}, {}",
        time.why
    );
}

/// Nanoseconds per iteration of the innermost source loop, including the time of loops that it was unrolled into.
fn nanoseconds(name: &str, options: &[&str]) -> f64 {
    let times = all(name, Some(&compiled(options)));
    let unmatched: Vec<_> = times.iter().filter_map(|time| time.unmatched).collect();
    assert!(unmatched.is_empty(), "{name}: {unmatched:?}");
    let iterations = times.iter().map(|time| time.iterations).fold(0.0, f64::max);
    times.iter().map(|time| time.computing).sum::<f64>() * 1e9 / iterations
}

#[test]
fn completely_unrolled_loops_are_found_in_the_enclosing_loop() {
    // Four instructions copy an element, including reloads of an address; a tenth of a nanosecond each.
    let copied = nanoseconds("tiles", &["-O3", "-msse2"]);
    assert!((0.2..1.0).contains(&copied), "{copied}");
    // Four sums at a time, 2 instructions for each product, and some to load unaligned vectors.
    let summed = nanoseconds("convolution", &["-O3", "-msse2"]);
    assert!((0.05..0.4).contains(&summed), "{summed}");
    // Loops on one line; sums of 16 elements at a time.
    let filtered = nanoseconds("fir", &["-O3", "-mavx2"]);
    assert!((0.02..0.4).contains(&filtered), "{filtered}");
}

#[test]
fn a_vectorised_copy_behind_a_check_that_passes_is_executed() {
    // Rows i and k differ, and columns of the loop come after column k.
    let (time, _) = innermost("eliminate", Some(&compiled(&["-O3", "-msse2"])));
    assert_eq!(time.lanes, 2.0, "{}", time.why);
    // Column k is among those of the loop.
    let (time, _) = innermost("paths", Some(&compiled(&["-O3", "-msse4.1"])));
    assert_eq!(time.lanes, 1.0, "{}", time.why);
}

#[test]
fn a_chain_continues_through_iterations_of_the_enclosing_loop() {
    // Shift, mask or selection, and combination: at least three cycles for each bit, even if other work overlaps.
    for compiled in [None, Some(&compiled(&["-O2"]))] {
        let times = all("crc", compiled);
        let cycles = times.iter().map(|time| time.computing).sum::<f64>() * machine().core.clock_ghz * 1e9;
        assert!(cycles > 2.5 * 8.0 * 1000.0, "{cycles}");
    }
}

#[test]
fn what_is_stored_and_loaded_again_at_a_distance_known_at_run_time_goes_through_memory() {
    for options in [&["-O2"][..], &["-O3"], &["-O3", "-mavx2"]] {
        let (time, cycles) = innermost("behind", Some(&compiled(options)));
        assert_eq!((time.limit.name().as_str(), time.lanes), ("chain", 1.0), "{options:?}: {}", time.why);
        assert!((7.0..12.0).contains(&cycles), "{options:?}: {cycles}, {}", time.why);
    }
}

#[test]
fn a_vectorised_enclosing_loop_is_recognised() {
    // gcc 12 computes the sums of two columns at a time.
    let (time, _) = innermost("product", Some(&compiled(&["-O3", "-msse2"])));
    assert!(time.why.contains("instructions do"), "{}", time.why);
    assert_eq!(time.lanes, 2.0, "{}", time.why);
}

#[test]
fn statements_of_several_lines_and_functions_that_were_inlined() {
    let code = compiled(&["-O2"]);
    for name in ["prefix", "inlined"] {
        let (time, _) = innermost(name, Some(&code));
        assert!(time.why.contains("compiled, at"), "{name}: {}", time.why);
    }
    let (time, _) = innermost("inlined", Some(&code));
    assert_eq!(time.limit.name(), "division", "{}", time.why);
}

#[test]
fn calls_that_were_inlined_are_in_the_time() {
    let functions = Language::C.functions(SOURCE).unwrap();
    let function = functions.iter().find(|function| function.name == "clamp").unwrap();
    let values = Values::named(function, &[("n", 1000)]);
    let machine = machine();
    let refused = |compiled: Option<&Compiled>| {
        let (compiler, start) = (Compiler::GccO2, Start::Warm);
        let assumptions = Assumptions { machine: &machine, compiler, start, compiled };
        let analysed = analyse(function, &values, assumptions).unwrap();
        (analysed.refused.len(), analysed.prediction.coverage)
    };
    let (count, coverage) = refused(None);
    assert!(count == 1 && coverage < 1.0, "{count} {coverage}");
    assert_eq!(refused(Some(&compiled(&["-O2"]))).0, 0);
    assert_eq!(refused(Some(&compiled(&["-O0"]))).0, 1, "a call is left");
}

#[test]
fn a_loop_that_became_a_call_is_predicted_from_its_source() {
    // It became a call of memset.
    let (time, _) = innermost("zero", Some(&compiled(&["-O3"])));
    let expected = "not taken from the compiled code, because no compiled loop belongs to its lines";
    assert!(time.why.contains(expected), "{}", time.why);
}

#[test]
fn loops_of_integers_match_by_their_addresses() {
    let (time, _) = innermost("find", Some(&compiled(&["-O2", "-fno-tree-vectorize"])));
    assert!(time.why.contains("instructions do 1 iteration"), "{}", time.why);
    let (time, _) = innermost("find", Some(&compiled(&["-O3", "-msse2"])));
    assert!(time.why.contains("do 4 iterations with vectors of 16 bytes"), "{}", time.why);
}

const RUST: &str = "\
pub fn scale(values: &mut [f64], factor: f64) {
    for value in values.iter_mut() {
        *value *= factor;
    }
}

pub fn norm(values: &[f64]) -> f64 {
    let mut sum = 0.0;
    for value in values {
        sum += value * value;
    }
    sum
}
";

/// Names of compiled functions have modules and hashes, and the loops are in inlined iterators.
#[test]
fn loops_that_rustc_compiled() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("a.rs"), RUST).unwrap();
    let options = ["-O", "-g", "--emit=obj", "--crate-type=lib", "-Clink-dead-code", "-o", "a.o", "a.rs"];
    run("rustc", &options, folder.path());
    run("ld", &["--unresolved-symbols=ignore-all", "-e", "0", "-o", "a", "a.o"], folder.path());
    let bytes = std::fs::read(folder.path().join("a")).unwrap();
    let compiled = Compiled::new("rustc -O", &Binary::parse(&bytes).unwrap(), "a.rs").unwrap();
    assert!(!compiled.is_empty());
    let cache = Cache { name: "L1".to_owned(), capacity: 1 << 20, line: 64, ways: 8 };
    let machine = Machine::typical("test", vec![cache]).unwrap();
    let functions = Language::Rust.functions(RUST).unwrap();
    let time_of = |name: &str| {
        let function = functions.iter().find(|function| function.name == name).unwrap();
        let values = Values::named(function, &[("values.len()", 1000)]);
        let compiled = Some(&compiled);
        let (compiler, start) = (Compiler::RustcO, Start::Warm);
        let assumptions = Assumptions { machine: &machine, compiler, start, compiled };
        assert_eq!(assumptions.compiler_name(), "rustc -O");
        analyse(function, &values, assumptions).unwrap().prediction.loops.remove(0)
    };
    let scale = time_of("scale");
    assert_eq!(scale.lanes, 2.0, "{}", scale.why);
    let norm = time_of("norm");
    assert_eq!((norm.limit.name(), norm.lanes), ("chain".to_owned(), 1.0), "{}", norm.why);
    assert!(norm.why.contains("compiled, at"), "{}", norm.why);
}
