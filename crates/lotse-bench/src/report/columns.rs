//! A table whose columns the user chooses, written as temci writes them: `description,wall[mean|p],wall[stddev]`.
//!
//! A column is an attribute of the programs, or `METRIC[FIGURE|OPTIONS]`. Without an option a number has all its digits.
//! With `o` the digits below twice the deviation are in parentheses; with `p` those that change when twice the deviation
//! is added or subtracted; `s` chooses the unit that fits, and `%` writes percentages.

use lotse_model::unit::Unit;
use lotse_report::number::{Uncertain, UnitScale, with_uncertainty};
use lotse_report::{Block, Cell, Column, Document, Table};
use lotse_stats::SampleSummary;

use super::unit;
use crate::answer::{Answer, ProgramAnswer};

/// A requested column.
#[derive(Debug, Clone, PartialEq)]
struct ColumnSpec {
    title: String,
    name: String,
    /// `None` for an attribute.
    statistic: Option<(Statistic, NumberFormat)>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Statistic {
    Mean,
    Deviation,
    Min,
    Max,
    RelativeDeviation,
    /// The name of the metric.
    Name,
}

const STATISTICS: [(&str, Statistic); 6] = [
    ("mean", Statistic::Mean),
    ("stddev", Statistic::Deviation),
    ("min", Statistic::Min),
    ("max", Statistic::Max),
    ("stddev per mean", Statistic::RelativeDeviation),
    ("property", Statistic::Name),
];

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct NumberFormat {
    percent: bool,
    fitting_unit: bool,
    /// Parentheses around digits below twice the deviation.
    below_deviation: bool,
    /// Parentheses around digits that twice the deviation changes.
    changing: bool,
}

/// A column that cannot be written.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ColumnError {
    /// Neither an attribute nor `METRIC[FIGURE]`.
    #[error("column '{column}': write an attribute, or METRIC[FIGURE] with {figures} as the figure")]
    Form { column: String, figures: String },
    /// An unknown option.
    #[error("column '{column}': '{option}' is no option; there are %, p, s and o")]
    Option { column: String, option: char },
    /// No program has such an attribute or metric.
    #[error("column '{column}': no program has {name}; there are {known}")]
    Unknown { column: String, name: String, known: String },
}

/// Looks up the values of a program (by its index) for a metric name of another tool; `None` if there are none.
pub type AliasLookup<'a> = &'a dyn Fn(usize, &str) -> Option<Vec<f64>>;

/// A row for each program in the requested columns. Metrics that Lotse does not know are looked up among the aliases.
pub fn columns(answer: &Answer, specs: &[String], aliases: AliasLookup<'_>) -> Result<Document, ColumnError> {
    let specs: Vec<ColumnSpec> = split(specs).iter().map(|text| parse(text)).collect::<Result<_, _>>()?;
    let heading = |spec: &ColumnSpec| match spec.statistic {
        Some((statistic, _)) if statistic != Statistic::Name => Column::right(spec.title.clone()),
        _ => Column::left(spec.title.clone()),
    };
    let mut table = Table::new("", specs.iter().map(heading).collect());
    for spec in &specs {
        check(answer, spec, aliases)?;
    }
    for (number, program) in answer.programs.iter().enumerate() {
        table.rows.push(specs.iter().map(|spec| cell(answer, number, program, spec, aliases)).collect());
    }
    let mut document = Document::new();
    document.push(Block::Table(table));
    Ok(document)
}

/// Splits at commas outside of brackets.
fn split(specs: &[String]) -> Vec<String> {
    let mut columns = Vec::new();
    for text in specs {
        let mut depth = 0_u32;
        let mut column = String::new();
        for c in text.chars() {
            depth = match c {
                '[' => depth + 1,
                ']' => depth.saturating_sub(1),
                _ => depth,
            };
            if c == ',' && depth == 0 {
                columns.push(std::mem::take(&mut column));
            } else {
                column.push(c);
            }
        }
        columns.push(column);
    }
    columns.iter().map(|column| column.trim().to_owned()).filter(|column| !column.is_empty()).collect()
}

/// Parses `METRIC[FIGURE|OPTIONS]`; a text without a bracket is the name of an attribute.
fn parse(text: &str) -> Result<ColumnSpec, ColumnError> {
    let Some((name, rest)) = text.split_once('[') else {
        return Ok(ColumnSpec { title: text.to_owned(), name: text.to_owned(), statistic: None });
    };
    let form = || {
        let figures = STATISTICS.map(|(name, _)| name).join(", ");
        ColumnError::Form { column: text.to_owned(), figures }
    };
    let inner = rest.strip_suffix(']').ok_or_else(form)?;
    let (statistic, options) = inner.split_once('|').unwrap_or((inner, ""));
    let known = STATISTICS.iter().find(|(known, _)| *known == statistic.trim()).ok_or_else(form)?;
    let mut digits = NumberFormat::default();
    for option in options.chars().filter(|c| !c.is_whitespace()) {
        match option {
            '%' => digits.percent = true,
            's' => digits.fitting_unit = true,
            'o' => digits.below_deviation = true,
            'p' => digits.changing = true,
            _ => return Err(ColumnError::Option { column: text.to_owned(), option }),
        }
    }
    Ok(ColumnSpec {
        title: text.to_owned(),
        name: name.trim().to_owned(),
        statistic: Some((known.1, digits)),
    })
}

/// Refuses a column whose metric or attribute no program has, with the known names.
fn check(answer: &Answer, spec: &ColumnSpec, aliases: AliasLookup<'_>) -> Result<(), ColumnError> {
    let mut programs = answer.programs.iter().enumerate();
    let (found, kind) = match spec.statistic {
        Some(_) => (
            programs.any(|(number, program)| values(number, program, &spec.name, aliases).is_some()),
            "metric",
        ),
        None => (programs.any(|(_, program)| attribute(program, &spec.name).is_some()), "attribute"),
    };
    if found {
        return Ok(());
    }
    let known: Vec<String> = match spec.statistic {
        Some(_) => answer.metrics.iter().map(|metric| metric.name.clone()).collect(),
        None => {
            let own = answer.programs.iter().flat_map(|program| program.attributes.keys().cloned());
            let mut names: Vec<String> =
                ["description", "command", "tags"].map(str::to_owned).into_iter().chain(own).collect();
            names.dedup();
            names
        }
    };
    let name = format!("the {kind} '{}'", spec.name);
    Err(ColumnError::Unknown { column: spec.title.clone(), name, known: known.join(", ") })
}

fn values(number: usize, program: &ProgramAnswer, name: &str, aliases: AliasLookup<'_>) -> Option<Vec<f64>> {
    let own = program.values(name);
    if own.is_empty() { aliases(number, name) } else { Some(own) }
}

fn attribute(program: &ProgramAnswer, name: &str) -> Option<String> {
    match name {
        "description" | "program" => Some(program.name.clone()),
        "command" => Some(program.command.clone()),
        "tags" => Some(program.tags.join(" ")),
        _ => program.parameters.get(name).cloned().or_else(|| program.attributes.get(name).map(super::plain)),
    }
}

/// The attribute, or the formatted statistic of the metric; empty where the program has no values.
fn cell(
    answer: &Answer,
    number: usize,
    program: &ProgramAnswer,
    spec: &ColumnSpec,
    aliases: AliasLookup<'_>,
) -> Cell {
    let Some((statistic, digits)) = spec.statistic else {
        return Cell::text(attribute(program, &spec.name).as_deref().unwrap_or(""));
    };
    let summary = values(number, program, &spec.name, aliases)
        .and_then(|values| SampleSummary::from_values(&values).ok());
    let Some(summary) = summary else { return Cell::text("") };
    let deviation = summary.population_sd;
    let value = match statistic {
        Statistic::Mean => summary.mean,
        Statistic::Deviation => deviation,
        Statistic::Min => summary.min,
        Statistic::Max => summary.max,
        Statistic::RelativeDeviation => match summary.mean {
            0.0 => return Cell::text(""),
            mean => deviation / mean,
        },
        Statistic::Name => return Cell::text(spec.name.clone()),
    };
    let unit =
        if statistic == Statistic::RelativeDeviation { Unit::Number } else { unit(answer, &spec.name) };
    Cell::text(formatted(value, deviation, unit, digits))
}

/// The value as a percentage or in a fitting unit if requested, with its doubtful digits in parentheses.
fn formatted(value: f64, deviation: f64, unit: Unit, digits: NumberFormat) -> String {
    let factor = if digits.percent { 100.0 } else { 1.0 };
    let (value, spread) = (value * factor, 2.0 * deviation * factor);
    let scale =
        if digits.fitting_unit && !digits.percent { Some(UnitScale::fitting(unit, value)) } else { None };
    let divisor = scale.map_or(1.0, |scale| scale.factor);
    let spread = if digits.changing {
        first_changing_place(value / divisor, spread / divisor)
    } else {
        spread / divisor
    };
    let number = if digits.below_deviation || digits.changing {
        with_uncertainty(value / divisor, spread, Uncertain::default())
    } else {
        (value / divisor).to_string()
    };
    let symbol = scale.map_or("", |scale| scale.symbol);
    let end = if digits.percent { "%" } else { symbol };
    if end.is_empty() || digits.percent { format!("{number}{end}") } else { format!("{number} {end}") }
}

/// The place of the first digit that differs between value - spread and value + spread, as a power of ten; 0 for none.
fn first_changing_place(value: f64, spread: f64) -> f64 {
    if spread <= 0.0 || !spread.is_finite() {
        return 0.0;
    }
    let (low, high) = (value - spread, value + spread);
    let first = low.abs().max(high.abs()).log10().ceil() as i32;
    let differs = |place: &i32| (low / 10_f64.powi(*place)).floor() != (high / 10_f64.powi(*place)).floor();
    (first - 30..=first).rev().find(differs).map_or(0.0, |place| 10_f64.powi(place))
}

#[cfg(test)]
mod tests {
    use super::{ColumnError, NumberFormat, formatted, parse, split};
    use lotse_model::unit::Unit;

    const NONE: NumberFormat =
        NumberFormat { percent: false, fitting_unit: false, below_deviation: false, changing: false };

    #[test]
    fn columns_are_separated_outside_of_brackets() {
        let given = ["description, wall[mean|p],wall[stddev per mean|%]".to_owned(), "tags".to_owned()];
        assert_eq!(split(&given), ["description", "wall[mean|p]", "wall[stddev per mean|%]", "tags"]);
        assert!(matches!(parse("wall[average]"), Err(ColumnError::Form { .. })));
        assert!(matches!(parse("wall[mean"), Err(ColumnError::Form { .. })));
        assert!(matches!(parse("wall[mean|q]"), Err(ColumnError::Option { option: 'q', .. })));
    }

    #[test]
    fn doubtful_digits_are_in_parentheses() {
        let below = NumberFormat { below_deviation: true, ..NONE };
        let change = NumberFormat { changing: true, ..NONE };
        // Twice the deviation is 0.63 thousandths: digits below the thousandths are doubtful.
        assert_eq!(formatted(0.001_660_6, 0.000_314, Unit::Seconds, below), "0.001(66)");
        let fitting = NumberFormat { fitting_unit: true, ..below };
        assert_eq!(formatted(0.001_660_6, 0.000_314, Unit::Seconds, fitting), "1.(66) ms");
        // 1.03 to 2.29: the first digit changes.
        assert_eq!(formatted(1.660_6, 0.314, Unit::Number, change), "(1.7)");
        assert_eq!(formatted(1.56, 0.005, Unit::Number, change), "1.5(60)");
        assert_eq!(formatted(0.25, 0.0, Unit::Number, NumberFormat { percent: true, ..NONE }), "25%");
        assert_eq!(formatted(0.1 + 0.2, 0.1, Unit::Number, NONE), "0.30000000000000004");
    }
}
