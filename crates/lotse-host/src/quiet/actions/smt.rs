//! Switches hardware threads off so that one per core remains.

use super::super::action::{Action, Change, Context, Preset, set_files};
use super::super::error::QuietError;
use super::super::kernel::Kernel;
use crate::cpus::parse_list;

pub(super) const ACTION: &dyn Action = &Smt;

const CPUS: &str = "/sys/devices/system/cpu";

struct Smt;

impl Action for Smt {
    fn name(&self) -> &'static str {
        "smt"
    }

    fn explanation(&self) -> &'static str {
        "switches off the second hardware thread of every core, which shares its caches and units"
    }

    fn preset(&self) -> Preset {
        Preset::All
    }

    /// One change per sibling, so that CPUs that were already off stay off.
    fn save(&self, context: &Context<'_>) -> Result<Vec<Change>, QuietError> {
        let siblings = siblings(context.kernel);
        if siblings.is_empty() {
            return Err(QuietError::Absent(
                "no core here has a second hardware thread that is on".to_owned(),
            ));
        }
        let files = siblings.iter().map(|cpu| format!("{CPUS}/cpu{cpu}/online"));
        set_files(self, context.kernel, files, "0")
    }

    fn summary(&self, _context: &Context<'_>, changes: &[Change]) -> String {
        format!("{} hardware threads off", changes.len())
    }
}

/// The CPUs that are not the first hardware thread of their core.
fn siblings(kernel: &dyn Kernel) -> Vec<u32> {
    let online = kernel.offered(&format!("{CPUS}/online"));
    let is_second = |cpu: &u32| {
        let list = kernel.offered(&format!("{CPUS}/cpu{cpu}/topology/thread_siblings_list"));
        parse_list(&list).iter().min().is_some_and(|first| first < cpu)
    };
    parse_list(&online).into_iter().filter(is_second).collect()
}

#[cfg(test)]
mod tests {
    use super::super::super::fake::FakeKernel;
    use super::super::super::trial::{effect, round_trip};
    use super::ACTION;

    fn laptop() -> FakeKernel {
        let kernel = FakeKernel::new(&[("/sys/devices/system/cpu/online", "0-2,4")]);
        // Two cores with two threads each, of which CPU 3 is off, and a core with one thread.
        for (cpu, siblings) in [(0, "0-1"), (1, "0-1"), (2, "2"), (4, "4")] {
            let folder = format!("/sys/devices/system/cpu/cpu{cpu}");
            kernel.put(&format!("{folder}/topology/thread_siblings_list"), siblings);
            kernel.put(&format!("{folder}/online"), "1");
        }
        kernel.put("/sys/devices/system/cpu/cpu3/online", "0");
        kernel
    }

    #[test]
    fn only_second_threads_that_are_on_are_switched_off() {
        let kernel = laptop();
        let changed = round_trip(ACTION, &kernel, None);
        assert_eq!(changed, ["/sys/devices/system/cpu/cpu1/online: 1 -> 0"]);
        assert_eq!(effect(ACTION, &kernel, None).unwrap(), "1 hardware threads off");
    }

    #[test]
    fn a_machine_without_second_threads_says_so() {
        let kernel = FakeKernel::new(&[("/sys/devices/system/cpu/online", "0-1")]);
        assert!(effect(ACTION, &kernel, None).unwrap_err().to_string().contains("no core"));
        let kernel = laptop();
        kernel.ignores("/sys/devices/system/cpu/cpu1/online");
        assert!(effect(ACTION, &kernel, None).unwrap_err().to_string().contains("no effect"));
    }
}
