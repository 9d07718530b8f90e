//! Separation where there is none: it says so.

use std::ffi::OsString;
use std::io::{Read, Write};
use std::path::Path;

use lotse_model::results::SeparationRecord;
use serde::Serialize;

use crate::launcher::LauncherOptions;

/// Why the machine cannot be made quiet.
#[derive(Debug, thiserror::Error)]
#[error("programs can be separated from the rest of the machine on Linux only")]
pub struct QuietError;

/// A list of actions that cannot be understood.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
#[error("there is no action or preset '{0}' on this system; there is none")]
pub struct ChoiceError(String);

/// An action that the user chose.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chosen {
    /// Its name.
    pub name: &'static str,
    /// What stood after `=`.
    pub argument: Option<String>,
    /// Whether it was named itself, not only as part of a preset.
    pub named: bool,
}

/// What an action would do here.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ActionProbe {
    /// Its name.
    pub name: &'static str,
    /// What it is good for.
    pub explanation: &'static str,
    /// What may follow `NAME=`.
    pub argument: Option<&'static str>,
    /// The presets that include it.
    pub presets: &'static [&'static str],
    /// Whether it would work.
    pub works: bool,
    /// What it would do, or why it would not.
    pub detail: String,
}

/// What was undone of one measurement.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Restored {
    /// The process that made the changes.
    pub owner: u32,
    /// Values that were put back.
    pub values: usize,
    /// Whether the machine was restarted since, which undoes everything.
    pub restarted: bool,
    /// Values that somebody else has changed since, a line each.
    pub kept: Vec<String>,
    /// Values that could not be put back, a line each.
    pub failed: Vec<String>,
}

/// What to do to the machine.
#[derive(Debug, Clone, Default)]
pub struct SeparationOptions {
    /// The actions, from [`choose`].
    pub actions: Vec<Chosen>,
    /// Names of programs that are left alone.
    pub keep: Vec<String>,
    /// If given, no process of others but these is touched.
    pub only: Option<Vec<u32>>,
    /// The command that calls [`watch`].
    pub watchdog: Vec<OsString>,
}

impl SeparationOptions {
    /// Nothing.
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

/// No list but the empty one and `none` can be understood.
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
