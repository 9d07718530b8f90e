//! The paper's data: tables 3 and 4 are reproduced from table 2, and the findings about its models are checked.

use lotse_model::finding::Finding;
use lotse_model::rule::Thresholds;

use super::power::{self, Intercept, Observation, PowerFit};
use super::rules::{FitData, findings};
use crate::concrete::{Instance, Values};
use crate::front::c;
use crate::locality::{Classes, loop_footprints};

const TABLE_2: &str = include_str!("paper.csv");
const CACHE: f64 = 32768.0;
const TILED: &str = "float D[N][N], E[N][N], F[N][N]; void product(void) {
    for (int it = 0; it < N; it = it + B) for (int jt = 0; jt < N; jt = jt + B) for (int kt = 0; kt < N; kt = kt + B)
    for (int i = it; i < min(it + B, N); i++) for (int j = jt; j < min(jt + B, N); j++)
    for (int k = kt; k < min(kt + B, N); k++) D[i][j] = D[i][j] + E[i][k] * F[k][j]; }";

fn variables(n: f64, b: f64) -> [f64; 3] {
    [12.0 * b * b / CACHE * 100.0, 12.0 * n * n / CACHE, n.powi(3)]
}

fn table_2() -> Vec<(f64, f64, Observation)> {
    let row = |line: &str| {
        let values: Vec<f64> = line.split(',').map(|value| value.parse().unwrap()).collect();
        let [x1, x2, x3] = variables(values[0], values[1]);
        assert_eq!(values[3], 12.0 * values[1] * values[1], "footprint of table 2");
        (values[0], values[1], Observation { x1, x2, x3, time: values[2] })
    };
    TABLE_2.lines().skip(1).map(row).collect()
}

fn models() -> (Vec<Observation>, PowerFit, PowerFit) {
    let rows: Vec<Observation> = table_2().into_iter().map(|(_, _, row)| row).collect();
    assert_eq!(rows.len(), 42);
    let with = power::fit(&rows, Intercept::Free).unwrap();
    let without = power::fit(&rows, Intercept::None).unwrap();
    (rows, with, without)
}

fn close(value: Option<f64>, expected: f64, tolerance: f64) {
    let value = value.unwrap();
    assert!((value - expected).abs() <= tolerance, "{value} instead of {expected}");
}

#[test]
fn table_3() {
    let (_, with, without) = models();
    assert_eq!((with.rank, with.columns, with.exponents[1]), (3, 4, None));
    close(with.exponents[0], -0.021118767, 1e-9);
    close(with.exponents[2], 0.935443062, 1e-9);
    close(Some(with.log_factor), -1.54007071, 1e-8);
    close(with.r_squared, 0.998704954, 1e-9);
    close(without.exponents[0], -0.021118767, 1e-9);
    close(without.exponents[1], 0.448181109, 1e-9);
    close(without.exponents[2], 0.636655656, 1e-9);
    close(without.r_squared, 0.999976049, 1e-9);
    for fit in [with, without] {
        assert_eq!(fit.residual_df, 39);
        close(fit.sigma, 0.027551693, 1e-9);
        close(fit.relative_error().map(|error| 100.0 * error), 6.5496, 1e-4);
    }
}

/// The printed times follow from p3 rounded to 7 decimals.
#[test]
fn table_4() {
    let (_, _, mut fit) = models();
    fit.exponents[2] = fit.exponents[2].map(|p3| (p3 * 1e7).round() / 1e7);
    let printed = [
        (16.0, 379223.46),
        (26.0, 371526.05),
        (32.0, 368281.95),
        (37.0, 366030.50),
        (45.0, 363016.72),
        (48.0, 362028.51),
        (52.0, 360806.63),
    ];
    for (block, time) in printed {
        let [x1, x2, x3] = variables(350.0, block);
        close(Some(fit.predict(x1, x2, x3)), time, 0.01);
    }
}

/// Bytes of the lines that one execution of the loops inside a tile touches.
fn tile_line_bytes(n: f64, b: f64) -> f64 {
    let function = c::functions(TILED).unwrap().remove(0);
    let values = Values::named(&function, &[("N", n as i64), ("B", b as i64)]);
    let instance = Instance::new(&function, &values);
    let footprints = loop_footprints(&instance, &Classes::new(&instance), 64).unwrap();
    footprints[3].1.lines * 64.0
}

#[test]
fn every_weakness_is_reported() {
    let (rows, with, without) = models();
    let labels: Vec<String> = table_2().iter().map(|(n, b, _)| format!("N = {n}, B = {b}")).collect();
    let line_bytes: Vec<f64> = table_2().iter().map(|(n, b, _)| tile_line_bytes(*n, *b)).collect();
    let data = FitData {
        name: "paper.csv",
        observations: &rows,
        labels: &labels,
        with_factor: &with,
        without_factor: &without,
        capacity: CACHE,
        line_bytes: &line_bytes,
        unmeasured: &[
            (variables(350.0, 32.0), "N = 350".into()),
            (variables(2000.0, 32.0), "N = 2000".into()),
        ],
        thresholds: Thresholds::DEFAULT,
    };
    let found = findings(&data);
    let by_rule =
        |id: &str| -> Vec<&Finding> { found.iter().filter(|finding| finding.rule.id == id).collect() };
    assert_eq!(by_rule("fit-rank-deficient").len(), 1);
    assert_eq!(by_rule("fit-same-model").len(), 1);
    assert_eq!(by_rule("fit-incomparable-r2").len(), 1);
    let outliers = by_rule("fit-outlier");
    assert_eq!(outliers.len(), 1);
    assert!(outliers[0].reason.text.starts_with("N = 300, B = 52: the model is off by +26.65 %"));
    assert!((outliers[0].reason.data["change"] - 0.40).abs() < 0.02);
    assert!(by_rule("fit-residual-pattern")[0].reason.text.contains("X3"));
    assert!(by_rule("fit-elements-not-lines")[0].reason.text.contains("B = 52"));
    assert_eq!(by_rule("fit-extrapolation").len(), 1);
    assert!(by_rule("fit-extrapolation")[0].reason.text.starts_with("N = 2000"));
    // Time grows as N^2.806.
    let growth = (with.predict(9.375, 4.0, 8e9) / with.predict(9.375, 1.0, 1e9)).log2();
    assert!((growth - 2.806).abs() < 0.001, "{growth}");
}

/// Data that follow the model give no warning.
#[test]
fn good_data_give_no_findings() {
    let row = |index: u32| {
        let (x1, x2, x3) =
            (f64::from(index % 5 + 1), f64::from(index % 7 + 2), f64::from(index * index + 10));
        let noise = 1.0 + 0.01 * f64::from(index * 7919 % 13) / 13.0;
        Observation { x1, x2, x3, time: 3.0 * x1.powf(0.1) * x2.powf(0.2) * x3.powf(0.9) * noise }
    };
    let rows: Vec<Observation> = (0..40).map(row).collect();
    let with = power::fit(&rows, Intercept::Free).unwrap();
    let without = power::fit(&rows, Intercept::None).unwrap();
    let data = FitData {
        name: "good",
        observations: &rows,
        labels: &vec![String::new(); 40],
        with_factor: &with,
        without_factor: &without,
        capacity: CACHE,
        line_bytes: &[],
        unmeasured: &[],
        thresholds: Thresholds::DEFAULT,
    };
    let found = findings(&data);
    assert!(found.is_empty(), "{found:?}");
}
