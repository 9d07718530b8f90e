//! What the shell itself costs, measured on an empty command and taken off every run.

use std::collections::BTreeMap;

use lotse_host::{End, Environment, Input, Job, Launcher, Output, RunReport};
use lotse_stats::descriptive::median;

use super::SessionError;
use crate::command::Shell;

/// Median seconds of an empty command.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct ShellCost {
    pub(super) wall: f64,
    pub(super) user: f64,
    pub(super) system: f64,
}

/// Enough for a median that is steady to some percent of a shell's millisecond.
const RUNS: usize = 50;

/// Measures the shell.
pub(super) fn measure(launcher: &mut Launcher, shell: &Shell) -> Result<ShellCost, SessionError> {
    let mut samples: [Vec<f64>; 3] = Default::default();
    for _ in 0..RUNS {
        let [wall, user, system] = seconds(&run_empty(launcher, shell)?);
        samples.iter_mut().zip([wall, user, system]).for_each(|(list, seconds)| list.push(seconds));
    }
    Ok(ShellCost { wall: median(&samples[0])?, user: median(&samples[1])?, system: median(&samples[2])? })
}

/// One run of an empty command.
pub(super) fn run_empty(launcher: &mut Launcher, shell: &Shell) -> Result<RunReport, SessionError> {
    let report = launcher.run(&empty(shell)?)?;
    match &report.end {
        End::NotStarted(problem) => Err(SessionError::Shell { problem: problem.to_string() }),
        _ => Ok(report),
    }
}

fn seconds(report: &RunReport) -> [f64; 3] {
    [report.wall_ns, report.usage.user_ns, report.usage.system_ns].map(|nanos| nanos as f64 / 1e9)
}

impl ShellCost {
    fn clocks(&self) -> [(&'static str, f64); 4] {
        let Self { wall, user, system } = *self;
        [("wall", wall), ("user", user), ("system", system), ("cpu", user + system)]
    }

    /// What an empty run took beyond this cost, by clock.
    pub(super) fn excess(&self, report: &RunReport) -> BTreeMap<String, f64> {
        let [wall, user, system] = seconds(report);
        let measured = Self { wall, user, system }.clocks();
        let pairs = measured.into_iter().zip(self.clocks());
        pairs.map(|((clock, measured), (_, cost))| (clock.to_owned(), measured - cost)).collect()
    }
}

pub(super) fn empty(shell: &Shell) -> Result<Job, SessionError> {
    Ok(Job {
        argv: shell.argv("").map_err(|error| SessionError::Shell { problem: error.to_string() })?,
        environment: Environment::default(),
        directory: None,
        stdin: Input::Null,
        stdout: Output::Null,
        stderr: Output::Null,
        timeout: None,
        cpu: None,
        scheduler: false,
    })
}

/// Takes the shell's cost off the clocks; a clock never goes below zero.
pub(super) fn subtract(cost: Option<&ShellCost>, values: &mut BTreeMap<String, f64>) {
    let Some(cost) = cost else { return };
    for (name, seconds) in cost.clocks() {
        if let Some(value) = values.get_mut(name) {
            *value = (*value - seconds).max(0.0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{ShellCost, subtract};

    #[test]
    fn clocks_lose_the_shell_but_never_go_below_zero() {
        let cost = ShellCost { wall: 0.001, user: 0.002, system: 0.0 };
        let mut values =
            [("wall".to_owned(), 0.011), ("user".to_owned(), 0.001), ("minor_faults".to_owned(), 3.0)].into();
        subtract(Some(&cost), &mut values);
        assert!((values["wall"] - 0.01_f64).abs() < 1e-12);
        assert_eq!(values["user"], 0.0);
        assert_eq!(values["minor_faults"], 3.0);
    }
}
