//! The full report: verdicts, figures, plots, findings, the machine, and what every term means.

use lotse_model::unit::Unit;
use lotse_report::glossary::{Topic, definitions};
use lotse_report::number::{IntervalEnd, format_bytes};
use lotse_report::{Block, Cell, Column, Definition, Document, Inline, Role, Table};

use super::{View, plain, plots, primary, summary, thesis, verdict};
use crate::answer::{Answer, Comparison, Difference};

/// Everything about a measurement, for one HTML file.
pub fn full(answer: &Answer, view: View) -> Document {
    let primary = primary(answer);
    let mut document = Document::new();
    let names: Vec<&str> = answer.programs.iter().map(|program| program.name.as_str()).collect();
    document.heading(1, format!("Lotse bench: {}", names.join(", ")));
    document.heading(2, "Answer");
    document.blocks.extend(summary(answer, view).blocks);
    document.heading(2, "Plots");
    document.blocks.extend(plots::all(answer, &primary).into_iter().map(Block::Figure));
    document.heading(2, "Figures");
    document.blocks.extend(thesis(answer, view).blocks.into_iter().skip(1));
    if !answer.comparisons.is_empty() {
        document.heading(2, "All comparisons");
        document.push(Block::Table(comparisons(answer, view)));
    }
    document.heading(2, "Findings");
    findings(&mut document, answer);
    document.heading(2, "Programs");
    document.push(Block::Table(programs(answer)));
    document.heading(2, "Machine");
    machine(&mut document, answer);
    document.heading(2, "What the words mean");
    document.push(Block::Definitions(definitions(Topic::Bench.terms())));
    document
}

/// What the table of all comparisons says of metrics that were not planned.
const OTHERS: &str = "Every program against the reference; the planned metric decides, the verdicts of the others are not \
                      corrected for how many there are";

/// Every program against the reference on every metric, with the colour of the verdict for the primary metric only.
fn comparisons(answer: &Answer, view: View) -> Table {
    let mut columns = vec![
        Column::left("program"),
        Column::left("against"),
        Column::left("metric"),
        Column::left("planned"),
    ];
    columns.extend(["ratio or difference", "low", "high", "blocks"].map(Column::right));
    columns.push(Column::left("verdict"));
    let mut table = Table::new(OTHERS, columns);
    for row in &answer.comparisons {
        let (role, _) = verdict::sentence(row);
        let word = format!("{:?}", row.verdict).to_lowercase();
        let [ratio, low, high] = match row.difference {
            Some(difference) => amounts(difference, view, super::unit(answer, &row.metric)),
            None => ratios(row),
        };
        table.rows.push(vec![
            Cell::text(&row.program),
            Cell::text(&row.reference),
            Cell::text(&row.metric),
            Cell::text(if row.primary { "primary" } else { "secondary" }),
            ratio,
            low,
            high,
            Cell::text(row.blocks.to_string()),
            if row.primary { Cell::text(word).role(role) } else { Cell::text(word).role(Role::Dim) },
        ]);
    }
    table
}

/// The ratio and the ends of its interval.
fn ratios(row: &Comparison) -> [Cell; 3] {
    let ratio = |value: f64| Cell::number(format!("{value:.4}"), value);
    let bound = |value: Option<f64>, end| {
        value.map_or_else(|| Cell::text("–"), |value| Cell::number(verdict::bound(value, end), value))
    };
    let [low, high] = row.interval;
    [
        row.ratio.map_or_else(|| Cell::text("–"), ratio),
        bound(low, IntervalEnd::Low),
        bound(high, IntervalEnd::High),
    ]
}

/// The difference and the ends of its interval, for a metric that is mostly 0 and so has no ratio.
fn amounts(difference: Difference, view: View, unit: Unit) -> [Cell; 3] {
    let scale = view.scale(unit, difference.value.abs());
    let signed = |value: f64| {
        let sign = if value > 0.0 { "+" } else { "" };
        Cell::number(format!("{sign}{}", scale.format(value)), value)
    };
    let bound = |value: Option<f64>| value.map_or_else(|| Cell::text("–"), signed);
    let [low, high] = difference.interval;
    [signed(difference.value), bound(low), bound(high)]
}

fn findings(document: &mut Document, answer: &Answer) {
    if answer.findings.is_empty() {
        document.paragraph("Nothing about this measurement is remarkable.");
        return;
    }
    let definition = |finding: &lotse_model::Finding| {
        let place: Vec<String> = finding.sites.iter().map(ToString::to_string).collect();
        let mut text =
            vec![Inline::Text(format!("{}. To do: {}.", finding.reason.text, finding.recommendation))];
        if let Some(command) = &finding.verification {
            text.extend([Inline::Text(" Check: ".into()), Inline::Code(command.clone())]);
        }
        Definition { term: format!("{} ({})", finding.rule.id, place.join(", ")), text }
    };
    document.push(Block::Definitions(answer.findings.iter().map(definition).collect()));
}

/// The commands, parameters, tags and attributes of all programs.
fn programs(answer: &Answer) -> Table {
    let columns = vec![
        Column::left("program"),
        Column::left("command"),
        Column::left("parameters"),
        Column::left("tags"),
        Column::left("attributes"),
    ];
    let mut table = Table::new("", columns);
    for program in &answer.programs {
        let parameters: Vec<String> =
            program.parameters.iter().map(|(name, value)| format!("{name} = {value}")).collect();
        let attributes: Vec<String> =
            program.attributes.iter().map(|(name, value)| format!("{name} = {}", plain(value))).collect();
        let texts = [
            program.name.clone(),
            program.command.clone(),
            parameters.join(", "),
            program.tags.join(", "),
            attributes.join(", "),
        ];
        table.rows.push(texts.map(Cell::text).into());
    }
    table
}

/// The machine, date and seed of the measurement; `unknown` for what was not recorded.
fn machine(document: &mut Document, answer: &Answer) {
    let Some(machine) = &answer.machine else {
        document.paragraph("The result does not say on which machine it was made.");
        return;
    };
    let mut rows = vec![
        ("measured", answer.date.clone()),
        ("host", machine.host.clone()),
        ("processor", machine.processor.clone()),
        ("kernel", machine.kernel.clone()),
        ("system", machine.system.clone()),
    ];
    rows.push(("CPUs online", machine.online_cpus.map(|cpus| cpus.to_string())));
    rows.push(("memory", machine.memory.map(|bytes| format_bytes(bytes as f64))));
    rows.push((
        "virtual machine",
        machine.virtual_machine.map(|yes| if yes { "yes" } else { "no" }.to_owned()),
    ));
    rows.push(("governor", machine.governor.clone()));
    rows.push(("load at the start", machine.load.map(|load| format!("{load:.2}"))));
    rows.push(("seed", answer.seed.map(|seed| seed.to_string())));
    rows.push(("Lotse", Some(machine.lotse.clone())));
    let mut table = Table::new("", vec![Column::left("what"), Column::left("value")]);
    for (what, value) in rows {
        table.rows.push(vec![Cell::text(what), Cell::text(value.unwrap_or_else(|| "unknown".to_owned()))]);
    }
    document.push(Block::Table(table));
}
