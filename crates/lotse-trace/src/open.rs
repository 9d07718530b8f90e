//! From a folder to the store.

use lotse_formats::FormatError;
use lotse_formats::trace::{TraceInput, chrome, otf2};
use lotse_model::Workers;
use lotse_model::bytes::Folder;

use crate::store::{self, Trace};

/// Reads a trace into memory, in the format named, else in the one its content shows.
pub fn read(folder: &dyn Folder, format: Option<&str>, workers: &dyn Workers) -> Result<Trace, FormatError> {
    Ok(store::load(input(folder, format)?, workers))
}

fn input<'a>(folder: &'a dyn Folder, format: Option<&str>) -> Result<TraceInput<'a>, FormatError> {
    match format {
        Some("chrome-trace") => chrome::open(folder),
        None if folder.main().contains(".json") => chrome::open(folder),
        _ => otf2::open(folder),
    }
}
