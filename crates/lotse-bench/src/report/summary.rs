//! What a person reads in the terminal: the programs, the verdicts, the self-check.

use lotse_model::unit::Unit;
use lotse_report::number::{Uncertain, format_percent};
use lotse_report::spark::spark_histogram;
use lotse_report::{Block, Cell, Column, Document, Inline, Role, Table};
use lotse_stats::Summary;

use super::{View, chosen, primary, unit, verdict};
use crate::answer::{Answer, ProgramAnswer, SelfCheck};

/// Programs with their statistics, then a sentence for each comparison on the primary metric.
pub fn summary(answer: &Answer, view: View) -> Document {
    let mut document = Document::new();
    let primary = primary(answer);
    document.push(Block::Table(programs(answer, view, &primary)));
    for comparison in answer.primary() {
        let (role, text) = verdict::sentence(comparison);
        document.push(Block::Paragraph(vec![Inline::Marked(role, text)]));
        let mut lines = vec![vec![Inline::Marked(Role::Dim, verdict::detail(comparison))]];
        lines.extend(comparison.warnings.iter().map(|warning| vec![Inline::Text(warning.clone())]));
        document.push(Block::List(lines));
    }
    if let Some(line) = secondary(answer) {
        document.push(Block::Paragraph(vec![Inline::Marked(Role::Dim, line)]));
    }
    if let Some(check) = &answer.self_check {
        document.paragraph(self_check(check));
    }
    if let Some(cost) = answer.shell_cost {
        let text =
            format!("the shell's own {} per run is subtracted", lotse_report::number::format_seconds(cost));
        document.push(Block::Paragraph(vec![Inline::Marked(Role::Dim, text)]));
    }
    document
}

fn programs(answer: &Answer, view: View, primary: &str) -> Table {
    let beside = chosen::names(answer, primary);
    let mut columns = vec![
        Column::left("program"),
        Column::right(format!("{primary} (mean ± sd)")),
        Column::right("median"),
        Column::right("min … max"),
    ];
    columns.extend(beside.iter().map(|name| chosen::column(name)));
    columns.extend([Column::right("runs"), Column::left("spread")]);
    let mut table = Table::new("", columns);
    let unit = unit(answer, primary);
    table.rows = view
        .programs(answer, primary)
        .into_iter()
        .map(|program| row(answer, program, view, primary, unit, &beside))
        .collect();
    table
}

fn row(
    answer: &Answer,
    program: &ProgramAnswer,
    view: View,
    primary: &str,
    unit: Unit,
    beside: &[&str],
) -> Vec<Cell> {
    let values = program.samples.get(primary).map_or(&[][..], Vec::as_slice);
    let failed = answer.failed_runs().filter(|run| run.program == program.name).count();
    let runs =
        if failed > 0 { format!("{} + {failed} failed", values.len()) } else { values.len().to_string() };
    let mut cells = vec![Cell::text(&program.name)];
    let Ok(summary) = Summary::of(values) else {
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
        Cell::text(spark_histogram(values, 12)),
    ]);
    cells
}

fn mean_and_sd(scale: lotse_report::number::Scale, mean: f64, sd: Option<f64>) -> String {
    let Some(sd) = sd else { return scale.format(mean) };
    let options = Uncertain { parentheses: false, ..Uncertain::default() };
    // The mean's digits end where the deviation's second digit lies, and so do the deviation's.
    let text = scale.with_uncertainty(mean, sd, options);
    let number = text.split(' ').next().unwrap_or(&text);
    let decimals = number.split_once('.').map_or(0, |(_, fraction)| fraction.len());
    format!("{number} ± {:.decimals$} {}", sd / scale.factor, scale.symbol).trim_end().to_owned()
}

/// The other metrics in one line, marked as secondary. Of more than two programs only the full report tells them.
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
    (!parts.is_empty()).then(|| format!("secondary, not part of the verdict: {}", parts.join(", ")))
}

fn self_check(check: &SelfCheck) -> String {
    let resolvable = check.resolvable.map_or("nothing could be resolved".to_owned(), |share| {
        format!("differences of {} can be resolved four times in five", format_percent(share, 2))
    });
    let interval = match (check.ratio, check.interval) {
        (Some(ratio), [Some(low), Some(high)]) => {
            format!("A/A ratio {ratio:.4}, interval {low:.4} to {high:.4}; ")
        }
        _ => String::new(),
    };
    format!(
        "self-check: {} against itself: {interval}{} of {} control comparisons raised a false alarm; {resolvable}",
        check.program, check.alarms, check.repeats
    )
}
