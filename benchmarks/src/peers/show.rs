//! The table of a file: who needed how much, how Lotse compares, what was aimed at.

use super::Peer;
use super::figures::{Record, Summary};
use super::subject::{Goal, Subject};
use crate::error::Error;
use crate::spawning::Spread;
use crate::table;

const MEGA: f64 = 1e6;

/// Prints it.
pub fn show(records: &[Record], subject: &Subject) -> Result<(), Error> {
    let of = |peer| Summary::new(records, subject.kind.name(), peer);
    let lotse = of(Peer::Lotse)?;
    let mut rows = Vec::new();
    for peer in Peer::ALL {
        if let Some(summary) = of(peer)? {
            rows.push(row(peer, &summary, lotse.as_ref(), subject.kind.goal(peer)));
        }
    }
    let titles =
        ["", "runs", "CPU s", "wall s", "anonymous MB", "resident MB", "Lotse : it, CPU", "memory", "goal"];
    let size = subject.bytes as f64 / MEGA;
    let caption = format!(
        "Opening the {} file ({}) of {size:.0} MB: medians (least to most); ratios of lotse --no-index",
        subject.kind.name(),
        subject.kind.format()
    );
    table::print(&caption, &titles, &rows)
}

fn row(peer: Peer, summary: &Summary, lotse: Option<&Summary>, goal: Option<Goal>) -> Vec<String> {
    let ratio = |figure: fn(&Summary) -> Spread| {
        let ratio =
            lotse.filter(|_| peer != Peer::Lotse).map(|it| figure(it).median / figure(summary).median);
        // wc may need so little memory that none is seen.
        table::decimals_or_dash(ratio.filter(|it| it.is_finite()), 3)
    };
    vec![
        peer.name().to_owned(),
        summary.runs.to_string(),
        spread(summary.cpu, 1.0, 3),
        spread(summary.wall, 1.0, 3),
        spread(summary.anonymous, MEGA, 0),
        spread(summary.resident, MEGA, 0),
        ratio(|it| it.cpu),
        ratio(|it| it.anonymous),
        goal.map_or_else(String::new, |goal| goal_text(&goal, summary)),
    ]
}

fn spread(spread: Spread, unit: f64, decimals: usize) -> String {
    let [least, median, most] = [spread.least, spread.median, spread.most].map(|it| it / unit);
    if least == most {
        return format!("{median:.decimals$}");
    }
    format!("{median:.decimals$} ({least:.decimals$} to {most:.decimals$})")
}

fn goal_text(goal: &Goal, summary: &Summary) -> String {
    let parts = [
        (goal.cpu_seconds, summary.cpu, "CPU s", 1.0),
        (goal.wall_seconds, summary.wall, "wall s", 1.0),
        (goal.anonymous_bytes, summary.anonymous, "MB anonymous", MEGA),
    ];
    let text = |(goal, found, unit, scale): (Option<f64>, Spread, &str, f64)| {
        let goal = goal?;
        let verdict = if found.median <= goal { "met" } else { "missed" };
        Some(format!("{} {unit}: {verdict}", goal / scale))
    };
    parts.into_iter().filter_map(text).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::{Goal, Spread, Summary, goal_text, row, spread};
    use crate::peers::Peer;

    fn summary(cpu: f64, anonymous: f64) -> Summary {
        let one = |it| Spread { least: it, median: it, most: it };
        Summary { cpu: one(cpu), wall: one(1.0), anonymous: one(anonymous), resident: one(5e6), runs: 1 }
    }

    #[test]
    fn a_spread_of_one_value_is_that_value() {
        assert_eq!(spread(Spread { least: 2e6, median: 2e6, most: 2e6 }, 1e6, 1), "2.0");
        assert_eq!(spread(Spread { least: 1.0, median: 2.0, most: 4.5 }, 1.0, 1), "2.0 (1.0 to 4.5)");
    }

    #[test]
    fn goals_are_met_or_missed() {
        let goal = Goal { cpu_seconds: Some(2.4), wall_seconds: None, anonymous_bytes: Some(1e9) };
        let text = goal_text(&goal, &summary(2.4, 1.1e9));
        assert_eq!(text, "2.4 CPU s: met, 1000 MB anonymous: missed");
    }

    #[test]
    fn lotse_is_compared_with_the_others() {
        let (lotse, other) = (summary(2.0, 4e8), summary(20.0, 16e8));
        let shown = row(Peer::KCachegrind, &other, Some(&lotse), None);
        assert_eq!(shown[6..8], ["0.100", "0.250"]);
        assert_eq!(row(Peer::Lotse, &lotse, Some(&lotse), None)[6], "–");
        assert_eq!(row(Peer::Lines, &other, None, None)[6], "–");
        assert_eq!(row(Peer::Lines, &summary(1.0, 0.0), Some(&lotse), None)[7], "–");
    }
}
