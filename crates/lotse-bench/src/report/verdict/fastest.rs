//! Which of several programs is the fastest, according to the intervals.

use super::{noun, percent, size};
use crate::answer::Comparison;

/// A program against the reference; the reference against itself.
struct Contender<'a> {
    name: &'a str,
    ratio: f64,
    interval: [f64; 2],
}

/// One sentence that names the fastest of three or more programs, or several if their intervals overlap. The intervals hold
/// simultaneously for all programs, so programs whose intervals do not overlap differ.
pub(crate) fn fastest<'a>(comparisons: impl Iterator<Item = &'a Comparison>) -> Option<String> {
    let comparisons: Vec<&Comparison> = comparisons.collect();
    let first = comparisons.first().filter(|_| comparisons.len() > 1)?;
    if comparisons.iter().any(|it| it.reference != first.reference || it.metric != first.metric) {
        return None;
    }
    let mut all: Vec<Contender<'_>> = comparisons.iter().filter_map(|it| contender(it)).collect();
    if all.len() < comparisons.len() {
        return None;
    }
    all.push(Contender { name: &first.reference, ratio: 1.0, interval: [1.0, 1.0] });
    all.sort_by(|a, b| a.ratio.total_cmp(&b.ratio));
    let best = &all[0];
    // A program whose interval lies above that of another one (the reference included) is not the fastest.
    let limit = all.iter().map(|it| it.interval[1]).fold(f64::INFINITY, f64::min);
    let beside: Vec<&Contender<'_>> = all[1..].iter().filter(|other| other.interval[0] <= limit).collect();
    let is_time = first.metric == lotse_model::metric::WALL;
    let most = if is_time { "fastest".to_owned() } else { format!("best in {}", noun(&first.metric)) };
    Some(match beside[..] {
        [] => alone(&all, &most, if is_time { "long" } else { "much" }, first.level),
        [one] => format!(
            "{} and {} are the {most} of {} programs; these runs do not separate the two",
            best.name,
            one.name,
            all.len()
        ),
        _ => {
            let names: Vec<&str> = beside.iter().map(|it| it.name).collect();
            format!(
                "{} had the smallest {}, but {} may be as good",
                best.name,
                noun(&first.metric),
                names.join(", ")
            )
        }
    })
}

fn alone(all: &[Contender<'_>], most: &str, much: &str, level: f64) -> String {
    let (best, next) = (&all[0], &all[1]);
    format!(
        "{} is the {most} of {} programs ({}); the next, {}, takes {:.2} times as {much}",
        best.name,
        all.len(),
        percent(level),
        next.name,
        size(next.ratio / best.ratio)
    )
}

/// `None` where the ratio is not known. An end that is not bounded is 0 or infinite.
fn contender(comparison: &Comparison) -> Option<Contender<'_>> {
    let [low, high] = comparison.interval;
    let interval = [low.unwrap_or(0.0), high.unwrap_or(f64::INFINITY)];
    Some(Contender { name: &comparison.program, ratio: comparison.ratio?, interval })
}
