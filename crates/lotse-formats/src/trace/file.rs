//! Which file of a folder to read, for formats that are one file.

use lotse_model::bytes::Folder;

use crate::error::{FormatError, Place};

/// The main file; where the user named a folder, the first file in it that ends so.
pub(super) fn main_file<'a>(folder: &'a dyn Folder, endings: &[&str]) -> Result<&'a str, FormatError> {
    if !folder.main().is_empty() {
        return Ok(folder.main());
    }
    let fits = |name: &&String| !name.contains('/') && endings.iter().any(|ending| name.ends_with(ending));
    folder.names().iter().find(fits).map(String::as_str).ok_or_else(|| FormatError::Damaged {
        name: folder.name().to_owned(),
        place: Place::Whole,
        problem: format!("no file in it ends in {}", endings.join(" or ")),
    })
}
