//! What shall be run, and how. Plain data; `Launcher` does it.

use std::ffi::{OsStr, OsString};
use std::path::PathBuf;
use std::time::Duration;

/// One execution of a program.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Job {
    /// The program and its arguments. A name without a slash is searched in `PATH`; a path with one is
    /// relative to `directory`.
    pub argv: Vec<OsString>,
    /// Its environment.
    pub environment: Environment,
    /// Its working directory; Lotse's if absent.
    pub directory: Option<PathBuf>,
    /// Its standard input.
    pub stdin: Input,
    /// Its standard output.
    pub stdout: Output,
    /// Its standard error.
    pub stderr: Output,
    /// How long it may take before its whole group is stopped.
    pub timeout: Option<Duration>,
    /// The only CPU it may use.
    pub cpu: Option<u32>,
    /// Whether every run has the same addresses, instead of those that the kernel draws.
    pub fixed_addresses: bool,
    /// Whether to read run delay and migrations after the end (some microseconds, outside the measured time).
    pub scheduler: bool,
}

impl Job {
    /// A job without input, whose output goes nowhere.
    pub fn new<S: Into<OsString>>(argv: impl IntoIterator<Item = S>) -> Self {
        Self { argv: argv.into_iter().map(Into::into).collect(), ..Self::default() }
    }
}

/// Lotse's environment, or an empty one, with changes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Environment {
    empty: bool,
    /// Later changes win; `None` removes.
    changes: Vec<(OsString, Option<OsString>)>,
}

impl Environment {
    /// Nothing but what is set later.
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

    /// Whether it is exactly Lotse's own.
    pub fn is_inherited(&self) -> bool {
        !self.empty && self.changes.is_empty()
    }

    /// The value a variable will have.
    pub fn get(&self, name: &OsStr) -> Option<OsString> {
        match self.changes.iter().rev().find(|(changed, _)| changed == name) {
            Some((_, value)) => value.clone(),
            None if self.empty => None,
            None => std::env::var_os(name),
        }
    }

    /// All variables: Lotse's in their order, then the new ones in theirs.
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
    /// Nothing: `/dev/null`.
    #[default]
    Null,
    /// Lotse's own. If that is a terminal, the program is in its foreground while it runs.
    Inherit,
    /// A file.
    File(PathBuf),
}

/// Where a program writes to.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Output {
    /// Nowhere: `/dev/null`.
    #[default]
    Null,
    /// Lotse's own.
    Inherit,
    /// A file, created or emptied.
    File(PathBuf),
    /// Into the report: the first `limit` bytes are kept, all are counted.
    Capture {
        /// Bytes to keep.
        limit: usize,
    },
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
