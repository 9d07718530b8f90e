//! From what the launcher reports to a run of the model.

use std::collections::BTreeMap;

use lotse_host::{End, RunReport, SystemState, Usage, between};
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
    /// Of waiting for a CPU.
    pub(crate) delay: f64,
    /// Of time taken by a hypervisor.
    pub(crate) steal: f64,
    /// Of pressure, where waiting cannot be read.
    pub(crate) pressure: f64,
}

/// What disturbed the run, from the states of the system before and after it.
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
    let since = between(before, after);
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
