//! Pins the measured programs to chosen CPUs.

use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};

use super::super::action::{Action, Change, Context, Preset, Target};
use super::super::error::QuietError;
use super::super::kernel::Kernel;
use crate::cpus::{format_list, parse_list};

pub(super) const ACTION: &dyn Action = &Affinity;

struct Affinity;

impl Action for Affinity {
    fn name(&self) -> &'static str {
        "affinity"
    }

    fn explanation(&self) -> &'static str {
        "keeps the programs on chosen CPUs, so that they are not moved; a program of several threads needs as many CPUs"
    }

    fn preset(&self) -> Preset {
        Preset::ByName
    }

    fn argument(&self) -> Option<&'static str> {
        Some("CPUs such as 1 or 2-3 [default: the last one]")
    }

    fn accepts(&self, argument: &str) -> bool {
        is_list(argument)
    }

    fn save(&self, context: &Context<'_>) -> Result<Vec<Change>, QuietError> {
        let target = Target::Process(context.launcher);
        let old = self.present(context.kernel, &target)?;
        let new = chosen(context.argument, &old)?;
        Ok(if old == new { Vec::new() } else { vec![Change::new(self.name(), target, old, new)] })
    }

    fn present(&self, kernel: &dyn Kernel, target: &Target) -> Result<String, QuietError> {
        let Target::Process(process) = target else { return Err(QuietError::Gone) };
        let pid = process.checked(kernel)?;
        let failed = QuietError::process("read the CPUs", *process);
        let set = sched_getaffinity(Some(pid)).map_err(|errno| failed(errno.into()))?;
        Ok(format_list((0..1024).filter(|&cpu| set.is_set(cpu as usize))))
    }

    fn set(&self, kernel: &dyn Kernel, target: &Target, value: &str) -> Result<(), QuietError> {
        let Target::Process(process) = target else { return Err(QuietError::Gone) };
        let pid = process.checked(kernel)?;
        let failed = QuietError::process("set the CPUs", *process);
        let mut set = CpuSet::new();
        parse_list(value).into_iter().for_each(|cpu| set.set(cpu as usize));
        sched_setaffinity(Some(pid), &set).map_err(|errno| failed(errno.into()))
    }
}

/// Whether a text is a list of CPUs.
pub(super) fn is_list(text: &str) -> bool {
    let digits = |text: &str| text.chars().all(|c| c.is_ascii_digit() || matches!(c, ',' | '-'));
    digits(text) && !parse_list(text).is_empty() && parse_list(text).iter().all(|&cpu| cpu < 1024)
}

/// The requested CPUs, else the last usable one. An error if a requested CPU is not usable.
pub(super) fn chosen(argument: Option<&str>, usable: &str) -> Result<String, QuietError> {
    let usable_cpus = parse_list(usable);
    let last: Vec<u32> = usable_cpus.last().copied().into_iter().collect();
    let requested = argument.map_or(last, parse_list);
    if let Some(absent) = requested.iter().find(|cpu| !usable_cpus.contains(cpu)) {
        return Err(QuietError::Absent(format!("CPU {absent} is not among the usable ones, {usable}")));
    }
    Ok(format_list(requested))
}

#[cfg(test)]
mod tests {
    use super::super::super::error::QuietError;
    use super::super::super::trial::Trial;
    use super::{ACTION, chosen};

    #[test]
    fn the_child_is_kept_on_a_cpu_and_let_go() {
        let trial = Trial::new();
        let changes = trial.save(ACTION, None);
        let Some(change) = changes.first() else { return test_support::skip_here("one CPU only") };
        let effect = trial.apply_and_check(ACTION, None, &changes);
        assert_eq!(effect, format!("affinity {}", change.new));
        let allowed = |trial: &Trial| {
            let status = trial.file("status");
            let line = status.lines().find_map(|line| line.strip_prefix("Cpus_allowed_list:"));
            line.unwrap().trim().to_owned()
        };
        assert_eq!(allowed(&trial), change.new);
        trial.undo(&changes);
        assert_eq!(allowed(&trial), change.old);
    }

    #[test]
    fn cpus_that_are_not_there_are_refused() {
        assert_eq!(chosen(None, "0-3,6").unwrap(), "6");
        assert_eq!(chosen(Some("1-2"), "0-3,6").unwrap(), "1-2");
        assert!(matches!(chosen(Some("5"), "0-3,6"), Err(QuietError::Absent(why)) if why.contains("CPU 5")));
    }
}
