//! Answers as documents: a summary for the terminal, tables for exports, a full report with plots, the thesis's tables.

use lotse_model::Metric;
use lotse_model::unit::Unit;
use lotse_report::number::{TimeUnit, UnitScale};

use crate::answer::{Answer, ProgramAnswer};

mod chosen;
mod columns;
mod full;
mod layouts;
mod levels;
mod plots;
mod separation;
mod so_far;
mod start_cost;
mod summary;
mod table;
mod thesis;
mod verdict;

pub use columns::{AliasLookup, ColumnError, columns};
pub use full::full;
pub use layouts::fixed_heaps;
pub use so_far::so_far;
pub use summary::{headline, sentences, summary};
pub use table::statistics_table;
pub use thesis::thesis;
pub(crate) use verdict::bounds;
pub use verdict::sentence;
pub(crate) use verdict::{counted, needed_runs};

/// Unit of times and order of programs in a report.
#[derive(Debug, Clone, Copy, Default)]
pub struct View {
    /// Unit of times; `None` for the unit that fits the values.
    pub time_unit: Option<TimeUnit>,
    /// Whether the fastest program comes first.
    pub fastest_first: bool,
}

impl View {
    /// The scale for values around a magnitude.
    fn scale(self, unit: Unit, magnitude: f64) -> UnitScale {
        match (unit, self.time_unit) {
            (Unit::Seconds, Some(time_unit)) => time_unit.into(),
            _ => UnitScale::fitting(unit, magnitude),
        }
    }

    /// The programs in the order to show them.
    fn programs<'a>(self, answer: &'a Answer, primary: &str) -> Vec<&'a ProgramAnswer> {
        let mut programs: Vec<&ProgramAnswer> = answer.programs.iter().collect();
        if self.fastest_first {
            programs.sort_by(|a, b| mean(a, primary).total_cmp(&mean(b, primary)));
        }
        programs
    }
}

/// The mean of a metric, by which programs are sorted; a program without values comes last.
fn mean(program: &ProgramAnswer, metric: &str) -> f64 {
    lotse_stats::descriptive::mean(&program.values(metric)).unwrap_or(f64::INFINITY)
}

/// The median of a metric; infinite where there are no values.
fn median(program: &ProgramAnswer, metric: &str) -> f64 {
    lotse_stats::descriptive::median(&program.values(metric)).unwrap_or(f64::INFINITY)
}

/// The primary metric of the answer.
fn primary(answer: &Answer) -> String {
    let compared = answer.primary().next().map(|comparison| comparison.metric.clone());
    let planned = || answer.conclusion.as_ref().map(|conclusion| conclusion.primary.clone());
    let measured = || answer.metrics.iter().map(|metric| metric.name.clone()).next();
    compared.or_else(planned).or_else(measured).unwrap_or_else(|| lotse_model::metric::WALL.to_owned())
}

/// The primary metric of the answer with its unit.
pub fn primary_metric(answer: &Answer) -> Metric {
    let name = primary(answer);
    Metric { unit: unit(answer, &name), name }
}

/// The value of an attribute as text, without quotes.
fn plain(value: &serde_json::Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// The tags and simple attributes of a program in one line; `None` if it has none. Lists and mappings are left out.
fn description_line(program: &ProgramAnswer) -> Option<String> {
    let tags = (!program.tags.is_empty()).then(|| format!("tags {}", program.tags.join(", ")));
    let simple = program.attributes.iter().filter(|(_, value)| !(value.is_object() || value.is_array()));
    let attributes = simple.map(|(name, value)| format!("{name} {}", plain(value)));
    let parts: Vec<String> = tags.into_iter().chain(attributes).collect();
    (!parts.is_empty()).then(|| format!("{}: {}", program.name, parts.join("; ")))
}

fn unit(answer: &Answer, metric: &str) -> Unit {
    answer.metrics.iter().find(|known| known.name == metric).map_or(Unit::Number, |known| known.unit)
}

#[cfg(test)]
mod tests;
