//! Events through the program `perf stat`: everything `perf list` names, also vendor and tracepoint events.
//!
//! The command is started by perf, so the wall time is that of perf and the command together; the cost of perf itself
//! is measured and subtracted (`session/start_cost.rs`). The event `duration_time` is not the wall time of the command: perf
//! reads the clock only after it has started the command, which on a busy machine may have ended by then.

use std::ffi::OsString;
use std::path::Path;

use lotse_model::Unit;
use lotse_model::metric::WALL;

use super::perf_events::is_clock;
use super::{RunOutput, RunValues, Runner, RunnerError, RunnerKind, Values};

const ID: &str = "perf-stat";
const FILE: &str = "perf.csv";

pub(super) const KIND: RunnerKind = RunnerKind {
    id: ID,
    title: "any event of 'perf list' through perf stat",
    temci: &["perf_stat"],
    tool: Some("perf"),
    primary: WALL,
    create: |events| match events.iter().find(|event| metric_name(event) == "duration_time") {
        Some(event) => Err(RunnerError::UnknownEvent {
            runner: ID,
            event: event.clone(),
            known:
                "every other event of 'perf list'; perf begins to count duration_time after the program has \
                    begun, so that it may be far too short: use the metric wall"
                    .to_owned(),
        }),
        None => Ok(Box::new(PerfStat::new(events))),
    },
};

/// Events that work without hardware counters too.
const DEFAULTS: &[&str] = &["instructions", "cycles", "task-clock", "page-faults", "context-switches"];

struct PerfStat {
    events: Vec<String>,
}

impl PerfStat {
    fn new(asked: &[String]) -> Self {
        let defaults = || DEFAULTS.iter().map(|&name| name.to_owned()).collect();
        Self { events: if asked.is_empty() { defaults() } else { asked.to_vec() } }
    }
}

impl Runner for PerfStat {
    fn wrap(&self, argv: Vec<OsString>, scratch: &Path) -> Vec<OsString> {
        let perf = ["perf", "stat", "-x", ";", "-e"].map(OsString::from);
        let mut words: Vec<OsString> = perf.into();
        words.extend([self.events.join(",").into(), "-o".into(), scratch.join(FILE).into(), "--".into()]);
        words.extend(argv);
        words
    }

    fn needs_scratch(&self) -> bool {
        true
    }

    fn keeps_usage(&self) -> bool {
        false
    }

    fn tool_in_wall(&self) -> Option<&'static str> {
        Some("perf stat")
    }

    fn probes(&self) -> bool {
        true
    }

    fn metric_name<'a>(&self, event: &'a str) -> &'a str {
        metric_name(event)
    }

    fn metrics(&self) -> Vec<String> {
        let events = self.events.iter().map(|event| metric_name(event).to_owned());
        std::iter::once(WALL.to_owned()).chain(events).collect()
    }

    fn unit(&self, metric: &str) -> Unit {
        if metric == WALL || is_clock(metric) { Unit::Seconds } else { Unit::Count }
    }

    fn values(&self, output: RunOutput<'_>) -> Result<RunValues, RunnerError> {
        let path = output.scratch.join(FILE);
        let text = lotse_host::Scratch::text(&path)
            .map_err(|error| RunnerError::Unreadable { runner: ID, problem: error.to_string() })?;
        let wall = output.report.wall_ns as f64 / 1e9;
        let values: Values = parse(&text).into_iter().chain([(WALL.to_owned(), wall)]).collect();
        Ok(values.into())
    }
}

/// Parses lines `value;unit;event;…`; events that are not counted or not supported have no number and give no value.
fn parse(text: &str) -> Values {
    let line = |line: &str| {
        let mut fields = line.split(';');
        let (value, unit, event) = (fields.next()?, fields.next()?, fields.next()?);
        let number: f64 = value.trim().parse().ok()?;
        let name = metric_name(event.trim());
        let parts = if is_clock(name) { parts_of_second(unit.trim()) } else { 1.0 };
        Some((name.to_owned(), number / parts))
    };
    text.lines().filter_map(line).collect()
}

/// How many units of a clock of perf make a second: `msec` for task-clock, `ns` for user_time. Without a unit the value is in
/// nanoseconds, the unit of the kernel.
fn parts_of_second(unit: &str) -> f64 {
    match unit {
        "msec" => 1e3,
        "usec" => 1e6,
        "sec" => 1.0,
        _ => 1e9,
    }
}

/// The event without modifiers (`cycles:u`); a tracepoint (`sched:sched_switch`) keeps its colon.
fn metric_name(event: &str) -> &str {
    match event.rsplit_once(':') {
        Some((name, modifiers)) if modifiers.chars().all(|c| "ukhpGHSDPIWeb".contains(c)) => name,
        _ => event,
    }
}

#[cfg(test)]
mod tests {
    use super::{PerfStat, Runner, parse};

    #[test]
    fn perf_csv_is_read_and_what_is_missing_left_out() {
        let text = "# started on Sun Nov 15 2026\n\n<not supported>;;instructions:u;0;100.00;;\n\
                    1,5;msec;x\n12.75;msec;task-clock;12750000;100.00;0.9;CPUs utilized\n65;;page-faults:u;1;100.00;;\n\
                    13500000;ns;user_time;13500000;100.00;;\n";
        let values = parse(text);
        let expected = [("page-faults", 65.0), ("task-clock", 0.01275), ("user_time", 0.0135)];
        assert_eq!(values, expected.map(|(name, value)| (name.to_owned(), value)).into());
    }

    #[test]
    fn modifiers_go_and_tracepoints_stay() {
        let names = ["cycles:u", "sched:sched_switch", "sched:sched_wakeup:u"].map(super::metric_name);
        assert_eq!(names, ["cycles", "sched:sched_switch", "sched:sched_wakeup"]);
    }

    #[test]
    fn a_duration_that_begins_after_the_program_is_refused() {
        let refused = (super::KIND.create)(&["cycles".into(), "duration_time".into()]).err().unwrap();
        assert!(refused.to_string().contains("use the metric wall"), "{refused}");
    }

    #[test]
    fn the_command_comes_last() {
        let words = PerfStat::new(&["cycles".into()]).wrap(vec!["ls".into(), "-l".into()], "/s".as_ref());
        let expected = ["perf", "stat", "-x", ";", "-e", "cycles", "-o", "/s/perf.csv", "--", "ls", "-l"];
        assert_eq!(words, expected);
    }
}
