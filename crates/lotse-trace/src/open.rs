//! Reads a trace from a folder into the store.

use lotse_formats::FormatError;
use lotse_formats::trace::open::open;
use lotse_model::Workers;
use lotse_model::bytes::Folder;

use crate::store::{self, Trace};

/// Reads a trace into memory; the format is detected from the content unless one is given.
pub fn read(folder: &dyn Folder, format: Option<&str>, workers: &dyn Workers) -> Result<Trace, FormatError> {
    Ok(store::load(open(folder, format)?, workers))
}
