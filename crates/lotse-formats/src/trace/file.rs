//! Chooses the file to read in a folder, for formats that consist of one file.

use lotse_model::bytes::Folder;

use super::open::trace_files;
use crate::error::{FormatError, Place};

/// The folder's main file; if the user named a folder, the trace in it with one of the endings. Other files may have the same
/// ending, so the content decides; the first one is read, with its errors, if none is a trace.
pub(super) fn main_file<'a>(folder: &'a dyn Folder, endings: &[&str]) -> Result<&'a str, FormatError> {
    if !folder.main().is_empty() {
        return Ok(folder.main());
    }
    let matches = |name: &str| !name.contains('/') && endings.iter().any(|ending| name.ends_with(ending));
    let traces: Vec<&str> =
        trace_files(folder).into_iter().map(|(name, _)| name).filter(|name| matches(name)).collect();
    let refused = |problem: String| FormatError::Damaged {
        name: folder.name().to_owned(),
        place: Place::Whole,
        problem,
    };
    match traces.as_slice() {
        [one] => Ok(one),
        [] => {
            let first = folder.names().iter().map(String::as_str).find(|name| matches(name));
            first.ok_or_else(|| refused(format!("no file in it ends in {}", endings.join(" or "))))
        }
        several => {
            Err(refused(format!("several traces are in it (`{}`): name one of them", several.join("`, `"))))
        }
    }
}
