//! `lotse bench build --file`: the builds of a suite, and the suite that runs them.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use lotse_formats::bench::temci_suite;
use lotse_model::Suite;
use lotse_report::{Block, Cell, Column, Document, Inline, Table};

use super::{settings, suite};
use crate::args::BuildArgs;
use crate::exit::{Exit, Failure};
use crate::export::{bytes, save};
use crate::screen;

/// The name of the file in the documentation of temci.
const SUITE: &str = "run.exec.yaml";

/// Builds the programs of a suite, and writes a suite that runs the builds.
pub(crate) fn run(args: &BuildArgs) -> Result<Exit, Failure> {
    let (settings, mut remarks) = settings::load(args.select.settings.as_deref(), &["build"])?;
    let input = args.file.clone().or_else(|| settings.build_input.as_ref().map(PathBuf::from));
    let input = input.ok_or_else(|| Failure::usage("name a file: the settings have no `build: in`"))?;
    let output = args.export_suite.clone().or_else(|| settings.build_output.as_ref().map(PathBuf::from));
    let output = output.unwrap_or_else(|| PathBuf::from(SUITE));
    if output.exists() && !args.force {
        let message = format!("`{}` exists already: add --force to replace it", output.display());
        return Err(Failure::usage(message));
    }
    let reading = suite::read(&input)?;
    remarks.extend(reading.diagnostics.iter().map(ToString::to_string));
    remarks.extend(reading.value.ignored.iter().cloned());
    let mut suite = reading.value;
    suite::choose(&args.select, &mut suite)?;
    let table = build_all(&mut suite, &args.out, &mut remarks)?;
    let advice = advice(&suite, &output);
    save(&output, &bytes(|out| temci_suite::write(&suite, out))?)?;
    remarks.iter().for_each(|remark| screen::remark(remark));
    screen::document(&document(table, advice))
}

/// How to measure the builds, in paragraphs. Builds are compared in pairs, so that programs with different numbers of builds, of
/// which each has several, cannot be measured together.
fn advice(suite: &Suite, output: &Path) -> Vec<String> {
    let file = output.display();
    let counts: BTreeSet<usize> = suite.programs.iter().map(|program| program.directories.len()).collect();
    if counts.iter().filter(|count| **count > 1).count() < 2 {
        return vec![format!("Measure them: lotse bench -f '{file}'")];
    }
    let first = suite.programs.iter().filter_map(|program| program.name.as_deref()).next().unwrap_or("0");
    let reason = "The programs have different numbers of builds: give all the same `number` to compare them.";
    vec![reason.to_owned(), format!("Measure each alone: lotse bench -f '{file}' --include '{first}'")]
}

/// Builds each program that has a `build_config`; the suite then runs the builds. A row of the table for each program.
fn build_all(suite: &mut Suite, out: &Path, remarks: &mut Vec<String>) -> Result<Table, Failure> {
    let columns = vec![
        Column::left("program"),
        Column::right("builds"),
        Column::left("in another order"),
        Column::left("folder"),
    ];
    let mut table = Table::new(String::new(), columns);
    for (number, program) in suite.programs.iter_mut().enumerate() {
        let name = program.name.clone().or_else(|| program.commands.first().cloned());
        let name = name.unwrap_or_else(|| format!("program {}", number + 1));
        let Some(built) = suite::build(number, program, out)? else {
            let row = [&name, "–", "", "not built: it has no build_config"];
            table.rows.push(row.map(Cell::text).into());
            continue;
        };
        let first = built.folders.first().map_or(String::new(), |folder| folder.display().to_string());
        let rest = if built.folders.len() > 1 { " and the next" } else { "" };
        let row = [name, built.folders.len().to_string(), built.method, format!("{first}{rest}")];
        table.rows.push(row.map(Cell::text).into());
        remarks.extend(built.remarks);
    }
    Ok(table)
}

fn document(table: Table, advice: Vec<String>) -> Document {
    let mut document = Document::new();
    document.push(Block::Table(table));
    document.blocks.extend(advice.into_iter().map(|text| Block::Paragraph(vec![Inline::Text(text)])));
    document
}
