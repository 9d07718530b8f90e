//! Helpers for tests of actions: on real processes that the test starts, and on fake kernels.

use std::io::BufRead as _;
use std::os::unix::process::CommandExt as _;
use std::process::{Child, Command, Stdio};

use rustix::process::Signal;

use super::action::{Action, Change, Context};
use super::error::QuietError;
use super::fake::FakeKernel;
use super::others::OthersRule;
use super::process::{ProcessId, own_pid};
use super::undo::{self, Undone};
use crate::tree::SystemTree;

/// A child process on which actions are tried. `rule` allows this process only, so that nothing else is touched.
pub(super) struct Trial {
    pub(super) tree: SystemTree,
    pub(super) child: ProcessId,
    pub(super) rule: OthersRule,
    process: Option<Child>,
    orphan: bool,
    session: String,
}

impl Trial {
    /// A child in the test's session.
    pub(super) fn new() -> Self {
        Self::with_child(Command::new("sleep").arg("600").spawn().unwrap())
    }

    /// A child with a session, and so an autogroup, of its own.
    pub(super) fn in_own_session() -> Self {
        Self::with_child(own_session(Command::new("sleep").arg("600")).spawn().unwrap())
    }

    fn with_child(process: Child) -> Self {
        let mut trial = Self::with_pid(process.id());
        trial.process = Some(process);
        trial
    }

    /// A process that the test does not end.
    pub(super) fn with_pid(pid: u32) -> Self {
        let tree = SystemTree::real();
        let mut trial = Self {
            child: ProcessId::own(&tree).unwrap(),
            tree,
            rule: OthersRule { only: Some(Vec::new()), ..OthersRule::default() },
            process: None,
            orphan: false,
            session: String::new(),
        };
        trial.set_child(pid);
        trial
    }

    fn set_child(&mut self, pid: u32) {
        self.child = ProcessId::with_pid(&self.tree, pid.cast_signed()).unwrap();
        self.rule.only = Some(vec![pid]);
        self.session = format!("lotse-test-{}-{pid}", own_pid());
    }

    /// Replaces the child by a process whose parent is not the test, in a session of its own.
    pub(super) fn disown(&mut self) {
        let mut shell = Command::new("sh");
        shell.args(["-c", "sleep 600 >/dev/null & echo $!"]).stdout(Stdio::piped());
        let mut shell = own_session(&mut shell).spawn().unwrap();
        let mut line = String::new();
        std::io::BufReader::new(shell.stdout.take().unwrap()).read_line(&mut line).unwrap();
        shell.wait().unwrap();
        self.end();
        self.orphan = true;
        self.set_child(line.trim().parse().unwrap());
    }

    pub(super) fn context<'a>(&'a self, argument: Option<&'a str>) -> Context<'a> {
        Context {
            kernel: &self.tree,
            launcher: self.child,
            argument,
            rule: &self.rule,
            session: &self.session,
        }
    }

    pub(super) fn try_save(
        &self,
        action: &dyn Action,
        argument: Option<&str>,
    ) -> Result<Vec<Change>, QuietError> {
        action.save(&self.context(argument))
    }

    pub(super) fn save(&self, action: &dyn Action, argument: Option<&str>) -> Vec<Change> {
        self.try_save(action, argument).unwrap()
    }

    pub(super) fn apply_and_check(
        &self,
        action: &dyn Action,
        argument: Option<&str>,
        changes: &[Change],
    ) -> String {
        let context = self.context(argument);
        action.apply(&context, changes).unwrap();
        action.check(&context, changes).unwrap()
    }

    /// Undoes changes, and checks that each value is as before.
    #[track_caller]
    pub(super) fn undo(&self, changes: &[Change]) {
        undo_all(&self.tree, changes);
    }

    /// A file of the child's `/proc` directory.
    pub(super) fn file(&self, name: &str) -> String {
        std::fs::read_to_string(format!("/proc/{}/{name}", self.child.pid)).unwrap().trim().to_owned()
    }

    /// A field of a file of the child's `/proc` directory, counted from 0; the name `sleep` contains no spaces.
    pub(super) fn value(&self, name: &str, place: usize) -> String {
        self.file(name).split_whitespace().nth(place).unwrap().to_owned()
    }

    /// A line of the child's `status`.
    pub(super) fn status(&self, key: &str) -> String {
        let status = self.file("status");
        let line = status.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix(':'));
        line.unwrap().trim().to_owned()
    }

    fn end(&mut self) {
        match self.process.take() {
            Some(mut child) => {
                child.kill().unwrap();
                child.wait().unwrap();
            }
            // The process may have ended already.
            None if self.orphan => {
                drop(self.child.signal(&self.tree, Signal::KILL));
            }
            None => {}
        }
    }
}

impl Drop for Trial {
    fn drop(&mut self) {
        self.end();
    }
}

fn own_session(command: &mut Command) -> &mut Command {
    // SAFETY: between fork and exec it makes one system call.
    unsafe { command.pre_exec(|| rustix::process::setsid().map(|_| ()).map_err(Into::into)) }
}

/// Undoes changes, and checks that each value is as before or no longer exists.
#[track_caller]
pub(super) fn undo_all(kernel: &dyn super::kernel::Kernel, changes: &[Change]) {
    for (change, undone) in undo::undo(kernel, changes) {
        assert!(matches!(undone, Undone::Restored | Undone::AsBefore | Undone::Gone), "{change}: {undone:?}");
    }
}

/// A context on a fake kernel, with Lotse itself as the launcher.
pub(super) fn fake_context<'a>(kernel: &'a FakeKernel, argument: Option<&'a str>) -> Context<'a> {
    static NO_PROCESS: OthersRule = OthersRule { keep: Vec::new(), only: Some(Vec::new()) };
    let pid = own_pid();
    let launcher = ProcessId { pid, start: 1000 + pid.cast_unsigned() as u64 };
    Context { kernel, launcher, argument, rule: &NO_PROCESS, session: "lotse-test" }
}

/// The text about the effect of an action that is applied to a fake kernel.
pub(super) fn effect(
    action: &dyn Action,
    kernel: &FakeKernel,
    argument: Option<&str>,
) -> Result<String, QuietError> {
    let context = fake_context(kernel, argument);
    let changes = action.save(&context)?;
    action.apply(&context, &changes)?;
    action.check(&context, &changes)
}

/// What an action would do on a fake kernel; checks that this changes nothing.
pub(super) fn probed(action: &dyn Action, kernel: &FakeKernel) -> Result<String, QuietError> {
    let before = kernel.snapshot();
    let probed = action.probe(&fake_context(kernel, None));
    assert_eq!(kernel.snapshot(), before);
    probed
}

/// Applies an action to a fake kernel and undoes it. Returns the files that it changed.
pub(super) fn round_trip(action: &dyn Action, kernel: &FakeKernel, argument: Option<&str>) -> Vec<String> {
    let before = kernel.snapshot();
    let context = fake_context(kernel, argument);
    let changes = action.save(&context).unwrap();
    assert_eq!(kernel.snapshot(), before, "saving changes nothing");
    action.apply(&context, &changes).unwrap();
    action.check(&context, &changes).unwrap();
    let during = kernel.snapshot();
    undo_all(kernel, &changes);
    // Undoing is idempotent.
    undo_all(kernel, &changes);
    let mut after = kernel.snapshot();
    // The fake swap table does not keep the used size.
    after.insert("/proc/swaps".to_owned(), before.get("/proc/swaps").map_or("", String::as_str).to_owned());
    let lost: Vec<_> = before.iter().filter(|(file, text)| after.get(*file) != Some(text)).collect();
    assert!(lost.is_empty(), "{lost:?}");
    let changed = before.iter().filter(|(file, text)| during.get(*file) != Some(text));
    changed.map(|(file, text)| format!("{file}: {text} -> {}", during[file])).collect()
}
