//! Raises the priority of the measured programs.

use super::super::action::{Action, Change, Context, Preset, Target};
use super::super::error::QuietError;
use super::super::kernel::Kernel;
use super::super::priority;

pub(super) const ACTION: &dyn Action = &Nice;

/// The highest priority.
const DEFAULT: i32 = -20;

struct Nice;

impl Action for Nice {
    fn name(&self) -> &'static str {
        "nice"
    }

    fn explanation(&self) -> &'static str {
        "gives the programs a higher priority; where the kernel divides the CPU by session (autogroup), to their session too"
    }

    fn preset(&self) -> Preset {
        Preset::Usable
    }

    fn argument(&self) -> Option<&'static str> {
        Some("a nice value from -20 to 19 [default: -20]")
    }

    fn accepts(&self, argument: &str) -> bool {
        argument.parse::<i32>().is_ok_and(|nice| (-20..=19).contains(&nice))
    }

    fn save(&self, context: &Context<'_>) -> Result<Vec<Change>, QuietError> {
        let value = context.argument.and_then(|text| text.parse().ok()).unwrap_or(DEFAULT);
        if !priority::may_lower(context.kernel, value) {
            let text = "a higher priority needs CAP_SYS_NICE or a higher limit (ulimit -e)";
            return Err(QuietError::Forbidden(text.to_owned()));
        }
        let mut changes = Vec::new();
        if priority::divides_by_session(context.kernel, context.launcher.pid)
            && let Some((name, old)) = priority::autogroup(context.kernel, context.launcher.pid)
        {
            changes.push(Change::new(self.name(), Target::Autogroup(name), old, value.to_string()));
        }
        let old = priority::nice(context.kernel, context.launcher)?;
        changes.push(Change::new(self.name(), Target::Process(context.launcher), old, value.to_string()));
        changes.retain(|change| change.old != change.new);
        Ok(changes)
    }

    fn present(&self, kernel: &dyn Kernel, target: &Target) -> Result<String, QuietError> {
        match target {
            Target::Autogroup(group) => priority::autogroup_nice(kernel, group),
            Target::Process(process) => priority::nice(kernel, *process),
            _ => Err(QuietError::Gone),
        }
    }

    fn set(&self, kernel: &dyn Kernel, target: &Target, value: &str) -> Result<(), QuietError> {
        match target {
            Target::Autogroup(group) => priority::set_autogroup_nice(kernel, group, value),
            Target::Process(process) => priority::set_nice(kernel, *process, value),
            _ => Err(QuietError::Gone),
        }
    }

    fn summary(&self, _context: &Context<'_>, changes: &[Change]) -> String {
        let word = |change: &Change| match change.target {
            Target::Autogroup(_) => format!("autogroup {}", change.new),
            _ => format!("nice {}", change.new),
        };
        match changes {
            [] => "nice (was so already)".to_owned(),
            _ => changes.iter().map(word).collect::<Vec<_>>().join(", "),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::action::Target;
    use super::super::super::error::QuietError;
    use super::super::super::trial::Trial;
    use super::ACTION;

    #[test]
    fn the_session_and_the_process_are_raised_and_put_back() {
        let trial = Trial::in_own_session();
        let changes = match trial.try_save(ACTION, Some("-7")) {
            Err(QuietError::Forbidden(why)) => return test_support::skip_here(why),
            changes => changes.unwrap(),
        };
        assert!(changes.iter().any(|change| change.target == Target::Process(trial.child)));
        let effect = trial.apply_and_check(ACTION, Some("-7"), &changes);
        assert!(effect.contains("nice -7"), "{effect}");
        let raised = trial.value("stat", 18);
        assert_eq!(raised, "-7");
        trial.undo(&changes);
        assert_eq!(trial.value("stat", 18), "0");
        for change in &changes {
            assert_eq!(ACTION.present(&trial.tree, &change.target).unwrap(), change.old);
        }
    }

    #[test]
    fn the_priority_of_the_session_is_raised_first() {
        let trial = Trial::in_own_session();
        let divides = super::priority::divides_by_session(&trial.tree, trial.child.pid);
        let changes = match trial.try_save(ACTION, None) {
            Err(QuietError::Forbidden(why)) => return test_support::skip_here(why),
            changes => changes.unwrap(),
        };
        assert_eq!(matches!(changes[0].target, Target::Autogroup(_)), divides);
        if divides {
            trial.apply_and_check(ACTION, None, &changes);
            assert!(trial.file("autogroup").ends_with("nice -20"), "{}", trial.file("autogroup"));
            trial.undo(&changes);
            assert!(trial.file("autogroup").ends_with("nice 0"), "{}", trial.file("autogroup"));
        }
    }
}
