//! What an action is: it knows which values it changes, reads and writes them, and says whether that had an effect.

use serde::{Deserialize, Serialize};

use super::error::QuietError;
use super::kernel::Kernel;
use super::others::OthersRule;
use super::process::ProcessId;
use crate::launcher::LauncherOptions;

/// Which presets include an action.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Preset {
    /// `usable` and `all`: it concerns the measured programs alone.
    Usable,
    /// `all`: it changes the machine or touches the processes of others.
    All,
    /// None: it changes what is measured, so it must be asked for by name.
    ByName,
}

/// Something with a value that is changed and put back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Target {
    /// A file of `/proc` or `/sys`.
    File(String),
    /// A property of a process or thread, which one depends on the action.
    Process(ProcessId),
    /// The share of a session in autogroup scheduling, by the group's name, such as `/autogroup-81`.
    Autogroup(String),
    /// A control group that Lotse makes.
    Group(String),
    /// A device or file for swapping.
    Swap(String),
}

/// One value before and after.
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

/// What an action works on.
pub(crate) struct Context<'a> {
    pub(crate) kernel: &'a dyn Kernel,
    /// The process that starts all runs; they inherit its properties.
    pub(crate) launcher: ProcessId,
    /// What the user wrote after `NAME=`.
    pub(crate) argument: Option<&'a str>,
    /// Who may be touched.
    pub(crate) rule: &'a OthersRule,
    /// A name that no other measurement has.
    pub(crate) session: &'a str,
}

/// One way to make the machine quiet. `save`, `set` and `present` are its own; the rest follows unless it differs.
pub(crate) trait Action: Sync {
    /// Its name in `--separate`.
    fn name(&self) -> &'static str;

    /// What it does and what it is good for, in a sentence.
    fn explanation(&self) -> &'static str;

    /// Which presets include it.
    fn preset(&self) -> Preset;

    /// What may follow `NAME=`; nothing for most.
    fn argument(&self) -> Option<&'static str> {
        None
    }

    /// Whether a text is such an argument.
    fn accepts(&self, _argument: &str) -> bool {
        false
    }

    /// What it would do here, or why it cannot. Changes nothing.
    fn probe(&self, context: &Context<'_>) -> Result<String, QuietError> {
        /// Changes to show.
        const SHOWN: usize = 2;
        let changes = self.save(context)?;
        if let Some(file) = changes.iter().find_map(|change| unwritable(context.kernel, change)) {
            return Err(QuietError::Forbidden(format!("`{file}` may not be written: it needs root")));
        }
        // The launcher of a measurement does not exist yet.
        let launcher = Target::Process(context.launcher).to_string();
        let show = |change: &Change| change.to_string().replace(&launcher, "the programs");
        let shown: Vec<String> = changes.iter().take(SHOWN).map(show).collect();
        Ok(match changes.len() {
            0 => "nothing to change: it is so already".to_owned(),
            count if count > SHOWN => format!("{} and {} more", shown.join(", "), count - SHOWN),
            _ => shown.join(", "),
        })
    }

    /// Reads the values that it would change, in the order of changing them.
    fn save(&self, _context: &Context<'_>) -> Result<Vec<Change>, QuietError> {
        Ok(Vec::new())
    }

    /// What the launcher must be started with.
    fn prepare(&self, _launcher: &mut LauncherOptions) {}

    /// The value that a target has now.
    fn present(&self, kernel: &dyn Kernel, target: &Target) -> Result<String, QuietError> {
        match target {
            Target::File(file) => kernel.read(file).map_err(QuietError::file("read", file)),
            _ => Err(QuietError::Gone),
        }
    }

    /// Gives a target a value.
    fn set(&self, kernel: &dyn Kernel, target: &Target, value: &str) -> Result<(), QuietError> {
        match target {
            Target::File(file) => kernel.write(file, value).map_err(QuietError::file("write", file)),
            _ => Err(QuietError::Gone),
        }
    }

    /// Whether Lotse made the target itself, so that it goes away whatever it says.
    fn is_ours(&self, _target: &Target) -> bool {
        false
    }

    /// Takes back a change that was asked for and may come true later.
    fn cancel(&self, _kernel: &dyn Kernel, _target: &Target) -> Result<(), QuietError> {
        Ok(())
    }

    /// Makes the changes. What is gone meanwhile needs none.
    fn apply(&self, context: &Context<'_>, changes: &[Change]) -> Result<(), QuietError> {
        changes.iter().try_for_each(|change| match self.set(context.kernel, &change.target, &change.new) {
            Err(QuietError::Gone) => Ok(()),
            result => result,
        })
    }

    /// Whether the changes had an effect; a text for the report.
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

    /// What was done, in a few words for the report.
    fn summary(&self, _context: &Context<'_>, changes: &[Change]) -> String {
        match changes.first() {
            Some(change) => format!("{} {}", self.name(), change.new),
            None => format!("{} (was so already)", self.name()),
        }
    }

    /// Whether something is to be done before every run.
    fn is_per_run(&self) -> bool {
        false
    }

    /// Done before every run, outside its measured time.
    fn before_run(&self, _context: &Context<'_>) -> Result<(), QuietError> {
        Ok(())
    }
}

/// The file of a change if it may not be written.
fn unwritable<'a>(kernel: &dyn Kernel, change: &'a Change) -> Option<&'a str> {
    match &change.target {
        Target::File(file) => (!kernel.is_writable(file)).then_some(file),
        _ => None,
    }
}

/// The changes that set files to a value, without those that have it.
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
