//! Performance counters (`perf_event_open`): what a launcher shall count, and what it counted.

/// One event to count during every run of a launcher.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CounterSpec {
    /// Lotse's name of the event.
    pub name: String,
    /// The kernel's `perf_event_attr.type`: 0 hardware, 1 software, 3 cache, 4 raw.
    pub kind: u32,
    /// The event within its type.
    pub config: u64,
    /// Extension of `config`, mostly 0.
    pub config1: u64,
    /// Extension of `config1`, mostly 0.
    pub config2: u64,
    /// Do not count events in the kernel. Unprivileged users often may count only in user mode.
    pub user_only: bool,
}

impl CounterSpec {
    /// An event given by its type and number, counted in user mode and in the kernel.
    pub fn new(name: impl Into<String>, kind: u32, config: u64) -> Self {
        Self { name: name.into(), kind, config, config1: 0, config2: 0, user_only: false }
    }
}

/// Whether a counter counts on this machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CounterStatus {
    Available,
    /// With the kernel's error number.
    Unavailable(i32),
}

impl CounterStatus {
    /// Whether this user is not permitted to count the event, at least not in the kernel (EPERM, EACCES).
    pub fn is_refused(&self) -> bool {
        matches!(self, Self::Unavailable(1 | 13))
    }

    /// Why the counter is not available; `None` if it is.
    pub fn reason(&self) -> Option<String> {
        let Self::Unavailable(error) = self else { return None };
        Some(match *error {
            1 | 13 => "not permitted: see /proc/sys/kernel/perf_event_paranoid".to_owned(),
            2 | 95 => "this machine has no such counter (virtual machines often hide them)".to_owned(),
            error => std::io::Error::from_raw_os_error(error).to_string(),
        })
    }
}

/// What a counter counted during one run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CounterValue {
    pub value: u64,
    /// Nanoseconds during which the counter was enabled.
    pub enabled_ns: u64,
    /// Nanoseconds during which it counted. Less than `enabled_ns` if counters are multiplexed.
    pub running_ns: u64,
}

impl CounterValue {
    /// The count extrapolated to the time enabled; `None` if the counter never ran.
    pub fn scaled(&self) -> Option<f64> {
        if self.enabled_ns == self.running_ns {
            return Some(self.value as f64);
        }
        (self.running_ns > 0).then(|| self.value as f64 * self.enabled_ns as f64 / self.running_ns as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::{CounterStatus, CounterValue};

    #[test]
    fn a_multiplexed_counter_is_scaled_and_one_that_never_ran_has_no_value() {
        let value = |enabled_ns, running_ns| CounterValue { value: 10, enabled_ns, running_ns }.scaled();
        assert_eq!(value(100, 100), Some(10.0));
        assert_eq!(value(100, 50), Some(20.0));
        assert_eq!(value(100, 0), None);
    }

    #[test]
    fn reasons_help_to_solve_the_problem() {
        assert_eq!(CounterStatus::Available.reason(), None);
        assert!(CounterStatus::Unavailable(2).reason().is_some_and(|why| why.contains("virtual machines")));
        assert!(CounterStatus::Unavailable(24).reason().is_some_and(|why| why.contains("os error 24")));
        assert!(CounterStatus::Unavailable(13).reason().is_some_and(|why| why.contains("paranoid")));
    }
}
