//! Chooses the file to read in a folder, for formats that consist of one file.

use lotse_model::bytes::Folder;

use crate::error::{FormatError, Place};

/// The folder's main file; if the user named a folder, the first file in it with one of the endings.
pub(super) fn main_file<'a>(folder: &'a dyn Folder, endings: &[&str]) -> Result<&'a str, FormatError> {
    if !folder.main().is_empty() {
        return Ok(folder.main());
    }
    let matches = |name: &&String| !name.contains('/') && endings.iter().any(|ending| name.ends_with(ending));
    folder.names().iter().find(matches).map(String::as_str).ok_or_else(|| FormatError::Damaged {
        name: folder.name().to_owned(),
        place: Place::Whole,
        problem: format!("no file in it ends in {}", endings.join(" or ")),
    })
}
