//! The summary for the terminal: the programs, the verdicts, the self-check.

use lotse_model::unit::Unit;
use lotse_report::number::{Uncertain, format_percent};
use lotse_report::spark::spark_histogram;
use lotse_report::{Block, Cell, Column, Document, Inline, Role, Table};
use lotse_stats::SampleSummary;

use super::{
    View, chosen, description_line, layouts, levels, primary, separation, start_cost, unit, verdict,
};
use crate::answer::{Answer, Precision, ProgramAnswer, SelfCheck};

/// The verdicts, then the programs with their statistics, then how it was measured.
pub fn summary(answer: &Answer, view: View) -> Document {
    let mut document = Document::new();
    let primary = primary(answer);
    if answer.runs.is_empty() && answer.programs.iter().all(|program| program.samples.is_empty()) {
        let text = "nothing was measured: it ended before every program had run once".to_owned();
        document.push(Block::Paragraph(vec![Inline::Marked(Role::Strong, text)]));
        return document;
    }
    verdicts(&mut document, answer, &primary, view);
    document.push(Block::Table(programs(answer, view, &primary)));
    let details = details(answer);
    if !details.is_empty() {
        document.push(Block::List(details));
    }
    document
}

/// The verdicts in sentences, with the fastest of several programs first.
fn verdicts(document: &mut Document, answer: &Answer, primary: &str, view: View) {
    if let Some(text) = verdict::fastest(answer.primary()) {
        document.push(Block::Paragraph(vec![Inline::Marked(Role::Strong, text)]));
    }
    let mut lines: Vec<Vec<Inline>> = Vec::new();
    for comparison in answer.primary() {
        let (role, text) = verdict::sentence(comparison);
        lines.push(vec![Inline::Marked(role, text)]);
    }
    match lines.len() {
        0 => lines.extend(alone(answer, primary, view).map(|text| vec![Inline::Marked(Role::Strong, text)])),
        1 => {}
        _ => {
            document.push(Block::List(lines));
            return;
        }
    }
    document.blocks.extend(lines.into_iter().map(Block::Paragraph));
}

/// The sentence about a single program, or about a measurement without values.
fn alone(answer: &Answer, primary: &str, view: View) -> Option<String> {
    let measured = answer.programs.iter().any(|program| program.samples.contains_key(primary));
    let [program] = &answer.programs[..] else {
        return (!measured).then(|| "nothing was measured: no run was successful".to_owned());
    };
    let values = program.values(primary);
    let Ok(summary) = SampleSummary::from_values(&values) else {
        return Some(format!("{}: no run gave a value of {primary}", program.name));
    };
    let scale = view.scale(unit(answer, primary), summary.mean);
    let amount = mean_and_sd(scale, summary.mean, summary.sample_sd);
    let runs =
        if values.len() == 1 { "1 run".to_owned() } else { format!("mean ± sd of {} runs", values.len()) };
    let what = match primary {
        lotse_model::metric::WALL => "takes".to_owned(),
        metric => format!("has {}", metric.replace('_', " ")),
    };
    let known = answer.precision.map_or(String::new(), |precision| known(answer, view, primary, precision));
    Some(format!("{} {what} {amount} ({runs}){known}", program.name))
}

/// The interval of the centre of a single program, compared with the requested precision.
fn known(answer: &Answer, view: View, primary: &str, precision: Precision) -> String {
    let (Some([low, high]), Some(reached)) = (precision.interval, precision.reached) else {
        return String::new();
    };
    let scale = view.scale(unit(answer, primary), high);
    let level = answer.conclusion.as_ref().map_or(0.95, |conclusion| 1.0 - conclusion.alpha);
    let asked = verdict::percent(precision.asked);
    format!(
        "; its centre lies between {} and {} ({}), which is ± {}: {} --until {asked}",
        scale.format(low),
        scale.format(high),
        verdict::percent(level),
        verdict::percent(reached),
        if precision.met { "as precise as" } else { "less precise than" }
    )
}

/// The output with `--quiet`: the verdicts, or the sentence about a single program, and the self-check.
pub fn sentences(answer: &Answer, view: View) -> Vec<String> {
    let mut lines: Vec<String> = answer.primary().map(|it| verdict::sentence(it).1).collect();
    if lines.is_empty() {
        lines.extend(alone(answer, &primary(answer), view));
    }
    lines.extend(answer.self_check.as_ref().map(self_check));
    lines
}

/// So many verdicts follow the sentence about the fastest program in a headline.
const HEADLINE_VERDICTS: usize = 2;

/// The answer in a few sentences: which of several programs is the fastest, then the first verdicts.
pub fn headline(answer: &Answer, view: View) -> String {
    let mut lines = sentences(answer, view);
    if let Some(fastest) = verdict::fastest(answer.primary()) {
        let rest = lines.len().saturating_sub(HEADLINE_VERDICTS);
        lines.truncate(HEADLINE_VERDICTS);
        lines.insert(0, fastest);
        lines.extend((rest > 0).then(|| format!("The report has {rest} more")));
    }
    lines.join(". ")
}

/// The numbers behind the verdicts, and what limits them.
fn details(answer: &Answer) -> Vec<Vec<Inline>> {
    let dim = |text: String| vec![Inline::Marked(Role::Dim, text)];
    let mut lines: Vec<Vec<Inline>> = Vec::new();
    for comparison in answer.primary() {
        lines.push(dim(verdict::detail(comparison)));
        for warning in &comparison.warnings {
            let line = vec![Inline::Text(warning.clone())];
            // A warning that holds for several programs is shown once.
            if !lines.contains(&line) {
                lines.push(line);
            }
        }
    }
    lines.extend(answer.programs.iter().filter_map(description_line).map(dim));
    lines.extend(levels::sentences(answer).into_iter().map(dim));
    lines.extend(secondary(answer).map(dim));
    lines.extend(answer.self_check.as_ref().map(|check| vec![Inline::Text(self_check(check))]));
    lines.extend(start_cost::sentence(answer, &primary(answer)).map(dim));
    lines.extend(layouts::sentences(answer).map(dim));
    lines.extend(separation::sentences(answer).map(dim));
    lines
}

/// One row for each program with mean, median, extremes, other chosen metrics and a small histogram.
fn programs(answer: &Answer, view: View, primary: &str) -> Table {
    let beside = chosen::names(answer, primary);
    let mut columns = vec![
        Column::left("program"),
        Column::right(format!("{primary} (mean ± sd)")),
        Column::right("median").droppable(3),
        Column::right("min … max"),
    ];
    columns.extend(beside.iter().map(|name| chosen::column(name)));
    columns.extend([Column::right("runs"), Column::left("spread").droppable(4)]);
    let sorted = view.fastest_first && answer.programs.len() > 1;
    let title = if sorted {
        format!("By mean {}, the smallest first", primary.replace('_', " "))
    } else {
        String::new()
    };
    let mut table = Table::new(title, columns);
    let unit = unit(answer, primary);
    table.rows = view
        .programs(answer, primary)
        .into_iter()
        .map(|program| row(answer, program, view, primary, unit, &beside))
        .collect();
    table
}

/// The cells of one program; dashes where it has no good run.
fn row(
    answer: &Answer,
    program: &ProgramAnswer,
    view: View,
    primary: &str,
    unit: Unit,
    beside: &[&str],
) -> Vec<Cell> {
    let values = program.values(primary);
    let failed = answer.failed_runs().filter(|run| run.program == program.name).count();
    let runs =
        if failed > 0 { format!("{} + {failed} failed", values.len()) } else { values.len().to_string() };
    let mut cells = vec![Cell::text(&program.name)];
    let Ok(summary) = SampleSummary::from_values(&values) else {
        cells.extend((0..3 + beside.len()).map(|_| Cell::text("–")));
        cells.extend([Cell::text(runs).role(Role::Bad), Cell::text("")]);
        return cells;
    };
    let scale = view.scale(unit, summary.mean);
    cells.extend([
        Cell::number(mean_and_sd(scale, summary.mean, summary.sample_sd), summary.mean),
        Cell::number(scale.format(summary.quartiles.median), summary.quartiles.median),
        Cell::text(format!("{} … {}", scale.format(summary.min), scale.format(summary.max))),
    ]);
    cells.extend(beside.iter().map(|name| chosen::cell(answer, program, view, name)));
    cells.extend([
        if failed > 0 { Cell::text(runs).role(Role::Bad) } else { Cell::text(runs) },
        Cell::text(spark_histogram(&values, 12)),
    ]);
    cells
}

fn mean_and_sd(scale: lotse_report::number::UnitScale, mean: f64, sd: Option<f64>) -> String {
    let Some(sd) = sd else { return scale.format(mean) };
    let options = Uncertain { parentheses: false, ..Uncertain::default() };
    // Both the mean and the deviation end at the second digit of the deviation.
    let text = scale.with_uncertainty(mean, sd, options);
    let number = text.split(' ').next().unwrap_or(&text);
    let decimals = number.split_once('.').map_or(0, |(_, fraction)| fraction.len());
    // Digits before the point are never rounded away: 1042 ± 123, not 1000 ± 123.
    let number =
        if number.contains(['.', 'e']) { number.to_owned() } else { format!("{:.0}", mean / scale.factor) };
    format!("{number} ± {:.decimals$} {}", sd / scale.factor, scale.symbol).trim_end().to_owned()
}

/// The other metrics in one line. For more than two programs only the full report shows them.
fn secondary(answer: &Answer) -> Option<String> {
    if answer.primary().count() > 1 {
        return None;
    }
    let shown = answer.comparisons.iter().filter(|comparison| !comparison.primary);
    let part = |comparison: &crate::answer::Comparison| {
        let change = lotse_report::number::format_change(comparison.ratio?, 1);
        Some(format!("{} {change}", comparison.metric))
    };
    let parts: Vec<String> = shown.filter_map(part).collect();
    let estimator = if answer.design.paired() { "run by run" } else { "by geometric means" };
    (!parts.is_empty())
        .then(|| format!("other metrics, compared {estimator}, without a verdict: {}", parts.join(", ")))
}

fn self_check(check: &SelfCheck) -> String {
    let program = &check.program;
    let interval = match (check.ratio, check.interval) {
        (Some(ratio), [Some(low), Some(high)]) => format!("{ratio:.4} ({}), ", verdict::bounds(low, high)),
        _ => String::new(),
    };
    let resolvable = check.resolvable.map_or("no difference could be found".to_owned(), |share| {
        format!("a difference of {} would be found four times in five", format_percent(share, 2))
    });
    format!(
        "self-check, {program} against itself: {interval}{} false alarms in {}; {resolvable}",
        check.alarms, check.repeats
    )
}

#[cfg(test)]
mod tests {
    use super::{View, headline};
    use crate::rules::fixture::{Fixture, noise};

    #[test]
    fn a_headline_begins_with_the_fastest_of_several_programs() {
        let times = |factor: f64| noise(20, 0.01, 7).iter().map(|time| time * factor).collect::<Vec<_>>();
        let (a, b, c, d) = (times(1.0), times(0.5), times(2.0), times(3.0));
        let several = Fixture::paired(&[("a", &a), ("b", &b), ("c", &c), ("d", &d)]);
        let text = headline(&several.answer(), View::default());
        assert!(text.starts_with("b is the fastest of 4 programs"), "{text}");
        assert!(text.ends_with("The report has 1 more") && !text.contains("d is"), "{text}");
        let pair = headline(&Fixture::paired(&[("a", &a), ("b", &b)]).answer(), View::default());
        assert!(pair.starts_with("b is 2.0"), "{pair}");
    }
}
