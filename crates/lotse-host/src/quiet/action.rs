//! The interface of actions: an action knows which values it changes, reads and writes them, and checks the effect.

use serde::{Deserialize, Serialize};

use super::error::QuietError;
use super::kernel::Kernel;
use super::others::OthersRule;
use super::process::ProcessId;
use crate::launcher::LauncherOptions;

/// Which presets include an action.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Preset {
    /// `usable` and `all`: affects only the measured programs.
    Usable,
    /// `all`: changes the machine or other processes.
    All,
    /// Neither: changes what is measured, so it must be named explicitly.
    ByName,
}

/// Something whose value is changed and restored.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Target {
    /// A file of `/proc` or `/sys`.
    File(String),
    /// A property of a process or thread; the action determines which.
    Process(ProcessId),
    /// The nice value of a session's autogroup, by the name of the group, such as `/autogroup-81`.
    Autogroup(String),
    /// A control group that Lotse creates.
    Group(String),
    /// A swap device or file.
    Swap(String),
}

/// A change of one value.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Change {
    pub(crate) action: String,
    pub(crate) target: Target,
    pub(crate) old: String,
    pub(crate) new: String,
}

impl Change {
    /// A change of an action.
    pub(super) fn new(action: &str, target: Target, old: String, new: impl Into<String>) -> Self {
        Self { action: action.to_owned(), target, old, new: new.into() }
    }
}

impl std::fmt::Display for Target {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::File(file) => write!(f, "`{file}`"),
            Self::Process(process) => write!(f, "process {}", process.pid),
            Self::Autogroup(name) => write!(f, "`{name}`"),
            Self::Group(group) => write!(f, "group `{group}`"),
            Self::Swap(device) => write!(f, "swap `{device}`"),
        }
    }
}

impl std::fmt::Display for Change {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} from {} to {}", self.target, self.old, self.new)
    }
}

/// What an action works with: the kernel, the launcher, and options.
pub(crate) struct Context<'a> {
    pub(crate) kernel: &'a dyn Kernel,
    /// The launcher process, whose properties all runs inherit.
    pub(crate) launcher: ProcessId,
    /// The text after `NAME=`.
    pub(crate) argument: Option<&'a str>,
    /// Which other processes may be touched.
    pub(crate) rule: &'a OthersRule,
    /// A unique name of this measurement.
    pub(crate) session: &'a str,
}

/// One way to reduce disturbances. Most actions only implement `save`, `set` and `present`.
pub(crate) trait Action: Sync {
    /// The name in `--separate`.
    fn name(&self) -> &'static str;

    /// A sentence about what the action does and why.
    fn explanation(&self) -> &'static str;

    /// Which presets include it.
    fn preset(&self) -> Preset;

    /// A description of what may follow `NAME=`; `None` for most actions.
    fn argument(&self) -> Option<&'static str> {
        None
    }

    /// Whether a text is a valid argument.
    fn accepts(&self, _argument: &str) -> bool {
        false
    }

    /// What the action would do on this machine, or why it cannot. Changes nothing.
    fn probe(&self, context: &Context<'_>) -> Result<String, QuietError> {
        /// Maximum number of changes in the text.
        const SHOWN: usize = 2;
        let changes = self.save(context)?;
        if let Some(file) = changes.iter().find_map(|change| unwritable(context.kernel, change)) {
            return Err(QuietError::Forbidden(format!("`{file}` may not be written: it needs root")));
        }
        // There is no launcher yet, only Lotse in its place.
        let launcher = Target::Process(context.launcher).to_string();
        let show = |change: &Change| change.to_string().replace(&launcher, "the programs");
        let shown: Vec<String> = changes.iter().take(SHOWN).map(show).collect();
        Ok(match changes.len() {
            0 => "nothing to change: it is so already".to_owned(),
            count if count > SHOWN => format!("{} and {} more", shown.join(", "), count - SHOWN),
            _ => shown.join(", "),
        })
    }

    /// The changes that the action would make, with the current values, in order.
    fn save(&self, _context: &Context<'_>) -> Result<Vec<Change>, QuietError> {
        Ok(Vec::new())
    }

    /// Sets options that the launcher must be started with.
    fn prepare(&self, _launcher: &mut LauncherOptions) {}

    /// The current value of a target.
    fn present(&self, kernel: &dyn Kernel, target: &Target) -> Result<String, QuietError> {
        match target {
            Target::File(file) => kernel.read(file).map_err(QuietError::file("read", file)),
            _ => Err(QuietError::Gone),
        }
    }

    /// Sets the value of a target.
    fn set(&self, kernel: &dyn Kernel, target: &Target, value: &str) -> Result<(), QuietError> {
        match target {
            Target::File(file) => kernel.write(file, value).map_err(QuietError::file("write", file)),
            _ => Err(QuietError::Gone),
        }
    }

    /// Whether Lotse created the target, so that it is removed whatever its value is.
    fn is_ours(&self, _target: &Target) -> bool {
        false
    }

    /// Cancels a change that was requested but may take effect only later.
    fn cancel(&self, _kernel: &dyn Kernel, _target: &Target) -> Result<(), QuietError> {
        Ok(())
    }

    /// Makes the changes. Targets that no longer exist are skipped.
    fn apply(&self, context: &Context<'_>, changes: &[Change]) -> Result<(), QuietError> {
        changes.iter().try_for_each(|change| match self.set(context.kernel, &change.target, &change.new) {
            Err(QuietError::Gone) => Ok(()),
            result => result,
        })
    }

    /// Checks that the changes had an effect. Returns a text for the report.
    fn check(&self, context: &Context<'_>, changes: &[Change]) -> Result<String, QuietError> {
        for change in changes {
            match self.present(context.kernel, &change.target) {
                Err(QuietError::Gone) => {}
                Err(error) => return Err(error),
                Ok(present) if present == change.new => {}
                Ok(present) => {
                    let Change { target, new, .. } = change;
                    return Err(QuietError::NoEffect(format!("{target} is {present} after writing {new}")));
                }
            }
        }
        Ok(self.summary(context, changes))
    }

    /// A few words about the changes for the report.
    fn summary(&self, _context: &Context<'_>, changes: &[Change]) -> String {
        match changes.first() {
            Some(change) => format!("{} {}", self.name(), change.new),
            None => format!("{} (was so already)", self.name()),
        }
    }

    /// Whether the action does something before every run.
    fn is_per_run(&self) -> bool {
        false
    }

    /// Called before every run, outside the measured time.
    fn before_run(&self, _context: &Context<'_>) -> Result<(), QuietError> {
        Ok(())
    }
}

/// The file of a change if it is not writable.
fn unwritable<'a>(kernel: &dyn Kernel, change: &'a Change) -> Option<&'a str> {
    match &change.target {
        Target::File(file) => (!kernel.is_writable(file)).then_some(file),
        _ => None,
    }
}

/// The changes that set files to a value, without files that already have it.
pub(super) fn set_files(
    action: &dyn Action,
    kernel: &dyn Kernel,
    files: impl IntoIterator<Item = String>,
    new: &str,
) -> Result<Vec<Change>, QuietError> {
    let mut changes = Vec::new();
    for file in files {
        let target = Target::File(file);
        let old = action.present(kernel, &target)?;
        if old != new {
            changes.push(Change::new(action.name(), target, old, new));
        }
    }
    Ok(changes)
}
