//! Stops other processes (SIGSTOP) during the measurement.

use std::time::{Duration, Instant};

use rustix::process::Signal;

use super::super::action::{Action, Change, Context, Preset, Target};
use super::super::error::QuietError;
use super::super::kernel::Kernel;
use super::super::others::some_others;

pub(super) const ACTION: &dyn Action = &StopOthers;

/// How long a process may take to stop: a process that waits for a disk stops only afterwards.
const PATIENCE: Duration = Duration::from_millis(500);

struct StopOthers;

impl Action for StopOthers {
    fn name(&self) -> &'static str {
        "stop-others"
    }

    fn explanation(&self) -> &'static str {
        "stops other processes (SIGSTOP) and lets them go on afterwards, except those that Lotse or the login needs"
    }

    fn preset(&self) -> Preset {
        Preset::All
    }

    fn save(&self, context: &Context<'_>) -> Result<Vec<Change>, QuietError> {
        let others = some_others(context.kernel, context.rule)?;
        // Processes that are already stopped must stay stopped afterwards.
        let moving = others.iter().filter(|stat| !matches!(stat.state, 'T' | 't'));
        let stop = |stat: &super::super::process::ProcessStat| {
            Change::new(self.name(), Target::Process(stat.id), "running".to_owned(), "stopped")
        };
        Ok(moving.map(stop).collect())
    }

    fn present(&self, kernel: &dyn Kernel, target: &Target) -> Result<String, QuietError> {
        let Target::Process(process) = target else { return Err(QuietError::Gone) };
        let stopped = process.stat(kernel)?.state == 'T';
        Ok(if stopped { "stopped" } else { "running" }.to_owned())
    }

    fn set(&self, kernel: &dyn Kernel, target: &Target, value: &str) -> Result<(), QuietError> {
        let Target::Process(process) = target else { return Err(QuietError::Gone) };
        process.signal(kernel, if value == "stopped" { Signal::STOP } else { Signal::CONT })
    }

    /// Continues a process whose stop is still pending: SIGSTOP takes effect when the process runs the next time, and until then its
    /// state does not show it.
    fn cancel(&self, kernel: &dyn Kernel, target: &Target) -> Result<(), QuietError> {
        self.set(kernel, target, "running")
    }

    fn check(&self, context: &Context<'_>, changes: &[Change]) -> Result<String, QuietError> {
        let begin = Instant::now();
        loop {
            let present = |change: &Change| self.present(context.kernel, &change.target);
            let moving = changes.iter().filter(|change| present(change).is_ok_and(|now| now != change.new));
            match moving.count() {
                0 => return Ok(format!("{} processes stopped", changes.len())),
                count if begin.elapsed() > PATIENCE && count == changes.len() => {
                    return Err(QuietError::NoEffect(format!("none of {count} processes stopped")));
                }
                count if begin.elapsed() > PATIENCE => {
                    return Ok(format!("{} of {} processes stopped", changes.len() - count, changes.len()));
                }
                _ => std::thread::sleep(Duration::from_millis(2)),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::error::QuietError;
    use super::super::super::others::OthersRule;
    use super::super::super::trial::Trial;
    use super::ACTION;

    #[test]
    fn a_process_is_stopped_and_continued() {
        let mut trial = Trial::in_own_session();
        assert!(
            matches!(trial.try_save(ACTION, None), Err(QuietError::Absent(_))),
            "a child of ours is no other"
        );
        trial.disown();
        let changes = trial.save(ACTION, None);
        assert_eq!(changes.len(), 1);
        assert_eq!(trial.apply_and_check(ACTION, None, &changes), "1 processes stopped");
        assert_eq!(trial.value("stat", 2), "T");
        trial.undo(&changes);
        assert_ne!(trial.value("stat", 2), "T");
        // Undoing is idempotent.
        trial.undo(&changes);
        assert_ne!(trial.value("stat", 2), "T");
    }

    /// A frozen process handles no signals until it is thawed.
    #[test]
    fn a_pending_stop_is_cancelled() {
        let mut trial = Trial::in_own_session();
        trial.disown();
        let changes = trial.save(ACTION, None);
        let root = std::path::Path::new("/sys/fs/cgroup/freezer");
        let group = root.join(format!("lotse-test-{}", trial.child.pid));
        let write = |path: std::path::PathBuf, text: &str| std::fs::write(path, text).unwrap();
        if std::fs::create_dir(&group).is_err() {
            return test_support::skip_here("no control group can freeze a process here");
        }
        write(group.join("cgroup.procs"), &trial.child.pid.to_string());
        write(group.join("freezer.state"), "FROZEN");
        while std::fs::read_to_string(group.join("freezer.state")).unwrap() != "FROZEN\n" {}
        ACTION.apply(&trial.context(None), &changes).unwrap();
        assert_eq!(ACTION.present(&trial.tree, &changes[0].target).unwrap(), "running");
        trial.undo(&changes);
        write(group.join("freezer.state"), "THAWED");
        write(root.join("cgroup.procs"), &trial.child.pid.to_string());
        std::fs::remove_dir(&group).unwrap();
        std::thread::sleep(std::time::Duration::from_millis(50));
        assert_ne!(trial.value("stat", 2), "T");
    }

    #[test]
    fn nothing_is_stopped_that_may_not_be() {
        let mut trial = Trial::in_own_session();
        trial.disown();
        trial.rule = OthersRule { only: Some(vec![]), ..OthersRule::default() };
        let refused = trial.try_save(ACTION, None).unwrap_err().to_string();
        assert_eq!(refused, "there is no process of others that may be touched");
    }
}
