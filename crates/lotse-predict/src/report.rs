//! What people read: documents about one function, all functions of a file, sweeps, tiles and comparisons.

use lotse_report::number::{format_count, format_percent, format_seconds};
use lotse_report::svg::{Curve, CurveMark, CurvePoint, Labels, Svg, curve};
use lotse_report::{Block, Cell, Column, Document, Inline, Role, Table};

use crate::answer::{Asked, Listed, cache_name};
use crate::compare::Comparison;
use crate::question::Analysed;
use crate::sweep::{Regime, SweepPoint};
use crate::time::LoopTime;

/// Smaller shares of the time need not be told.
const TOLD: f64 = 0.05;

mod sentence;

use sentence::{decided_by_data, sentence};

/// About one function.
pub fn function(asked: Asked<'_>, analysed: &Analysed) -> Document {
    let prediction = &analysed.prediction;
    let mut document = Document::new();
    document.lead(sentence(asked, analysed));
    from_source(&mut document, &prediction.loops, prediction.seconds);
    decided_by_data(&mut document, analysed);
    if !prediction.loops.is_empty() {
        document.push(Block::Table(loops(asked, &prediction.loops, prediction.seconds)));
        let mut reasons: Vec<&LoopTime> = prediction.loops.iter().filter(|time| time.is_innermost).collect();
        reasons.sort_by(|a, b| b.seconds.total_cmp(&a.seconds));
        let reason = |time: &&LoopTime| vec![Inline::Text(format!("line {}: {}", time.place.line, time.why))];
        document.push(Block::List(reasons.iter().take(6).map(reason).collect()));
        document.paragraph(format!("Time as a formula, while the same limits hold: {}", prediction.formula));
    }
    refused(&mut document, analysed);
    let own = asked.function.assumptions.iter().map(|assumption| format!("Assumed: {assumption}."));
    let notes = own.chain([assumed(asked)]);
    for note in notes {
        document.push(Block::Paragraph(vec![Inline::Marked(Role::Dim, note)]));
    }
    document
}

/// Says how much of the time is not that of compiled loops, where there are some.
fn from_source(document: &mut Document, loops: &[LoopTime], total: f64) {
    let unmatched = || loops.iter().filter(|time| time.unmatched.is_some());
    let share = unmatched().map(|time| time.seconds).sum::<f64>() / total.max(f64::MIN_POSITIVE);
    if share < TOLD {
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

fn refused(document: &mut Document, analysed: &Analysed) {
    if analysed.refused.is_empty() {
        return;
    }
    document.paragraph("These parts are not in the time, and how long they take is not known:");
    let row = |(place, reason): &(crate::nest::Place, String)| {
        vec![Inline::Text(format!("line {}: {reason}", place.line))]
    };
    document.push(Block::List(analysed.refused.iter().take(12).map(row).collect()));
    if analysed.refused.len() > 12 {
        document.paragraph(format!("… and {} more; --json has all.", analysed.refused.len() - 12));
    }
}

fn assumed(asked: Asked<'_>) -> String {
    let machine = asked.assumptions.machine;
    let trust = match &machine.calibration {
        Some(calibration) => format!("measured on {}", calibration.date),
        None => "with typical constants; `lotse predict calibrate` measures them".to_owned(),
    };
    let known = if asked.assumptions.compiled.is_some() { "Compiled by" } else { "Assumed:" };
    format!(
        "{known} {}, a {} cache, and {} ({trust}).",
        asked.assumptions.compiler_name(),
        cache_name(asked.assumptions.start),
        machine.name
    )
}

pub(crate) fn parameters(asked: Asked<'_>) -> String {
    let symbols = &asked.function.symbols;
    let values = asked.values.iter().map(|(symbol, value)| format!("{} = {value}", symbols.name(symbol)));
    let values: Vec<String> = values.collect();
    if values.is_empty() { String::new() } else { format!(" at {}", values.join(", ")) }
}

fn loops(asked: Asked<'_>, loops: &[LoopTime], total: f64) -> Table {
    let mut columns = vec![
        Column::left("loop"),
        Column::right("iterations"),
        Column::decimal("time", "s"),
        Column::right("share"),
        Column::left("limit"),
    ];
    let caches = &asked.assumptions.machine.caches;
    columns.extend(caches.iter().map(|cache| Column::right(format!("{} misses", cache.name)).droppable(2)));
    let mut table = Table::new("Loops, each without the loops in it", columns);
    for time in loops {
        let indent = "  ".repeat(time.depth);
        let mut row = vec![
            Cell::text(format!("{indent}line {} ({})", time.place.line, time.variable)),
            Cell::number(format_count(time.iterations), time.iterations),
            Cell::number(format_seconds(time.seconds), time.seconds),
            Cell::text(format_percent(if total > 0.0 { time.seconds / total } else { 0.0 }, 0)),
            Cell::text(if time.is_bounded() {
                format!("{} (bound)", time.limit.name())
            } else {
                time.limit.name()
            }),
        ];
        row.extend(time.misses.iter().map(|misses| Cell::number(format_count(misses.round()), *misses)));
        table.rows.push(row);
    }
    table
}

/// All functions of a file.
pub fn list(file: &str, functions: &[(Asked<'_>, Listed)], without_loops: usize) -> Document {
    let mut document = Document::new();
    document.lead(list_sentence(file, functions, without_loops));
    if functions.is_empty() {
        return document;
    }
    let columns = vec![
        Column::function("function"),
        Column::right("line"),
        Column::decimal("time", "s"),
        Column::left("80 % interval"),
        Column::right("covered"),
        Column::left("limit"),
    ];
    let mut table = Table::new("", columns);
    table.rows = functions.iter().map(|(asked, listed)| list_row(*asked, listed)).collect();
    document.push(Block::Table(table));
    if let Some((asked, _)) = functions.first() {
        document.push(Block::Paragraph(vec![Inline::Marked(Role::Dim, assumed(*asked))]));
    }
    document
}

fn list_sentence(file: &str, functions: &[(Asked<'_>, Listed)], without_loops: usize) -> String {
    let open: Vec<&String> = functions
        .iter()
        .filter_map(|(_, listed)| match listed {
            Listed::Missing(names) => Some(names),
            _ => None,
        })
        .flatten()
        .collect();
    let longest = functions.iter().find_map(|(asked, listed)| match listed {
        Listed::Analysed(analysed) if analysed.has_time() => Some((&asked.function.name, analysed)),
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

fn list_row(asked: Asked<'_>, listed: &Listed) -> Vec<Cell> {
    let mut row = vec![Cell::text(&*asked.function.name), Cell::text(asked.function.place.line.to_string())];
    match listed {
        Listed::Analysed(analysed) if !analysed.has_time() => {
            row.extend([Cell::text(""), Cell::text("not analysed: --function says why")]);
        }
        Listed::Analysed(analysed) => {
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
        Listed::Missing(names) => {
            row.extend([Cell::text(""), Cell::text(format!("needs -D {}", names.join(", -D ")))]);
        }
        Listed::Problem(problem) => row.extend([Cell::text(""), Cell::text(&**problem)]),
    }
    row
}

/// A sweep.
pub fn sweep(asked: Asked<'_>, parameter: &str, points: &[SweepPoint], regimes: &[Regime]) -> Document {
    let mut document = Document::new();
    let regime = |regime: &Regime| format!("leaves {} above {parameter} = {}", regime.cache, regime.last);
    let changes: Vec<String> = regimes.iter().map(regime).collect();
    let name = &asked.function.name;
    document.lead(match changes.is_empty() {
        true => format!("The data of {name} stay in the same cache for all of these values."),
        false => format!("{name} {}.", changes.join(", ")),
    });
    document.push(Block::Table(points_table(parameter, points)));
    document.push(Block::Paragraph(vec![Inline::Marked(Role::Dim, assumed(asked))]));
    document
}

/// Tile sizes, the fastest first.
pub fn tiles(asked: Asked<'_>, parameter: &str, points: &[SweepPoint]) -> Document {
    let mut document = Document::new();
    if let Some(best) = points.first() {
        document.lead(format!(
            "The fastest tile of {} is {parameter} = {}: about {}.",
            asked.function.name,
            best.value,
            format_seconds(best.seconds)
        ));
    }
    document.push(Block::Table(points_table(parameter, points)));
    document.push(Block::Paragraph(vec![Inline::Marked(Role::Dim, assumed(asked))]));
    document
}

fn points_table(parameter: &str, points: &[SweepPoint]) -> Table {
    let columns = vec![
        Column::right(parameter),
        Column::decimal("time", "s"),
        Column::left("80 % interval"),
        Column::left("limit"),
    ];
    let mut table = Table::new("", columns);
    for point in points {
        let (low, high) = point.interval;
        table.rows.push(vec![
            Cell::number(point.value.to_string(), point.value as f64),
            Cell::number(format_seconds(point.seconds), point.seconds),
            Cell::text(format!("{} to {}", format_seconds(low), format_seconds(high))),
            Cell::text(point.limit.as_ref().map_or_else(String::new, crate::time::Limit::name)),
        ]);
    }
    table
}

/// The picture of a sweep or of tile sizes.
pub fn picture(asked: Asked<'_>, parameter: &str, points: &[SweepPoint], regimes: &[Regime]) -> Svg {
    let mut points: Vec<CurvePoint> = points
        .iter()
        .map(|point| CurvePoint { x: point.value as f64, y: point.seconds, band: point.interval })
        .collect();
    points.sort_by(|a, b| a.x.total_cmp(&b.x));
    let mark =
        |regime: &Regime| CurveMark { x: regime.last as f64, text: format!("leaves {}", regime.cache) };
    let name = &asked.function.name;
    let labels = Labels {
        title: format!("{name}: predicted time over {parameter}"),
        description: format!("The predicted time of {name} for values of {parameter}, with 80 % intervals."),
        quantity: "predicted time".to_owned(),
        unit: lotse_model::Unit::Seconds,
    };
    let marks = regimes.iter().map(mark).collect();
    curve(&labels, &Curve { across: parameter.to_owned(), points, marks })
}

/// Which of two is faster.
///
/// Times that lack parts cannot be compared; `incomplete` are the functions with such times.
pub fn compare(
    first: Asked<'_>,
    second: Asked<'_>,
    comparison: &Comparison,
    incomplete: &[Asked<'_>],
) -> Document {
    let mut document = Document::new();
    let name = |asked: Asked<'_>| format!("{} of {}", asked.function.name, asked.file);
    if let Some(asked) = incomplete.first() {
        document.lead(format!(
            "Which one is faster is not known: parts of {} are not analysed, and their time is missing below.",
            name(*asked)
        ));
        return document;
    }
    let (fast, slow, factor, probability) = match comparison.ratio <= 1.0 {
        true => (first, second, 1.0 / comparison.ratio, comparison.first_is_faster),
        false => (second, first, comparison.ratio, 1.0 - comparison.first_is_faster),
    };
    document.lead(format!(
        "{} is predicted to be {factor:.2} times as fast as {}; it is the faster one with a probability of {}.",
        name(fast),
        name(slow),
        format_percent(probability, 0)
    ));
    document
}
