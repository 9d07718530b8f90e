//! Sentences for made-up comparisons.

use super::{detail, fastest, needed_runs, sentence};
use crate::answer::{Comparison, Verdict};

fn comparison(verdict: Verdict, ratio: f64, interval: [Option<f64>; 2]) -> Comparison {
    Comparison {
        reference: "old".into(),
        program: "new".into(),
        metric: "wall".into(),
        primary: true,
        ratio: Some(ratio),
        interval,
        difference: None,
        level: 0.95,
        delta: 0.01,
        verdict,
        within_delta: verdict == Verdict::Equivalent,
        estimator: "paired-hodges-lehmann".into(),
        blocks: 40,
        runs: None,
        units: None,
        division: None,
        stopped_by: "verdict".into(),
        warnings: vec![],
    }
}

fn bounds(low: f64, high: f64) -> [Option<f64>; 2] {
    [Some(low), Some(high)]
}

#[test]
fn verdicts_read_as_sentences() {
    use Verdict::{Equivalent, Faster, Slower, Undecided};
    let cases = [
        (
            Faster,
            1.0 / 2.2,
            bounds(1.0 / 2.9, 1.0 / 1.8),
            "new is 2.2 times faster than old (95 %: 1.8 to 2.9)",
        ),
        (Faster, 0.969, bounds(0.965, 0.973), "new takes 3.1 % less time than old (95 %: 2.7 % to 3.5 %)"),
        (Faster, 0.25, [None, Some(0.5)], "new is 4.0 times faster than old (95 %: at least 2.0)"),
        (Slower, 1.25, bounds(1.21, 1.29), "new is 1.25 times slower than old (95 %: 1.21 to 1.29)"),
        (Slower, 1.03, bounds(1.01, 1.05), "new takes 3.0 % more time than old (95 %: 1.0 % to 5.0 %)"),
        (Slower, 1.12, bounds(1.0246, 1.2513), "new is 1.12 times slower than old (95 %: 1.02 to 1.26)"),
        (
            Slower,
            1.25,
            bounds(1.249_999, 1.250_001),
            "new is 1.250000 times slower than old (95 %: 1.249999 to 1.250001)",
        ),
        (Slower, 3.0, bounds(3.0, 3.0), "new is 3.00 times slower than old (exactly)"),
        (
            Equivalent,
            1.001,
            bounds(0.998, 1.004),
            "new and old take the same time: no difference above 1 % (95 %: 0.20 % less to 0.40 % more)",
        ),
        (
            Undecided,
            0.99,
            bounds(0.9, 1.1),
            "undecided: new takes 10 % less to 10 % more time than old (95 %); about 4,400 runs of each would decide",
        ),
        (Undecided, 0.9, [None, None], "undecided: these runs do not bound the time of new against old"),
        (
            Undecided,
            1.2,
            bounds(0.012, 34.5),
            "undecided: the time of new is 0.012 to 35 times that of old (95 %); about 26,000 runs of each would decide",
        ),
    ];
    for (verdict, ratio, interval, expected) in cases {
        let text = sentence(&comparison(verdict, ratio, interval)).1;
        assert_eq!(text, expected);
    }
}

#[test]
fn few_runs_and_differences_within_delta_are_mentioned() {
    let few = Comparison { blocks: 4, ..comparison(Verdict::Undecided, 0.9, [None, None]) };
    assert_eq!(sentence(&few).1, "undecided: too few runs to bound the time of new against old");
    let small = Comparison { within_delta: true, ..comparison(Verdict::Slower, 1.005, bounds(1.004, 1.006)) };
    let expected =
        "new takes 0.5 % more time than old (95 %: 0.4 % to 0.6 %); within --delta 1 %, too small to matter";
    assert_eq!(sentence(&small).1, expected);
}

#[test]
fn only_times_are_called_faster_or_slower() {
    let cases = [
        ("peak_memory", 0.8, "new needs 1.25 times less peak memory than old"),
        ("peak_memory", 2.0, "new needs 2.00 times as much peak memory as old"),
        ("instructions", 0.5, "new needs 2.00 times fewer instructions than old"),
        ("instructions", 0.98, "new needs 2.00 % fewer instructions than old"),
        ("cpu", 1.05, "new takes 5.00 % more CPU time than old"),
    ];
    for (metric, ratio, expected) in cases {
        let verdict = if ratio < 1.0 { Verdict::Faster } else { Verdict::Slower };
        let of = Comparison { metric: metric.into(), ..comparison(verdict, ratio, [None, None]) };
        assert_eq!(sentence(&of).1, expected);
    }
}

#[test]
fn runs_that_would_decide() {
    let open = |ratio: f64, low: f64, high: f64| Comparison {
        blocks: 20,
        ..comparison(Verdict::Undecided, ratio, bounds(low, high))
    };
    // A distance of 3 % against a half-width of 6 %: half as wide, four times the runs.
    assert_eq!(needed_runs(&open(1.03, 1.03 / 1.06, 1.03 * 1.06)), Some(78.0));
    // No distance: within 1 % of 1.
    assert_eq!(needed_runs(&open(1.0, 1.0 / 1.1, 1.1)), Some(1900.0));
    assert_eq!(needed_runs(&comparison(Verdict::Undecided, 1.0, [None, Some(2.0)])), None);
    // One side alone suggests fewer runs, but the interval contains 1 after 20 runs, so more are needed.
    assert!(needed_runs(&open(1.05, 0.999, 1.051)) > Some(20.0));
    assert!(needed_runs(&open(1.0, 0.9999, 1.0101)) > Some(20.0));
}

#[test]
fn the_fastest_is_named_if_the_intervals_decide() {
    let against = |program: &str, ratio: f64, low: f64, high: f64| Comparison {
        program: program.into(),
        ..comparison(Verdict::Faster, ratio, bounds(low, high))
    };
    let (a, b, c) =
        (against("a", 0.5, 0.45, 0.55), against("b", 0.8, 0.7, 0.9), against("c", 0.52, 0.5, 0.54));
    let cases = [
        (vec![&a, &b], Some("a is the fastest of 3 programs (95 %); the next, b, takes 1.60 times as long")),
        (vec![&a, &b, &c], Some("a and c are the fastest of 4 programs; these runs do not separate the two")),
        (vec![&a], None),
    ];
    for (comparisons, expected) in cases {
        assert_eq!(fastest(comparisons.into_iter()).as_deref(), expected);
    }
    // `d` may be as fast as `a`, but is slower than the reference.
    let unclear = [against("a", 0.97, 0.9, 1.05), against("d", 1.05, 1.02, 1.1)];
    let text = fastest(unclear.iter()).unwrap();
    assert_eq!(text, "a and old are the fastest of 3 programs; these runs do not separate the two");
    let wide = Comparison { interval: [None, None], ..b.clone() };
    let unsure = fastest([&a, &wide, &c].into_iter()).unwrap();
    assert_eq!(unsure, "a had the smallest time, but c, b may be as good");
}

#[test]
fn the_line_below_has_the_digits() {
    let text = detail(&comparison(Verdict::Faster, 0.969, bounds(0.965, 0.973)));
    let expected =
        "wall of new / old: 0.9690 (95 %: 0.9650 to 0.9730); 40 blocks, stopped when the answer was clear";
    assert_eq!(text, expected);
    let unpaired =
        |runs| detail(&Comparison { runs, ..comparison(Verdict::Faster, 0.969, bounds(0.965, 0.973)) });
    assert!(unpaired(Some([15, 10])).contains("; 15 and 10 runs, "));
    assert!(unpaired(Some([10, 10])).contains("; 10 runs each, "));
    let open = detail(&comparison(Verdict::Undecided, 0.9, [None, None]));
    assert!(open.starts_with("wall of new / old: 0.9000 (not bounded); 40 blocks"), "{open}");
}

/// Rounded to the nearest, the interval would be 1.1 to 1.4 and exclude what it contains.
#[test]
fn intervals_are_rounded_outwards() {
    let slower = comparison(Verdict::Slower, 1.2, bounds(1.0562, 1.3635));
    let text = sentence(&slower).1;
    assert!(text.contains("(95 %: 1.05 to 1.37)"), "{text}");
    let faster = comparison(Verdict::Faster, 0.5, bounds(0.4444, 0.5255));
    let text = sentence(&faster).1;
    // 1 / 0.5255 is 1.903, 1 / 0.4444 is 2.2502.
    assert!(text.contains("(95 %: 1.9 to 2.3)"), "{text}");
    let undecided = comparison(Verdict::Undecided, 1.0, bounds(0.98766, 1.02344));
    let text = sentence(&undecided).1;
    assert!(text.contains("1.24 % less to 2.35 % more"), "{text}");
}
