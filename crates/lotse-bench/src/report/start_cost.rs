//! The sentence about the cost of the shell or tool that starts the programs, and how it was corrected.

use lotse_model::metric::{CPU, WALL};
use lotse_model::results::StartCost;
use lotse_report::number::format_value;

use super::unit;
use crate::answer::{Answer, ProgramAnswer};

/// The cost subtracted from the primary metric (or else from the wall time), with its bounds.
pub(super) fn sentence(answer: &Answer, primary: &str) -> Option<String> {
    let cost = answer.start_cost.as_ref()?;
    let metric = [primary, WALL].into_iter().find(|name| cost.subtracted.contains_key(*name));
    let subtracted =
        metric.and_then(|metric| Some(subtracted(answer, cost, metric, *cost.subtracted.get(metric)?)));
    let parts = subtracted.into_iter().chain(bounded(answer)).chain(peak(answer, cost, primary));
    let parts: Vec<String> = parts.collect();
    (!parts.is_empty()).then(|| parts.join("; "))
}

fn subtracted(answer: &Answer, cost: &StartCost, metric: &str, least: f64) -> String {
    let show = |value: f64| format_value(value, unit(answer, metric));
    let metrics = answer.conclusion.as_ref().and_then(|conclusion| conclusion.shell.as_ref());
    let known = match metrics.and_then(|metrics| metrics.get(metric)) {
        Some([Some(low), Some(high)]) => {
            format!(" ({} to {}; the intervals allow for that)", show(least + low), show(least + high))
        }
        _ => String::new(),
    };
    let amount = match metric {
        WALL => format!("takes at least {}", show(least)),
        metric => format!("has at least {} {}", show(least), metric.replace('_', " ")),
    };
    format!("{} itself {amount} per run{known}, which is subtracted", cost.starter)
}

/// How many runs have their CPU time as wall time, because subtracting the whole cost would have left less. Two clocks that were
/// read independently do not agree to the nanosecond.
fn bounded(answer: &Answer) -> Option<String> {
    let pairs = |program: &ProgramAnswer| -> Vec<bool> {
        let clock = [CPU, "task-clock"].into_iter().find_map(|name| program.samples.get(name));
        let pairs =
            program.samples.get(WALL).zip(clock).into_iter().flat_map(|(wall, clock)| wall.iter().zip(clock));
        pairs.map(|(wall, clock)| wall.is_some_and(|wall| wall > 0.0) && wall == clock).collect()
    };
    let runs: Vec<bool> = answer.programs.iter().flat_map(pairs).collect();
    let count = runs.iter().filter(|is_bounded| **is_bounded).count();
    (count > 0).then(|| {
        let all = runs.len();
        format!("{count} of {all} runs have their CPU time as wall time, since subtracting all of it would leave less")
    })
}

/// The peak of the starter, if the primary metric is a maximum, from which nothing can be subtracted.
fn peak(answer: &Answer, cost: &StartCost, primary: &str) -> Option<String> {
    let peak = format_value(*cost.peaks.get(primary)?, unit(answer, primary));
    let name = primary.replace('_', " ");
    Some(format!("{name} includes {}, whose own is {peak}: a maximum cannot be corrected", cost.starter))
}

#[cfg(test)]
mod tests {
    use lotse_model::results::StartCost;

    use super::sentence;
    use crate::rules::fixture::Fixture;

    #[test]
    fn wall_times_that_are_cpu_times_are_counted() {
        let mut fixture = Fixture::paired(&[("old", &[1.0, 2.0, 3.0]), ("new", &[1.0, 2.0, 3.0])]);
        fixture.set.start_cost = Some(StartCost {
            starter: "the shell".to_owned(),
            subtracted: [("wall".to_owned(), 0.5)].into(),
            ..StartCost::default()
        });
        fixture.measure("cpu", &[&[0.9, 2.0, 2.9], &[0.9, 1.9, 2.9]]);
        let text = sentence(&fixture.answer(), "wall").unwrap();
        assert!(text.contains("which is subtracted; 1 of 6 runs have their CPU time as wall time"), "{text}");
        for run in &mut fixture.set.runs {
            run.values.insert("cpu".to_owned(), 0.1);
        }
        let text = sentence(&fixture.answer(), "wall").unwrap();
        assert!(text.ends_with("which is subtracted"), "{text}");
    }
}
