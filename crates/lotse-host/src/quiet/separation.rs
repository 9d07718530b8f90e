//! Applies the chosen actions, and restores all values at the end.

use std::ffi::OsString;
use std::fs::File;
use std::path::PathBuf;

use lotse_model::results::{AppliedAction, RefusedAction, SeparationRecord};

use super::action::{Action, Change, Context};
use super::actions;
use super::error::QuietError;
use super::journal::{self, Journal};
use super::kernel::Kernel;
use super::others::OthersRule;
use super::process::ProcessId;
use super::undo::{self, UndoSummary};
use super::watchdog::Watchdog;
use crate::launcher::LauncherOptions;
use crate::separation_choice::{Chosen, SeparationOptions};
use crate::tree::SystemTree;

impl SeparationOptions {
    /// Sets options that the launcher must be started with.
    pub fn prepare(&self, launcher: &mut LauncherOptions) {
        for action in self.actions.iter().filter_map(|chosen| actions::named(chosen.name)) {
            action.prepare(launcher);
        }
    }
}

/// Ensures that everything is restored. Fields are dropped in this order: the watchdog ends before the lock is released for
/// other measurements.
struct Guard {
    journal: Journal,
    watchdog: Watchdog,
    reserved: File,
}

/// The actions in effect. Dropping this value restores everything.
pub struct Separation {
    kernel: Box<dyn Kernel>,
    /// The directory of the journal.
    directory: Option<PathBuf>,
    launcher: ProcessId,
    rule: OthersRule,
    session: String,
    watchdog_command: Vec<OsString>,
    /// Present from the first change on.
    guard: Option<Guard>,
    changes: Vec<Change>,
    /// A line for each value of an undone action that somebody else had changed.
    left: Vec<String>,
    per_run: Vec<Chosen>,
    record: SeparationRecord,
}

impl Separation {
    /// Applies the actions one after the other. An action that is impossible on this machine or has no effect is undone and recorded
    /// as refused; only a failure of the journal is an error.
    pub fn begin(options: &SeparationOptions, launcher: u32) -> Result<Self, QuietError> {
        Self::begin_on(Box::new(SystemTree::real()), journal::directory(), options, launcher)
    }

    /// As [`Separation::begin`], on a given kernel and with a given directory for the journal.
    fn begin_on(
        kernel: Box<dyn Kernel>,
        directory: Option<PathBuf>,
        options: &SeparationOptions,
        launcher: u32,
    ) -> Result<Self, QuietError> {
        let launcher = ProcessId::with_pid(&*kernel, launcher.cast_signed()).ok_or(QuietError::Gone)?;
        let own = ProcessId::own(&*kernel).ok_or(QuietError::Gone)?;
        let mut separation = Self {
            directory,
            launcher,
            rule: OthersRule { keep: options.keep.clone(), only: options.only.clone() },
            session: format!("lotse-{}-{}", own.pid, own.start),
            watchdog_command: options.watchdog.clone(),
            kernel,
            guard: None,
            changes: Vec::new(),
            left: Vec::new(),
            per_run: Vec::new(),
            record: SeparationRecord::default(),
        };
        for chosen in &options.actions {
            separation.add(chosen)?;
        }
        Ok(separation)
    }

    /// The applied and the refused actions, for the result.
    pub fn record(&self) -> &SeparationRecord {
        &self.record
    }

    /// Calls the actions that do something before every run.
    pub fn before_run(&self) -> Result<(), QuietError> {
        for chosen in &self.per_run {
            if let Some(action) = actions::named(chosen.name) {
                action.before_run(&self.context(chosen))?;
            }
        }
        Ok(())
    }

    /// Restores everything. Returns a line for each value that was not restored, with the reason.
    pub fn end(mut self) -> Vec<String> {
        self.restore()
    }

    fn context<'a>(&'a self, chosen: &'a Chosen) -> Context<'a> {
        Context {
            kernel: &*self.kernel,
            launcher: self.launcher,
            argument: chosen.argument.as_deref(),
            rule: &self.rule,
            session: &self.session,
        }
    }

    fn add(&mut self, chosen: &Chosen) -> Result<(), QuietError> {
        let Some(action) = actions::named(chosen.name) else { return Ok(()) };
        let tried = if action.is_per_run() {
            self.try_per_run(action, chosen)
        } else {
            self.try_lasting(action, chosen)?
        };
        let name = action.name().to_owned();
        match tried {
            Ok(effect) => self.record.applied.push(AppliedAction { action: name, effect }),
            Err(reason) => {
                self.record.refused.push(RefusedAction { action: name, reason: reason.to_string() });
            }
        }
        Ok(())
    }

    /// Tries an action that acts before every run.
    fn try_per_run(&mut self, action: &dyn Action, chosen: &Chosen) -> Result<String, QuietError> {
        let context = self.context(chosen);
        action.before_run(&context)?;
        let effect = action.summary(&context, &[]);
        self.per_run.push(chosen.clone());
        Ok(effect)
    }

    /// Applies an action that lasts for the whole measurement. The outer error is that of the journal or the watchdog, after which
    /// nothing may be changed; the inner one is a refusal.
    fn try_lasting(
        &mut self,
        action: &dyn Action,
        chosen: &Chosen,
    ) -> Result<Result<String, QuietError>, QuietError> {
        // The watchdog is started first, because `save` must see it as an exempt process.
        self.guard()?;
        let changes = match action.save(&self.context(chosen)) {
            Ok(changes) => changes,
            Err(refusal) => return Ok(Err(refusal)),
        };
        self.guard()?.journal.intend(&changes)?;
        self.changes.extend(changes.iter().cloned());
        let context = self.context(chosen);
        let checked = action.apply(&context, &changes).and_then(|()| action.check(&context, &changes));
        if checked.is_err() {
            self.take_back(action.name(), &changes)?;
        }
        Ok(checked)
    }

    /// Undoes an action that had no effect. If a value cannot be restored, its changes are undone again at the end.
    fn take_back(&mut self, action: &str, changes: &[Change]) -> Result<(), QuietError> {
        let mut summary = UndoSummary::new(&undo::undo(&*self.kernel, changes));
        self.left.append(&mut summary.changed_by_others);
        if summary.failed.is_empty() {
            self.changes.retain(|change| change.action != action);
            self.guard()?.journal.undone(action)?;
        }
        Ok(())
    }

    /// The journal and the watchdog; started on first use, before any change.
    fn guard(&mut self) -> Result<&mut Guard, QuietError> {
        if self.guard.is_none() {
            self.guard = Some(self.start_guard()?);
        }
        self.guard.as_mut().ok_or(QuietError::NoState)
    }

    fn start_guard(&self) -> Result<Guard, QuietError> {
        let directory = self.directory.as_deref().ok_or(QuietError::NoState)?;
        let reserved = journal::reserve(directory)?;
        let owner = ProcessId::own(&*self.kernel).ok_or(QuietError::Gone)?;
        let mut journal = Journal::create(directory, journal::boot(&*self.kernel)?, owner)?;
        let watchdog = match Watchdog::start(&self.watchdog_command, journal.path()) {
            Ok(watchdog) => watchdog,
            Err(error) => {
                journal::remove(journal.path())?;
                return Err(QuietError::Watchdog(error));
            }
        };
        if let Some(process) = ProcessId::with_pid(&*self.kernel, watchdog.pid()) {
            journal.watched_by(process)?;
        }
        Ok(Guard { journal, watchdog, reserved })
    }

    fn restore(&mut self) -> Vec<String> {
        let changes = std::mem::take(&mut self.changes);
        let UndoSummary { changed_by_others, failed, .. } =
            UndoSummary::new(&undo::undo(&*self.kernel, &changes));
        let complete = failed.is_empty();
        let mut lines = [std::mem::take(&mut self.left), changed_by_others, failed].concat();
        if let Some(Guard { journal, watchdog, reserved }) = self.guard.take() {
            // If something failed, the journal stays for the watchdog, which tries again, and for `lotse bench restore`.
            if complete && let Err(error) = journal::remove(journal.path()) {
                lines.push(error.to_string());
            }
            drop(watchdog);
            drop(reserved);
        }
        lines
    }
}

impl Drop for Separation {
    fn drop(&mut self) {
        // Callers that need the values that were not restored call `end`.
        drop(self.restore());
    }
}

#[cfg(test)]
mod tests;
