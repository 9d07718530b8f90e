//! Separation on unsupported platforms: every use is an error.

use std::io::{Read, Write};
use std::path::Path;

use lotse_model::results::SeparationRecord;

use crate::launcher::LauncherOptions;
pub use crate::separation_choice::{ActionProbe, Chosen, Restored, SeparationOptions};

/// Why the machine cannot be made quiet.
#[derive(Debug, thiserror::Error)]
#[error("programs can be separated from the rest of the machine on Linux only")]
pub struct QuietError;

/// A list of actions that is not valid.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
#[error("there is no action or preset '{0}' on this system; there is none")]
pub struct ChoiceError(String);

impl SeparationOptions {
    /// Does nothing.
    pub fn prepare(&self, _: &mut LauncherOptions) {}
}

/// Cannot exist on this platform.
#[derive(Debug)]
pub enum Separation {}

impl Separation {
    /// Always fails.
    pub fn begin(_: &SeparationOptions, _: u32) -> Result<Self, QuietError> {
        Err(QuietError)
    }

    /// Never called.
    pub fn record(&self) -> &SeparationRecord {
        match *self {}
    }

    /// Never called.
    pub fn before_run(&self) -> Result<(), QuietError> {
        match *self {}
    }

    /// Never called.
    pub fn end(self) -> Vec<String> {
        match self {}
    }
}

/// Accepts only the empty list and `none`.
pub fn choose<S: AsRef<str>>(list: &[S]) -> Result<Vec<Chosen>, ChoiceError> {
    match list.iter().map(AsRef::as_ref).find(|word| !matches!(*word, "none" | "")) {
        Some(word) => Err(ChoiceError(word.to_owned())),
        None => Ok(Vec::new()),
    }
}

/// There are no actions.
pub fn probes() -> Vec<ActionProbe> {
    Vec::new()
}

/// Nothing can have been changed.
pub fn restore() -> Result<Vec<Restored>, QuietError> {
    Ok(Vec::new())
}

/// Always fails.
pub fn watch(_: &Path, _: &mut dyn Read, _: &mut dyn Write) -> Result<Option<Restored>, QuietError> {
    Err(QuietError)
}
