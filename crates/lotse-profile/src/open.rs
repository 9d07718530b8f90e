//! Reads a profile: unpacks it, recognises its format, decodes its pieces on all processors.

use lotse_formats::{Diagnostic, FormatError, Unpacked, read_profile, unpack};
use lotse_model::bytes::Source;
use lotse_model::id::FunctionId;
use lotse_model::profile::Detail;
use lotse_model::{Profile, Progress};

use crate::threads::Threads;

/// A profile and the bytes it came from.
pub struct Opened<'a> {
    /// The profile.
    pub profile: Profile,
    /// The format it was in.
    pub format: &'static str,
    /// What was odd about the file.
    pub diagnostics: Vec<Diagnostic>,
    /// Whether nothing of the file was lost.
    pub complete: bool,
    source: Unpacked<'a>,
}

/// Reads a profile in the format named, or in the one its content shows.
pub fn open<'a>(
    source: &'a dyn Source,
    format: Option<&str>,
    progress: &mut (dyn Progress + Send),
) -> Result<Opened<'a>, FormatError> {
    let (unpacked, damage) = unpack(source)?;
    let mut reading = read_profile(&unpacked, format, &Threads::new("reading", progress))?;
    reading.diagnostics.extend(damage);
    let complete = reading.complete();
    Ok(Opened {
        profile: reading.value,
        format: reading.format_id,
        diagnostics: reading.diagnostics,
        complete,
        source: unpacked,
    })
}

impl Opened<'_> {
    /// The costs inside a function, read from the file where they were left there.
    pub fn detail(&self, function: FunctionId) -> Result<Detail, FormatError> {
        lotse_formats::detail(&self.source, &self.profile, function)
    }
}
