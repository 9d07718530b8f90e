//! Restores saved values, each only if the current value is still the one that Lotse wrote. Undoing is idempotent.

use super::action::{Change, Target};
use super::actions;
use super::error::QuietError;
use super::kernel::Kernel;

/// The result of undoing a change.
#[derive(Debug)]
pub(super) enum Undone {
    Restored,
    /// The target has the saved value already.
    AsBefore,
    /// The process or session has ended.
    Gone,
    /// Somebody else changed the value meanwhile, so it is not restored.
    ChangedByOthers {
        /// The current value.
        present: String,
    },
    Failed(QuietError),
}

/// Undoes changes in reverse order.
pub(super) fn undo<'c>(kernel: &dyn Kernel, changes: &'c [Change]) -> Vec<(&'c Change, Undone)> {
    changes.iter().rev().map(|change| (change, undo_one(kernel, change))).collect()
}

/// Undoes one change, depending on the current value of its target:
///
/// ```text
/// the old value                          nothing to restore; cancels a change that may still be pending
/// the new value, or created by Lotse     writes the old value
/// another value                          somebody else changed it: left alone
/// ```
fn undo_one(kernel: &dyn Kernel, change: &Change) -> Undone {
    if let Target::File(file) | Target::Group(file) = &change.target
        && !is_pseudo_file(file)
    {
        return Undone::Failed(QuietError::Absent(format!("`{file}` is no file of /proc or /sys")));
    }
    let Some(action) = actions::named(&change.action) else {
        let text = format!("this version of Lotse has no action {}", change.action);
        return Undone::Failed(QuietError::Absent(text));
    };
    match action.present(kernel, &change.target) {
        Err(QuietError::Gone) => Undone::Gone,
        Err(error) => Undone::Failed(error),
        Ok(present) if present == change.old => match action.cancel(kernel, &change.target) {
            Ok(()) => Undone::AsBefore,
            Err(QuietError::Gone) => Undone::Gone,
            Err(error) => Undone::Failed(error),
        },
        Ok(present) if present == change.new || action.is_ours(&change.target) => {
            match action.set(kernel, &change.target, &change.old) {
                Ok(()) => Undone::Restored,
                Err(QuietError::Gone) => Undone::Gone,
                Err(error) => Undone::Failed(error),
            }
        }
        Ok(present) => Undone::ChangedByOthers { present },
    }
}

/// Whether a path is below `/proc` or `/sys`: a manipulated journal must not write any other file.
fn is_pseudo_file(file: &str) -> bool {
    (file.starts_with("/proc/") || file.starts_with("/sys/")) && !file.contains("/../")
}

/// The results of undoing several changes, for the user.
#[derive(Debug, Default)]
pub(super) struct UndoSummary {
    /// Number of restored values.
    pub(super) restored: usize,
    /// A line for each value that somebody else changed.
    pub(super) changed_by_others: Vec<String>,
    /// A line for each value that could not be restored.
    pub(super) failed: Vec<String>,
}

impl UndoSummary {
    pub(super) fn new(undone: &[(&Change, Undone)]) -> Self {
        let mut summary = Self::default();
        for (change, undone) in undone {
            let Change { action, target, old, new } = change;
            match undone {
                Undone::Restored => summary.restored += 1,
                Undone::AsBefore | Undone::Gone => {}
                Undone::ChangedByOthers { present } => summary.changed_by_others.push(format!(
                    "{action}: {target} was {old}, Lotse wrote {new}, and now it is {present}: somebody else changed it, so it is left so"
                )),
                Undone::Failed(error) => {
                    summary.failed.push(format!("{action}: {target} could not be put back to {old}: {error}"));
                }
            }
        }
        summary
    }
}

#[cfg(test)]
mod tests {
    use super::super::action::{Change, Target};
    use super::super::fake::FakeKernel;
    use super::{UndoSummary, undo};

    const FILE: &str = "/sys/devices/system/cpu/intel_pstate/no_turbo";

    fn undone(present: &str, prepare: impl Fn(&FakeKernel)) -> (UndoSummary, String) {
        let kernel = FakeKernel::new(&[(FILE, present)]);
        prepare(&kernel);
        let target = Target::File(FILE.to_owned());
        let changes = [Change { action: "turbo".into(), target, old: "0".into(), new: "1".into() }];
        let summary = UndoSummary::new(&undo(&kernel, &changes));
        (summary, kernel.text(FILE))
    }

    #[test]
    fn only_what_lotse_wrote_is_put_back() {
        let (ours, after) = undone("1", |_| {});
        assert_eq!((ours.restored, after.as_str()), (1, "0"));
        let (back, after) = undone("0", |_| {});
        assert_eq!((back.restored, back.changed_by_others.len(), after.as_str()), (0, 0, "0"));
        let (changed, after) = undone("2", |_| {});
        assert_eq!((changed.restored, after.as_str()), (0, "2"));
        assert!(
            changed.changed_by_others[0].contains("now it is 2: somebody else changed it"),
            "{:?}",
            changed.changed_by_others
        );
    }

    #[test]
    fn failures_are_reported() {
        let (locked, after) = undone("1", |kernel| {
            kernel.forbids(FILE);
        });
        assert_eq!(after, "1");
        assert!(locked.failed[0].contains(FILE), "{:?}", locked.failed);
        let kernel = FakeKernel::new(&[]);
        let target = Target::File(FILE.to_owned());
        let changes = [Change { action: "newer".into(), target, old: "0".into(), new: "1".into() }];
        assert!(UndoSummary::new(&undo(&kernel, &changes)).failed[0].contains("has no action newer"));
    }

    #[test]
    fn nothing_outside_of_the_kernel_s_files_is_written() {
        for file in ["/etc/passwd", "/sys/../etc/passwd", "etc"] {
            let kernel = FakeKernel::new(&[(file, "1")]);
            let target = Target::File(file.to_owned());
            let changes = [Change { action: "turbo".into(), target, old: "0".into(), new: "1".into() }];
            assert_eq!(UndoSummary::new(&undo(&kernel, &changes)).failed.len(), 1, "{file}");
            assert!(kernel.written.borrow().is_empty());
        }
    }

    #[test]
    fn the_last_change_is_undone_first() {
        let (first, second) = ("/sys/devices/system/cpu/cpu1/online", "/sys/devices/system/cpu/cpu3/online");
        let kernel = FakeKernel::new(&[(first, "0"), (second, "0")]);
        let change = |file: &str| Change {
            action: "smt".into(),
            target: Target::File(file.to_owned()),
            old: "1".into(),
            new: "0".into(),
        };
        undo(&kernel, &[change(first), change(second)]);
        assert_eq!(*kernel.written.borrow(), [format!("{second} 1"), format!("{first} 1")]);
    }
}
