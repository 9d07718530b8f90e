//! Conversion of reports of the launcher to runs of the model.

use std::collections::BTreeMap;

use lotse_host::{End, RunReport, SystemState, Usage, disturbance_between};
use lotse_model::results::{Disturbance, Outcome, Status};

use crate::options::ProgramSpec;
use crate::validate;

/// How the run ended, judged by what was expected of it.
pub(super) fn outcome(spec: &ProgramSpec, report: &RunReport) -> Outcome {
    let failed =
        |status, problem: String| Outcome { status, exit_code: None, signal: None, problem: Some(problem) };
    match &report.end {
        End::Exited(code) => validate::judge(spec, *code, report),
        End::Signalled(signal) => {
            Outcome { signal: Some(*signal), ..failed(Status::Failed, format!("ended by signal {signal}")) }
        }
        End::TimedOut => {
            let limit = spec.timeout.map_or(String::new(), |limit| format!(" than {limit:?}"));
            failed(Status::Timeout, format!("took longer{limit} and was stopped"))
        }
        End::NotStarted(problem) => failed(Status::Missing, problem.to_string()),
        End::Interrupted => failed(Status::Failed, "interrupted".to_owned()),
    }
}

/// Separates the problem of a failed run from the last lines of its standard error.
pub(crate) const ERROR_OUTPUT: &str = "; its error output ends with: ";

/// Lines on standard error that are shown of a failed run.
const LAST_LINES: usize = 3;

/// A problem with the last lines that the run wrote to standard error, where it wrote any and they were kept.
pub(super) fn with_error_output(problem: &str, report: &RunReport) -> String {
    let text = String::from_utf8_lossy(&report.stderr.bytes);
    let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    match &lines[lines.len().saturating_sub(LAST_LINES)..] {
        [] => problem.to_owned(),
        last => format!("{problem}{ERROR_OUTPUT}{}", last.join(" | ")),
    }
}

/// The values of a plain run: two clocks and all fields of `rusage`.
pub(super) fn usage_values(report: &RunReport) -> BTreeMap<String, f64> {
    let seconds = |nanos: u64| nanos as f64 / 1e9;
    let usage = &report.usage;
    let mut values = counted(usage);
    values.insert("wall".to_owned(), seconds(report.wall_ns));
    values.insert("user".to_owned(), seconds(usage.user_ns));
    values.insert("system".to_owned(), seconds(usage.system_ns));
    values.insert("cpu".to_owned(), seconds(usage.user_ns + usage.system_ns));
    if let Some(delay) = report.run_delay_ns {
        values.insert("run_delay".to_owned(), seconds(delay));
    }
    if let Some(migrations) = report.migrations {
        values.insert("migrations".to_owned(), migrations as f64);
    }
    values
}

fn counted(usage: &Usage) -> BTreeMap<String, f64> {
    let fields = [
        ("peak_memory", usage.max_resident_bytes),
        ("shared_memory", usage.shared_text),
        ("unshared_data", usage.unshared_data),
        ("unshared_stack", usage.unshared_stack),
        ("minor_faults", usage.minor_faults),
        ("major_faults", usage.major_faults),
        ("swaps", usage.swaps),
        ("blocks_in", usage.blocks_in),
        ("blocks_out", usage.blocks_out),
        ("messages_sent", usage.messages_sent),
        ("messages_received", usage.messages_received),
        ("signals", usage.signals),
        ("voluntary_switches", usage.voluntary_switches),
        ("involuntary_switches", usage.involuntary_switches),
    ];
    fields.into_iter().map(|(name, value)| (name.to_owned(), value as f64)).collect()
}

/// Shares of a run above which it counts as contended.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ContentionLimits {
    /// Share of time waiting for a CPU.
    pub(crate) delay: f64,
    /// Share of time taken by a hypervisor.
    pub(crate) steal: f64,
    /// Share of time with CPU pressure, used if the waiting time cannot be read.
    pub(crate) pressure: f64,
}

/// Disturbances of the run, from the states of the system before and after it. A run counts as contended if it waited for a CPU,
/// or lost time to a hypervisor, for more than the limit.
pub(super) fn disturbance(
    report: &RunReport,
    before: &SystemState,
    after: &SystemState,
    limits: ContentionLimits,
) -> Disturbance {
    if matches!(report.end, End::NotStarted(_)) {
        return Disturbance::default();
    }
    let wall = (report.wall_ns as f64 / 1e9).max(1e-9);
    let since = disturbance_between(before, after);
    let steal = since.steal_ns.map(|nanos| nanos as f64 / 1e9);
    let pressure = since.pressure_cpu_some_us.map(|micros| (micros as f64 / 1e6 / wall).min(1.0));
    let run_delay = report.run_delay_ns.map(|nanos| nanos as f64 / 1e9);
    let waited = match run_delay {
        Some(delay) => delay / wall > limits.delay,
        None => pressure.is_some_and(|share| share > limits.pressure),
    };
    let stolen = steal.is_some_and(|seconds| seconds / wall > limits.steal);
    Disturbance {
        contended: waited || stolen,
        steal,
        involuntary_switches: Some(report.usage.involuntary_switches),
        pressure,
        run_delay,
        migrations: report.migrations,
        load: since.load1,
    }
}

#[cfg(test)]
mod tests {
    use lotse_host::{End, RunReport, StartProblem, SystemState, Usage};
    use lotse_model::rule::Thresholds;

    use super::{disturbance, usage_values, with_error_output};
    use crate::rules::contention_limits;

    /// `None` if the system does not report the time.
    type Milliseconds = Option<u64>;

    /// A run of one second that waited this long for a CPU.
    fn report(waited: Milliseconds) -> RunReport {
        RunReport {
            end: End::Exited(0),
            wall_ns: 1_000_000_000,
            run_delay_ns: waited.map(|milliseconds| milliseconds * 1_000_000),
            migrations: Some(3),
            ..RunReport::not_started(StartProblem::EmptyCommand)
        }
    }

    /// The system's counters after this much stolen time and pressure.
    fn state(stolen: Milliseconds, pressure: Milliseconds) -> SystemState {
        SystemState {
            steal_ns: stolen.map(|milliseconds| (milliseconds + 5_000) * 1_000_000),
            pressure_cpu_some_us: pressure.map(|milliseconds| (milliseconds + 7_000) * 1_000),
            load1: Some(0.5),
        }
    }

    #[test]
    fn waiting_stealing_or_pressure_make_a_run_contended() {
        let cases: &[(Milliseconds, Milliseconds, Milliseconds, bool)] = &[
            (Some(0), Some(0), Some(0), false),
            (Some(20), Some(20), None, false),
            (Some(21), Some(0), Some(0), true),
            (Some(0), Some(21), Some(0), true),
            // Pressure is that of the whole machine: it counts only if the waiting time of the run itself is unknown.
            (Some(0), Some(0), Some(900), false),
            (None, Some(0), Some(201), true),
            (None, Some(0), Some(199), false),
            (None, None, None, false),
        ];
        let limits = contention_limits(&Thresholds::default());
        for &(waited, stolen, pressure, contended) in cases {
            let before = state(stolen.map(|_| 0), pressure.map(|_| 0));
            let found = disturbance(&report(waited), &before, &state(stolen, pressure), limits);
            assert_eq!(found.contended, contended, "{waited:?} {stolen:?} {pressure:?}");
            assert_eq!(found.run_delay, waited.map(|milliseconds| milliseconds as f64 / 1e3));
            assert_eq!(found.steal, stolen.map(|milliseconds| milliseconds as f64 / 1e3));
            assert_eq!(found.migrations, Some(3));
        }
    }

    #[test]
    fn the_last_lines_on_standard_error_belong_to_the_problem() {
        let mut failed = report(None);
        assert_eq!(with_error_output("ended with exit code 3", &failed), "ended with exit code 3");
        failed.stderr.bytes = b"one\n two\nthree\n\nfour\n".to_vec();
        let expected = "ended with exit code 3; its error output ends with: two | three | four";
        assert_eq!(with_error_output("ended with exit code 3", &failed), expected);
    }

    #[test]
    fn a_run_that_did_not_start_has_no_disturbance() {
        let limits = contention_limits(&Thresholds::default());
        let report = RunReport::not_started(StartProblem::EmptyCommand);
        let found = disturbance(&report, &state(Some(0), Some(0)), &state(Some(9_000), Some(9_000)), limits);
        assert_eq!(found, Default::default());
    }

    #[test]
    fn values_have_the_names_and_units_of_the_model() {
        let usage = Usage {
            user_ns: 250_000_000,
            system_ns: 500_000_000,
            max_resident_bytes: 4096,
            minor_faults: 7,
            involuntary_switches: 2,
            ..Usage::default()
        };
        let values = usage_values(&RunReport { usage, ..report(Some(10)) });
        let known = |name: &String| lotse_model::metric::KNOWN.iter().any(|known| known.name == name);
        assert!(values.keys().all(known), "{values:?}");
        assert_eq!(values.len(), lotse_model::metric::KNOWN.len());
        let expected = [
            ("wall", 1.0),
            ("user", 0.25),
            ("system", 0.5),
            ("cpu", 0.75),
            ("peak_memory", 4096.0),
            ("minor_faults", 7.0),
            ("involuntary_switches", 2.0),
            ("run_delay", 0.01),
            ("migrations", 3.0),
        ];
        for (name, value) in expected {
            assert_eq!(values[name], value, "{name}");
        }
        assert_eq!(usage_values(&report(None)).get("run_delay"), None);
    }
}
