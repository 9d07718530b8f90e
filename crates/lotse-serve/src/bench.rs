//! A result of a measurement: its report, and its runs for plots that can be looked into.
//!
//! The verdict is in the report and nowhere else. Statistics of a selection describe the runs that someone marked because of their
//! values, so no test would be right for them, and none is made.

use std::collections::BTreeMap;

use lotse_model::Metric;
use lotse_report::number::{UnitScale, format_value};
use lotse_stats::SampleSummary;

use crate::api::{
    About, Problem, Question, Remark, ReportCell, ReportColumn, RunRow, RunSelection, RunTable, RunTick,
    RunsAnswer,
};
use crate::open::Document;
use crate::profile::json;
use crate::report::ReportFile;

/// More runs are not drawn.
const MOST_RUNS: usize = 20_000;
/// About so many marks have the axis of values.
const TICKS: f64 = 6.0;

/// One run of a program.
#[derive(Debug, Clone, PartialEq)]
pub struct MeasuredRun {
    /// The index of its program.
    pub program: usize,
    /// Round and place in the round, from 0.
    pub round: u32,
    pub place: u32,
    pub contended: bool,
    /// Why it has no values; `None` for a good run.
    pub failure: Option<String>,
    pub values: BTreeMap<String, f64>,
}

/// A result with all its runs, in the order in which they were made.
pub struct BenchDocument {
    pub file: ReportFile,
    pub metrics: Vec<Metric>,
    /// The metric of the verdict.
    pub primary: String,
    pub programs: Vec<String>,
    pub runs: Vec<MeasuredRun>,
}

impl Document for BenchDocument {
    fn about(&self) -> About {
        self.file.about()
    }

    fn answer(&self, question: &Question) -> Result<String, Problem> {
        match question {
            Question::Runs { metric, selection } => json(&self.runs(metric.as_deref(), selection.as_ref())?),
            other => self.file.answer(other),
        }
    }
}

impl BenchDocument {
    /// The runs with their values of one metric; without a name that of the verdict.
    fn runs(&self, metric: Option<&str>, selection: Option<&RunSelection>) -> Result<RunsAnswer, Problem> {
        let metric = self.metric(metric.unwrap_or(&self.primary))?;
        let selection = selection.map(|it| self.checked(it, metric)).transpose()?;
        let row = |(at, run): (usize, &MeasuredRun)| RunRow {
            selected: selection.is_some_and(|(it, of)| is_inside(it, at + 1, run, of)),
            ..row(at + 1, run, metric)
        };
        let runs: Vec<RunRow> = self.runs.iter().enumerate().map(row).collect();
        let values = || runs.iter().filter_map(|run| run.value);
        let magnitude = values().fold(0.0, |most: f64, value| most.max(value.abs()));
        let scale = UnitScale::fitting(metric.unit, magnitude);
        let all = self.statistics(&runs, metric, "All runs, as in the report");
        let selected = selection.map(|_| {
            let marked: Vec<RunRow> = runs.iter().filter(|run| run.selected).cloned().collect();
            let caption = format!(
                "Selection: {} of {} runs, marked by hand. It describes these runs; it is no verdict.",
                marked.len(),
                runs.len()
            );
            self.statistics(&marked, metric, &caption)
        });
        let cut = (runs.len() > MOST_RUNS).then(|| {
            let text = format!("drawn: the first {MOST_RUNS} of {} runs; statistics are of all", runs.len());
            Remark::note(text)
        });
        Ok(RunsAnswer {
            metric: metric.name.clone(),
            metrics: self.metrics.iter().map(|metric| metric.name.clone()).collect(),
            axis: match scale.symbol {
                "" => metric.name.clone(),
                symbol => format!("{} [{symbol}]", metric.name),
            },
            ticks: ticks(values(), scale),
            programs: self.programs.clone(),
            runs: runs.into_iter().take(MOST_RUNS).collect(),
            all,
            selected,
            remarks: cut.into_iter().collect(),
        })
    }

    fn metric(&self, name: &str) -> Result<&Metric, Problem> {
        let metric = self.metrics.iter().find(|metric| metric.name == name);
        metric.ok_or_else(|| Problem::new(format!("the result has no metric {name}")))
    }

    /// A selection and its metric, or the one that is shown. Bounds that select nothing by mistake are refused.
    fn checked<'s>(
        &'s self,
        selection: &'s RunSelection,
        shown: &'s Metric,
    ) -> Result<(&'s RunSelection, &'s Metric), Problem> {
        let RunSelection { first, last, low, high, metric } = selection;
        let metric = metric.as_deref().map_or(Ok(shown), |name| self.metric(name))?;
        let in_order = first <= last && low.zip(*high).is_none_or(|(low, high)| low <= high);
        in_order
            .then_some((selection, metric))
            .ok_or_else(|| Problem::new("the selection ends before it begins"))
    }

    /// Count, mean, deviation, median and extremes of each program that has values.
    fn statistics(&self, runs: &[RunRow], metric: &Metric, caption: &str) -> RunTable {
        let titles = ["Runs", "Mean", "Standard deviation", "Median", "Min", "Max"];
        let right = |title: &str| ReportColumn { title: title.to_owned(), align: "right" };
        let program = ReportColumn { title: "Program".to_owned(), align: "left" };
        let number = |value: Option<f64>| ReportCell {
            text: value.map_or_else(|| "–".to_owned(), |value| format_value(value, metric.unit)),
            role: "text",
            value: value.filter(|value| value.is_finite()),
        };
        let row = |(index, name): (usize, &String)| {
            let own = runs.iter().filter(|run| run.program == index);
            let values: Vec<f64> = own.filter_map(|run| run.value).collect();
            // Without values there are no statistics.
            let summary = SampleSummary::from_values(&values);
            let of = |pick: fn(&SampleSummary) -> Option<f64>| number(summary.as_ref().ok().and_then(pick));
            vec![
                ReportCell { text: name.clone(), role: "text", value: None },
                ReportCell { text: values.len().to_string(), role: "text", value: Some(values.len() as f64) },
                of(|it| Some(it.mean)),
                of(|it| it.sample_sd),
                of(|it| Some(it.quartiles.median)),
                of(|it| Some(it.min)),
                of(|it| Some(it.max)),
            ]
        };
        RunTable {
            caption: caption.to_owned(),
            columns: std::iter::once(program).chain(titles.into_iter().map(right)).collect(),
            rows: self.programs.iter().enumerate().map(row).collect(),
        }
    }
}

fn value_of(run: &MeasuredRun, metric: &Metric) -> Option<f64> {
    run.values.get(&metric.name).copied().filter(|value| value.is_finite())
}

/// Whether a selection holds a run: by its number, and by its value of the metric of the selection.
fn is_inside(selection: &RunSelection, number: usize, run: &MeasuredRun, metric: &Metric) -> bool {
    let RunSelection { first, last, low, high, .. } = selection;
    let in_range = value_of(run, metric)
        .is_some_and(|value| low.is_none_or(|low| low <= value) && high.is_none_or(|high| value <= high));
    (*first..=*last).contains(&number) && in_range
}

/// A run with its value as text, or with the reason why it has none.
fn row(number: usize, run: &MeasuredRun, metric: &Metric) -> RunRow {
    let value = value_of(run, metric);
    RunRow {
        number,
        program: run.program,
        round: run.round + 1,
        place: run.place + 1,
        text: match (value, &run.failure) {
            (Some(value), _) => format_value(value, metric.unit),
            (None, Some(failure)) => failure.clone(),
            (None, None) => "the system gave no value".to_owned(),
        },
        value,
        contended: run.contended,
        selected: false,
    }
}

/// Round numbers of the scale around the values.
fn ticks(values: impl Iterator<Item = f64>, scale: UnitScale) -> Vec<RunTick> {
    let (low, high) = values
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| (low.min(value), high.max(value)));
    if !(low.is_finite() && high.is_finite()) {
        return Vec::new();
    }
    let (low, high) = (low / scale.factor, high / scale.factor);
    let span = if high > low { high - low } else { high.abs().max(1e-9) };
    let power = 10_f64.powf((span / TICKS).log10().floor());
    let step = [1.0, 2.0, 5.0, 10.0].into_iter().map(|it| it * power).find(|it| span / it <= TICKS);
    let step = step.unwrap_or(span);
    let decimals = (-step.log10().floor()).clamp(0.0, 12.0) as usize;
    let (first, last) = ((low / step).floor() as i64, (high / step).ceil() as i64);
    let tick = |at: i64| {
        let shown = at as f64 * step;
        RunTick { value: shown * scale.factor, text: format!("{shown:.decimals$}") }
    };
    // The number of marks is bounded by the choice of the step; a span beyond all integers has none.
    (first..=last.min(first.saturating_add(32))).map(tick).collect()
}

#[cfg(test)]
mod tests;
