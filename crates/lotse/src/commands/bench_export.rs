//! Exports of a measurement: hyperfine's and temci's formats, tables, the full report, SARIF.

use std::io::Write;
use std::path::Path;

use lotse_bench::Finished;
use lotse_bench::report;
use lotse_formats::bench::{hyperfine, hyperfine_csv, temci_result};
use lotse_host::FileSink;
use lotse_model::bytes::Sink;
use lotse_model::{Finding, ResultSet};
use lotse_report::{Document, Options};

use super::bench_run::view;
use crate::args::RunArgs;
use crate::exit::{Exit, Failure};
use crate::rules;

/// Writes every export asked for.
pub(crate) fn run(args: &RunArgs, finished: &Finished) -> Result<(), Failure> {
    let wanted = &args.results;
    let Finished { answer, set, .. } = finished;
    let table = || report::statistics_table(answer, view(&args.show));
    let tables = [
        (&wanted.export_markdown, "markdown"),
        (&wanted.export_asciidoc, "asciidoc"),
        (&wanted.export_orgmode, "orgmode"),
    ];
    for (path, format) in tables {
        if let Some(path) = path {
            save(path, &rendered(&table(), format)?)?;
        }
    }
    if let Some(path) = &wanted.export_json {
        save(path, &hyperfine_json(set, hyperfine::Version::Both)?)?;
    }
    if let Some(path) = &wanted.export_json1 {
        save(path, &hyperfine_json(set, hyperfine::Version::V1)?)?;
    }
    if let Some(path) = &wanted.export_csv {
        save(path, &bytes(|out| hyperfine_csv::write(set, hyperfine::Version::V1, out))?)?;
    }
    if let Some(path) = &wanted.export_temci {
        save(path, &bytes(|out| temci_result::write(set, out))?)?;
    }
    if let Some(path) = &wanted.export_html {
        save(path, &rendered(&report::full(answer, view(&args.show)), "html")?)?;
    }
    if let Some(path) = &wanted.export_sarif {
        save(path, &sarif(&answer.findings)?)?;
    }
    Ok(())
}

/// hyperfine's JSON.
pub(crate) fn hyperfine_json(set: &ResultSet, version: hyperfine::Version) -> Result<Vec<u8>, Failure> {
    bytes(|out| hyperfine::write(set, version, Some(&lotse_host::utc_now()), out))
}

/// Findings with the rules behind them.
pub(crate) fn sarif(findings: &[Finding]) -> Result<Vec<u8>, Failure> {
    let rules: Vec<_> = rules::all().collect();
    bytes(|out| lotse_report::sarif::write(findings, &rules, env!("CARGO_PKG_VERSION"), out))
}

/// A document in one of the report's formats.
pub(crate) fn rendered(document: &Document, format: &str) -> Result<Vec<u8>, Failure> {
    let format = lotse_report::format::named(format).expect("only formats of the list are asked for");
    bytes(|out| (format.render)(document, Options::default(), out))
}

/// What a writer writes.
pub(crate) fn bytes(write: impl FnOnce(&mut dyn Write) -> std::io::Result<()>) -> Result<Vec<u8>, Failure> {
    let mut bytes = Vec::new();
    write(&mut bytes).map_err(|error| Failure::new(Exit::Missing, &error))?;
    Ok(bytes)
}

/// Writes a file whole or not at all.
pub(crate) fn save(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    FileSink::new(path)
        .put(bytes)
        .map_err(|error| Failure { exit: Exit::Missing, message: error.to_string() })
}
