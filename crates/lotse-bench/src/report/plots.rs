//! The plots of the full report: numbers of an answer, laid out for `lotse-report`.

use lotse_model::results::Status;
use lotse_report::Figure;
use lotse_report::svg::{
    BoxSeries, Forest, ForestRow, ForestVerdict, Labels, RunOrder, RunPoint, RunSeries, Sample, box_plot,
    ecdf, forest, histogram, run_order,
};
use lotse_stats::boxplot::BoxPlot;
use lotse_stats::descriptive::mean;
use lotse_stats::drift::theil_sen;

use super::unit;
use crate::answer::{Answer, Comparison, Verdict};

/// All plots about one metric.
pub(super) fn all(answer: &Answer, metric: &str) -> Vec<Figure> {
    let labels = |title: &str, description: String| Labels {
        title: title.to_owned(),
        description,
        quantity: metric.to_owned(),
        unit: unit(answer, metric),
    };
    let samples = samples(answer, metric);
    let names = answer.programs.iter().map(|program| program.name.as_str()).collect::<Vec<_>>().join(", ");
    let mut figures = Vec::new();
    let rows: Vec<&Comparison> =
        answer.comparisons.iter().filter(|comparison| comparison.metric == metric).collect();
    if !rows.is_empty() {
        let labels = Labels {
            unit: lotse_model::Unit::Number,
            ..labels(
                "Ratios",
                format!("Ratios of {metric} to the reference with their intervals: {}", ratios(&rows)),
            )
        };
        figures.push(figure(forest(&labels, &forest_plot(&rows)), &labels, FOREST));
    }
    let boxes = labels("Box plot", format!("Quartiles, whiskers and outliers of {metric} for {names}"));
    figures.push(figure(box_plot(&boxes, &box_series(&samples)), &boxes, BOX));
    let curves = labels("Distribution", format!("Empirical distribution functions of {metric} for {names}"));
    figures.push(figure(ecdf(&curves, &samples), &curves, ECDF));
    let bars = labels("Histogram", format!("Histograms of {metric} for {names}"));
    figures.push(figure(histogram(&bars, &samples), &bars, HISTOGRAM));
    let order = labels("Run order", format!("{metric} of every run in the order it was made, for {names}"));
    figures.push(figure(run_order(&order, &order_plot(answer, metric)), &order, ORDER));
    figures
}

const FOREST: &str = "Each row is a program against the reference. The bar is the interval; where it stays on one side of 1 the \
    programs differ. The band around 1 is delta: an interval inside it means equivalent.";
const BOX: &str = "The box holds the middle half of the runs, the line in it is the median, the mark the mean. Whiskers end at the \
    last run within 1.5 box lengths; runs beyond are dots. The finding bench-outliers counts by another rule, the \
    distance to the median in median absolute deviations, so its number may differ.";
const ECDF: &str = "How large a share of the runs took at most so much. A curve further left is faster; curves that cross are not \
    simply faster or slower.";
const HISTOGRAM: &str = "How many runs took how much. Two separate hills mean two kinds of runs, and a mean between them means little.";
const ORDER: &str = "Every run in the order it was made. A slope is drift, a step is a change on the machine; hollow points had to \
    share their CPU.";

fn figure(svg: lotse_report::svg::Svg, labels: &Labels, caption: &str) -> Figure {
    Figure { svg, title: labels.title.clone(), caption: caption.to_owned(), alt: labels.description.clone() }
}

fn samples(answer: &Answer, metric: &str) -> Vec<Sample> {
    let sample = |program: &crate::answer::ProgramAnswer| Sample {
        name: program.name.clone(),
        values: program.values(metric),
    };
    answer.programs.iter().map(sample).collect()
}

fn ratios(rows: &[&Comparison]) -> String {
    let row = |comparison: &&Comparison| {
        comparison.ratio.map_or(format!("{} unknown", comparison.program), |ratio| {
            format!("{} {ratio:.3}", comparison.program)
        })
    };
    rows.iter().map(row).collect::<Vec<_>>().join(", ")
}

/// The ratios with their intervals; programs without a ratio are left out, and an end that is not bounded is drawn as open.
fn forest_plot(rows: &[&Comparison]) -> Forest {
    let row = |comparison: &&Comparison| {
        let [low, high] = comparison.interval;
        Some(ForestRow {
            name: comparison.program.clone(),
            ratio: comparison.ratio?,
            low: low.unwrap_or(0.0),
            high: high.unwrap_or(f64::INFINITY),
            side: match comparison.verdict {
                Verdict::Faster => ForestVerdict::Better,
                Verdict::Slower => ForestVerdict::Worse,
                Verdict::Equivalent => ForestVerdict::Equivalent,
                Verdict::Undecided => ForestVerdict::Undecided,
            },
        })
    };
    Forest {
        rows: rows.iter().filter_map(row).collect(),
        delta: rows.first().map(|comparison| comparison.delta),
        sides: Some(["less", "more"]),
    }
}

fn box_series(samples: &[Sample]) -> Vec<BoxSeries> {
    let series = |sample: &Sample| {
        let plot = BoxPlot::from_values(&sample.values).ok()?;
        let (whisker_low, whisker_high) = plot.whiskers();
        Some(BoxSeries {
            name: sample.name.clone(),
            whisker_low,
            q1: plot.quartiles.q1,
            median: plot.quartiles.median,
            q3: plot.quartiles.q3,
            whisker_high,
            mean: mean(&sample.values).ok()?,
            outliers: plot.outliers,
        })
    };
    samples.iter().filter_map(series).collect()
}

fn order_plot(answer: &Answer, metric: &str) -> RunOrder {
    let series = |program: &crate::answer::ProgramAnswer| {
        let values = program.samples.get(metric).into_iter().flatten();
        let own = answer
            .runs
            .iter()
            .enumerate()
            .filter(|(_, run)| run.program == program.name && run.outcome.status == Status::Ok);
        let point = |((place, run), value): ((usize, &crate::answer::RunAnswer), &Option<f64>)| {
            Some(RunPoint { run: place as f64, value: (*value)?, contended: run.disturbance.contended })
        };
        let points: Vec<RunPoint> = own.zip(values).filter_map(point).collect();
        RunSeries { name: program.name.clone(), drift: drift_line(&points), points }
    };
    RunOrder { series: answer.programs.iter().map(series).collect(), boundaries: Vec::new(), axis: None }
}

/// Theil-Sen line (value at run 0, slope per run) over the positions in the order of all runs, in which the runs of one
/// program are about evenly spaced.
fn drift_line(points: &[RunPoint]) -> Option<(f64, f64)> {
    let values: Vec<f64> = points.iter().map(|point| point.value).collect();
    let (first, last) = (points.first()?, points.last()?);
    let per_place = theil_sen(&values).ok()? * (values.len() - 1) as f64 / (last.run - first.run).max(1.0);
    let centre = lotse_stats::descriptive::median(&values).ok()?;
    let middle = (first.run + last.run) / 2.0;
    Some((centre - per_place * middle, per_place))
}
