//! Selects a frequency governor that runs at the highest clock rate at once instead of following the load.

use super::super::action::{Action, Change, Context, Preset, set_files};
use super::super::error::QuietError;

pub(super) const ACTION: &dyn Action = &Governor;

const CPUS: &str = "/sys/devices/system/cpu";

struct Governor;

impl Action for Governor {
    fn name(&self) -> &'static str {
        "governor"
    }

    fn explanation(&self) -> &'static str {
        "sets the frequency governor of all CPUs, so that a short run does not begin with a slow clock"
    }

    fn preset(&self) -> Preset {
        Preset::All
    }

    fn argument(&self) -> Option<&'static str> {
        Some("a governor [default: performance]")
    }

    fn accepts(&self, argument: &str) -> bool {
        !argument.is_empty() && argument.chars().all(|c| c.is_ascii_lowercase() || c == '_')
    }

    fn save(&self, context: &Context<'_>) -> Result<Vec<Change>, QuietError> {
        let wanted = context.argument.unwrap_or("performance");
        let names = context.kernel.entries(CPUS);
        let cpus = names.iter().filter(|name| {
            name.strip_prefix("cpu").is_some_and(|number| number.parse::<u32>().is_ok())
                && context.kernel.has(&format!("{CPUS}/{name}/cpufreq/scaling_governor"))
        });
        let cpus: Vec<&String> = cpus.collect();
        let Some(first) = cpus.first() else {
            return Err(QuietError::Absent("this machine does not let its frequency be governed".to_owned()));
        };
        let offered = format!("{CPUS}/{first}/cpufreq/scaling_available_governors");
        let offered = context.kernel.offered(&offered);
        if !offered.is_empty() && !offered.split_whitespace().any(|name| name == wanted) {
            return Err(QuietError::Absent(format!("there is no governor {wanted}; there are {offered}")));
        }
        let files = cpus.iter().map(|cpu| format!("{CPUS}/{cpu}/cpufreq/scaling_governor"));
        set_files(self, context.kernel, files, wanted)
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::fake::FakeKernel;
    use super::super::super::trial::{effect, probed, round_trip};
    use super::ACTION;

    fn machine() -> FakeKernel {
        FakeKernel::new(&[
            ("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "powersave"),
            ("/sys/devices/system/cpu/cpu0/cpufreq/scaling_available_governors", "performance powersave"),
            ("/sys/devices/system/cpu/cpu1/cpufreq/scaling_governor", "performance"),
            ("/sys/devices/system/cpu/cpu2/cpufreq/scaling_governor", "powersave"),
            ("/sys/devices/system/cpu/cpufreq/boost", "1"),
        ])
    }

    #[test]
    fn every_cpu_gets_its_own_value_back() {
        let changed = round_trip(ACTION, &machine(), None);
        assert_eq!(
            changed,
            [0, 2].map(|cpu| format!(
                "/sys/devices/system/cpu/cpu{cpu}/cpufreq/scaling_governor: powersave -> performance"
            ))
        );
        assert_eq!(effect(ACTION, &machine(), None).unwrap(), "governor performance");
    }

    #[test]
    fn refusals() {
        let error = effect(ACTION, &machine(), Some("ondemand")).unwrap_err().to_string();
        assert_eq!(error, "there is no governor ondemand; there are performance powersave");
        assert!(probed(ACTION, &FakeKernel::new(&[])).is_err());
    }
}
