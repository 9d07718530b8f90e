//! Whether the requested metrics can be measured on this machine, checked before the first run where possible.

use lotse_host::{CounterStatus, End, Launcher, RunReport, Scratch};

use super::SessionError;
use super::hooks::unmeasured_job;
use crate::options::Options;
use crate::runner::{RunOutput, Runner};

/// All metrics that the user requested: the primary metric, events, and metrics to show.
pub(super) fn requested_metrics(options: &Options) -> impl Iterator<Item = &str> {
    let named = options.runner.events.iter().chain(&options.metrics);
    std::iter::once(options.primary.as_str()).chain(named.map(String::as_str))
}

/// Refuses requested counters that this machine does not have, and a runner without any working counter.
pub(super) fn check(
    options: &Options,
    runner: &dyn Runner,
    launcher: &mut Launcher,
) -> Result<(), SessionError> {
    let counters = runner.counters();
    let absent = |status: &CounterStatus| status.reason();
    let missing: Vec<(String, String)> = counters
        .iter()
        .zip(launcher.counters())
        .filter_map(|(counter, status)| Some((counter.name.clone(), absent(status)?)))
        .collect();
    let named =
        missing.iter().find(|(name, _)| requested_metrics(options).any(|requested| requested == name));
    let nothing = missing.first().filter(|_| missing.len() == counters.len());
    if let Some((metric, reason)) = named.or(nothing) {
        return Err(SessionError::NotOffered { metric: metric.clone(), reason: reason.clone() });
    }
    if runner.probes() { probe(options, runner, launcher) } else { Ok(()) }
}

/// Measures the program `true`, since a tool such as perf reports only when it runs what it can count.
fn probe(options: &Options, runner: &dyn Runner, launcher: &mut Launcher) -> Result<(), SessionError> {
    let scratch = Scratch::create().map_err(SessionError::Scratch)?;
    let job = unmeasured_job(runner.wrap(vec!["true".into()], scratch.path()));
    let report = launcher.run(&job)?;
    if report.end != End::Exited(0) {
        return Err(SessionError::Probe {
            runner: options.runner.id.clone(),
            problem: error_summary(&report),
        });
    }
    let values = runner.values(RunOutput { report: &report, scratch: scratch.path() })?.values;
    let known = runner.metrics();
    let absent = |name: &&str| known.iter().any(|known| known == name) && !values.contains_key(*name);
    let wanted = requested_metrics(options).map(|name| runner.metric_name(name));
    match wanted.into_iter().find(absent) {
        Some(metric) => Err(SessionError::NotOffered {
            metric: metric.to_owned(),
            reason: format!("{} counts nothing for it", options.runner.id),
        }),
        None => Ok(()),
    }
}

/// The first lines of the error output of a failed tool, in one line.
fn error_summary(report: &RunReport) -> String {
    let text = String::from_utf8_lossy(&report.stderr.bytes);
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let first_lines: Vec<&str> = lines.take(2).collect();
    if first_lines.is_empty() { format!("it ended with {:?}", report.end) } else { first_lines.join(" ") }
}
