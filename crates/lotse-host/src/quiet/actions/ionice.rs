//! Raises the I/O priority of the measured programs.

use super::super::action::{Action, Change, Context, Preset, Target};
use super::super::error::QuietError;
use super::super::kernel::Kernel;
use super::super::process::{ADMIN, NICE, ProcessId, answer, has_capability};

pub(super) const ACTION: &dyn Action = &Ionice;

/// Names of the I/O classes, indexed by their numbers.
const CLASSES: [&str; 4] = ["none", "realtime", "best-effort", "idle"];

/// The class is stored in the bits above the level.
const CLASS_SHIFT: i64 = 13;

struct Ionice;

impl Action for Ionice {
    fn name(&self) -> &'static str {
        "ionice"
    }

    fn explanation(&self) -> &'static str {
        "lets disk accesses of the programs go first; only where the disk's scheduler is mq-deadline or bfq"
    }

    fn preset(&self) -> Preset {
        Preset::Usable
    }

    fn argument(&self) -> Option<&'static str> {
        Some("realtime, best-effort or idle [default: realtime for root, else best-effort]")
    }

    fn accepts(&self, argument: &str) -> bool {
        CLASSES[1..].contains(&argument)
    }

    fn save(&self, context: &Context<'_>) -> Result<Vec<Change>, QuietError> {
        let may = [ADMIN, NICE].into_iter().any(|number| has_capability(context.kernel, number));
        let class = context.argument.unwrap_or(if may { "realtime" } else { "best-effort" });
        if class == "realtime" && !may {
            let text = "the class realtime needs CAP_SYS_NICE: try ionice=best-effort";
            return Err(QuietError::Forbidden(text.to_owned()));
        }
        if !heeds_priorities(context.kernel) {
            let text = "no disk here has a scheduler that heeds priorities (mq-deadline, bfq)";
            return Err(QuietError::Absent(text.to_owned()));
        }
        let target = Target::Process(context.launcher);
        let old = self.present(context.kernel, &target)?;
        let new = if class == "idle" { "idle 0".to_owned() } else { format!("{class} 0") };
        Ok(if old == new { Vec::new() } else { vec![Change::new(self.name(), target, old, new)] })
    }

    fn present(&self, kernel: &dyn Kernel, target: &Target) -> Result<String, QuietError> {
        let Target::Process(process) = target else { return Err(QuietError::Gone) };
        let value = get(kernel, *process)?;
        let class = usize::try_from(value >> CLASS_SHIFT).ok().and_then(|class| CLASSES.get(class));
        let level = value & ((1 << CLASS_SHIFT) - 1);
        Ok(format!("{} {level}", class.unwrap_or(&"unknown")))
    }

    fn set(&self, kernel: &dyn Kernel, target: &Target, value: &str) -> Result<(), QuietError> {
        let Target::Process(process) = target else { return Err(QuietError::Gone) };
        let wrong = || QuietError::NoEffect(format!("'{value}' is no class with a level"));
        let (class, level) = value.split_once(' ').ok_or_else(wrong)?;
        let class = CLASSES.iter().position(|name| *name == class).ok_or_else(wrong)?;
        let level: i64 = level.parse().map_err(|_| wrong())?;
        // The kernel rejects a level for a process without a class.
        put(kernel, *process, (class as i64) << CLASS_SHIFT | if class == 0 { 0 } else { level })
    }

    fn summary(&self, _context: &Context<'_>, changes: &[Change]) -> String {
        let class = changes.first().and_then(|change| change.new.split(' ').next());
        format!("ionice {}", class.unwrap_or("(was so already)"))
    }
}

/// Whether the scheduler of any disk respects priorities.
fn heeds_priorities(kernel: &dyn Kernel) -> bool {
    let disks = kernel.entries("/sys/block");
    let disks =
        disks.iter().filter(|disk| !["loop", "ram", "zram"].iter().any(|kind| disk.starts_with(kind)));
    disks
        .filter_map(|disk| kernel.read(&format!("/sys/block/{disk}/queue/scheduler")).ok())
        .any(|text| text.contains("[mq-deadline]") || text.contains("[bfq]"))
}

/// `IOPRIO_WHO_PROCESS`.
const WHO_PROCESS: i64 = 1;

fn get(kernel: &dyn Kernel, process: ProcessId) -> Result<i64, QuietError> {
    process.checked(kernel)?;
    // SAFETY: the call takes numbers only.
    let value = unsafe { libc::syscall(libc::SYS_ioprio_get, WHO_PROCESS, i64::from(process.pid)) };
    answer(value).map_err(QuietError::process("read the disk priority", process))
}

fn put(kernel: &dyn Kernel, process: ProcessId, value: i64) -> Result<(), QuietError> {
    process.checked(kernel)?;
    // SAFETY: the call takes numbers only.
    let done = unsafe { libc::syscall(libc::SYS_ioprio_set, WHO_PROCESS, i64::from(process.pid), value) };
    answer(done).map(|_| ()).map_err(QuietError::process("set the disk priority", process))
}

#[cfg(test)]
mod tests {
    use super::super::super::error::QuietError;
    use super::super::super::fake::FakeKernel;
    use super::super::super::trial::Trial;
    use super::{ACTION, heeds_priorities};

    #[test]
    fn the_class_is_changed_and_put_back() {
        let trial = Trial::new();
        let changes = match trial.try_save(ACTION, Some("best-effort")) {
            Err(QuietError::Absent(why)) => return test_support::skip_here(why),
            changes => changes.unwrap(),
        };
        let effect = trial.apply_and_check(ACTION, Some("best-effort"), &changes);
        assert_eq!(effect, "ionice best-effort");
        assert_eq!(ACTION.present(&trial.tree, &changes[0].target).unwrap(), "best-effort 0");
        trial.undo(&changes);
        assert_eq!(ACTION.present(&trial.tree, &changes[0].target).unwrap(), changes[0].old);
    }

    #[test]
    fn disks_without_a_scheduler_heed_nothing() {
        let kernel = FakeKernel::new(&[
            ("/sys/block/loop0/queue/scheduler", "none [mq-deadline]"),
            ("/sys/block/nvme0n1/queue/scheduler", "[none] mq-deadline"),
        ]);
        assert!(!heeds_priorities(&kernel));
        kernel.put("/sys/block/sda/queue/scheduler", "none mq-deadline [bfq]");
        assert!(heeds_priorities(&kernel));
    }
}
