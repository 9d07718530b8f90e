//! Properties of the predicted time of every nest, for all constants: more work takes longer, a warm cache is never slower, the
//! formula gives the estimate, the interval contains it, and a machine that is better in one constant is not slower.

#![expect(clippy::unwrap_used, reason = "a failure of the analysis is a failure of the test")]

use lotse_predict::concrete::Values;
use lotse_predict::locality::Start;
use lotse_predict::machine::{Cache, Machine};
use lotse_predict::nest::Function;
use lotse_predict::question::{Language, analyse};
use lotse_predict::time::{Assumptions, Compiler, Prediction};

/// Sources with one size n and arrays of n or n x n elements.
const NESTS: &[&str] = &[
    "void f(int n, double *restrict a) { for (int i = 0; i < n; i++) a[i] = 0; }",
    "void f(int n, double *restrict a, const double *restrict b) { for (int i = 0; i < n; i++) a[i] += 3 * b[i]; }",
    "double f(int n, const double *a) { double s = 0; for (int i = 0; i < n; i++) s += a[i]; return s; }",
    "void f(int n, double *restrict a) { for (int i = 1; i < n; i++) a[i] = a[i - 1] * 0.5 + a[i]; }",
    "void f(int n, double *restrict a) { for (int i = 0; i < n; i++) a[i] = 1 / a[i]; }",
    "void f(int n, float *restrict a, const float *restrict b) { for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) a[i * n + j] = b[j * n + i]; }",
    "void f(int n, double *restrict y, const double *restrict a, const double *restrict x) { for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) y[i] += a[i * n + j] * x[j]; }",
    "void f(int n, double *restrict x, const double *restrict l) { for (int i = 0; i < n; i++) for (int j = 0; j < i; j++) x[i] -= l[i * n + j] * x[j]; }",
    "void f(int n, double *restrict c, const double *restrict a, const double *restrict b) { for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) for (int k = 0; k < n; k++) c[i * n + j] += a[i * n + k] * b[k * n + j]; }",
    "void f(int n, double *restrict b, const double *restrict a) { for (int i = 1; i < n - 1; i++) for (int j = 1; j < n - 1; j++) b[i * n + j] = a[i * n + j - 1] + a[i * n + j + 1] + a[(i - 1) * n + j] + a[(i + 1) * n + j]; }",
    "void f(int n, int *restrict d) { for (int k = 0; k < n; k++) for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) d[i * n + j] = d[i * n + k] + d[k * n + j]; }",
    "void f(int n, const unsigned char *restrict a, unsigned *restrict h) { for (int i = 0; i < n; i++) h[a[i]]++; }",
    "void f(int n, const int *restrict p, const double *restrict a, double *restrict b) { for (int i = 0; i < n; i++) b[i] = a[p[i]]; }",
    "void f(int n, const double *restrict a, double *restrict b) { for (int i = 0; i < n; i++) if (a[i] > 0) b[i] = a[i]; }",
    "int f(int n, const int *a) { for (int i = 0; i < n; i++) if (a[i] == 3) return i; return 0; }",
];

const SIZES: &[i64] = &[20, 37, 64, 100, 150, 256, 400, 700];

fn machine() -> Machine {
    let cache = |name: &str, capacity, ways| Cache { name: name.to_owned(), capacity, line: 64, ways };
    Machine::typical("test", vec![cache("L1", 32768, 8), cache("L2", 1 << 20, 16)]).unwrap()
}

fn function(source: &str) -> Function {
    Language::C.functions(source).unwrap().remove(0)
}

fn time(function: &Function, n: i64, machine: &Machine, compiler: Compiler, start: Start) -> Prediction {
    let values = Values::named(function, &[("n", n)]);
    let analysed =
        analyse(function, &values, Assumptions { machine, compiler, start, compiled: None }).unwrap();
    assert_eq!(analysed.refused, []);
    analysed.prediction
}

/// Calls `check` with the prediction of every nest, size and compiler.
fn for_all(start: Start, mut check: impl FnMut(&str, i64, Compiler, &Prediction)) {
    let machine = machine();
    for source in NESTS {
        let function = function(source);
        for compiler in [Compiler::GccO2, Compiler::GccO3] {
            for n in SIZES {
                check(source, *n, compiler, &time(&function, *n, &machine, compiler, start));
            }
        }
    }
}

/// A larger size takes longer, except for effects of vector remainders and cache sizes.
#[test]
fn time_grows_with_the_size() {
    let mut before: Option<(String, f64)> = None;
    for_all(Start::Warm, |source, n, compiler, prediction| {
        let key = format!("{source} {}", compiler.name());
        let smaller = before.take().filter(|(known, _)| *known == key).map_or(0.0, |(_, seconds)| seconds);
        assert!(
            prediction.seconds > 0.98 * smaller,
            "{key}, n = {n}: {} after {smaller}",
            prediction.seconds
        );
        before = Some((key, prediction.seconds));
    });
}

#[test]
fn a_warm_cache_is_never_slower() {
    let mut cold = Vec::new();
    for_all(Start::Cold, |_, _, _, prediction| cold.push(prediction.seconds));
    let mut cold = cold.into_iter();
    for_all(Start::Warm, |source, n, _, prediction| {
        let cold = cold.next().unwrap();
        assert!(prediction.seconds <= cold * 1.001, "{source}, n = {n}: {} {cold}", prediction.seconds);
    });
}

#[test]
fn intervals_and_ranges_hold_the_estimate() {
    for_all(Start::Warm, |source, n, _, prediction| {
        let Prediction { seconds, interval, range, deviation, coverage, .. } = prediction;
        assert!(interval.0 <= range.0 && range.0 <= *seconds, "{source}, n = {n}: {prediction:?}");
        assert!(*seconds <= range.1 && range.1 <= interval.1, "{source}, n = {n}: {prediction:?}");
        assert!(*deviation > 0.1 && deviation.is_finite(), "{source}, n = {n}: {deviation}");
        assert!((0.0..=1.0).contains(coverage), "{source}, n = {n}: {coverage}");
        // The bounds of a range differ if and only if the time depends on data.
        assert_eq!(range.0 < range.1, !prediction.because().is_empty(), "{source}, n = {n}");
    });
}

#[test]
fn the_parts_are_the_whole() {
    for_all(Start::Warm, |source, n, _, prediction| {
        let sum: f64 = prediction.loops.iter().map(|time| time.seconds).sum();
        assert!((sum / prediction.seconds - 1.0).abs() < 1e-9, "{source}, n = {n}");
        for time in &prediction.loops {
            assert!(time.seconds >= 0.0 && time.misses.iter().all(|misses| *misses >= -1e-9), "{source}");
            assert!(time.lanes >= 1.0 && !time.why.is_empty(), "{source}: {}", time.why);
            // Every cache is accessed only by the misses of the previous one.
            assert!(
                time.misses.windows(2).all(|pair| pair[1] <= pair[0] * 1.05 + 16.0),
                "{source}: {:?}",
                time.misses
            );
        }
    });
}

/// The value of a formula such as `0.4 ns * (n^2) + 1 ns * (n)` for this n.
fn evaluated(formula: &str, n: f64) -> f64 {
    let term = |text: &str| {
        let (factor, polynomial) = text.split_once(" ns * (").unwrap();
        let polynomial = polynomial.trim_end().strip_suffix(')').unwrap().replace("- ", "+ -");
        let part = |part: &str| -> f64 {
            let part = part.trim();
            let factors =
                part.split('*').flat_map(|factor| factor.split('/').enumerate().collect::<Vec<_>>());
            factors
                .map(|(position, factor)| {
                    let factor = factor.trim();
                    let (sign, factor) =
                        factor.strip_prefix('-').map_or((1.0, factor), |rest| (-1.0, rest.trim()));
                    let value = match factor.split_once('^') {
                        Some(("n", power)) => n.powi(power.parse().unwrap()),
                        _ if factor == "n" => n,
                        _ => factor.parse().unwrap_or_else(|_| panic!("{factor} in {text}")),
                    };
                    sign * if position == 0 { value } else { 1.0 / value }
                })
                .product()
        };
        let value: f64 = polynomial.split(" + ").map(part).sum();
        factor.trim().parse::<f64>().unwrap() * value
    };
    formula
        .split(") + ")
        .map(|text| if text.ends_with(')') { text.to_owned() } else { format!("{text})") })
        .map(|text| term(&text))
        .sum()
}

#[test]
fn formulas_are_read_as_written() {
    assert_eq!(evaluated("2.0000 ns * (n)", 10.0), 20.0);
    assert_eq!(evaluated("2.0000 ns * (n^2 - 4*n + 4) + 1.5000 ns * (n - 2)", 10.0), 2.0 * 64.0 + 1.5 * 8.0);
    assert_eq!(evaluated("1.0000 ns * (1/2*n^2 - 1/2*n)", 10.0), 45.0);
}

/// The formula gives the estimate for the values it was made for, up to its four decimals.
#[test]
fn formulas_give_the_estimate() {
    for_all(Start::Warm, |source, n, _, prediction| {
        let value = evaluated(&prediction.formula, n as f64) * 1e-9;
        let error = (value / prediction.seconds - 1.0).abs();
        assert!(
            error < 0.005,
            "{source}, n = {n}: {} gives {value}, not {}",
            prediction.formula,
            prediction.seconds
        );
    });
}

/// A machine that is better in one constant is not slower.
#[test]
fn better_machines_are_not_slower() {
    type Change = (&'static str, fn(&mut Machine));
    let changes: [Change; 8] = [
        ("clock", |machine| machine.core.clock_ghz *= 1.5),
        ("additions", |machine| machine.core.fp_add *= 0.5),
        ("multiplications", |machine| machine.core.fp_multiply *= 0.5),
        ("divisions", |machine| machine.core.fp_divide64_cost *= 0.5),
        ("instructions", |machine| machine.core.issue_cost *= 0.5),
        ("lines of the second cache", |machine| machine.transfers[0].stream_ns *= 0.5),
        ("lines of memory", |machine| machine.transfers[1].stream_ns *= 0.5),
        ("a larger second cache", |machine| machine.caches[1].capacity *= 4),
    ];
    let plain = machine();
    for (name, change) in changes {
        let mut better = plain.clone();
        change(&mut better);
        let mut faster = 0;
        for source in NESTS {
            let function = function(source);
            for n in [64, 400] {
                let time = |machine| time(&function, n, machine, Compiler::GccO2, Start::Warm).seconds;
                let (before, after) = (time(&plain), time(&better));
                assert!(after <= before * 1.001, "{name}, {source}, n = {n}: {after} instead of {before}");
                faster += u32::from(after < 0.999 * before);
            }
        }
        assert!(faster > 0, "{name} changes nothing");
    }
}

/// Constants that were not measured make intervals wider; calibration alone does not change the estimate.
#[test]
fn calibrated_constants_have_narrower_intervals() {
    let plain = machine();
    let text = plain.to_toml().unwrap();
    let calibrated = Machine::from_toml(&format!(
        "{text}\n[calibration]\ndate = \"2026-11-17\"\nrepetitions = 15\n[calibration.spread]\nclock_ghz = 0.02\n"
    ))
    .unwrap();
    for source in NESTS {
        let function = function(source);
        let time = |machine| time(&function, 300, machine, Compiler::GccO2, Start::Warm);
        let (typical, measured) = (time(&plain), time(&calibrated));
        assert_eq!(typical.seconds, measured.seconds, "{source}");
        assert!(
            typical.interval.0 < measured.interval.0 && measured.interval.1 < typical.interval.1,
            "{source}"
        );
        // Four of five processors are within a factor of 1.9 of typical constants.
        assert!(typical.interval.1 / typical.range.1 > 1.85, "{source}");
    }
}

/// The analysis time does not depend on the size: a million takes as long as a hundred.
#[test]
fn huge_sizes_are_analysed() {
    let machine = machine();
    for source in NESTS {
        let function = function(source);
        let values = Values::named(&function, &[("n", 1_000_000)]);
        let assumptions =
            Assumptions { machine: &machine, compiler: Compiler::GccO2, start: Start::Warm, compiled: None };
        let prediction = analyse(&function, &values, assumptions).unwrap().prediction;
        assert!(
            prediction.seconds.is_finite() && prediction.seconds > 1e-5,
            "{source}: {}",
            prediction.seconds
        );
    }
}
