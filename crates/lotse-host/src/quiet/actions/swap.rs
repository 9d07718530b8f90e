//! Turns swapping off during the measurement.

use super::super::action::{Action, Change, Context, Preset, Target};
use super::super::error::QuietError;
use super::super::kernel::Kernel;

pub(super) const ACTION: &dyn Action = &Swap;

const OFF: &str = "off";

struct Swap;

/// A line of `/proc/swaps`: device, kind, size, used (both in KiB), priority.
struct Device {
    name: String,
    used: u64,
    priority: String,
}

impl Action for Swap {
    fn name(&self) -> &'static str {
        "swap"
    }

    fn explanation(&self) -> &'static str {
        "switches swapping off, so that no run waits for memory that was put on a disk"
    }

    fn preset(&self) -> Preset {
        Preset::All
    }

    fn save(&self, context: &Context<'_>) -> Result<Vec<Change>, QuietError> {
        let devices = devices(context.kernel)?;
        if devices.is_empty() {
            return Err(QuietError::Absent("this machine does not swap".to_owned()));
        }
        if !super::super::process::has_capability(context.kernel, super::super::process::ADMIN) {
            return Err(QuietError::Forbidden("switching swap off needs root".to_owned()));
        }
        let used: u64 = devices.iter().map(|device| device.used).sum();
        // At most half of the free memory, so that the machine does not run out of memory while swapped pages are read back.
        if let Some(free) = free_memory(context.kernel).filter(|free| used > free / 2) {
            let text = format!("{used} KiB are swapped out and only {free} KiB of memory are free");
            return Err(QuietError::Forbidden(text));
        }
        let change =
            |device: Device| Change::new(self.name(), Target::Swap(device.name), device.priority, OFF);
        Ok(devices.into_iter().map(change).collect())
    }

    fn present(&self, kernel: &dyn Kernel, target: &Target) -> Result<String, QuietError> {
        let Target::Swap(name) = target else { return Err(QuietError::Gone) };
        let device = devices(kernel)?.into_iter().find(|device| device.name == *name);
        Ok(device.map_or(OFF.to_owned(), |device| device.priority))
    }

    fn set(&self, kernel: &dyn Kernel, target: &Target, value: &str) -> Result<(), QuietError> {
        let Target::Swap(name) = target else { return Err(QuietError::Gone) };
        kernel.swap(name, value.parse().ok()).map_err(QuietError::file("switch swapping of", name))
    }

    fn summary(&self, _context: &Context<'_>, _changes: &[Change]) -> String {
        "swap off".to_owned()
    }
}

fn devices(kernel: &dyn Kernel) -> Result<Vec<Device>, QuietError> {
    let table = kernel.read("/proc/swaps").map_err(QuietError::file("read", "/proc/swaps"))?;
    let device = |line: &str| {
        let mut fields = line.split_whitespace();
        let (name, used, priority) = (fields.next()?, fields.nth(2)?, fields.next()?);
        // The kernel writes spaces in names as \040, as everywhere in /proc.
        Some(Device {
            name: name.replace("\\040", " "),
            used: used.parse().ok()?,
            priority: priority.to_owned(),
        })
    };
    Ok(table.lines().skip(1).filter_map(device).collect())
}

/// Available memory in KiB.
fn free_memory(kernel: &dyn Kernel) -> Option<u64> {
    let text = kernel.read("/proc/meminfo").ok()?;
    text.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?.trim().strip_suffix(" kB")?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::super::super::fake::FakeKernel;
    use super::super::super::trial::{effect, probed, round_trip};
    use super::ACTION;

    fn machine(free: u32) -> FakeKernel {
        let memory = format!("MemTotal: 100000 kB\nMemAvailable: {free} kB");
        FakeKernel::new(&[
            (
                "/proc/swaps",
                "Filename Type Size Used Priority\n/dev/sda2 partition 1000 0 -2\n/swap file 10 400 5",
            ),
            ("/proc/meminfo", &memory),
            ("/proc/self/status", "CapEff:\t000001ffffffffff"),
        ])
    }

    #[test]
    fn devices_come_back_with_their_priority() {
        let kernel = machine(50_000);
        assert_eq!(effect(ACTION, &kernel, None).unwrap(), "swap off");
        assert_eq!(kernel.text("/proc/swaps"), "Filename Type Size Used Priority");
        let kernel = machine(50_000);
        assert_eq!(round_trip(ACTION, &kernel, None).len(), 1);
        let table = kernel.text("/proc/swaps");
        assert!(table.contains("/dev/sda2") && table.contains(" -2") && table.contains(" 5"), "{table}");
    }

    #[test]
    fn refusals() {
        let little = probed(ACTION, &machine(500)).unwrap_err().to_string();
        assert_eq!(little, "400 KiB are swapped out and only 500 KiB of memory are free");
        let none = FakeKernel::new(&[("/proc/swaps", "Filename Type Size Used Priority")]);
        assert_eq!(probed(ACTION, &none).unwrap_err().to_string(), "this machine does not swap");
        let user = machine(50_000);
        user.put("/proc/self/status", "CapEff:\t0000000000000000");
        assert_eq!(probed(ACTION, &user).unwrap_err().to_string(), "switching swap off needs root");
    }
}
