//! Answers as bytes and files, for all commands that export something.

use std::io::Write;
use std::path::Path;

use lotse_host::FileSink;
use lotse_model::Finding;
use lotse_model::bytes::Sink;
use lotse_report::Document;

use crate::exit::{Exit, Failure};
use crate::{rules, screen};

/// Findings and their rules as SARIF.
pub(crate) fn sarif(findings: &[Finding]) -> Result<Vec<u8>, Failure> {
    let rules: Vec<_> = rules::all().collect();
    bytes(|out| lotse_report::sarif::write(findings, &rules, env!("CARGO_PKG_VERSION"), out))
}

/// A document in one of the report's formats.
pub(crate) fn rendered(document: &Document, format: &str) -> Result<Vec<u8>, Failure> {
    let format = lotse_report::format::named(format).expect("only formats of the list are asked for");
    bytes(|out| (format.render)(document, lotse_report::Options::default(), out))
}

/// The bytes that a function writes.
pub(crate) fn bytes(write: impl FnOnce(&mut dyn Write) -> std::io::Result<()>) -> Result<Vec<u8>, Failure> {
    let mut bytes = Vec::new();
    write(&mut bytes).map_err(|error| Failure::new(Exit::Missing, &error))?;
    Ok(bytes)
}

/// Refuses a file name that ends in a format other than SVG, such as `.png` or `.pdf`, before any input is read.
pub(crate) fn refuse_raster_formats(out: &Path) -> Result<(), Failure> {
    let ending = out.extension().map_or(String::new(), |ending| ending.to_string_lossy().to_lowercase());
    if ["png", "jpg", "jpeg", "gif", "webp", "pdf", "ps"].contains(&ending.as_str()) {
        let message = format!(
            "{}: pictures are written as SVG, not as {ending}; choose a name with .svg",
            out.display()
        );
        return Err(Failure::usage(message));
    }
    Ok(())
}

/// Writes a file completely or not at all; `-` is standard output.
pub(crate) fn save(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    if path == Path::new("-") {
        return screen::write(|out| out.write_all(bytes)).map(|_| ());
    }
    FileSink::new(path)
        .put(bytes)
        .map_err(|error| Failure { exit: Exit::Missing, message: error.to_string() })
}
