//! Lowers the priority of other processes.

use std::collections::BTreeMap;

use super::super::action::{Action, Change, Context, Preset, Target};
use super::super::error::QuietError;
use super::super::kernel::Kernel;
use super::super::others::some_others;
use super::super::priority;
use super::super::process::{self, ProcessId};

pub(super) const ACTION: &dyn Action = &NiceOthers;

/// The lowest priority.
const DEFAULT: &str = "19";

struct NiceOthers;

impl Action for NiceOthers {
    fn name(&self) -> &'static str {
        "nice-others"
    }

    fn explanation(&self) -> &'static str {
        "gives other processes a lower priority, and their whole sessions where the kernel divides the CPU by session"
    }

    fn preset(&self) -> Preset {
        Preset::All
    }

    fn argument(&self) -> Option<&'static str> {
        Some("a nice value from 1 to 19 [default: 19]")
    }

    fn accepts(&self, argument: &str) -> bool {
        argument.parse::<i32>().is_ok_and(|nice| (1..=19).contains(&nice))
    }

    fn save(&self, context: &Context<'_>) -> Result<Vec<Change>, QuietError> {
        if !priority::may_lower(context.kernel, -20) {
            let text = "a priority that was lowered cannot be raised again without CAP_SYS_NICE";
            return Err(QuietError::Forbidden(text.to_owned()));
        }
        let new = context.argument.unwrap_or(DEFAULT);
        let others: Vec<ProcessId> =
            some_others(context.kernel, context.rule)?.into_iter().map(|stat| stat.id).collect();
        let mut changes = Vec::new();
        let mut single = others.clone();
        if priority::divides_by_session(context.kernel, context.launcher.pid) {
            let groups = groups_of(context.kernel, &others)?;
            let is_grouped = |process: &ProcessId| {
                priority::autogroup(context.kernel, process.pid)
                    .is_some_and(|(name, _)| groups.contains_key(&name))
            };
            single.retain(|process| !is_grouped(process));
            let change =
                |(name, old): (String, String)| Change::new(self.name(), Target::Autogroup(name), old, new);
            changes.extend(groups.into_iter().map(change));
        }
        for thread in single.into_iter().flat_map(|process| process::threads(context.kernel, process)) {
            if let Ok(old) = priority::nice(context.kernel, thread) {
                changes.push(Change::new(self.name(), Target::Process(thread), old, new));
            }
        }
        let lower = |text: &str| text.parse::<i32>().unwrap_or(0);
        // Processes with a higher nice value keep it.
        changes.retain(|change| lower(&change.old) < lower(new));
        Ok(changes)
    }

    fn present(&self, kernel: &dyn Kernel, target: &Target) -> Result<String, QuietError> {
        super::nice::ACTION.present(kernel, target)
    }

    fn set(&self, kernel: &dyn Kernel, target: &Target, value: &str) -> Result<(), QuietError> {
        super::nice::ACTION.set(kernel, target, value)
    }

    fn summary(&self, _context: &Context<'_>, changes: &[Change]) -> String {
        let sessions = changes.iter().filter(|change| matches!(change.target, Target::Autogroup(_))).count();
        let threads = changes.len() - sessions;
        let nice = changes.first().map_or(DEFAULT, |change| change.new.as_str());
        match (sessions, threads) {
            (0, _) => format!("{threads} threads of others nice {nice}"),
            (_, 0) => format!("{sessions} sessions of others autogroup {nice}"),
            _ => format!("{sessions} sessions of others autogroup {nice}, {threads} threads nice {nice}"),
        }
    }
}

/// The autogroups whose processes may all be touched, with their nice values. A session with an exempt process is not changed.
fn groups_of(kernel: &dyn Kernel, others: &[ProcessId]) -> Result<BTreeMap<String, String>, QuietError> {
    let mut groups: BTreeMap<String, (String, bool)> = BTreeMap::new();
    for stat in process::all(kernel)? {
        let Some((name, nice)) = priority::autogroup(kernel, stat.id.pid) else { continue };
        let group = groups.entry(name).or_insert((nice, true));
        group.1 &= others.contains(&stat.id);
    }
    let touchable = groups.into_iter().filter(|(_, (_, all))| *all);
    Ok(touchable.map(|(name, (nice, _))| (name, nice)).collect())
}

#[cfg(test)]
mod tests {
    use super::super::super::error::QuietError;
    use super::super::super::fake::FakeKernel;
    use super::super::super::process::ProcessId;
    use super::super::super::trial::Trial;
    use super::{ACTION, groups_of};

    #[test]
    fn another_session_is_slowed_down_and_put_back() {
        let mut trial = Trial::in_own_session();
        trial.disown();
        let changes = match trial.try_save(ACTION, None) {
            Err(QuietError::Forbidden(why)) => return test_support::skip_here(why),
            changes => changes.unwrap(),
        };
        assert_eq!(changes.len(), 1, "{changes:?}");
        let effect = trial.apply_and_check(ACTION, None, &changes);
        assert!(
            effect.contains("1 sessions of others autogroup 19") || effect.contains("nice 19"),
            "{effect}"
        );
        assert_eq!(ACTION.present(&trial.tree, &changes[0].target).unwrap(), "19");
        trial.undo(&changes);
        assert_eq!(ACTION.present(&trial.tree, &changes[0].target).unwrap(), changes[0].old);
    }

    #[test]
    fn a_session_with_one_exempt_process_keeps_its_share() {
        let kernel = FakeKernel::new(&[
            ("/proc/7/autogroup", "/autogroup-1 nice 0"),
            ("/proc/8/autogroup", "/autogroup-1 nice 0"),
            ("/proc/9/autogroup", "/autogroup-2 nice 3"),
        ]);
        let ids = [7, 8, 9].map(|pid| {
            kernel.process(pid, "one", 1, pid, 0, 0, 0);
            ProcessId::with_pid(&kernel, pid).unwrap()
        });
        let names =
            |others: &[ProcessId]| groups_of(&kernel, others).unwrap().into_keys().collect::<Vec<_>>();
        assert_eq!(names(&ids), ["/autogroup-1", "/autogroup-2"]);
        assert_eq!(names(&ids[1..]), ["/autogroup-2"]);
    }
}
