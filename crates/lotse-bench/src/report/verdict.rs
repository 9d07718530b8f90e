//! A comparison in a sentence.

use lotse_report::Role;
use lotse_report::number::format_percent;

use crate::answer::{Comparison, Verdict};

/// The comparison in a sentence, with the role that colours it.
pub fn sentence(comparison: &Comparison) -> (Role, String) {
    let subject = format!("{} against {}", comparison.program, comparison.reference);
    let metric = &comparison.metric;
    let (role, claim) = match comparison.verdict {
        Verdict::Faster => (Role::Good, format!("{} {metric}", change(comparison.ratio, "less"))),
        Verdict::Slower => (Role::Bad, format!("{} {metric}", change(comparison.ratio, "more"))),
        Verdict::Equivalent => {
            (Role::Strong, format!("equivalent in {metric} within ± {}", percent(comparison.delta)))
        }
        Verdict::Undecided => (Role::Dim, format!("undecided in {metric}")),
    };
    (role, format!("{subject}: {claim}"))
}

/// The interval and how it came about, for the line below the sentence.
pub(super) fn detail(comparison: &Comparison) -> String {
    let ratio = comparison.ratio.map_or("no ratio".to_owned(), |ratio| format!("ratio {ratio:.4}"));
    let interval = match comparison.interval {
        [Some(low), Some(high)] if low == high => "exact".to_owned(),
        [Some(low), Some(high)] => {
            let [low, high] = [low, high].map(bound);
            format!("{} % interval {low} to {high}", percent_number(comparison.level))
        }
        [Some(low), None] => format!("at least {}", bound(low)),
        [None, Some(high)] => format!("at most {}", bound(high)),
        [None, None] => "not bounded".to_owned(),
    };
    let unit = match comparison.blocks {
        _ if comparison.estimator.starts_with("welch") => "runs each",
        1 => "block",
        _ => "blocks",
    };
    format!("{ratio}, {interval}; {} {unit}, stopped by {}", comparison.blocks, comparison.stopped_by)
}

/// An end of an interval with four decimals, or as many more as it needs to differ from 1: the text must not include
/// 1 where the interval does not.
pub(super) fn bound(end: f64) -> String {
    let texts = (4..12).map(|decimals| format!("{end:.decimals$}"));
    let differs = |text: &String| end == 1.0 || text.parse() != Ok(1.0_f64);
    texts.into_iter().find(differs).unwrap_or_else(|| end.to_string())
}

/// "3.1 % less", "twice as much": what a ratio means for the reader.
fn change(ratio: Option<f64>, without_ratio: &str) -> String {
    match ratio {
        Some(ratio) if ratio >= 2.0 => format!("{ratio:.2} times as much"),
        Some(ratio) if ratio > 1.0 => format!("{} more", percent(ratio - 1.0)),
        Some(ratio) if ratio <= 0.5 => format!("{:.2} times less", 1.0 / ratio),
        Some(ratio) => format!("{} less", percent(1.0 - ratio)),
        None => without_ratio.to_owned(),
    }
}

fn percent(share: f64) -> String {
    format_percent(share, if share < 0.1 { 2 } else { 1 })
}

fn percent_number(level: f64) -> String {
    let number = level * 100.0;
    if (number - number.round()).abs() < 1e-9 { format!("{number:.0}") } else { format!("{number}") }
}

#[cfg(test)]
mod tests {
    use super::{detail, sentence};
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
            estimator: "paired-hodges-lehmann".into(),
            blocks: 40,
            stopped_by: "verdict".into(),
            warnings: vec![],
        }
    }

    #[test]
    fn verdicts_read_as_sentences() {
        let bounds = [Some(0.965), Some(0.973)];
        let cases = [
            (Verdict::Faster, 0.969, "new against old: 3.10 % less wall"),
            (Verdict::Slower, 1.25, "new against old: 25.0 % more wall"),
            (Verdict::Slower, 3.0, "new against old: 3.00 times as much wall"),
            (Verdict::Faster, 0.25, "new against old: 4.00 times less wall"),
            (Verdict::Equivalent, 1.001, "new against old: equivalent in wall within ± 1.00 %"),
            (Verdict::Undecided, 0.99, "new against old: undecided in wall"),
        ];
        for (verdict, ratio, expected) in cases {
            assert_eq!(sentence(&comparison(verdict, ratio, bounds)).1, expected);
        }
        let text = detail(&comparison(Verdict::Faster, 0.969, bounds));
        assert_eq!(text, "ratio 0.9690, 95 % interval 0.9650 to 0.9730; 40 blocks, stopped by verdict");
        let tight = detail(&comparison(Verdict::Slower, 1.0001, [Some(1.000_01), Some(1.000_2)]));
        assert!(tight.contains("95 % interval 1.00001 to 1.0002;"), "{tight}");
        let open = detail(&comparison(Verdict::Undecided, 0.9, [None, None]));
        assert_eq!(open, "ratio 0.9000, not bounded; 40 blocks, stopped by verdict");
    }
}
