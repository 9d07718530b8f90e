//! Known results and degenerate inputs.

use super::*;

fn block(program: f64, reference: f64, i: usize) -> Block {
    Block { program, reference, position: if i.is_multiple_of(2) { 1 } else { -1 } }
}

fn estimate(pairs: &[(f64, f64)]) -> PairedEstimate {
    let blocks: Vec<Block> = pairs.iter().enumerate().map(|(i, &(p, r))| block(p, r, i)).collect();
    PairedEstimate::new(&blocks).unwrap()
}

#[test]
fn interval_is_the_inverted_signed_rank_test() {
    // n = 6 at two-sided 5 %: P(W <= 0) = 1/64 <= 0.025, so the extremes themselves.
    let ratios = [1.01_f64, 1.05, 1.02, 1.04, 1.00, 1.06].map(|r| (r, 1.0));
    let found = estimate(&ratios);
    assert_eq!(found.order, None);
    assert_eq!(found.autocorrelation(), 0.0);
    let interval = found.interval(0.05);
    assert_eq!((interval.low, interval.high), (0.0, 1.06_f64.ln()));
    let narrower = found.interval(0.2);
    assert!(narrower.low > interval.low && narrower.high < interval.high);
    assert!((found.ratio().unwrap() - 1.03).abs() < 0.002);
}

#[test]
fn too_few_blocks_exclude_nothing() {
    let interval = estimate(&[(1.0, 2.0), (1.1, 2.0), (1.2, 2.0)]).interval(0.05);
    assert_eq!((interval.low, interval.high), (f64::NEG_INFINITY, f64::INFINITY));
    let single = estimate(&[(1.0, 2.0)]);
    assert!(!single.exact);
    assert_eq!(single.interval(0.05).half_width(), f64::INFINITY);
    assert_eq!(single.ratio_scale(single.interval(0.0)).unwrap().low, 0.0);
}

#[test]
fn constants_are_exact() {
    let found = estimate(&[(3.0, 2.0); 12]);
    assert!(found.exact);
    assert_eq!(found.interval(0.01).low, 3.0_f64.ln() - 2.0_f64.ln());
    assert_eq!(found.interval(0.01).half_width(), 0.0);
    assert_eq!(estimate(&[(0.0, 0.0); 5]).theta, 0.0);
}

#[test]
fn without_logarithms_differences_serve() {
    let found = estimate(&[(0.0, 10.0), (1.0, 10.0), (2.0, 10.0), (1.0, 10.0)]);
    assert_eq!(found.estimator, Estimator::RelativeDifference);
    assert!((found.ratio().unwrap() - 0.1).abs() < 1e-12);
    // Mostly zero, in the program or in the reference: no ratio.
    for pairs in [[(0.0, 10.0), (0.0, 10.0), (2.0, 10.0)], [(10.0, 0.0), (10.0, 0.0), (2.0, 10.0)]] {
        assert_eq!((estimate(&pairs).estimator, estimate(&pairs).ratio()), (Estimator::Difference, None));
    }
    let absolute = estimate(&[(5.0, 0.0), (6.0, 0.0), (7.0, -1.0)]);
    assert_eq!((absolute.estimator, absolute.ratio()), (Estimator::Difference, None));
}

#[test]
fn no_end_of_a_ratio_is_negative() {
    let pairs: Vec<(f64, f64)> = (0..20).map(|i| (f64::from(i % 3), f64::from(10 * (i % 4)))).collect();
    let found = estimate(&pairs);
    assert_eq!(found.estimator, Estimator::RelativeDifference);
    let (theta, ratio) = (found.interval(0.05), found.ratio_scale(found.interval(0.05)).unwrap());
    assert!(theta.low < -1.0 && ratio.low == 0.0 && ratio.high > 0.0, "{theta:?} {ratio:?}");
}

#[test]
fn the_order_effect_is_found_and_taken_out() {
    let wobble = [0.001, -0.002, 0.003, -0.001, 0.002, 0.0, -0.003, 0.004, 0.001, -0.004];
    let pair = |(i, w): (usize, &f64)| ((0.05 + w + if i % 2 == 0 { 0.01 } else { -0.01 }).exp(), 1.0);
    let found = estimate(&wobble.iter().enumerate().map(pair).collect::<Vec<_>>());
    let order = found.order.unwrap();
    assert!((order.shift - 0.02).abs() < 0.004 && order.p_value < 0.02, "{order:?}");
    assert!((found.theta - 0.05).abs() < 0.002);
    assert!(found.interval(0.05).half_width() < 0.005);
}

#[test]
fn swapping_the_programs_mirrors_the_answer() {
    let pairs: Vec<(f64, f64)> =
        (0..60).map(|i| (2.0 + f64::from(i * 37 % 17) * 0.01, 2.0 + f64::from(i * 11 % 13) * 0.01)).collect();
    let swapped: Vec<(f64, f64)> = pairs.iter().map(|&(a, b)| (b, a)).collect();
    let (found, mirrored) = (estimate(&pairs), estimate(&swapped));
    let (one, other) = (found.interval(0.01), mirrored.interval(0.01));
    assert!((found.theta + mirrored.theta).abs() < 1e-12);
    assert!((one.low + other.high).abs() < 1e-12 && (one.high + other.low).abs() < 1e-12);
}

#[test]
fn ties_do_no_harm() {
    let pairs: Vec<(f64, f64)> = (0..50).map(|i| if i % 5 == 0 { (1.1, 1.0) } else { (1.0, 1.0) }).collect();
    let found = estimate(&pairs);
    assert!(found.theta.is_finite() && found.interval(0.05).contains(0.0));
}

#[test]
fn what_can_be_resolved_shrinks_with_blocks() {
    let pairs: Vec<(f64, f64)> = (0..200).map(|i| (1.0 + f64::from(i * 37 % 101) * 1e-4, 1.005)).collect();
    let at = |n: usize| resolvable(&estimate(&pairs[..n]), 0.05, 0.8).unwrap();
    assert_eq!(at(4), None);
    assert!(at(200).unwrap() < at(50).unwrap());
    // sd 0.0029 of 200 independent values: 2.8 standard errors are 0.00058.
    assert!((0.0004..0.0009).contains(&at(200).unwrap()), "{:?}", at(200));
    assert!(resolvable(&estimate(&pairs), 0.0, 0.8).is_err());
}

#[test]
fn nonsense_is_refused() {
    assert_eq!(PairedEstimate::new(&[]), Err(StatsError::TooFew { needed: 1, present: 0 }));
    let blocks = [block(1.0, 1.0, 0), block(1.0, f64::INFINITY, 1)];
    let error = StatsError::NotFinite { index: 1, value: f64::INFINITY };
    assert_eq!(PairedEstimate::new(&blocks), Err(error));
    let overflow = [block(1e308, -1e308, 0), block(1e308, 1.0, 1)];
    assert!(matches!(PairedEstimate::new(&overflow), Err(StatsError::Unrepresentable { .. })));
}
