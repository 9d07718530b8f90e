//! What a file can be shown as.

use std::path::Path;

use lotse_formats::format::{Confidence, Format, FormatKind};
use lotse_formats::{claims, unpack};
use lotse_host::FileSource;
use lotse_model::bytes::Source as _;
use lotse_predict::saved::is_saved_answer;
use lotse_serve::api::DocumentKind;

use crate::commands::profile::{empty_file_failure, format_failure};
use crate::exit::{Exit, Failure};

/// What a file can be shown as: a folder is a trace, a file what its content says. A file has several kinds if the list of
/// formats has its format for several; the profile is then the first.
pub(super) fn kinds_of(path: &Path) -> Result<Vec<DocumentKind>, Failure> {
    let unreadable = |message| Failure { exit: Exit::Unreadable, message };
    let about =
        std::fs::metadata(path).map_err(|error| unreadable(format!("{}: {error}", path.display())))?;
    if about.is_dir() {
        return Ok(vec![DocumentKind::Trace]);
    }
    // A device may have no end, and a pipe no writer.
    if !about.is_file() {
        return Err(unreadable(format!("{} is neither a file nor a folder", path.display())));
    }
    let source = FileSource::open(path).map_err(|error| Failure::new(Exit::Unreadable, &error))?;
    if is_saved_answer(source.bytes()) {
        return Ok(vec![DocumentKind::Predict]);
    }
    let (unpacked, _) = unpack(&source).map_err(format_failure)?;
    let claims = claims(&unpacked);
    // Of an empty file only other files can tell what it is.
    let is_unsure = claims.first().is_none_or(|(_, confidence)| *confidence < Confidence::Certain);
    let formats = best_formats(claims);
    if formats.is_empty() || (source.bytes().is_empty() && is_unsure) {
        return Err(empty_file_failure(&source).unwrap_or_else(|| {
            unreadable(format!(
                "{}: the format is not known; `lotse profile formats` lists those that are",
                path.display()
            ))
        }));
    }
    formats.iter().map(|format| document_kind(format, path)).collect()
}

/// The best claim, a profile before others that are as sure, and the formats of other kinds with the same id: these are
/// other readings of the same files.
fn best_formats<C: PartialEq>(claims: Vec<(&'static Format, C)>) -> Vec<&'static Format> {
    let equal = claims.iter().take_while(|(_, confidence)| *confidence == claims[0].1);
    let mut equal: Vec<&Format> = equal.map(|(format, _)| *format).collect();
    equal.sort_by_key(|format| format.kind() != FormatKind::Profile);
    let best = equal.first().map(|format| format.id);
    equal.retain(|format| Some(format.id) == best);
    equal
}

/// How the page shows a format.
fn document_kind(format: &Format, path: &Path) -> Result<DocumentKind, Failure> {
    match format.kind() {
        FormatKind::Profile => Ok(DocumentKind::Profile),
        FormatKind::Trace => Ok(DocumentKind::Trace),
        FormatKind::BenchResult => Ok(DocumentKind::Bench),
        FormatKind::History => Ok(DocumentKind::Spy),
        other => Err(Failure::usage(format!(
            "{} is a {}, which the page does not show yet; `{}` does",
            path.display(),
            other.title(),
            other.command()
        ))),
    }
}
