//! What a user chooses to do to the machine, and what is told of it: plain data, the same on every system.

use std::ffi::OsString;

use serde::Serialize;

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

/// What an action would do here, for `lotse doctor`.
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
    /// Values that somebody else has changed since, a line each; they are left so.
    pub kept: Vec<String>,
    /// Values that could not be put back, a line each. The journal stays for another try.
    pub failed: Vec<String>,
}

/// What to do to the machine.
#[derive(Debug, Clone, Default)]
pub struct SeparationOptions {
    /// The actions, from [`crate::quiet::choose`].
    pub actions: Vec<Chosen>,
    /// Names of programs that are neither stopped nor slowed down nor moved.
    pub keep: Vec<String>,
    /// If given, no process of others but these is touched.
    pub only: Option<Vec<u32>>,
    /// The command that calls [`crate::quiet::watch`] with the path it is given as its last argument.
    pub watchdog: Vec<OsString>,
}
