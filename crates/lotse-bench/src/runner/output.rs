//! Numbers that the program prints: a YAML or JSON mapping of names to numbers or lists of numbers.
//!
//! A list holds repetitions within one process. All of them are kept as the level below the run. Programs are compared by
//! their mean, since repetitions within one process are not independent runs.

use lotse_formats::numbers::PrintedNumbers;
use lotse_model::{Unit, metric};

use super::{RunOutput, RunValues, Runner, RunnerError, RunnerKind, refuse_events};

const ID: &str = "output";

pub(super) const KIND: RunnerKind = RunnerKind {
    id: ID,
    title: "numbers the program prints as YAML or JSON (name: number, or name: [numbers]), beside rusage",
    temci: &["output"],
    tool: None,
    primary: "wall",
    create: |events| {
        refuse_events(ID, events)?;
        Ok(Box::new(Output))
    },
};

struct Output;

impl Runner for Output {
    fn reads_output(&self) -> bool {
        true
    }

    fn unit(&self, _metric: &str) -> Unit {
        Unit::Number
    }

    fn values(&self, output: RunOutput<'_>) -> Result<RunValues, RunnerError> {
        let numbers = lotse_formats::numbers::parse("the output", &output.report.stdout.bytes)
            .map_err(|error| RunnerError::Unreadable { runner: ID, problem: error.to_string() })?;
        if numbers.is_empty() {
            let problem = "the program prints no number".to_owned();
            return Err(RunnerError::Unreadable { runner: ID, problem });
        }
        if let Some(taken) =
            numbers.keys().find(|name| metric::KNOWN.iter().any(|known| known.name == **name))
        {
            let problem = format!("the program prints a value called '{taken}', which Lotse measures itself");
            return Err(RunnerError::Unreadable { runner: ID, problem });
        }
        Ok(measured(numbers))
    }
}

/// The mean of every list, and the lists of more than one number.
fn measured(numbers: PrintedNumbers) -> RunValues {
    let values = numbers.iter().map(|(name, list)| (name.clone(), mean(list))).collect();
    let within = numbers.into_iter().filter(|(_, list)| list.len() > 1).collect();
    RunValues { values, within }
}

/// The mean, without rounding where all numbers are equal: a constant list is as exact as a single number.
fn mean(list: &[f64]) -> f64 {
    match list {
        [first, rest @ ..] if rest.iter().all(|value| value == first) => *first,
        // Divided first, so that large numbers have a finite mean.
        _ => list.iter().map(|value| value / list.len() as f64).sum(),
    }
}

#[cfg(test)]
mod tests {
    use super::{mean, measured};

    #[test]
    fn lists_are_kept_below_the_run_and_single_numbers_are_the_run_itself() {
        let printed = b"a: [1, 2, 6]\nb: 7\nc: [8]\n";
        let found = measured(lotse_formats::numbers::parse("output", printed).unwrap());
        let values: Vec<_> = found.values.into_iter().collect();
        assert_eq!(values, [("a".into(), 3.0), ("b".into(), 7.0), ("c".into(), 8.0)]);
        assert_eq!(found.within.into_iter().collect::<Vec<_>>(), [("a".to_owned(), vec![1.0, 2.0, 6.0])]);
    }

    #[test]
    fn constant_lists_have_their_number_as_mean_and_large_ones_a_finite_mean() {
        assert_eq!(mean(&[0.1; 3]), 0.1);
        assert_eq!(mean(&[f64::MAX, f64::MAX / 2.0]), 0.75 * f64::MAX);
    }
}
