//! Disables address space layout randomisation, so that every run has the same addresses.

use super::super::action::{Action, Change, Context, Preset, Target};
use super::super::error::QuietError;
use super::super::kernel::Kernel;
use crate::launcher::LauncherOptions;

pub(super) const ACTION: &dyn Action = &FixedAddresses;

/// The flag `ADDR_NO_RANDOMIZE` of a process.
const NO_RANDOMIZE: u64 = 0x0004_0000;

struct FixedAddresses;

impl Action for FixedAddresses {
    fn name(&self) -> &'static str {
        "aslr"
    }

    fn explanation(&self) -> &'static str {
        "gives every run the same addresses: less spread, but the result then holds for this one layout of memory"
    }

    fn preset(&self) -> Preset {
        Preset::ByName
    }

    fn save(&self, context: &Context<'_>) -> Result<Vec<Change>, QuietError> {
        if context.kernel.read("/proc/sys/kernel/randomize_va_space").is_ok_and(|text| text == "0") {
            return Ok(Vec::new());
        }
        Ok(vec![Change::new(self.name(), Target::Process(context.launcher), "random".to_owned(), "fixed")])
    }

    /// A process can only change its own flag, so the launcher is started with it.
    fn prepare(&self, launcher: &mut LauncherOptions) {
        launcher.fixed_addresses = true;
    }

    fn present(&self, kernel: &dyn Kernel, target: &Target) -> Result<String, QuietError> {
        let Target::Process(process) = target else { return Err(QuietError::Gone) };
        process.checked(kernel)?;
        let file = format!("/proc/{}/personality", process.pid);
        let text = kernel.read(&file).map_err(QuietError::file("read", &file))?;
        let flags = u64::from_str_radix(&text, 16).unwrap_or(0);
        Ok(if flags & NO_RANDOMIZE == 0 { "random" } else { "fixed" }.to_owned())
    }

    /// Nothing to do: the flag exists as long as the launcher does.
    fn set(&self, _kernel: &dyn Kernel, _target: &Target, _value: &str) -> Result<(), QuietError> {
        Ok(())
    }

    fn summary(&self, _context: &Context<'_>, _changes: &[Change]) -> String {
        "fixed addresses".to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::error::QuietError;
    use super::super::super::trial::Trial;
    use super::ACTION;
    use crate::{Job, Launcher, LauncherOptions, Output};

    /// The address of the stack of a new process.
    fn stack(launcher: &mut Launcher) -> String {
        let mut job = Job::new(["sh", "-c", "grep '\\[stack\\]' /proc/self/maps"]);
        job.stdout = Output::Capture { limit: 1000 };
        String::from_utf8(launcher.run(&job).unwrap().stdout.bytes).unwrap()
    }

    #[test]
    fn runs_of_a_launcher_have_the_same_addresses() {
        let mut options = LauncherOptions::default();
        ACTION.prepare(&mut options);
        let mut launcher = Launcher::start(&options).unwrap();
        let stacks = [(); 4].map(|()| stack(&mut launcher));
        assert!(stacks[0].contains("[stack]"), "{stacks:?}");
        assert!(stacks.iter().all(|one| *one == stacks[0]), "{stacks:?}");
        let trial = Trial::with_pid(launcher.process_number());
        let changes = trial.save(ACTION, None);
        assert_eq!(trial.apply_and_check(ACTION, None, &changes), "fixed addresses");
    }

    #[test]
    fn the_check_fails_for_a_launcher_with_random_addresses() {
        let mut launcher = Launcher::start(&LauncherOptions::default()).unwrap();
        let stacks = [(); 4].map(|()| stack(&mut launcher));
        let trial = Trial::with_pid(launcher.process_number());
        let changes = trial.save(ACTION, None);
        if changes.is_empty() {
            return test_support::skip_here("addresses are not random here");
        }
        assert!(stacks.iter().any(|one| *one != stacks[0]), "{stacks:?}");
        let error = ACTION.check(&trial.context(None), &changes).unwrap_err();
        assert!(matches!(error, QuietError::NoEffect(_)), "{error}");
    }
}
