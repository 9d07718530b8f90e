//! What to run and how: plain data for the `Launcher`.

use std::ffi::{OsStr, OsString};
use std::path::PathBuf;
use std::time::Duration;

/// One execution of a program.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Job {
    /// The program and its arguments. A name without a slash is searched in `PATH`; a path with one is
    /// relative to `directory`.
    pub argv: Vec<OsString>,
    pub environment: Environment,
    /// The working directory; Lotse's own if absent.
    pub directory: Option<PathBuf>,
    pub stdin: Input,
    pub stdout: Output,
    pub stderr: Output,
    /// Time limit after which the process group is stopped.
    pub timeout: Option<Duration>,
    /// The only CPU that the program may use.
    pub cpu: Option<u32>,
    /// Whether to disable address space layout randomisation.
    pub fixed_addresses: bool,
    /// Whether to read run delay and migrations after the end, which takes some microseconds outside the measured time.
    pub scheduler: bool,
}

impl Job {
    /// A job whose input is empty and whose output is discarded.
    pub fn new<S: Into<OsString>>(argv: impl IntoIterator<Item = S>) -> Self {
        Self { argv: argv.into_iter().map(Into::into).collect(), ..Self::default() }
    }
}

/// Lotse's environment, or an empty one, with changes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Environment {
    empty: bool,
    /// Later changes override earlier ones; `None` removes a variable.
    changes: Vec<(OsString, Option<OsString>)>,
}

impl Environment {
    /// An environment without Lotse's variables.
    pub fn empty() -> Self {
        Self { empty: true, changes: Vec::new() }
    }

    /// Sets a variable.
    pub fn set(&mut self, name: impl Into<OsString>, value: impl Into<OsString>) -> &mut Self {
        self.changes.push((name.into(), Some(value.into())));
        self
    }

    /// Removes a variable.
    pub fn remove(&mut self, name: impl Into<OsString>) -> &mut Self {
        self.changes.push((name.into(), None));
        self
    }

    /// Whether it equals Lotse's own environment.
    pub fn is_inherited(&self) -> bool {
        !self.empty && self.changes.is_empty()
    }

    /// The value that a variable will have.
    pub fn get(&self, name: &OsStr) -> Option<OsString> {
        match self.changes.iter().rev().find(|(changed, _)| changed == name) {
            Some((_, value)) => value.clone(),
            None if self.empty => None,
            None => std::env::var_os(name),
        }
    }

    /// All variables: Lotse's in their order, then the new ones in the order in which they were set.
    pub fn variables(&self) -> Vec<(OsString, OsString)> {
        let base = if self.empty { Vec::new() } else { std::env::vars_os().collect() };
        self.changes.iter().fold(base, |mut all, (name, value)| {
            let at = all.iter().position(|(known, _)| known == name);
            match (at, value) {
                (Some(at), Some(value)) => all[at].1.clone_from(value),
                (None, Some(value)) => all.push((name.clone(), value.clone())),
                (Some(at), None) => drop(all.remove(at)),
                (None, None) => {}
            }
            all
        })
    }
}

/// Where a program reads from.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Input {
    /// `/dev/null`.
    #[default]
    Null,
    /// Lotse's own. If that is a terminal, the program is in its foreground while it runs.
    Inherit,
    File(PathBuf),
}

/// Where a program writes to.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Output {
    /// `/dev/null`.
    #[default]
    Null,
    /// Lotse's own.
    Inherit,
    /// A file, created or emptied.
    File(PathBuf),
    /// Into the report: the first `limit` bytes are kept, and all bytes are counted.
    Capture { limit: usize },
}

#[cfg(test)]
mod tests {
    use super::Environment;
    use std::ffi::OsStr;

    #[test]
    fn changes_are_applied_in_order() {
        let mut environment = Environment::empty();
        environment.set("A", "1").set("B", "2").remove("A").set("B", "3").set("C", "4");
        let expected = [("B", "3"), ("C", "4")].map(|(name, value)| (name.into(), value.into()));
        assert_eq!(environment.variables(), expected);
        assert_eq!(environment.get(OsStr::new("A")), None);
        assert_eq!(environment.get(OsStr::new("B")), Some("3".into()));
    }

    #[test]
    fn the_default_is_our_own() {
        let environment = Environment::default();
        assert!(environment.is_inherited());
        assert_eq!(environment.variables(), std::env::vars_os().collect::<Vec<_>>());
        assert_eq!(environment.get(OsStr::new("PATH")), std::env::var_os("PATH"));
    }
}
