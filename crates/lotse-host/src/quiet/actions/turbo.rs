//! Switches turbo off, so that the clock rate does not depend on the number of busy cores and their temperature.

use super::super::action::{Action, Change, Context, Preset, set_files};
use super::super::error::QuietError;

pub(super) const ACTION: &dyn Action = &Turbo;

/// Files with the value that switches turbo off: Intel's file means "no turbo", the others mean "boost".
const SWITCHES: [(&str, &str); 2] =
    [("/sys/devices/system/cpu/intel_pstate/no_turbo", "1"), ("/sys/devices/system/cpu/cpufreq/boost", "0")];

struct Turbo;

impl Action for Turbo {
    fn name(&self) -> &'static str {
        "turbo"
    }

    fn explanation(&self) -> &'static str {
        "switches turbo off, whose clock rate depends on temperature and on what else runs"
    }

    fn preset(&self) -> Preset {
        Preset::All
    }

    fn save(&self, context: &Context<'_>) -> Result<Vec<Change>, QuietError> {
        let Some((file, off)) = SWITCHES.into_iter().find(|(file, _)| context.kernel.has(file)) else {
            return Err(QuietError::Absent("this machine has no switch for turbo".to_owned()));
        };
        set_files(self, context.kernel, [file.to_owned()], off)
    }

    fn summary(&self, _context: &Context<'_>, changes: &[Change]) -> String {
        if changes.is_empty() { "turbo off (was so already)" } else { "turbo off" }.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::fake::FakeKernel;
    use super::super::super::trial::{effect, probed, round_trip};
    use super::ACTION;

    const INTEL: &str = "/sys/devices/system/cpu/intel_pstate/no_turbo";
    const BOOST: &str = "/sys/devices/system/cpu/cpufreq/boost";

    #[test]
    fn both_kinds_of_switch() {
        assert_eq!(round_trip(ACTION, &FakeKernel::new(&[(INTEL, "0")]), None), [format!("{INTEL}: 0 -> 1")]);
        assert_eq!(round_trip(ACTION, &FakeKernel::new(&[(BOOST, "1")]), None), [format!("{BOOST}: 1 -> 0")]);
        // Turbo was off before, so it is off afterwards.
        assert_eq!(round_trip(ACTION, &FakeKernel::new(&[(INTEL, "1")]), None), [""; 0]);
    }

    #[test]
    fn refusals() {
        let none = FakeKernel::new(&[]);
        assert_eq!(probed(ACTION, &none).unwrap_err().to_string(), "this machine has no switch for turbo");
        let locked = FakeKernel::new(&[(INTEL, "0")]);
        locked.forbids(INTEL);
        assert!(probed(ACTION, &locked).unwrap_err().to_string().contains("needs root"));
        let stubborn = FakeKernel::new(&[(INTEL, "0")]);
        stubborn.ignores(INTEL);
        assert!(effect(ACTION, &stubborn, None).unwrap_err().to_string().contains("is 0 after writing 1"));
    }
}
