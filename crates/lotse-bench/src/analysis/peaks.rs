//! Maxima of programs that a shell starts: a peak is that of the shell and the program together.
//!
//! A program whose peak is above that of the shell is measured correctly. If its peak is below, the shell's peak is measured,
//! which is only an upper bound for the program.

use lotse_model::Metric;
use lotse_model::id::ProgramId;
use lotse_model::results::{ResultSet, StartCost};
use lotse_report::number::format_value;

use crate::answer::{Comparison, Verdict};

/// Peaks up to this factor above the shell's own peak may belong to the shell, whose peak varies with the command it reads.
const MARGIN: f64 = 1.1;

/// Withdraws verdicts and ends of intervals about peaks that may belong to the shell.
pub(super) fn withdraw_hidden_peaks(set: &ResultSet, comparisons: &mut [Comparison]) {
    let Some(cost) = &set.start_cost else { return };
    for comparison in comparisons {
        withdraw_if_hidden(set, cost, comparison);
    }
}

/// Opens the interval of one comparison on the side of each program whose peak may be that of the shell. With
/// `ratio = program / reference`, a program that is only bounded from above opens the lower end, a reference the upper end.
fn withdraw_if_hidden(set: &ResultSet, cost: &StartCost, comparison: &mut Comparison) {
    let Some(&peak) = cost.peaks.get(&comparison.metric) else { return };
    let is_hidden = |name: &str| {
        let samples = set.program_named(name).map(|id: ProgramId| set.samples(id, &comparison.metric));
        samples.is_some_and(|samples| samples.iter().any(|value| *value <= MARGIN * peak))
    };
    let hidden: Vec<&str> = [&comparison.reference, &comparison.program]
        .map(String::as_str)
        .into_iter()
        .filter(|name| is_hidden(name))
        .collect();
    if hidden.is_empty() {
        return;
    }
    let shown = format_value(peak, Metric::named(&comparison.metric).unit);
    let (metric, starter) = (comparison.metric.replace('_', " "), &cost.starter);
    let warning = format!(
        "{metric} includes {starter}, whose own is {shown}: that of {} may be smaller than measured",
        hidden.join(" and of ")
    );
    let (reference_hidden, program_hidden) =
        (hidden.contains(&comparison.reference.as_str()), hidden.contains(&comparison.program.as_str()));
    // The hidden value is only bounded from above, so the ratio is open on one side.
    let [low, high] = comparison.interval;
    comparison.interval = [low.filter(|_| !program_hidden), high.filter(|_| !reference_hidden)];
    let still_known = match comparison.verdict {
        Verdict::Faster => !reference_hidden,
        Verdict::Slower => !program_hidden,
        Verdict::Equivalent | Verdict::Undecided => false,
    };
    if !still_known {
        (comparison.ratio, comparison.verdict) = (None, Verdict::Undecided);
    }
    comparison.difference = None;
    comparison.warnings.push(warning);
}

#[cfg(test)]
mod tests {
    use lotse_model::Metric;
    use lotse_model::results::StartCost;

    use crate::answer::{Comparison, Verdict};
    use crate::rules::fixture::Fixture;

    /// Two programs with these peaks in MiB, in a shell with a peak of 3 MiB.
    fn compared(old: f64, new: f64) -> Comparison {
        let mib = |value: f64| vec![value * 1_048_576.0; 12];
        let mut fixture = Fixture::paired(&[("old", &mib(old)), ("new", &mib(new))]);
        for run in &mut fixture.set.runs {
            let value = run.values.remove("wall").unwrap();
            run.values.insert("peak_memory".to_owned(), value);
        }
        fixture.set.metrics = vec![Metric::named("peak_memory")];
        let peaks = [("peak_memory".to_owned(), 3.0 * 1_048_576.0)].into();
        fixture.set.start_cost =
            Some(StartCost { starter: "the shell".to_owned(), peaks, ..StartCost::default() });
        fixture.answer().comparisons.into_iter().find(|row| row.metric == "peak_memory").unwrap()
    }

    #[test]
    fn programs_below_the_shell_are_not_compared() {
        let row = compared(3.0, 3.0);
        assert_eq!((row.verdict, row.ratio, row.interval), (Verdict::Undecided, None, [None, None]));
        assert!(row.warnings.iter().any(|it| it.contains("peak memory includes the shell")), "{row:?}");
    }

    #[test]
    fn a_program_above_the_shell_is_known_to_need_more_but_not_how_much_more() {
        let row = compared(3.0, 30.0);
        assert_eq!((row.verdict, row.interval[1]), (Verdict::Slower, None));
        let row = compared(30.0, 3.0);
        assert_eq!((row.verdict, row.interval[0]), (Verdict::Faster, None));
    }

    #[test]
    fn programs_above_the_shell_are_compared() {
        let row = compared(10.0, 30.0);
        assert_eq!((row.verdict, row.interval, row.warnings.len()), (Verdict::Slower, [Some(3.0); 2], 0));
    }
}
