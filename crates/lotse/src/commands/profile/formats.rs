//! `lotse profile formats`: what can be read and written, or which formats claim a file.

use std::path::Path;

use lotse_formats::format::{Confidence, FormatKind};
use lotse_formats::recognise::FORMATS;
use lotse_formats::write::WRITERS;
use lotse_formats::{claims, unpack};
use lotse_report::{Block, Cell, Column, Document, Table};
use serde::Serialize;

use super::{empty_file_failure, format_failure, print, source};
use crate::args::profile::FormatsArgs;
use crate::exit::{Exit, Failure};

#[derive(Serialize)]
struct FormatsAnswer {
    schema: &'static str,
    formats: Vec<FormatRow>,
}

#[derive(Serialize)]
struct FormatRow {
    id: &'static str,
    title: &'static str,
    read: bool,
    write: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    confidence: Option<&'static str>,
}

pub(crate) fn run(args: &FormatsArgs) -> Result<Exit, Failure> {
    let rows = match &args.file {
        None => all_formats(),
        Some(file) => claiming_formats(file)?,
    };
    let answer = FormatsAnswer { schema: "lotse.profile.formats/1", formats: rows };
    print(&args.output, &answer, || table(&answer.formats), &[])?;
    Ok(Exit::Done)
}

/// Every format of profiles that can be read, followed by those that can only be written.
fn all_formats() -> Vec<FormatRow> {
    let writes = |id: &str| WRITERS.iter().any(|writer| writer.id == id);
    let readers =
        FORMATS.iter().filter(|format| format.kind() == FormatKind::Profile).map(|format| FormatRow {
            id: format.id,
            title: format.title,
            read: true,
            write: writes(format.id),
            confidence: None,
        });
    let mut rows: Vec<FormatRow> = readers.collect();
    let only_written = WRITERS.iter().filter(|writer| !FORMATS.iter().any(|format| format.id == writer.id));
    rows.extend(only_written.map(|writer| FormatRow {
        id: writer.id,
        title: writer.title,
        read: false,
        write: true,
        confidence: None,
    }));
    rows
}

/// The formats whose recognition accepts a file, with their confidence.
fn claiming_formats(file: &Path) -> Result<Vec<FormatRow>, Failure> {
    let source = source(file)?;
    let (unpacked, _) = unpack(&source).map_err(format_failure)?;
    let profiles = claims(&unpacked).into_iter().filter(|(format, _)| format.kind() == FormatKind::Profile);
    let rows: Vec<FormatRow> = profiles
        .map(|(format, confidence)| FormatRow {
            id: format.id,
            title: format.title,
            read: true,
            write: WRITERS.iter().any(|writer| writer.id == format.id),
            confidence: Some(confidence_name(confidence)),
        })
        .collect();
    if rows.is_empty() {
        let message = format!("{}: no format claims it; `lotse profile formats` lists all", file.display());
        return Err(empty_file_failure(&source).unwrap_or(Failure { exit: Exit::Unreadable, message }));
    }
    Ok(rows)
}

fn confidence_name(confidence: Confidence) -> &'static str {
    match confidence {
        Confidence::No => "no",
        Confidence::Possible => "possible",
        Confidence::Likely => "likely",
        Confidence::Certain => "certain",
    }
}

fn table(rows: &[FormatRow]) -> Document {
    let sure = rows.iter().any(|row| row.confidence.is_some());
    let last = if sure { "claim" } else { "written" };
    let mut table = Table::new("", ["format", "what it is", last].map(Column::left).into());
    for row in rows {
        let written = match (row.read, row.write) {
            (true, true) => "yes",
            (true, false) => "",
            (false, _) => "only written",
        };
        let mark = row.confidence.unwrap_or(written);
        table.rows.push(vec![Cell::text(row.id), Cell::text(row.title), Cell::text(mark)]);
    }
    let mut document = Document::new();
    document.push(Block::Table(table));
    document
}
