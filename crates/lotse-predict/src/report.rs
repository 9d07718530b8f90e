//! Human-readable documents about one function, all functions of a file, sweeps, tiles and comparisons.

use lotse_report::number::{format_count, format_percent, format_seconds};
use lotse_report::svg::{Curve, CurveMark, CurvePoint, Labels, Svg, curve};
use lotse_report::{Block, Cell, Column, Document, Inline, Role, Table};

use crate::answer::{FunctionAnswer, FunctionOutcome, FunctionQuery, LoopAnswer, PointAnswer};
use crate::compare::Comparison;
use crate::question::FunctionAnalysis;
use crate::sweep::{Regime, SweepPoint};
use crate::time::LoopTime;

/// Smaller shares of the time are not worth a sentence.
const REPORTED_SHARE: f64 = 0.05;

mod sentence;

pub(crate) use sentence::TimeStatement;
use sentence::{push_data_dependences, sentence};

/// The document about one function.
pub fn function(query: FunctionQuery<'_>, analysed: &FunctionAnalysis) -> Document {
    let prediction = &analysed.prediction;
    let mut document = Document::new();
    document.lead(sentence(query, analysed));
    push_unmatched_share(&mut document, &prediction.loops, prediction.seconds);
    push_data_dependences(&mut document, analysed);
    if !prediction.loops.is_empty() {
        let answer = FunctionAnswer::new(query, analysed, Vec::new());
        let caches = query.assumptions.machine.caches.iter().map(|cache| cache.name.as_str());
        document.push(Block::Table(loops_table(caches, &answer.loops, prediction.seconds)));
        let mut reasons: Vec<&LoopTime> = prediction.loops.iter().filter(|time| time.is_innermost).collect();
        reasons.sort_by(|a, b| b.seconds.total_cmp(&a.seconds));
        let reason = |time: &&LoopTime| vec![Inline::Text(format!("line {}: {}", time.place.line, time.why))];
        document.push(Block::List(reasons.iter().take(6).map(reason).collect()));
        document.paragraph(format!("Time as a formula, while the same limits hold: {}", prediction.formula));
    }
    push_refusals(&mut document, analysed);
    let own = query.function.assumptions.iter().map(|assumption| format!("Assumed: {assumption}."));
    let notes = own.chain([assumptions_note(query)]);
    for note in notes {
        document.push(Block::Paragraph(vec![Inline::Marked(Role::Dim, note)]));
    }
    document
}

/// Adds a sentence about the share of the time that is predicted from the source although compiled code was given.
fn push_unmatched_share(document: &mut Document, loops: &[LoopTime], total: f64) {
    let unmatched = || loops.iter().filter(|time| time.unmatched.is_some());
    let share = unmatched().map(|time| time.seconds).sum::<f64>() / total.max(f64::MIN_POSITIVE);
    if share < REPORTED_SHARE {
        return;
    }
    let mut lines: Vec<u32> = unmatched().map(|time| time.place.line).collect();
    lines.dedup();
    let lines: Vec<String> = lines.iter().map(u32::to_string).collect();
    let (share, plural) = (format_percent(share, 0), if lines.len() > 1 { "s" } else { "" });
    document.paragraph(format!(
        "{share} of it is predicted from the source alone, as what was compiled is not recognised: the loop{plural} at line{plural} {}.",
        lines.join(", ")
    ));
}

fn push_refusals(document: &mut Document, analysed: &FunctionAnalysis) {
    if analysed.refused.is_empty() {
        return;
    }
    document.paragraph("These parts are not in the time, and how long they take is not known:");
    let row = |(place, reason): &(crate::nest::SourcePosition, String)| {
        vec![Inline::Text(format!("line {}: {reason}", place.line))]
    };
    document.push(Block::List(analysed.refused.iter().take(12).map(row).collect()));
    if analysed.refused.len() > 12 {
        document.paragraph(format!("… and {} more; --json has all.", analysed.refused.len() - 12));
    }
}

/// The compiler, the initial cache state and the machine that the time is predicted for.
fn assumptions_note(query: FunctionQuery<'_>) -> String {
    query.head("").note()
}

/// The parameter values as " at N = 1000, B = 32"; empty if there are none.
pub(crate) fn parameters_text(query: FunctionQuery<'_>) -> String {
    let symbols = &query.function.symbols;
    let values = query.values.iter().map(|(symbol, value)| format!("{} = {value}", symbols.name(symbol)));
    let values: Vec<String> = values.collect();
    if values.is_empty() { String::new() } else { format!(" at {}", values.join(", ")) }
}

/// The table of loops, one row each in the order of the source, indented by nesting depth, with one column of misses per cache.
pub(crate) fn loops_table<'a>(
    caches: impl Iterator<Item = &'a str> + Clone,
    loops: &[LoopAnswer],
    total: f64,
) -> Table {
    let mut columns = vec![
        Column::left("loop"),
        Column::right("iterations"),
        Column::decimal("time", "s"),
        Column::right("share"),
        Column::left("limit"),
    ];
    columns.extend(caches.clone().map(|name| Column::right(format!("{name} misses")).droppable(2)));
    let mut table = Table::new("Loops, each without the loops in it", columns);
    for time in loops {
        let mut row = vec![
            Cell::text(format!("{}{}", "  ".repeat(time.depth), time.label())),
            Cell::number(format_count(time.iterations), time.iterations),
            Cell::number(format_seconds(time.seconds), time.seconds),
            Cell::text(format_percent(if total > 0.0 { time.seconds / total } else { 0.0 }, 0)),
            Cell::text(if time.bounded { format!("{} (bound)", time.limit) } else { time.limit.clone() }),
        ];
        let misses = caches.clone().map(|name| match time.misses.get(name) {
            Some(misses) => Cell::number(format_count(misses.round()), *misses),
            None => Cell::text(""),
        });
        row.extend(misses);
        table.rows.push(row);
    }
    table
}

/// The columns of the table of functions.
pub(crate) fn list_columns() -> Vec<Column> {
    vec![
        Column::function("function"),
        Column::right("line"),
        Column::decimal("time", "s"),
        Column::left("80 % interval"),
        Column::right("covered"),
        Column::left("limit"),
    ]
}

/// The document about all functions of a file that have loops.
pub fn list(
    file: &str,
    functions: &[(FunctionQuery<'_>, FunctionOutcome)],
    without_loops: usize,
) -> Document {
    let mut document = Document::new();
    document.lead(list_sentence(file, functions, without_loops));
    if functions.is_empty() {
        return document;
    }
    let mut table = Table::new("", list_columns());
    table.rows = functions.iter().map(|(query, outcome)| list_row(*query, outcome)).collect();
    document.push(Block::Table(table));
    if let Some((query, _)) = functions.first() {
        document.push(Block::Paragraph(vec![Inline::Marked(Role::Dim, assumptions_note(*query))]));
    }
    document
}

/// The lead of the list: the function with the longest time, and which parameter needs a value if one is missing.
fn list_sentence(
    file: &str,
    functions: &[(FunctionQuery<'_>, FunctionOutcome)],
    without_loops: usize,
) -> String {
    let open: Vec<&String> = functions
        .iter()
        .filter_map(|(_, outcome)| match outcome {
            FunctionOutcome::Missing(names) => Some(names),
            _ => None,
        })
        .flatten()
        .collect();
    let longest = functions.iter().find_map(|(query, outcome)| match outcome {
        FunctionOutcome::Analysed(analysed) if analysed.has_time() => Some((&query.function.name, analysed)),
        _ => None,
    });
    let hint = open
        .first()
        .map_or_else(String::new, |name| format!(" Give values with -D, such as -D {name}=1000."));
    match longest {
        Some((name, analysed)) => {
            let prediction = &analysed.prediction;
            let (low, high) = prediction.range;
            let least = if analysed.refused.is_empty() { "" } else { "at least " };
            let time = match low < high {
                true => format!("{} to {}, as data decide", format_seconds(low), format_seconds(high)),
                false => format!("about {}", format_seconds(prediction.seconds)),
            };
            format!("The longest function of {file} is {name}: {least}{time}.{hint}")
        }
        None if functions.is_empty() => {
            format!("None of the {without_loops} functions of {file} has a loop.")
        }
        None => format!("No function of {file} has a time yet.{hint}"),
    }
}

/// One row of the list: the time, or in place of the interval the reason why there is none.
fn list_row(query: FunctionQuery<'_>, outcome: &FunctionOutcome) -> Vec<Cell> {
    let mut row = vec![Cell::text(&*query.function.name), Cell::text(query.function.place.line.to_string())];
    match outcome {
        FunctionOutcome::Analysed(analysed) if !analysed.has_time() => {
            row.extend([Cell::text(""), Cell::text("not analysed: --function says why")]);
        }
        FunctionOutcome::Analysed(analysed) => {
            let prediction = &analysed.prediction;
            let (low, high) = prediction.interval;
            row.push(Cell::number(format_seconds(prediction.seconds), prediction.seconds));
            row.push(Cell::text(match analysed.refused.is_empty() {
                true => format!("{} to {}", format_seconds(low), format_seconds(high)),
                false => format!("at least {}", format_seconds(low)),
            }));
            row.push(Cell::text(format_percent(prediction.coverage, 0)));
            row.push(Cell::text(
                prediction.limit.as_ref().map_or_else(String::new, crate::time::Limit::name),
            ));
        }
        FunctionOutcome::Missing(names) => {
            row.extend([Cell::text(""), Cell::text(format!("needs -D {}", names.join(", -D ")))]);
        }
        FunctionOutcome::Problem(problem) => row.extend([Cell::text(""), Cell::text(&**problem)]),
    }
    row
}

/// The document about a sweep over one parameter.
pub fn sweep(
    query: FunctionQuery<'_>,
    parameter: &str,
    points: &[SweepPoint],
    regimes: &[Regime],
) -> Document {
    let mut document = Document::new();
    let regime = |regime: &Regime| format!("leaves {} above {parameter} = {}", regime.cache, regime.last);
    let changes: Vec<String> = regimes.iter().map(regime).collect();
    let name = &query.function.name;
    document.lead(match changes.is_empty() {
        true => format!("The data of {name} stay in the same cache for all of these values."),
        false => format!("{name} {}.", changes.join(", ")),
    });
    document.push(Block::Table(points_table(parameter, &answers(points))));
    document.push(Block::Paragraph(vec![Inline::Marked(Role::Dim, assumptions_note(query))]));
    document
}

/// The document about tile sizes; `points` has the fastest one first.
pub fn tiles(query: FunctionQuery<'_>, parameter: &str, points: &[SweepPoint]) -> Document {
    let mut document = Document::new();
    if let Some(best) = points.first() {
        document.lead(fastest_tile(&query.function.name, parameter, &PointAnswer::new(best)));
    }
    document.push(Block::Table(points_table(parameter, &answers(points))));
    document.push(Block::Paragraph(vec![Inline::Marked(Role::Dim, assumptions_note(query))]));
    document
}

pub(crate) fn fastest_tile(name: &str, parameter: &str, best: &PointAnswer) -> String {
    let seconds = format_seconds(best.seconds);
    format!("The fastest tile of {name} is {parameter} = {}: about {seconds}.", best.value)
}

fn answers(points: &[SweepPoint]) -> Vec<PointAnswer> {
    points.iter().map(PointAnswer::new).collect()
}

/// Values of a parameter with their times.
pub(crate) fn points_table(parameter: &str, points: &[PointAnswer]) -> Table {
    let columns = vec![
        Column::right(parameter),
        Column::decimal("time", "s"),
        Column::left("80 % interval"),
        Column::left("limit"),
    ];
    let mut table = Table::new("", columns);
    for point in points {
        let [low, high] = point.interval;
        table.rows.push(vec![
            Cell::number(point.value.to_string(), point.value as f64),
            Cell::number(format_seconds(point.seconds), point.seconds),
            Cell::text(format!("{} to {}", format_seconds(low), format_seconds(high))),
            Cell::text(point.limit.as_deref().unwrap_or("")),
        ]);
    }
    table
}

/// The diagram of a sweep or of tile sizes.
pub fn picture(query: FunctionQuery<'_>, parameter: &str, points: &[SweepPoint], regimes: &[Regime]) -> Svg {
    let leaves = regimes.iter().map(|regime| (regime.cache.as_str(), regime.last));
    points_picture((&query.function.name, parameter), &answers(points), leaves)
}

/// The times of a function over a parameter; `leaves` are the largest values at which the data fit each cache.
pub(crate) fn points_picture<'a>(
    (name, parameter): (&str, &str),
    points: &[PointAnswer],
    leaves: impl Iterator<Item = (&'a str, i64)>,
) -> Svg {
    let mut points: Vec<CurvePoint> = points
        .iter()
        .map(|point| CurvePoint { x: point.value as f64, y: point.seconds, band: point.interval.into() })
        .collect();
    points.sort_by(|a, b| a.x.total_cmp(&b.x));
    let mark = |(cache, last): (&str, i64)| CurveMark { x: last as f64, text: format!("leaves {cache}") };
    let labels = Labels {
        title: format!("{name}: predicted time over {parameter}"),
        description: format!("The predicted time of {name} for values of {parameter}, with 80 % intervals."),
        quantity: "predicted time".to_owned(),
        unit: lotse_model::Unit::Seconds,
    };
    let marks = leaves.map(mark).collect();
    curve(&labels, &Curve { across: parameter.to_owned(), points, marks })
}

/// The document about which of two functions is faster.
///
/// A time that does not cover all loops cannot be compared; `incomplete` lists the functions with such times.
pub fn compare(
    first: FunctionQuery<'_>,
    second: FunctionQuery<'_>,
    comparison: &Comparison,
    incomplete: &[FunctionQuery<'_>],
) -> Document {
    let mut document = Document::new();
    let name = |query: FunctionQuery<'_>| format!("{} of {}", query.function.name, query.file);
    if let Some(query) = incomplete.first() {
        document.lead(unknown_faster_sentence(&name(*query)));
        return document;
    }
    let sentence = faster_sentence(&name(first), &name(second), comparison.ratio, comparison.first_is_faster);
    document.lead(sentence);
    document
}

/// For two functions of which one has parts without a time.
pub(crate) fn unknown_faster_sentence(incomplete: &str) -> String {
    format!(
        "Which one is faster is not known: parts of {incomplete} are not analysed, and their time is missing below."
    )
}

/// Which of two functions is faster; `ratio` is the time of the first divided by that of the second.
pub(crate) fn faster_sentence(first: &str, second: &str, ratio: f64, first_is_faster: f64) -> String {
    let (fast, slow, factor, probability) = match ratio <= 1.0 {
        true => (first, second, 1.0 / ratio, first_is_faster),
        false => (second, first, ratio, 1.0 - first_is_faster),
    };
    format!(
        "{fast} is predicted to be {factor:.2} times as fast as {slow}; it is the faster one with a probability of {}.",
        format_percent(probability, 0)
    )
}
