//! Disturbances of a run by the rest of the machine: stolen time, CPU pressure, load.
//!
//! The files stay open, so that a reading costs only some microseconds; take it outside the measured time.

use std::fs::File;
use std::io::{Read, Seek};

use crate::tree::SystemTree;

/// The open pseudo files.
#[derive(Debug)]
pub struct SystemProbe {
    stat: Option<File>,
    pressure: Option<File>,
    load: Option<File>,
    tick_ns: u64,
}

/// One reading. A number that the system does not offer is absent.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct SystemState {
    /// Stolen time: nanoseconds during which the hypervisor ran something else although a CPU was ready, summed over all CPUs since boot.
    pub steal_ns: Option<u64>,
    /// Microseconds during which some task waited for a CPU, since boot.
    pub pressure_cpu_some_us: Option<u64>,
    /// Load average over one minute.
    pub load1: Option<f64>,
}

/// The difference of two readings.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Disturbance {
    /// Stolen nanoseconds, summed over all CPUs.
    pub steal_ns: Option<u64>,
    /// Microseconds during which some task of the machine waited for a CPU.
    pub pressure_cpu_some_us: Option<u64>,
    /// Load average over one minute at the end.
    pub load1: Option<f64>,
}

impl SystemProbe {
    /// Opens the files of this machine.
    pub fn open() -> Self {
        Self::open_in(&SystemTree::real())
    }

    /// Opens the files of a tree.
    pub fn open_in(tree: &SystemTree) -> Self {
        Self {
            stat: open(tree, "/proc/stat"),
            pressure: open(tree, "/proc/pressure/cpu"),
            load: open(tree, "/proc/loadavg"),
            tick_ns: tick_ns(),
        }
    }

    /// Takes a reading.
    pub fn read(&self) -> SystemState {
        let mut buffer = [0; 512];
        SystemState {
            steal_ns: beginning(self.stat.as_ref(), &mut buffer)
                .and_then(parse_steal)
                .map(|ticks| ticks * self.tick_ns),
            pressure_cpu_some_us: beginning(self.pressure.as_ref(), &mut buffer).and_then(parse_pressure),
            load1: beginning(self.load.as_ref(), &mut buffer).and_then(parse_load),
        }
    }
}

/// The difference of two readings.
pub fn disturbance_between(before: &SystemState, after: &SystemState) -> Disturbance {
    let grown = |before: Option<u64>, after: Option<u64>| Some(after?.saturating_sub(before?));
    Disturbance {
        steal_ns: grown(before.steal_ns, after.steal_ns),
        pressure_cpu_some_us: grown(before.pressure_cpu_some_us, after.pressure_cpu_some_us),
        load1: after.load1,
    }
}

/// Opens a file; `None` if the system lacks it.
fn open(tree: &SystemTree, file: &str) -> Option<File> {
    File::open(tree.path(file)).ok()
}

#[cfg(unix)]
fn tick_ns() -> u64 {
    1_000_000_000 / rustix::param::clock_ticks_per_second().max(1)
}

#[cfg(not(unix))]
fn tick_ns() -> u64 {
    10_000_000
}

fn beginning<'a>(file: Option<&File>, buffer: &'a mut [u8]) -> Option<&'a str> {
    let mut file = file?;
    file.rewind().ok()?;
    let count = file.read(buffer).ok()?;
    std::str::from_utf8(buffer.get(..count)?).ok()
}

/// Stolen ticks: the eighth number of the first line of `/proc/stat`.
fn parse_steal(text: &str) -> Option<u64> {
    let mut words = text.lines().next()?.split_ascii_whitespace();
    (words.next()? == "cpu").then_some(())?;
    words.nth(7)?.parse().ok()
}

/// The total of the line `some` of `/proc/pressure/cpu`, in microseconds.
fn parse_pressure(text: &str) -> Option<u64> {
    let some = text.lines().find_map(|line| line.strip_prefix("some "))?;
    some.split_ascii_whitespace().find_map(|word| word.strip_prefix("total="))?.parse().ok()
}

/// The first number of `/proc/loadavg`.
pub(crate) fn parse_load(text: &str) -> Option<f64> {
    text.split_ascii_whitespace().next()?.parse().ok().filter(|load: &f64| load.is_finite())
}

#[cfg(test)]
mod tests {
    use super::{SystemProbe, SystemState, disturbance_between, parse_load, parse_pressure, parse_steal};
    use crate::tree::{SystemTree, recorded};

    #[test]
    fn steal_is_the_eighth_number() {
        let stat = "cpu  74608 2520 24433 1117073 6176 4054 10 77 5 0\ncpu0 1 2 3 4 5 6 7 8 9 10\n";
        assert_eq!(parse_steal(stat), Some(77));
        assert_eq!(parse_steal("cpu0 1 2 3 4 5 6 7 8"), None);
        assert_eq!(parse_steal("cpu  1 2 3 4"), None);
        assert_eq!(parse_steal(""), None);
    }

    #[test]
    fn pressure_is_the_total_of_some() {
        let text = "some avg10=1.54 avg60=1.05 avg300=1.76 total=46405788\nfull avg10=0.00 total=1\n";
        assert_eq!(parse_pressure(text), Some(46_405_788));
        assert_eq!(parse_pressure("full total=3"), None);
    }

    #[test]
    fn load_is_the_first_number() {
        assert_eq!(parse_load("6.43 6.27 4.18 3/231 9001\n"), Some(6.43));
        assert_eq!(parse_load("nan 1 1"), None);
    }

    #[test]
    fn what_is_missing_stays_missing() {
        let state = SystemProbe::open_in(&SystemTree::at("/nonexistent")).read();
        assert_eq!(state, SystemState::default());
        let partly = SystemProbe::open_in(&recorded::laptop().tree).read();
        let expected = SystemState { steal_ns: None, pressure_cpu_some_us: Some(123_456), load1: Some(0.31) };
        assert_eq!(partly, expected);
    }

    #[test]
    fn differences_need_both_sides() {
        let before = SystemState { steal_ns: Some(5), pressure_cpu_some_us: None, load1: Some(1.0) };
        let after = SystemState { steal_ns: Some(9), pressure_cpu_some_us: Some(3), load1: Some(2.0) };
        let disturbance = disturbance_between(&before, &after);
        assert_eq!((disturbance.steal_ns, disturbance.pressure_cpu_some_us), (Some(4), None));
        assert_eq!(disturbance.load1, Some(2.0));
    }

    #[test]
    fn the_real_files_can_be_read_again_and_again() {
        let probe = SystemProbe::open();
        let (first, second) = (probe.read(), probe.read());
        assert_eq!(first.load1.is_some(), std::path::Path::new("/proc/loadavg").exists());
        assert_eq!(first.steal_ns.is_some(), second.steal_ns.is_some());
        assert!(first.pressure_cpu_some_us <= second.pressure_cpu_some_us);
    }
}
