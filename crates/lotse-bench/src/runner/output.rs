//! What the program itself prints: a YAML or JSON mapping of names to numbers or lists of numbers.
//!
//! A list holds repetitions inside one process; their mean is the run's value, for repetitions of one process
//! are not independent runs.

use lotse_model::{Unit, metric};

use super::{Product, Runner, RunnerError, RunnerKind, Values, refuse_events};

const ID: &str = "output";

pub(super) const KIND: RunnerKind = RunnerKind {
    id: ID,
    title: "numbers the program prints as YAML or JSON (name: number, or name: [numbers]), beside rusage",
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

    fn values(&self, product: Product<'_>) -> Result<Values, RunnerError> {
        let numbers = lotse_formats::numbers::parse("the output", &product.report.stdout.bytes)
            .map_err(|error| RunnerError::Unreadable { runner: ID, problem: error.to_string() })?;
        if numbers.values().all(Vec::is_empty) {
            let problem = "the program prints no number".to_owned();
            return Err(RunnerError::Unreadable { runner: ID, problem });
        }
        if let Some(taken) =
            numbers.keys().find(|name| metric::KNOWN.iter().any(|known| known.name == **name))
        {
            let problem = format!("the program prints a value called '{taken}', which Lotse measures itself");
            return Err(RunnerError::Unreadable { runner: ID, problem });
        }
        let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
        let means = numbers.iter().filter(|(_, values)| !values.is_empty());
        Ok(means.map(|(name, values)| (name.clone(), mean(values))).collect())
    }
}
