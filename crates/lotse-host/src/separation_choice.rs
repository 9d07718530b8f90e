//! The user's choice of separation actions and the results: plain data, the same on every platform.

use std::ffi::OsString;

use serde::Serialize;

/// An action that the user chose.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chosen {
    pub name: &'static str,
    /// The text after `=`.
    pub argument: Option<String>,
    /// Whether the user named the action, not only a preset that includes it.
    pub named: bool,
}

/// What an action would do on this machine, for `lotse doctor`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ActionProbe {
    pub name: &'static str,
    pub explanation: &'static str,
    /// A description of what may follow `NAME=`.
    pub argument: Option<&'static str>,
    pub presets: &'static [&'static str],
    pub works: bool,
    /// What it would do, or why it cannot.
    pub detail: String,
}

/// The changes of one measurement that were undone.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Restored {
    /// The process that made the changes.
    pub owner: u32,
    /// Number of restored values.
    pub values: usize,
    /// Whether the machine was restarted since, which restores everything.
    pub restarted: bool,
    /// A line for each value that somebody else has changed since; these are not restored.
    pub kept: Vec<String>,
    /// A line for each value that could not be restored. The journal is kept for another try.
    pub failed: Vec<String>,
}

/// Options of [`crate::quiet::Separation`].
#[derive(Debug, Clone, Default)]
pub struct SeparationOptions {
    /// The actions, from [`crate::quiet::choose`].
    pub actions: Vec<Chosen>,
    /// Names of programs that are neither stopped nor slowed down nor moved.
    pub keep: Vec<String>,
    /// If set, only these other processes may be touched.
    pub only: Option<Vec<u32>>,
    /// The command of the watchdog: it calls [`crate::quiet::watch`] with the path in its last argument.
    pub watchdog: Vec<OsString>,
}
