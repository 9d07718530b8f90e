//! Events through the program `perf stat`: everything `perf list` names, also vendor and tracepoint events.
//!
//! The command is started by perf, so the clocks of the run would be perf's; instead perf's own `duration_time`
//! gives the wall time.

use std::ffi::OsString;
use std::path::Path;

use lotse_model::Unit;

use super::{Product, Runner, RunnerError, RunnerKind, Values};

const ID: &str = "perf-stat";
const FILE: &str = "perf.csv";

pub(super) const KIND: RunnerKind = RunnerKind {
    id: ID,
    title: "any event of 'perf list' through perf stat",
    tool: Some("perf"),
    primary: "wall",
    create: |events| Ok(Box::new(PerfStat::new(events))),
};

/// Events that work without hardware counters too.
const DEFAULTS: &[&str] = &["instructions", "cycles", "task-clock", "page-faults", "context-switches"];

struct PerfStat {
    events: Vec<String>,
}

impl PerfStat {
    fn new(asked: &[String]) -> Self {
        let defaults = || DEFAULTS.iter().map(|&name| name.to_owned()).collect();
        let mut events: Vec<String> = if asked.is_empty() { defaults() } else { asked.to_vec() };
        if !events.iter().any(|event| event == "duration_time") {
            events.push("duration_time".to_owned());
        }
        Self { events }
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

    fn probes(&self) -> bool {
        true
    }

    fn metric_name<'a>(&self, event: &'a str) -> &'a str {
        metric_name(event)
    }

    fn metrics(&self) -> Vec<String> {
        self.events.iter().map(|event| metric_name(event).to_owned()).collect()
    }

    fn unit(&self, metric: &str) -> Unit {
        if metric == "wall" { Unit::Seconds } else { Unit::Count }
    }

    fn values(&self, product: Product<'_>) -> Result<Values, RunnerError> {
        let path = product.scratch.join(FILE);
        let text = lotse_host::Scratch::text(&path)
            .map_err(|error| RunnerError::Unreadable { runner: ID, problem: error.to_string() })?;
        Ok(parse(&text))
    }
}

/// Lines `value;unit;event;…`; what is not counted or not supported has no number and gives no value.
fn parse(text: &str) -> Values {
    let line = |line: &str| {
        let mut fields = line.split(';');
        let (value, _unit, event) = (fields.next()?, fields.next()?, fields.next()?);
        let number: f64 = value.trim().parse().ok()?;
        match metric_name(event.trim()) {
            "wall" => Some(("wall".to_owned(), number / 1e9)),
            name => Some((name.to_owned(), number)),
        }
    };
    text.lines().filter_map(line).collect()
}

/// The event without modifiers (`cycles:u`); a tracepoint (`sched:sched_switch`) keeps its colon.
fn metric_name(event: &str) -> &str {
    let plain = match event.rsplit_once(':') {
        Some((name, modifiers)) if modifiers.chars().all(|c| "ukhpGHSDPIWeb".contains(c)) => name,
        _ => event,
    };
    if plain == "duration_time" { "wall" } else { plain }
}

#[cfg(test)]
mod tests {
    use super::{PerfStat, Runner, parse};

    #[test]
    fn perf_csv_is_read_and_what_is_missing_left_out() {
        let text = "# started on Sun Nov 15 2026\n\n<not supported>;;instructions:u;0;100.00;;\n\
                    1,5;msec;x\n12.75;msec;task-clock;12750000;100.00;0.9;CPUs utilized\n65;;page-faults:u;1;100.00;;\n\
                    13500000;ns;duration_time;13500000;100.00;;\n";
        let values = parse(text);
        let expected = [("page-faults", 65.0), ("task-clock", 12.75), ("wall", 0.0135)];
        assert_eq!(values, expected.map(|(name, value)| (name.to_owned(), value)).into());
    }

    #[test]
    fn modifiers_go_and_tracepoints_stay() {
        let names = ["cycles:u", "sched:sched_switch", "sched:sched_wakeup:u", "duration_time"]
            .map(super::metric_name);
        assert_eq!(names, ["cycles", "sched:sched_switch", "sched:sched_wakeup", "wall"]);
    }

    #[test]
    fn the_duration_is_always_counted_and_the_command_comes_last() {
        let words = PerfStat::new(&["cycles".into()]).wrap(vec!["ls".into(), "-l".into()], "/s".as_ref());
        let expected =
            ["perf", "stat", "-x", ";", "-e", "cycles,duration_time", "-o", "/s/perf.csv", "--", "ls", "-l"];
        assert_eq!(words, expected);
    }
}
