//! Real-time scheduling of the measured programs.

use super::super::action::{Action, Change, Context, Preset, Target};
use super::super::error::QuietError;
use super::super::kernel::Kernel;
use super::super::process::{NICE, ProcessId, answer, has_capability};

pub(super) const ACTION: &dyn Action = &Fifo;

/// Default priority, below that of the kernel's own threads.
const DEFAULT: &str = "10";

/// Microseconds of each period that real-time programs may use; -1 means no limit.
const LIMIT: &str = "/proc/sys/kernel/sched_rt_runtime_us";

/// Names of the scheduling policies, indexed by their numbers.
const POLICIES: [&str; 6] = ["other", "fifo", "round-robin", "batch", "iso", "idle"];

struct Fifo;

impl Action for Fifo {
    fn name(&self) -> &'static str {
        "fifo"
    }

    fn explanation(&self) -> &'static str {
        "runs the programs before every ordinary process (SCHED_FIFO); a program that never waits leaves others 5 % of its CPU"
    }

    fn preset(&self) -> Preset {
        Preset::ByName
    }

    fn argument(&self) -> Option<&'static str> {
        Some("a priority from 1 to 99 [default: 10]")
    }

    fn accepts(&self, argument: &str) -> bool {
        argument.parse::<i32>().is_ok_and(|priority| (1..=99).contains(&priority))
    }

    fn save(&self, context: &Context<'_>) -> Result<Vec<Change>, QuietError> {
        let limit = rustix::process::getrlimit(rustix::process::Resource::Rtprio).current;
        if !has_capability(context.kernel, NICE) && limit == Some(0) {
            let text = "real-time scheduling needs CAP_SYS_NICE or a limit (ulimit -r)";
            return Err(QuietError::Forbidden(text.to_owned()));
        }
        if context.kernel.offered(LIMIT) == "-1" {
            let text = format!("`{LIMIT}` is -1: a program that never waits could take the machine for ever");
            return Err(QuietError::Forbidden(text));
        }
        let target = Target::Process(context.launcher);
        let old = self.present(context.kernel, &target)?;
        let new = format!("fifo {}", context.argument.unwrap_or(DEFAULT));
        Ok(if old == new { Vec::new() } else { vec![Change::new(self.name(), target, old, new)] })
    }

    fn present(&self, kernel: &dyn Kernel, target: &Target) -> Result<String, QuietError> {
        let Target::Process(process) = target else { return Err(QuietError::Gone) };
        let (policy, priority) = get(kernel, *process)?;
        let name = usize::try_from(policy).ok().and_then(|policy| POLICIES.get(policy));
        Ok(format!("{} {priority}", name.unwrap_or(&"unknown")))
    }

    fn set(&self, kernel: &dyn Kernel, target: &Target, value: &str) -> Result<(), QuietError> {
        let Target::Process(process) = target else { return Err(QuietError::Gone) };
        let wrong = || QuietError::NoEffect(format!("'{value}' is no policy with a priority"));
        let (policy, priority) = value.split_once(' ').ok_or_else(wrong)?;
        let policy = POLICIES.iter().position(|name| *name == policy).ok_or_else(wrong)?;
        put(kernel, *process, policy as i32, priority.parse().map_err(|_| wrong())?)
    }

    fn summary(&self, _context: &Context<'_>, changes: &[Change]) -> String {
        changes.first().map_or("fifo (was so already)".to_owned(), |change| change.new.clone())
    }
}

fn get(kernel: &dyn Kernel, process: ProcessId) -> Result<(i64, i32), QuietError> {
    process.checked(kernel)?;
    let failed = || QuietError::process("read the scheduling policy", process);
    let mut parameter = libc::sched_param { sched_priority: 0 };
    // SAFETY: the call takes a number.
    let policy = unsafe { libc::sched_getscheduler(process.pid) };
    let policy = answer(policy.into()).map_err(failed())?;
    // SAFETY: the parameter outlives the call, which fills it.
    let read = unsafe { libc::sched_getparam(process.pid, &raw mut parameter) };
    answer(read.into()).map_err(failed())?;
    Ok((policy & !i64::from(libc::SCHED_RESET_ON_FORK), parameter.sched_priority))
}

fn put(kernel: &dyn Kernel, process: ProcessId, policy: i32, priority: i32) -> Result<(), QuietError> {
    process.checked(kernel)?;
    let parameter = libc::sched_param { sched_priority: priority };
    // SAFETY: the parameter outlives the call, which only reads it.
    let done = unsafe { libc::sched_setscheduler(process.pid, policy, &raw const parameter) };
    answer(done.into()).map(|_| ()).map_err(QuietError::process("set the scheduling policy", process))
}

#[cfg(test)]
mod tests {
    use super::super::super::error::QuietError;
    use super::super::super::fake::FakeKernel;
    use super::super::super::trial::{Trial, probed};
    use super::{ACTION, LIMIT};

    #[test]
    fn the_action_is_refused_if_real_time_programs_have_no_limit() {
        let kernel = FakeKernel::new(&[(LIMIT, "-1"), ("/proc/self/status", "CapEff:\t000001ffffffffff")]);
        let refused = probed(ACTION, &kernel).unwrap_err().to_string();
        assert!(refused.contains("is -1"), "{refused}");
    }

    #[test]
    fn the_policy_is_changed_and_put_back() {
        let trial = Trial::new();
        let changes = match trial.try_save(ACTION, Some("3")) {
            Err(QuietError::Forbidden(why)) => return test_support::skip_here(why),
            changes => changes.unwrap(),
        };
        assert_eq!(changes[0].old, "other 0");
        assert_eq!(trial.apply_and_check(ACTION, Some("3"), &changes), "fifo 3");
        // The policy, field 41 of stat.
        assert_eq!(trial.value("stat", 40), "1");
        trial.undo(&changes);
        assert_eq!(trial.value("stat", 40), "0");
    }
}
