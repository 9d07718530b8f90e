//! Counters of the processor and the kernel, through `perf_event_open`, for the program and all its child processes.
//!
//! The launcher opens the counters and every process inherits them, so no tool is needed around the program.
//! A counter this machine does not offer gives no values; `lotse doctor` says why.

use lotse_host::CounterSpec;
use lotse_model::Unit;

use super::{RunOutput, RunValues, Runner, RunnerError, RunnerKind, Values};

const ID: &str = "perf-events";

pub(super) const KIND: RunnerKind = RunnerKind {
    id: ID,
    title: "hardware and software counters through perf_event_open, beside rusage",
    temci: &[],
    tool: None,
    primary: "wall",
    create: |events| Ok(Box::new(PerfEvents::new(events)?)),
};

const HARDWARE: u32 = 0;
const SOFTWARE: u32 = 1;

/// Names of `perf list` with the kernel's type and number (linux/perf_event.h).
const EVENTS: &[(&str, u32, u64)] = &[
    ("cycles", HARDWARE, 0),
    ("instructions", HARDWARE, 1),
    ("cache-references", HARDWARE, 2),
    ("cache-misses", HARDWARE, 3),
    ("branches", HARDWARE, 4),
    ("branch-misses", HARDWARE, 5),
    ("bus-cycles", HARDWARE, 6),
    ("stalled-cycles-frontend", HARDWARE, 7),
    ("stalled-cycles-backend", HARDWARE, 8),
    ("ref-cycles", HARDWARE, 9),
    ("cpu-clock", SOFTWARE, 0),
    ("task-clock", SOFTWARE, 1),
    ("page-faults", SOFTWARE, 2),
    ("context-switches", SOFTWARE, 3),
    ("cpu-migrations", SOFTWARE, 4),
    ("minor-faults", SOFTWARE, 5),
    ("major-faults", SOFTWARE, 6),
];

/// What is counted when nothing is chosen.
const DEFAULTS: &[&str] = &[
    "instructions",
    "cycles",
    "branch-misses",
    "cache-misses",
    "task-clock",
    "page-faults",
    "context-switches",
    "cpu-migrations",
];

/// Whether there is a counter of that name.
pub(super) fn is_event(name: &str) -> bool {
    EVENTS.iter().any(|(known, ..)| *known == name)
}

/// Whether an event is a clock. The kernel counts its clocks in nanoseconds; Lotse gives every time in seconds.
pub(super) fn is_clock(event: &str) -> bool {
    ["task-clock", "cpu-clock", "user_time", "system_time"].contains(&event)
}

struct PerfEvents {
    events: Vec<(&'static str, CounterSpec)>,
}

impl PerfEvents {
    fn new(asked: &[String]) -> Result<Self, RunnerError> {
        let names: Vec<&str> =
            if asked.is_empty() { DEFAULTS.to_vec() } else { asked.iter().map(String::as_str).collect() };
        Ok(Self { events: names.into_iter().map(event).collect::<Result<_, _>>()? })
    }
}

fn event(asked: &str) -> Result<(&'static str, CounterSpec), RunnerError> {
    let found = EVENTS.iter().find(|(name, ..)| *name == asked);
    let unknown = || RunnerError::UnknownEvent {
        runner: ID,
        event: asked.to_owned(),
        known: EVENTS.iter().map(|(name, ..)| *name).collect::<Vec<_>>().join(", "),
    };
    let &(name, kind, config) = found.ok_or_else(unknown)?;
    Ok((name, CounterSpec::new(name, kind, config)))
}

impl Runner for PerfEvents {
    fn counters(&self) -> Vec<CounterSpec> {
        self.events.iter().map(|(_, spec)| spec.clone()).collect()
    }

    fn values(&self, output: RunOutput<'_>) -> Result<RunValues, RunnerError> {
        let counted = self.events.iter().zip(&output.report.counters);
        let value = |name: &str, count: f64| if is_clock(name) { count / 1e9 } else { count };
        let values = counted.filter_map(|((name, _), counter)| {
            Some(((*name).to_owned(), value(name, counter.as_ref()?.scaled()?)))
        });
        Ok(values.collect::<Values>().into())
    }

    fn unit(&self, metric: &str) -> Unit {
        if is_clock(metric) { Unit::Seconds } else { Unit::Count }
    }
}

#[cfg(test)]
mod tests {
    use super::{PerfEvents, RunnerError};

    #[test]
    fn unknown_events_are_named_with_what_there_is() {
        let error = PerfEvents::new(&["instructions".into(), "flops".into()]).err().unwrap();
        assert!(matches!(&error, RunnerError::UnknownEvent { event, .. } if event == "flops"));
        assert!(error.to_string().contains("cycles, instructions"), "{error}");
    }
}
